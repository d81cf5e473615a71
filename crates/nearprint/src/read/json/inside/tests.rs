//! Fields inside of objects and lists of a line.

use super::super::{parse, parse_lists};
use super::*;

#[test]
fn a_name_with_dots_is_that_of_a_field_inside_of_objects() {
    let names = ["doc.text", "doc", "a.b.c", "doc.id"].map(String::from);
    for (line, expected) in [
        (
            r#"{"doc":{"text":"a","id":7}}"#,
            r#"[Some(Text("a")), Some(Object), None, Some(Integer(7))]"#,
        ),
        (
            r#"{"doc":{"text":"a"},"doc.text":"b"}"#,
            r#"[Some(Text("b")), Some(Object), None, None]"#,
        ),
        (
            r#"{"doc.text":"b","doc":{"text":"a","text":"a"}}"#,
            r#"[Some(Text("b")), Some(Object), None, None]"#,
        ),
        (
            r#"{"doc":"text","a":{"b":{"c":null}}}"#,
            r#"[None, Some(Text("text")), Some(Null), None]"#,
        ),
        (r#"{"a.b":{"c":1},"a":{"b":{"c":2}}}"#, "[None, None, Some(Integer(1)), None]"),
        (
            r#"{"d\u006fc": {"t\u0065xt" : "\u4e00" } , "doc2":{"text":1}}"#,
            "[Some(Text(\"一\")), Some(Object), None, None]",
        ),
    ] {
        assert_eq!(format!("{:?}", parse(line, &names).unwrap()), expected, "{line}");
    }
    for line in [r#"{"doc":{"text":1,"text":2}}"#, r#"{"doc":{"text":1},"doc":{"text":2}}"#] {
        assert_eq!(
            parse(line, &names).unwrap_err(),
            Problem::RepeatedField { field: "doc.text".into() },
            "{line}"
        );
    }
    assert!(matches!(
        parse(r#"{"doc":{"text":"a"},"x":}"#, &names),
        Err(Problem::NotJson { column: 25, .. })
    ));
    let lone = parse(r#"{"doc":{"text":"\ud83d"}}"#, &names).unwrap_err();
    assert!(lone.to_string().contains("\\ud83d is a lone surrogate"), "{lone}");
}

#[test]
fn the_names_of_fields_inside_of_objects_are_told_with_their_lengths() {
    let found = texts(
        r#"{"id":1,"doc":{"text":"ab","more":{"deep":"一二三"}},"none":{},
        "list":[{"text":"abcd","n":1},null,{"text":"e"}],"tags":["a","bc"],"pages":[1,[2]]}"#,
    );
    let found: Vec<_> = found.iter().map(|(name, length)| (name.as_str(), *length)).collect();
    assert_eq!(
        found,
        [
            ("id", 0),
            ("doc.text", 2),
            ("doc.more.deep", 3),
            ("none", 0),
            ("list[].text", 5),
            ("list[].n", 0),
            ("tags[]", 3),
            ("pages[]", 0)
        ]
    );
}

#[test]
fn a_list_stands_for_the_values_that_an_inner_alternative_names() {
    let line = r#"{"m":[{"c":"a"},{"c":[{"t":"b"},{"i":1},{"t":"c"}]},{"c":[{"i":2}]},{"c":"d"}]}"#;
    for field in ["m[].c|m[].c[].t", "m[].c[].t|m[].c", "x|m.c.t|m.c"] {
        let shown = format!("{:?}", parse_nested(line, field).unwrap());
        assert_eq!(shown, r#"Each([Text("a"), Text("b"), Text("c"), Text("d")])"#, "{field}");
        assert_eq!(text_parts(line, &[field.into()]), [r#""a""#, r#""b""#, r#""c""#, r#""d""#]);
    }
    for (line, expected) in [
        (r#"{"c":"a"}"#, r#"Each([Text("a")])"#),
        (r#"{"c":["a",{"t":"b"}]}"#, r#"Each([Text("b")])"#),
        (r#"{"c":{"t":["b",7]}}"#, r#"Each([Text("b"), Integer(7)])"#),
        (r#"{"c":[]}"#, "Each([])"),
        (r#"{"c":null}"#, "Each([])"),
        (r#"{"d":1}"#, "Each([])"),
    ] {
        let shown = format!("{:?}", parse_nested(line, "c|c[].t|c.t[]").unwrap());
        assert_eq!(shown, expected, "{line}");
    }
}

#[test]
fn an_empty_list_or_a_null_around_a_field_is_told() {
    let (empty, null) = (
        |field: &str| Some(Problem::EmptyList { field: field.into() }),
        |field: &str| Some(Problem::NullField { field: field.into() }),
    );
    for (line, field, expected) in [
        (r#"{"m":[]}"#, "m[].c", empty("m[].c")),
        (r#"{"m":[ ]}"#, "text|m.c", empty("m.c")),
        (r#"{"m":[{"c":[]}]}"#, "m[].c[].t", empty("m[].c[].t")),
        (r#"{"m":[]}"#, "m[]", empty("m[]")),
        (r#"{"m":null}"#, "m[].c", null("m[].c")),
        (r#"{"m":{"c":null}}"#, "m.c.t", null("m.c.t")),
        (r#"{"m":[{"d":1}]}"#, "m[].c", None),
        (r#"{"m":[{"c":"a"},{"c":null}]}"#, "n", None),
    ] {
        assert_eq!(problem_around(line, field), expected, "{line} {field}");
    }
}

#[test]
fn a_name_with_brackets_has_the_values_of_a_list() {
    let names = ["a[].b", "a.b", "t[]", "t[][]", "a[].d.e"].map(String::from);
    for (line, expected) in [
        (
            r#"{"a":[{"b":"x"},{"c":1},null,"y",{"b":null},{"b":2}],"t":["p",["q"]]}"#,
            r#"[Some(Each([Text("x"), Null, Integer(2)])), Some(Each([Text("x"), Null, Integer(2)])), Some(Each([Text("p"), Array([])])), Some(Each([Text("q")])), None]"#,
        ),
        (
            r#"{"a":[{"d":{"e":1}},{"d":[{"e":2},{"e":3}]}],"t":[]}"#,
            "[None, None, None, None, Some(Each([Integer(1), Integer(2), Integer(3)]))]",
        ),
        // A field with the whole name comes first, and only a list has brackets.
        (
            r#"{"a[].b":"x","a.b":"y","a":{"b":"z"},"t":"q"}"#,
            r#"[Some(Text("x")), Some(Text("y")), None, None, None]"#,
        ),
    ] {
        assert_eq!(format!("{:?}", parse(line, &names).unwrap()), expected, "{line}");
    }
    assert_eq!(
        parse(r#"{"a":[{"b":1,"b":1}]}"#, &names).unwrap_err(),
        Problem::RepeatedField { field: "b".into() }
    );
    let deep = format!("{{\"t\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(format!("{:?}", parse(&deep, &names[2..3]).unwrap()), "[Some(Each([Array([])]))]");
}

proptest::proptest! {
    /// Fields without dots in their names are found alike by both functions, the one that looks
    /// inside of objects and the one that reads field by field.
    #[test]
    fn both_ways_to_look_for_fields_agree(line in r#"\{("[ab]":("[xy]"|1|null|\{"a":2\}|\[1\]),){0,3}"[abc]":(1|"x"|\{\})\}"#) {
        let names = ["a", "b"].map(String::from);
        // If several fields are repeated, the one function names the first in the line, the
        // other one the first in the list.
        let shown =
            |values: Result<_, Problem>| values.map(|values| format!("{values:?}")).map_err(|problem| problem.name());
        proptest::prop_assert_eq!(shown(parse_inside(&line, &names, true)), shown(parse_lists(&line, &names)));
    }
}

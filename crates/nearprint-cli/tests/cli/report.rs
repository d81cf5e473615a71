//! `nearprint report` and `dedup --report`.

use serde_json::Value;

use crate::common::Place;

const STORY: &str = "The ferry to the island returns on Monday after eleven weeks of repairs to \
    its cracked propeller shaft, and the captain calls the new engine the quietest that she ever \
    heard";

/// Twelve documents of two hosts; most documents of one host are copies.
fn place() -> Place {
    let place = Place::new();
    let row = |id: usize, text: &str, host: &str| {
        format!("{}\n", serde_json::json!({"id": id, "text": text, "host": host}))
    };
    let copies: String = (0..12)
        .map(|id| row(id, &format!("{STORY}{}", ".".repeat(id)), "copies.example"))
        .collect();
    place.write(
        "a.jsonl",
        copies + &row(12, "<script>alert(1)</script> in the hills", "other.example"),
    );
    place.write(
        "b.jsonl",
        row(20, STORY, "other.example")
            + &row(21, "Half of the bakeries close before noon", "other.example"),
    );
    place
}

/// The JSON elements of the page of a folder with this attribute.
fn elements(place: &Place, folder: &str, attribute: &str) -> Vec<Value> {
    let html = std::fs::read_to_string(place.path(&format!("{folder}/report.html"))).unwrap();
    let beginning = format!("<script type=\"application/json\" {attribute}>");
    let parts = html.split(&beginning).skip(1);
    parts
        .map(|part| serde_json::from_str(part.split_once("</script>").unwrap().0).unwrap())
        .collect()
}

/// The data of the page of a folder.
fn data(place: &Place, folder: &str) -> Value {
    elements(place, folder, "id=\"data\"").remove(0)
}

/// The list of pairs of the page of a folder.
fn pairs(place: &Place, folder: &str) -> Vec<Value> {
    elements(place, folder, "id=\"pairs\"").remove(0).as_array().unwrap().clone()
}

/// The texts of all pairs: those in the page, or those in the files beside it.
fn texts(place: &Place, folder: &str) -> Vec<Value> {
    let of_part = |part: &Value| part.as_array().unwrap().clone();
    let data = data(place, folder);
    let parts = data["parts"].as_array().unwrap().len();
    let Some(files) = data["parts_in"].as_str() else {
        return elements(place, folder, "class=\"part\"").iter().flat_map(of_part).collect();
    };
    let of_file = |number: usize| {
        let path = place.path(&format!("{folder}/{files}/{}.js", number + 1));
        let script = std::fs::read_to_string(path).unwrap();
        let part = script.strip_prefix(&format!("part({number},")).unwrap();
        of_part(&serde_json::from_str(part.strip_suffix(");\n").unwrap()).unwrap())
    };
    (0..parts).flat_map(of_file).collect()
}

#[test]
fn a_report_counts_sources_and_holds_both_texts_of_pairs() {
    let place = place();
    place.dedup(&["a.jsonl", "b.jsonl"]);
    place.run(&["report", "out", "--quiet"]).succeeds();
    let by_file = data(&place, "out");
    assert_eq!(
        by_file["sources"]["rows"],
        serde_json::json!([["a.jsonl", 13, 11], ["b.jsonl", 2, 1]])
    );
    assert_eq!(
        by_file["alarms"],
        serde_json::json!([{"kind": "source", "name": "a.jsonl", "read": 13, "removed": 11}])
    );
    assert_eq!(
        (&by_file["folder"], &by_file["files"]),
        (&"out".into(), &serde_json::json!(["a.jsonl", "b.jsonl"]))
    );
    let views = texts(&place, "out");
    assert_eq!((views.len(), pairs(&place, "out").len()), (12, 12));
    for pair in views {
        for side in ["l", "r"] {
            let side = if pair["e"] == true { "l" } else { side };
            let pieces = pair[side].as_array().unwrap();
            assert!(
                pieces
                    .iter()
                    .any(|piece| piece[1].as_str().is_some_and(|text| text.contains("ferry"))),
                "{pair}"
            );
        }
    }
    place
        .run(&["report", "out", "--source-field", "host"])
        .succeeds()
        .says(&["out/report.html; open it in a browser"]);
    let by_host = data(&place, "out");
    let rows = serde_json::json!([["copies.example", 12, 11], ["other.example", 3, 1]]);
    assert_eq!((&by_host["sources"]["by"], &by_host["sources"]["rows"]), (&"host".into(), &rows));
    assert_eq!(by_host["across"]["counts"], serde_json::json!([[11, 0], [1, 0]]));
}

#[test]
fn dedup_writes_the_same_report() {
    let place = place();
    let by_host = ["--report", "--source-field", "host"];
    place.dedup(&[&["a.jsonl", "b.jsonl"], &by_host[..]].concat());
    let at_once = std::fs::read(place.path("out/report.html")).unwrap();
    place.run(&["report", "out", "--source-field", "host", "--quiet"]).succeeds();
    assert!(at_once == std::fs::read(place.path("out/report.html")).unwrap());
    let dry = [&["dedup", "a.jsonl", "-o", "dry", "--dry-run", "--report", "-q"][..]].concat();
    place.run(&dry).succeeds();
    assert_eq!(data(&place, "dry")["summary"]["counts"]["removed"], 11);
    place.run(&["dedup", "a.jsonl", "-o", "-", "--report"]).ends_with_code(2).says(&["--report"]);
    place
        .run(&["dedup", "a.jsonl", "-o", "x", "--source-field", "host"])
        .ends_with_code(2)
        .says(&["--report"]);
}

#[test]
fn documents_are_text_and_test_sets_are_told_apart() {
    let place = place();
    place.write(
        "test.jsonl",
        "{\"id\":\"</script>\",\"question\":\"<script>alert(1)</script> in the hills\"}\n",
    );
    place.dedup(&[
        "a.jsonl",
        "--against",
        "test.jsonl",
        "--against-text-field",
        "question",
        "--report",
    ]);
    let html = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(!html.contains("alert(1)</script>") && html.contains("default-src 'none'"));
    let data = data(&place, "out");
    assert_eq!(data["sources"]["rows"], serde_json::json!([["a.jsonl", 13, 1]]));
    let view = &texts(&place, "out")[0];
    assert!(view["e"] == true, "{view}");
    assert_eq!(view["l"][0][1], "<script>alert(1)</script> in the hills");
}

#[test]
fn what_is_no_output_or_is_gone_is_said() {
    let place = place();
    place
        .run(&["report", "."])
        .ends_with_code(1)
        .says(&["is not an output folder of nearprint dedup"]);
    place.dedup(&["a.jsonl", "b.jsonl"]);
    std::fs::remove_file(place.path("a.jsonl")).unwrap();
    place.write("b.jsonl", "{\"id\":20,\"text\":\"changed\"}\n");
    place.run(&["report", "out", "--quiet"]).succeeds().says(&[
        "nearprint: warning: 1 of 2 input files are missing, so the page lacks their texts; run \
         this in the folder in which nearprint dedup ran, or restore the files (a.jsonl)",
    ]);
    let data = data(&place, "out");
    let views = texts(&place, "out");
    assert!(views.len() == 12 && views.iter().all(Value::is_null));
    assert_eq!(data["summary"]["counts"]["removed"], 12);
    let removed = place.path("out/removed.jsonl");
    std::fs::write(&removed, "{\"id\":1}\n").unwrap();
    place.run(&["report", "out"]).ends_with_code(1).says(&["removed.jsonl: a row cannot be read"]);
}

#[test]
fn a_report_with_texts_is_not_replaced_by_one_without() {
    let place = place();
    place.dedup(&["a.jsonl", "b.jsonl", "--report"]);
    let page = place.path("out/report.html");
    let with_texts = std::fs::read(&page).unwrap();
    for file in ["a.jsonl", "b.jsonl"] {
        std::fs::rename(place.path(file), place.path(&format!("{file}.gone"))).unwrap();
    }
    place.run(&["report", "out"]).ends_with_code(1).says(&[
        "report.html: would lose its texts, since no input file of the run exists; run this in the \
         folder in which nearprint dedup ran",
        "(a.jsonl); for a page without texts, delete this page first",
    ]);
    assert!(with_texts == std::fs::read(&page).unwrap());
    std::fs::remove_file(&page).unwrap();
    place.run(&["report", "out"]).succeeds().says(&["warning: 2 of 2 input files are missing"]);
    assert!(texts(&place, "out")[0].is_null());
}

#[test]
fn inputs_that_have_changed_at_the_same_length_are_told() {
    let place = place();
    place.dedup(&["b.jsonl", "--against", "a.jsonl"]);
    let hashes = place.summary("out")["hashes"].clone();
    assert_eq!(hashes.as_array().unwrap().len(), 2);
    assert_eq!(place.run(&["report", "out", "--quiet"]).succeeds().stderr, "");
    assert_eq!(data(&place, "out")["changed"], serde_json::json!([]));
    let text = std::fs::read_to_string(place.path("a.jsonl")).unwrap();
    place.write("a.jsonl", text.replace("ferry", "yacht"));
    place
        .run(&["report", "out"])
        .succeeds()
        .says(&["warning: 1 of 2 input files have changed since the run (a.jsonl)"]);
    assert_eq!(data(&place, "out")["changed"], serde_json::json!(["a.jsonl"]));
}

#[test]
fn a_source_field_that_no_document_has_is_refused_before_the_work() {
    let place = place();
    let refused = [
        "--source-field: no row of the input has a value in a field \"hosts\"",
        "host",
        "name another field",
    ];
    place
        .run(&["dedup", "a.jsonl", "-o", "out", "--report", "--source-field", "hosts"])
        .ends_with_code(2)
        .says(&refused);
    assert!(!place.path("out").exists());
    place.dedup(&["a.jsonl", "b.jsonl", "--report"]);
    let before = std::fs::read(place.path("out/report.html")).unwrap();
    place.run(&["report", "out", "--source-field", "hosts"]).ends_with_code(2).says(&refused);
    assert!(before == std::fs::read(place.path("out/report.html")).unwrap());
    // A field of only some rows is accepted.
    place.write("c.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\",\"host\":\"there.example\"}\n");
    place
        .run(&["dedup", "c.jsonl", "-o", "some", "--report", "--source-field", "host", "-q"])
        .succeeds();
    assert_eq!(data(&place, "some")["sources"]["rows"].as_array().unwrap().len(), 2);
}

/// Long texts, each with an edited copy. 220 of them take more than 20 MB of a page.
fn many(count: usize) -> String {
    let row = |id: String, text: &str| format!("{}\n", serde_json::json!({"id": id, "text": text}));
    let text = |number: usize| -> String {
        (0..5000).map(|word| format!("w{}x{number} ", word * 7919 % 104_729)).collect()
    };
    let two = |number: usize| {
        let text = text(number);
        row(format!("{number}"), &text) + &row(format!("{number} copy"), &format!("{text}more"))
    };
    (0..count).map(two).collect()
}

#[test]
fn every_removal_is_in_the_page_and_many_texts_are_in_files() {
    let place = Place::new();
    place.write("a.jsonl", many(220));
    place.dedup(&["a.jsonl", "--report"]);
    assert_eq!((pairs(&place, "out").len(), texts(&place, "out").len()), (220, 220));
    assert!(texts(&place, "out").iter().all(|view| view["l"][0][1].is_string()));
    let html = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(html.len() < 1_000_000 && html.contains("'strict-dynamic'"));
    let folders = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(place.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    };
    let before = folders("out/report-data");
    assert_eq!(before.len(), 1);
    // The same report has the same bytes; another one replaces the files.
    place.run(&["report", "out", "--quiet"]).succeeds();
    assert_eq!(folders("out/report-data"), before);
    assert!(html == std::fs::read_to_string(place.path("out/report.html")).unwrap());
    place.write("a.jsonl", many(220).replace("more", "less"));
    place.run(&["report", "out", "--quiet"]).succeeds();
    assert!(folders("out/report-data").len() == 1 && folders("out/report-data") != before);
    place.write("a.jsonl", "{\"id\":1,\"text\":\"other\"}\n");
    place.run(&["report", "out", "--quiet"]).succeeds();
    assert!(!place.path("out/report-data").exists());
    assert!(folders("out").iter().all(|name| !name.starts_with('.')));
    // An output with such files may be replaced.
    place.write("b.jsonl", "{\"id\":1,\"text\":\"other\"}\n");
    place.write("out/report-data/0123456789abcdef/1.js", "");
    place.run(&["dedup", "b.jsonl", "-o", "out", "--force", "--quiet"]).succeeds();
    assert!(!place.path("out/report-data").exists());
}

/// Two copies with a title, a day and an address, and a third document.
fn with_fields(place: &Place) {
    let row = |id: usize, text: &str, title: &str| {
        let row = serde_json::json!({
            "id": id, "text": text, "headline": title, "published": "2024-02-01", "day": id,
            "link": format!("https://a.example/{id}"), "host": "a.example", "site": "",
        });
        format!("{row}\n")
    };
    let rows = row(1, STORY, "<b>Ferry</b> returns")
        + &row(2, &format!("{STORY}."), &"long ".repeat(100))
        + &row(3, "Half of the bakeries close before noon", "Bread");
    place.write("news.jsonl", rows);
}

#[test]
fn usual_or_named_fields_are_shown_beside_a_pair() {
    let place = Place::new();
    with_fields(&place);
    place.dedup(&["news.jsonl", "--report"]);
    assert_eq!(
        data(&place, "out")["shown"],
        serde_json::json!(["headline", "published", "link", "host"])
    );
    let pair = &pairs(&place, "out")[0];
    let values = [&pair["d"][5], &pair["k"][5]];
    let keeper = values.iter().find(|values| values[2] == "https://a.example/1").unwrap();
    assert_eq!(keeper[0], "<b>Ferry</b> returns");
    let other = values.iter().find(|values| values[2] == "https://a.example/2").unwrap();
    assert!(other[0].as_str().unwrap().chars().count() == 201);
    place.run(&["report", "out", "--quiet", "--show-field", "day"]).succeeds();
    assert_eq!(data(&place, "out")["shown"], serde_json::json!(["day"]));
    let days = &pairs(&place, "out")[0];
    assert_eq!(
        (&days["d"][5], &days["k"][5]),
        (&serde_json::json!(["2"]), &serde_json::json!(["1"]))
    );
    place.run(&["report", "out", "--quiet", "--show-field", "none"]).succeeds();
    assert_eq!(data(&place, "out")["shown"], serde_json::json!([]));
    place
        .run(&["report", "out", "--show-field", "titel"])
        .ends_with_code(2)
        .says(&["--show-field: no row of the input has a value in a field \"titel\"", "headline"]);
    place
        .run(&["dedup", "news.jsonl", "-o", "x", "--show-field", "day"])
        .ends_with_code(2)
        .says(&["--report"]);
}

#[test]
fn two_columns_of_one_usual_name_are_not_shown() {
    let place = Place::new();
    place.write("a.csv", format!("id,text,title,title\n1,\"{STORY}\",a,b\n2,\"{STORY}.\",c,d\n"));
    place.dedup(&["a.csv", "--report"]);
    assert_eq!(data(&place, "out")["shown"], serde_json::json!([]));
    assert!(texts(&place, "out")[0]["l"].is_array());
}

/// Rows with a text and further fields.
fn rows(rows: &[(&str, &str, Value)]) -> String {
    let row = |(id, text, fields): &(&str, &str, Value)| {
        let mut row = serde_json::json!({"id": id, "text": text});
        row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        format!("{row}\n")
    };
    rows.iter().map(row).collect()
}

#[test]
fn each_document_shows_the_first_of_its_own_fields() {
    let place = Place::new();
    let json = |json: &str| serde_json::from_str(json).unwrap();
    let copy = format!("{STORY}.");
    place.write("a.jsonl", rows(&[("a", STORY, json(r#"{"title":"One","day":"2024-01-02"}"#))]));
    let fields =
        json(r#"{"标题":"Two","meta":{"date":"2024-01-01","title":"no"},"day":"2024-01-01"}"#);
    place.write("b.jsonl", rows(&[("b", &copy, fields)]));
    let shown = |folder: &str| -> Vec<[Option<String>; 2]> {
        let names = data(&place, folder)["shown"].clone();
        let names = names.as_array().unwrap().clone();
        let pair = &pairs(&place, folder)[0];
        let values = |side: &str| pair[side][5].as_array().unwrap().clone();
        let ends = [values("d"), values("k")].map(|values| {
            let shown = names.iter().zip(values).filter(|(_, value)| !value.is_null());
            shown.map(|(name, value)| format!("{name} {value}").replace('"', "")).collect()
        });
        let [own, keeper]: [Vec<String>; 2] = ends;
        (0..own.len().max(keeper.len()))
            .map(|at| [own.get(at).cloned(), keeper.get(at).cloned()])
            .collect()
    };
    let some = |text: &str| Some(text.to_string());
    place.dedup(&["a.jsonl", "b.jsonl", "--report", "--keep", "first"]);
    assert_eq!(
        shown("out"),
        [[some("标题 Two"), some("title One")], [some("meta.date 2024-01-01"), None]]
    );
    // The field that tells which document is newer is the date.
    place.dedup(&["a.jsonl", "b.jsonl", "--report", "--keep", "newest:day", "--force"]);
    assert_eq!(
        shown("out"),
        [[some("标题 Two"), some("title One")], [some("day 2024-01-01"), some("day 2024-01-02")]]
    );
}

#[test]
fn leaks_in_documents_that_stay_are_pairs_of_the_page() {
    let place = place();
    let item = "The ferry to the island returns on Monday after eleven weeks of repairs to its \
        cracked propeller shaft";
    place.write("test.jsonl", rows(&[("item", item, serde_json::json!({}))]));
    let rest = "Half of the bakeries close before noon, and nobody in the valley knows why. ";
    let holder = format!("{}{item}. {rest}", rest.repeat(3));
    place.write(
        "c.jsonl",
        rows(&[("holder", &holder, serde_json::json!({})), ("copy", item, serde_json::json!({}))]),
    );
    for (action, past, copy) in [
        ("remove", None, Some(Value::Null)),
        ("cut", Some("cut"), Some(Value::Null)),
        ("mask", Some("masked"), Some(Value::Null)),
        ("list", Some("listed"), Some("listed".into())),
    ] {
        place.dedup(&[
            "c.jsonl",
            "--against",
            "test.jsonl",
            "--leak-action",
            action,
            "--report",
            "--force",
        ]);
        let at_once = std::fs::read(place.path("out/report.html")).unwrap();
        let pairs = pairs(&place, "out");
        // Each leak is there once.
        assert_eq!((pairs.len(), texts(&place, "out").len()), (2, 2), "{action}");
        let of = |id: &str| {
            let of_id = |pair: &&Value| pair["d"][0] == format!("\"{id}\"");
            pairs.iter().find(of_id).unwrap_or_else(|| panic!("{action}: {id} is not there"))
        };
        let holder = of("holder");
        assert_eq!(holder["a"], past.map_or(Value::Null, Value::from), "{action}");
        assert_eq!((&holder["r"], holder["p"].is_array()), (&"contains".into(), true));
        assert_eq!(holder["c"].is_null(), past.is_some());
        assert_eq!(Some(&of("copy")["a"]), copy.as_ref(), "{action}");
        let views = texts(&place, "out");
        assert!(views.iter().all(|view| view["l"].is_array()), "{views:?}");
        place.run(&["report", "out", "--quiet"]).succeeds();
        assert!(at_once == std::fs::read(place.path("out/report.html")).unwrap());
    }
}

#[test]
fn the_summary_tells_the_page_what_was_left_out() {
    let place = place();
    place.write("empty.jsonl", "not JSON\n");
    let marks = "{\"left\":\"gone\",\"right\":\"0\",\"verdict\":\"wrong\"}\n";
    place.write("marks.jsonl", marks);
    let broken = place.text("b.jsonl") + "{\"id\":30,\"host\":\"a.example\"}\n";
    place.write("b.jsonl", broken);
    let further = ["--marks", "marks.jsonl", "--keep", "newest:host", "--report"];
    place.dedup_the_rest(&[&["b.jsonl", "empty.jsonl"], &further[..]].concat());
    let summary = &data(&place, "out")["summary"];
    assert_eq!(
        summary["loss"],
        serde_json::json!({"whole": [["empty.jsonl", 1]], "cut": [], "rows": 1})
    );
    assert_eq!(
        (&summary["undated"]["documents"], &summary["marks"]["used"]),
        (&2.into(), &0.into())
    );
    place.dedup(&["a.jsonl", "--force"]);
    assert_eq!(place.summary("out").get("loss"), None);
}

#[test]
fn a_reason_of_another_version_is_shown_by_its_name() {
    let place = place();
    place.dedup(&["a.jsonl"]);
    let path = place.path("out/removed.jsonl");
    let rows = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, rows.replacen("\"reason\":\"near\"", "\"reason\":\"listed\"", 1))
        .unwrap();
    place.run(&["report", "out", "--quiet"]).succeeds();
    assert!(pairs(&place, "out").iter().any(|pair| pair["r"] == "listed"));
}

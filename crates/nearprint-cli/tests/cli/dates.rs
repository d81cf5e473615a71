//! Dates in every form: `--keep newest:FIELD`, and the dates of an index.

use serde_json::{Value, json};

use crate::common::{FERRY, LIBRARY, Place, SKIP, column, row, rows};

/// Rows of one text, numbered from 1, with these dates.
fn dated(dates: &[Value]) -> String {
    let row =
        |(id, day): (i32, &Value)| format!("{}\n", json!({"id": id, "day": day, "text": FERRY}));
    (1..).zip(dates).map(row).collect()
}

/// The id of the document that `--keep newest:day` keeps, and the warnings.
fn newest(place: &Place) -> (Value, String) {
    let arguments = ["--quiet", "--force", "--output", "out", "--keep", "newest:day"];
    let run = place.run(&[&["dedup", "news.jsonl"], &arguments[..]].concat());
    let stderr = run.succeeds().stderr;
    (place.rows("out/kept/news.jsonl")[0]["id"].clone(), stderr)
}

#[test]
fn the_newest_of_dates_in_several_forms_stays() {
    for dates in [
        json!(["2024-01-02T10:00:00Z", "2024-01-02T09:00:00-05:00"]),
        json!(["2024年2月1日", "2024年10月1日"]),
        json!(["Wed, 03 Jan 2024 10:00:00 GMT", "Fri, 05 Jan 2024 10:00:00 GMT"]),
        json!(["2024-9-30", "2024/10/1"]),
        json!([1_704_448_800, "2024-01-06"]),
        json!(["2024-01-04", "1704448800"]),
        json!(["2024-01-05 10:00", 1_704_448_801_000_u64]),
        json!(["soon", "1990"]),
        json!([null, "1990-01"]),
        json!(["2024年1月5日 18:30+08:00", "2024年1月5日10时31分"]),
        json!(["Feb 2, 2024", "Feb 3, 2024 10:30 PM"]),
        json!(["2024-02-03", "Sat Feb  3 10:30:00 2024"]),
        json!(["2024年2月1日 上午10时30分", "2024年2月1日下午3:05"]),
        json!(["Thursday, 01-Feb-24 10:30:00 GMT", "Feb. 1st, 2024 10:31"]),
        json!(["03/04/2024", "July 20, 1969"]),
    ] {
        let place = Place::with("news.jsonl", dated(dates.as_array().unwrap()));
        assert_eq!(newest(&place).0, 2, "{dates}");
    }
}

#[test]
fn values_that_are_no_dates_are_counted_and_named() {
    let dates = [json!("5 May"), json!("2024-05-01"), json!(17), json!(""), json!("x".repeat(99))];
    let place = Place::with("news.jsonl", dated(&[&dates[..], &[json!("gone")]].concat()));
    let (kept, stderr) = newest(&place);
    assert_eq!(kept, 2);
    let missing = "nearprint: warning: 1 document has no date in the field \"day\", which ranks \
                   documents, and ranks below all dates\n";
    let warning = format!(
        "nearprint: warning: the field \"day\", which ranks documents, has a value that is no date in \
         4 documents, such as \"5 May\" (news.jsonl, row 1), \"17\" (news.jsonl, row 3), \"{}\" \
         (news.jsonl, row 5), which ranks below all dates; write dates like 2026-01-31T09:00:00Z, \
         or rank numbers and text with --keep highest:day\n",
        "x".repeat(40)
    );
    assert_eq!(stderr, warning + missing);
    let undated = &place.summary("out")["undated"];
    assert_eq!((&undated["field"], &undated["documents"]), (&json!("day"), &json!(4)));
    assert_eq!(undated["missing"], 1);
    let first = json!({"file": "news.jsonl", "row": 3, "value": "17"});
    assert_eq!(undated["first"][1], first);

    let place = Place::with("news.jsonl", dated(&[json!("2024"), json!("")]));
    let (kept, stderr) = newest(&place);
    assert_eq!((kept, stderr.as_str()), (json!(1), missing));
    let undated = json!({"field": "day", "documents": 0, "first": [], "missing": 1});
    assert_eq!(place.summary("out")["undated"], undated);

    let place = Place::with("news.jsonl", dated(&[json!("2024"), json!(2023)]));
    assert_eq!(newest(&place), (json!(1), String::new()));
    assert!(place.summary("out").get("undated").is_none());
}

#[test]
fn the_oldest_of_dates_stays_and_documents_without_one_go() {
    let dates = [Value::Null, json!("2024-02-03"), json!("Feb 2, 2024"), json!("soon")];
    let place = Place::with("news.jsonl", dated(&dates));
    place.dedup(&["news.jsonl", "--keep", "oldest:day"]);
    assert_eq!(place.rows("out/kept/news.jsonl")[0]["id"], 3);
    let undated = &place.summary("out")["undated"];
    assert_eq!((&undated["documents"], &undated["missing"]), (&json!(1), &json!(1)));
}

#[test]
fn an_explanation_names_the_rule_and_both_dates() {
    let dates = [json!("2024-02-02"), json!("Feb 3 2024x"), json!("2024年2月1日"), json!("")];
    let place = Place::with("news.jsonl", dated(&dates));
    place.dedup(&["news.jsonl", "--keep", "newest:day"]);
    for (id, why) in [
        ("2", "1 has 2024-02-02, and 2 has no date that can be read (\"Feb 3 2024x\")"),
        ("3", "2024-02-02 of 1 is later than 2024年2月1日 of 3"),
        ("4", "1 has 2024-02-02, and 4 has no date"),
    ] {
        let line = format!("\n--keep newest:day: {why}\n");
        let told = place.run(&["explain", "out", id]).succeeds().stdout;
        assert!(told.contains(&line), "{told}");
        let json = place.run(&["explain", "out", id, "--json"]).succeeds().json();
        let whys = json["pairs"][0]["why"].as_array().unwrap();
        assert!(whys.iter().any(|told| told.as_str().unwrap().ends_with(why)), "{whys:?}");
    }
}

#[test]
fn csv_has_the_same_dates() {
    let texts = ["20240105", "2024-1-4", "1704067200"].map(|day| format!("{day},{FERRY:?}\n"));
    let place = Place::with("news.csv", format!("day,text\n{}", texts.concat()));
    place.dedup(&["news.csv", "--keep", "newest:day"]);
    assert!(place.text("out/kept/news.csv").contains("20240105"));
}

#[test]
fn an_index_reads_the_same_dates() {
    let dates = ["2999年12月31日", "3000-01", "Wed, 01 Jan 3000 00:00:00 GMT", "30000101"];
    let place = Place::with("news.jsonl", dated(&dates.map(Value::from)));
    let create = ["index", "create", "seen", "news.jsonl", "--ttl", "30d", "--date-field", "day"];
    place.run(&create).succeeds().says(&["4 new"]);
}

#[test]
fn an_index_is_not_made_for_a_field_that_no_row_has() {
    let lines = row("a", FERRY).replace('}', ",\"day\":\"2999-01-01\",\"link\":{\"url\":\"u\"}}");
    let place = Place::with("news.jsonl", lines + &row("b", LIBRARY));
    let create = |more: &[&str]| {
        place.run(&[&["index", "create", "seen", "news.jsonl", "--ttl", "9d"], more].concat())
    };
    create(&["--date-field", "days"]).ends_with_code(2).says(&[
        "--date-field: no row of the input has a field \"days\"; did you mean \"day\"? there are: ",
        "; name another field\n",
    ]);
    create(&["--store-field", "titel"]).ends_with_code(2).says(&[
        "--store-field: no row of the input has a field \"titel\"; there are: ",
        "begin the index with rows that have it",
    ]);
    assert!(!place.path("seen").exists());
    // An index without documents is begun by the first addition.
    place.run(&["index", "create", "empty", "--store-field", "titel"]).succeeds();
    let begin =
        |input: &str, rows: &[u8]| place.run_with_input(&["index", "add", "empty", input], rows);
    let lacks = "--store-field: no row of the input has a field \"titel\"";
    place.write("blank.jsonl", "");
    let add = ["index", "add", "empty", "blank.jsonl", "news.jsonl"];
    place.run(&add).ends_with_code(2).says(&[lacks, "there are: ", "nothing was added"]);
    begin("-", &place.read("news.jsonl")).ends_with_code(2).says(&[lacks]);
    let titled = row("t", FERRY).replace('}', ",\"titel\":\"Ferry\"}");
    begin("-", titled.as_bytes()).succeeds().says(&["1 new"]);
    // Later documents need not have it.
    begin("news.jsonl", b"").succeeds().says(&["2 new; 3 documents in all"]);
    // One row with the field is enough, and the other one is named with a remedy.
    let fields = ["--date-field", "day", "--store-field", "link.url"];
    create(&[&fields[..], &SKIP].concat()).ends_with_code(3).says(&[
        "left out: news.jsonl, row 2: field \"day\" is nothing, not a date such as",
        "or create a new index with another --date-field",
        "1 new",
    ]);
    let exported = rows(&place.run(&["index", "export", "seen"]).succeeds().stdout);
    assert_eq!(column(&exported, "link.url"), ["u"]);
}

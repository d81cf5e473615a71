//! Text files in other encodings than UTF-8: read, copied byte for byte, or refused by name.

use encoding_rs::{BIG5, Encoding, GB18030, SHIFT_JIS};
use serde_json::json;

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, SKIP, column, gzip, row};

fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    encoding.encode(text).0.into_owned()
}

fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn kept_rows_are_the_bytes_of_an_encoded_file() {
    let rows = [
        row("1", BRIDGE),
        "\r\n".into(),
        row("2", BRIDGE),
        row("3", FERRY).replace('\n', "\r\n"),
        row("4", BRIDGE),
        row("5", LIBRARY),
    ];
    let kept = [&rows[0], &rows[1], &rows[3], &rows[5]].map(String::as_str).concat();
    let place = Place::new();
    place.write("gb.jsonl", encoded(&rows.concat(), GB18030));
    place.dedup(&["gb.jsonl", "--encoding", "gbk"]);
    assert_eq!(place.read("out/kept/gb.jsonl"), encoded(&kept, GB18030));
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("2"), json!("4")]);
    assert_eq!(place.summary("out")["settings"]["encoding"], "GB18030");

    let marked = |text: &str| [b"\xff\xfe".to_vec(), utf_16(text)].concat();
    place.write("u.jsonl.gz", gzip(&marked(&rows.concat())));
    for encoding in ["utf-16", "auto"] {
        place.dedup(&["u.jsonl.gz", "--encoding", encoding, "--force"]);
        assert_eq!(crate::common::gunzip(&place.read("out/kept/u.jsonl.gz")), marked(&kept));
    }
    let stream = place.run(&["dedup", "u.jsonl.gz", "--encoding", "auto", "--output", "-"]);
    assert_eq!(stream.succeeds().stdout, kept);

    // Delimiters of ASCII may be a part of a character.
    let csv = format!("id|text\n1|ソ能表\n2|\"{BRIDGE}|\n\"\n3|\"{BRIDGE}|\n\"\n4|表ソ十\n");
    let (csv, encoding) =
        (csv.replace(BRIDGE, "石橋の古い橋から最初の石が先月外された"), SHIFT_JIS);
    place.write("ja.csv", encoded(&csv, encoding));
    place.dedup(&["ja.csv", "--encoding", "Shift_JIS", "--delimiter", "|", "--force"]);
    let third = csv.find("3|").unwrap()..csv.find("4|").unwrap();
    let without = [&csv[..third.start], &csv[third.end..]].concat();
    assert_eq!(place.read("out/kept/ja.csv"), encoded(&without, encoding));
}

#[test]
fn rewritten_rows_are_in_the_encoding_of_their_file() {
    let place = Place::with("u.jsonl", utf_16(&[row("1", BRIDGE), row("2", BRIDGE)].concat()));
    place.dedup(&["u.jsonl", "--encoding", "utf-16le", "--annotate"]);
    let plain = row("1", BRIDGE).replace('}', ",\"duplicate_of\":null,\"cluster\":1}");
    let copy = row("2", BRIDGE).replace('}', ",\"duplicate_of\":\"1\",\"cluster\":1}");
    assert_eq!(place.read("out/annotated/u.jsonl"), utf_16(&(plain + &copy)));

    place.write("item.jsonl", row("test", BRIDGE));
    let page = format!("{LIBRARY} {BRIDGE} {FERRY}");
    place.write("page.jsonl", encoded(&row("1", &page), GB18030));
    let against = ["--against", "item.jsonl", "--leak-action", "mask", "--force"];
    let failed = place.run(&[&["dedup", "page.jsonl", "--output", "out"], &against[..]].concat());
    failed.ends_with_code(1).says(&["page.jsonl, row 1: the text is not UTF-8"]);
    let both = ["page.jsonl", "--encoding", "auto"];
    place.dedup(&[&both[..], &against].concat());
    let kept = GB18030.decode(&place.read("out/kept/page.jsonl")).0.into_owned();
    assert!(kept.contains("[masked]") && !kept.contains("石桥镇"), "{kept}");
}

#[test]
fn an_unknown_encoding_is_named_with_the_flag() {
    let place = Place::new();
    let refused = |bytes: Vec<u8>, says: &str| {
        place.write("a.jsonl", bytes);
        let run = place.run(&["dedup", "a.jsonl", "--output", "out"]).ends_with_code(1);
        run.says(&["a.jsonl, row 1: the text is not UTF-8; it looks like ", says]);
    };
    let text = row("1", BRIDGE);
    refused(
        encoded(&text, GB18030),
        "GB18030: try --encoding GB18030, or, if files have several encodings, --encoding auto",
    );
    refused(utf_16(&text), "UTF-16LE: try --encoding UTF-16LE");
    let traditional =
        row("1", "石橋鎮的老橋上個月拆下了第一塊石板。工匠發現橋拱裡藏著一封寫給後人的信。");
    refused(encoded(&traditional, BIG5), "Big5: try --encoding Big5");
    // A damaged row of a file in UTF-8 shows no encoding.
    let damaged = [row("1", FERRY).as_bytes(), b"{\"text\":\"\xff\xfe\"}\n"].concat();
    place.write("b.jsonl", damaged);
    let run = place.run(&["dedup", "b.jsonl", "--output", "out"]).ends_with_code(1);
    run.says(&[
        "b.jsonl, row 2: not UTF-8 (byte 9): the bytes are damaged, or in another encoding; repair \
         the row, or convert the file to UTF-8; or leave such rows out with --on-error skip",
    ]);
    let run = place.run(&["dedup", "a.jsonl", "--encoding", "klingon", "--output", "out"]);
    run.ends_with_code(2).says(&["--encoding: ", "\"klingon\" is neither auto nor a known"]);
}

#[test]
fn bytes_that_an_encoding_does_not_have_are_refused_with_their_row() {
    let bytes = [encoded(&row("1", BRIDGE), GB18030), b"{\"text\":\"\x81\"}\n".to_vec()];
    let place = Place::with("a.jsonl", [&bytes[0][..], &bytes[1], &bytes[0]].concat().as_slice());
    let dedup = ["dedup", "a.jsonl", "--encoding", "gb18030", "--ids", "file-row"];
    let dedup = [&dedup[..], &["--output", "out"]].concat();
    let run = place.run(&dedup).ends_with_code(1);
    run.says(&[
        "a.jsonl, row 2: the text is not valid GB18030; repair it, name another encoding with \
         --encoding, or, if files have several encodings, try --encoding auto",
    ]);
    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(place.read("out/kept/a.jsonl"), bytes[0]);
    assert_eq!(column(&place.rows("out/rejected.jsonl"), "problem"), [json!("not_encoded")]);
}

#[test]
fn a_byte_order_mark_decides_in_a_pipe_too() {
    let place = Place::new();
    place.run(&["index", "create", "seen"]).succeeds();
    let marked = |id: &str, text: &str| format!("\u{feff}{}", row(id, text));
    let big_endian = marked("1", BRIDGE).encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (encoding, bytes) in [
        ("utf-16", big_endian),
        ("gb18030", marked("2", FERRY).into_bytes()),
        ("big5", gzip(marked("3", LIBRARY).as_bytes())),
    ] {
        let add = ["index", "add", "seen", "-", "--encoding", encoding, "--quiet"];
        place.run_with_input(&add, &bytes).succeeds();
    }
    for (id, text) in [("1", BRIDGE), ("2", FERRY), ("3", LIBRARY)] {
        let found = place.run(&["index", "query", "seen", "--text", text]).succeeds().json();
        assert_eq!(found["matches"][0]["id"], id, "{found}");
    }
}

#[test]
fn a_byte_order_mark_decides_against_the_name_of_an_encoding() {
    let table = |id: &str| format!("id,text\n{id},\"{BRIDGE}\"\n");
    let place = Place::with("in/a.csv", encoded(&table("甲"), GB18030));
    let marked = format!("\u{feff}{}", table("乙"));
    place.write("in/b.csv", &marked);
    place.write("in/c.csv", [b"\xff\xfe".to_vec(), utf_16(&table("丙"))].concat());
    place.write("in/d.csv", encoded(&table("丁").replace(BRIDGE, LIBRARY), GB18030));
    place.dedup(&["in", "--encoding", "gbk", "--keep", "first"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("乙"), json!("丙")]);
    place.dedup(&["in/b.csv", "in/d.csv", "--encoding", "gbk", "--force"]);
    assert_eq!(place.text("out/kept/b.csv"), marked);
}

#[test]
fn reports_are_utf_8_whatever_the_encoding_of_the_input_is() {
    let rows = row("甲", BRIDGE) + &row("乙", BRIDGE) + &row("丙", FERRY);
    let place = Place::with("a.jsonl", encoded(&rows, GB18030));
    place.dedup(&["a.jsonl", "--encoding", "gb18030"]);
    place.write("truth.csv", encoded("left,right\n甲,乙\n", GB18030));
    let evaluate = ["evaluate", "out", "truth.csv", "--encoding", "gb18030", "--json", "--quiet"];
    let report = place.run(&evaluate).succeeds().json();
    assert_eq!(report["counts"]["true_positives"], 1, "{report}");
}

#[test]
fn auto_looks_at_each_file() {
    let place = Place::with("in/a.jsonl", encoded(&row("1", BRIDGE), GB18030));
    place.write("in/b.jsonl", row("2", BRIDGE));
    place.write("in/c.jsonl", utf_16(&row("3", BRIDGE)));
    let run = place.dedup(&["in", "--encoding", "auto"]);
    let run = run.says(&[
        "nearprint: warning: in/a.jsonl: read as GB18030\n",
        "nearprint: warning: in/c.jsonl: read as UTF-16LE\n",
    ]);
    assert!(!run.stderr.contains("in/b.jsonl"), "{}", run.stderr);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("2"), json!("3")]);
    place.run(&["explain", "out", "2"]).succeeds();
}

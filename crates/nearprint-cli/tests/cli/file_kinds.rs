//! Files that are not what their names say, files that are not read, and links.

use serde_json::json;

use crate::common::{
    BRIDGE, FERRY, LIBRARY, Place, bzip2, column, gzip, names, row, rows, xz, zstd,
};

fn read_again(place: &Place, name: &str, compress: fn(&[u8]) -> Vec<u8>) {
    let (first, second) = (row("1", FERRY), row("2", FERRY) + &row("3", LIBRARY));
    // Two streams, one after the other.
    place.write(name, [compress(first.as_bytes()), compress(second.as_bytes())].concat());
    place.dedup(&[name, "--force"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("2")], "{name}");
    let kept = format!("out/kept/{name}");
    place.run(&["dedup", &kept, "--output", "-"]).succeeds();
    let stream = place.run(&["dedup", &kept, "--output", "-"]).succeeds().stdout;
    assert_eq!(stream, first + &row("3", LIBRARY), "{name}");
}

#[test]
fn bzip2_and_xz_are_read_whole_and_written_back() {
    let place = Place::new();
    read_again(&place, "a.jsonl.bz2", bzip2);
    assert!(place.read("out/kept/a.jsonl.bz2").starts_with(b"BZh9"));
    read_again(&place, "a.jsonl.xz", xz);
    assert!(place.read("out/kept/a.jsonl.xz").starts_with(b"\xfd7zXZ"));
    let cut = xz(row("1", FERRY).as_bytes());
    place.write("cut.jsonl.xz", &cut[..cut.len() - 9]);
    let run = place.run(&["dedup", "cut.jsonl.xz", "--output", "cut"]).ends_with_code(1);
    run.says(&["cut.jsonl.xz: the compressed data is incomplete or damaged"]);
}

#[test]
fn the_first_bytes_of_a_file_tell_its_compression() {
    let place = Place::new();
    type Kind = fn(&[u8]) -> Vec<u8>;
    let kinds: [Kind; 5] = [gzip, zstd, bzip2, xz, <[u8]>::to_vec];
    for compress in kinds {
        read_again(&place, "a.jsonl", compress);
        read_again(&place, "a.jsonl.gz", compress);
    }
}

#[test]
fn a_binary_file_is_named_with_a_remedy() {
    let place = Place::with("a.jsonl", b"PK\x03\x04\x14\0\0\0");
    place.write("b.data", b"%PDF-1.7\n");
    let run = place.run(&["dedup", "a.jsonl", "--output", "out"]).ends_with_code(1);
    run.says(&["a.jsonl: this is a zip archive: unpack it first"]);
    let run = place.run(&["dedup", "b.data", "--output", "out"]).ends_with_code(2);
    run.says(&["b.data: this is a PDF: save it as plain text"]);
}

#[test]
fn files_that_look_like_data_and_are_not_read_are_named_also_if_quiet() {
    let place = Place::with("in/a.jsonl", row("1", FERRY));
    for name in ["README.md", "_SUCCESS", "a.jsonl.md5", ".b.lz4"] {
        place.write(&format!("in/{name}"), "x");
    }
    place.write("in/empty.xml", "");
    assert_eq!(place.dedup(&["in"]).stderr, "");
    place.write("in/b.jsonl.lz4", "x");
    let run = place.dedup(&["in", "--force"]);
    assert_eq!(
        run.stderr,
        "nearprint: warning: in/b.jsonl.lz4 is not read, since its format or compression is \
         unknown; convert it, or name it with --format\n"
    );
    for number in 0..6 {
        place.write(&format!("in/part-{number}"), "x");
    }
    let run = place.run(&["stats", "in", "--quiet", "--output", "in.stats"]).succeeds();
    assert_eq!(run.stderr.matches("are not read").count(), 1);
    run.says(&[
        "in/b.jsonl.lz4, in/part-0, ",
        "in/part-3 and 2 more are not read, since their format",
        "name them one by one, or with a glob, and set --format",
    ]);
}

#[test]
fn a_binary_file_in_a_folder_has_the_advice_of_one_named_alone() {
    let place = Place::with("in/a.jsonl", row("1", FERRY));
    place.write("in/b.zip", b"PK\x03\x04\x14\0news.txt");
    let run = place.dedup(&["in"]);
    let says = "nearprint: warning: in/b.zip is not read; this is a zip archive: unpack it first\n";
    assert_eq!(run.stderr, says);
    place.write("in/c.dat", "x");
    let run = place.dedup(&["in", "--force"]);
    let others = "nearprint: warning: in/c.dat is not read, since its format or compression is";
    run.says(&[says, others]);
}

#[test]
fn a_lone_carriage_return_ends_a_line() {
    let place = Place::with("a.txt", format!("{FERRY}\r{BRIDGE}\r{FERRY}\r\n{LIBRARY}\r"));
    place.dedup(&["a.txt", "--lines"]);
    assert_eq!(place.summary("out")["counts"]["read"], 4);
    assert_eq!(place.text("out/kept/a.txt"), format!("{FERRY}\r{BRIDGE}\r{LIBRARY}\r"));
    // What is left does not become one line end.
    place.write("a.txt", format!("{FERRY}\r{FERRY}\n\n{BRIDGE}\n"));
    place.dedup(&["a.txt", "--lines", "--force"]);
    assert_eq!(place.text("out/kept/a.txt"), format!("{FERRY}\r\n\n{BRIDGE}\n"));
    let lines = row("1", FERRY) + &row("2", FERRY);
    place.write("a.jsonl", lines.replace('\n', "\r"));
    place.dedup(&["a.jsonl", "--force"]);
    assert_eq!(place.text("out/kept/a.jsonl"), row("1", FERRY).replace('\n', "\r"));
}

#[test]
fn an_index_and_find_read_the_files_that_a_run_reads() {
    let place = Place::with("in/a.jsonl.bz2", bzip2(row("1", FERRY).as_bytes()));
    place.write("in/b.jsonl", gzip(row("2", LIBRARY).as_bytes()));
    place.write("in/c.jsonl", (row("3", BRIDGE) + &row("4", FERRY)).replace('\n', "\r"));
    place.write("in/d.csv.xz", xz(format!("id,text\n5,\"{LIBRARY}\"\n").as_bytes()));
    place.write("in/e.jsonl.lz4", "x");
    let warning = "nearprint: warning: in/e.jsonl.lz4 is not read";
    place.run(&["index", "create", "one", "--quiet"]).succeeds();
    place.run(&["index", "create", "all", "in", "--quiet"]).succeeds().says(&[warning]);
    let added = place.run(&["index", "add", "one", "in", "--if-new", "--quiet"]).succeeds();
    let added = rows(&added.says(&[warning]).stdout);
    assert_eq!(column(&added, "new"), [true, true, true, false, false]);
    let queried = place.run(&["index", "query", "all", "in", "--quiet"]).succeeds();
    let queried = rows(&queried.says(&[warning]).stdout);
    let counts = queried.iter().map(|row| row["matches"].as_array().unwrap().len());
    assert_eq!(counts.collect::<Vec<_>>(), [2, 2, 1, 2, 2]);
    let found = place.run(&["find", "in", "--text", LIBRARY, "--json"]).succeeds();
    let found = found.says(&[warning]).json();
    let found = found["texts"][0]["duplicates"].as_array().unwrap();
    assert_eq!(column(found, "id"), ["2", "5"]);
    let refused = ["index", "add", "all", "in/e.jsonl.lz4"];
    place.write("in/e.jsonl.lz4", b"\x04\x22\x4d\x18");
    place.run(&refused).ends_with_code(2).says(&["this is lz4 data: unpack it first"]);

    place.write("a.txt", format!("{FERRY}\r{BRIDGE}\r{LIBRARY}"));
    let create = ["index", "create", "lines", "a.txt", "--lines", "--id-field", "off"];
    place.run(&create).succeeds();
    let exported = rows(&place.run(&["index", "export", "lines"]).succeeds().stdout);
    assert_eq!(column(&exported, "id"), ["a.txt:1", "a.txt:2", "a.txt:3"]);
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_followed_and_each_file_is_read_once() {
    let place = Place::with("in/real/a.jsonl", row("1", FERRY));
    place.write("other/b.jsonl", row("2", LIBRARY));
    for (to, link) in
        [("../other", "in/link"), ("..", "in/real/round"), ("real/a.jsonl", "in/c.jsonl")]
    {
        std::os::unix::fs::symlink(to, place.path(link)).unwrap();
    }
    place.dedup(&["in"]);
    assert_eq!(place.summary("out")["inputs"], json!(["in/link/b.jsonl", "in/real/a.jsonl"]));
    assert_eq!(names(&place.path("out/kept")), ["link", "real"]);
}

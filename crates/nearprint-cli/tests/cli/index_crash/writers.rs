//! Several processes at one index: one writes at a time, and readers see all of a transaction or
//! nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::time::{Duration, Instant};

use nearprint::Silent;
use nearprint::index::Index;

use super::{answers, create, documents, first_match, text, verify};
use crate::common::{self, Place, row};

#[test]
fn a_second_writer_waits_and_is_then_refused() {
    let place = Place::with("input.jsonl", documents("doc", 0..50));
    create(&place, "seen", "input.jsonl");
    place.write("more.jsonl", documents("more", 100..150));
    let lock = File::options().write(true).open(place.path("seen/lock")).unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    let add = ["index", "add", "seen", "more.jsonl", "--if-new", "--quiet"];
    let remove = ["index", "remove", "seen", "doc-1"];
    let waiting = [place.command(&add).spawn().unwrap(), place.command(&remove).spawn().unwrap()];
    // Readers do not wait.
    assert_eq!(first_match(&answers(&place, "seen", "input.jsonl")[3]), Some("doc-3"));
    verify(&place, "seen");
    assert!(begun.elapsed() < Duration::from_secs(8));
    for child in waiting {
        let run = common::Run::new(&["index"], child.wait_with_output().unwrap()).ends_with_code(1);
        run.says(&[
            "nearprint: another process is writing to the index in seen; try again when it ends",
        ]);
    }
    assert!(begun.elapsed() > Duration::from_secs(9), "{:?}", begun.elapsed());
    // A writer that waits is not refused if the lock is released in time.
    let child = place.command(&add).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    drop(lock);
    let run = common::Run::new(&add, child.wait_with_output().unwrap()).succeeds();
    assert_eq!(run.stdout.lines().count(), 50);
    verify(&place, "seen");
}

#[test]
fn who_reads_while_another_writes_sees_whole_transactions() {
    const BATCHES: u64 = 12;
    let place = Place::with("input.jsonl", documents("doc", 0..BATCHES * 1000));
    place.run(&["index", "create", "seen", "--quiet"]).succeeds();
    // The first, a middle and the last document of each transaction.
    let asked: Vec<u64> =
        (0..BATCHES).flat_map(|batch| [0, 500, 999].map(|place| batch * 1000 + place)).collect();
    place.write(
        "ask.jsonl",
        asked.iter().map(|number| row("asked", &text(*number))).collect::<String>(),
    );
    let mut writer =
        place.command(&["index", "add", "seen", "input.jsonl", "--quiet"]).spawn().unwrap();
    let (mut before, mut generations, mut questions) = (0, BTreeMap::new(), 0);
    loop {
        let has_ended = writer.try_wait().unwrap().is_some();
        let found: Vec<bool> = answers(&place, "seen", "ask.jsonl")
            .iter()
            .map(|answer| first_match(answer).is_some())
            .collect();
        let there = found.iter().take_while(|found| **found).count();
        assert!(
            there.is_multiple_of(3) && found[there..].iter().all(|found| !found),
            "a part of a transaction: {found:?}"
        );
        assert!(there >= before, "{there} after {before}");
        *generations.entry(there / 3).or_insert(0) += 1;
        (before, questions) = (there, questions + 1);
        verify(&place, "seen");
        if has_ended {
            break;
        }
    }
    assert_eq!((before as u64, writer.wait().unwrap().code()), (3 * BATCHES, Some(0)));
    assert!(generations.len() > 2, "all {questions} questions were answered of {generations:?}");
    verify(&place, "seen");
}

#[test]
fn of_two_copies_that_two_processes_offer_one_is_new() {
    const COUNT: u64 = 4_000;
    let place = Place::with("one.jsonl", documents("one", 0..COUNT));
    place.write("other.jsonl", documents("other", (0..COUNT).rev()));
    place.run(&["index", "create", "seen", "--quiet"]).succeeds();
    let start = |file| {
        place.command(&["index", "add", "seen", file, "--if-new", "--quiet"]).spawn().unwrap()
    };
    let both = [("one", start("one.jsonl")), ("other", start("other.jsonl"))];
    let (mut new, mut by) = (BTreeMap::new(), BTreeMap::new());
    for (name, child) in both {
        let run = common::Run::new(&["index", "add"], child.wait_with_output().unwrap()).succeeds();
        for answer in common::rows(&run.stdout).iter().filter(|answer| answer["new"] == true) {
            let id = answer["id"].as_str().unwrap();
            *new.entry(id.rsplit('-').next().unwrap().to_string()).or_insert(0) += 1;
            *by.entry(name).or_insert(0) += 1;
        }
    }
    assert!(new.len() as u64 == COUNT && new.values().all(|count| *count == 1), "{by:?}");
    assert_eq!(by.len(), 2, "they did not take turns: {by:?}");
    verify(&place, "seen");
    let there = super::exported(&place, "seen");
    assert_eq!(there.len() as u64, COUNT);
}

#[test]
fn who_keeps_an_index_open_sees_what_others_removed_and_compacted() {
    let place = Place::with("input.jsonl", documents("doc", 0..4_200));
    create(&place, "seen", "input.jsonl");
    let mut index = Index::open(&place.path("seen")).unwrap();
    let mut is_there =
        |number: u64| !index.query(&text(number), 10, &Silent).unwrap().matches.is_empty();
    assert!(is_there(7) && is_there(4_150) && !is_there(5_000));
    // One of a file of tables, and one behind it.
    place.run(&["index", "remove", "seen", "doc-8", "doc-4151"]).succeeds();
    assert!(is_there(7) && !is_there(8) && !is_there(4_151));
    place.run(&["index", "remove", "seen", "doc-7", "doc-4150"]).succeeds();
    place.run(&["index", "compact", "seen"]).succeeds();
    assert!(!is_there(7) && !is_there(4_150) && is_there(9) && is_there(4_152));
    place.write("more.jsonl", documents("doc", 5_000..5_001));
    place.run(&["index", "remove", "seen", "doc-9"]).succeeds();
    place.run(&["index", "compact", "seen"]).succeeds();
    place.run(&["index", "remove", "seen", "doc-10"]).succeeds();
    place.run(&["index", "add", "seen", "more.jsonl", "--quiet"]).succeeds();
    assert!(!is_there(9) && !is_there(10) && is_there(11) && is_there(5_000));
}

#[test]
fn an_index_that_a_process_opens_twice_stays_open_for_the_first() {
    let place = Place::with("input.jsonl", documents("doc", 0..50));
    create(&place, "seen", "input.jsonl");
    let log = place.path("seen/documents.sqlite-wal");
    let mut first = Index::open(&place.path("seen")).unwrap();
    place.write("more.jsonl", documents("more", 100..150));
    place.run(&["index", "add", "seen", "more.jsonl", "--quiet"]).succeeds();
    assert!(log.exists(), "the first has it open, so its log stays");
    drop(Index::open(&place.path("seen")).unwrap());
    // The last process with the index open removes its log. This process is not the last.
    place.run(&["index", "info", "seen"]).succeeds();
    assert!(log.exists(), "another process believed that nobody has it open");
    assert_eq!(first.query(&text(120), 10, &Silent).unwrap().matches.len(), 1);
    drop(first);
    assert!(!log.exists());
}

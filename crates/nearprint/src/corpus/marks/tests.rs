use super::*;
use crate::config::Config;
use crate::corpus::{Corpus, Purpose};
use crate::document::Document;
use crate::read::Source;
use crate::run::{Deduplicator, Documents};
use crate::watch::Silent;

/// A row of a file of marks.
fn row(left: &str, right: &str, verdict: &str, texts: [Option<&str>; 2]) -> String {
    let hash = |(name, text): (&str, Option<&str>)| {
        text.map_or(String::new(), |text| format!(",\"{name}\":\"{:016x}\"", text_hash(text)))
    };
    let hashes = ["left_text", "right_text"].into_iter().zip(texts).map(hash);
    let hashes = hashes.collect::<String>();
    format!("{{\"left\":\"{left}\",\"right\":\"{right}\",\"verdict\":\"{verdict}\"{hashes}}}\n")
}

/// Reads documents of these ids and texts with marks, the reference documents first.
fn read(marks: &str, against: &[[&str; 2]], documents: &[[&str; 2]]) -> Result<Corpus, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marks.jsonl");
    std::fs::write(&path, marks).unwrap();
    let source = |rows: &[[&str; 2]]| {
        let document = |[id, text]: &[&str; 2]| Document {
            row: 0,
            id: Id::Text(id.to_string()),
            text: text.to_string(),
            fields: Vec::new(),
        };
        let rows: Vec<Document> = rows.iter().map(document).collect();
        if rows.is_empty() { Vec::new() } else { vec![Source::documents("rows", rows)] }
    };
    let documents = Documents::new(source(documents)).against(Documents::new(source(against)));
    let run = Deduplicator::new(Config::default().marks(path))?.run(documents, &Silent)?;
    run.corpus
        .check(Purpose::Dedup, &Config::default(), Deduplicator::new(Config::default())?.recipe())
        .unwrap_err();
    Ok(run.corpus)
}

#[test]
fn right_marks_link_groups_and_wrong_ones_keep_them_apart() {
    let marks = Marks::of(&[(4, 2), (2, 7)], &[(7, 5)]).unwrap();
    assert_eq!([marks.verdict(4, 7), marks.verdict(2, 4)], [Some(true); 2]);
    assert_eq!([marks.verdict(5, 4), marks.verdict(2, 5)], [Some(false); 2]);
    assert_eq!([marks.verdict(1, 2), marks.verdict(5, 8)], [None; 2]);
    assert_eq!(marks.pairs(), [(2, 4), (2, 7)]);
    let ranks = [0, 1, 7, 3, 4, 5, 6, 2];
    assert_eq!([marks.leader(4, &ranks), marks.leader(5, &ranks)], [7, 5]);
    assert_eq!(Marks::of(&[(0, 1), (1, 2)], &[(5, 6), (2, 0)]).unwrap_err(), 1);
}

#[test]
fn a_mark_on_a_changed_text_is_not_used_and_neither_is_one_on_an_absent_document() {
    let documents = [["a", "the ferry sails"], ["b", "the bakery opens"], ["c", "rain at noon"]];
    let marks = [
        row("a", "b", "right", [Some("the ferry sails"), Some("the bakery opens")]),
        row("c", "a", "wrong", [Some("rain at noon"), Some("the ferry sank")]),
        row("b", "c", "wrong", [None, None]),
        row("b", "nobody", "wrong", [None, None]),
        row("b", "someone", "wrong", [None, None]),
    ];
    let corpus = read(&marks.concat(), &[], &documents).unwrap();
    let marks = corpus.marks();
    assert_eq!(marks.verdict(0, 1), Some(true));
    assert_eq!(marks.verdict(1, 2), Some(false));
    let used = marks.used().unwrap();
    assert_eq!((used.all, used.used), (5, 2));
    assert_eq!(used.changed, [UnusedMark { row: 2, id: "a".into() }]);
    let said: Vec<String> = used.warnings().iter().map(|warning| warning.to_string()).collect();
    assert!(
        said[0].starts_with("1 of 5 marks is not used: the text of a has changed since, or other")
    );
    assert!(said[0].ends_with("marks.jsonl, row 2)"), "{said:?}");
    assert!(said[1].starts_with("2 of 5 marks are not used: nobody is not in this run, or"));
    assert!(said[1].ends_with("marks.jsonl, row 4), and 1 more"), "{said:?}");
    assert!(!corpus.may_pair(0, 1) && !corpus.may_pair(1, 2));
}

#[test]
fn a_right_mark_holds_for_documents_of_equal_text() {
    let documents =
        [["a", "the ferry sails"], ["b", "the bakery opens"], ["c", "The Bakery opens"]];
    let mark = row("a", "b", "right", [None, None]);
    let corpus = read(&mark, &[], &documents).unwrap();
    assert_eq!(corpus.marks().verdict(0, 2), Some(true));
    assert_eq!(corpus.marks().pairs(), [(0, 1), (1, 2)]);
    let corpus = read(&mark, &documents[..1], &documents[1..]).unwrap();
    assert_eq!(corpus.marks().pairs(), [(0, 1), (0, 2)]);
}

#[test]
fn marks_across_two_sides_name_an_input_and_a_reference_document() {
    let [against, inputs] =
        [[["a", "rain at noon"], ["b", "fog at ten"]], [["a", "snow"], ["c", "hail"]]];
    let marks = [row("a", "b", "right", [None, None]), row("c", "a", "wrong", [None, None])];
    let corpus = read(&marks.concat(), &against, &inputs).unwrap();
    assert_eq!(corpus.marks().verdict(2, 1), Some(true));
    assert_eq!(corpus.marks().verdict(3, 0), Some(false));
    assert_eq!(corpus.marks().verdict(0, 1), None);
}

#[test]
fn a_wrong_mark_on_documents_that_right_marks_link_is_refused() {
    let documents = [["a", "the ferry sails"], ["b", "the bakery opens"], ["c", "rain at noon"]];
    let marks = [("a", "b", "right"), ("b", "c", "right"), ("a", "c", "wrong")];
    let marks = marks.map(|(left, right, verdict)| row(left, right, verdict, [None, None]));
    let error = read(&marks.concat(), &[], &documents).unwrap_err().to_string();
    assert!(error.contains("row 3: \"a\" and \"c\"") && error.contains("rows 1, 2"), "{error}");
}

//! A run that was stopped at any stage resumes there and gives the bytes of an undisturbed run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nearprint::watch::{Stage, Watch};
use nearprint::{Config, Deduplicator, Error, Output, Silent, Summary};

/// Stops a run when a stage begins.
struct StopAt(Stage, AtomicBool);

impl Watch for StopAt {
    fn begin(&self, stage: Stage, _: Option<u64>, _: Option<u64>) {
        self.1.fetch_or(stage == self.0, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

/// Families of texts, some of them short, with a field for `keep`, a field for guards, and one
/// unusable row.
fn corpus() -> String {
    let syllables = ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik", "pel", "gu", "hem"];
    let word =
        |n: usize| -> String { [n, n / 11, n / 121].iter().map(|n| syllables[n % 11]).collect() };
    let mut lines = String::from("{\"id\":\"broken\"}\n");
    for number in 0..240usize {
        // Every twelfth document has the text of the document before it.
        let document = number - usize::from(number % 12 == 11);
        let words = if document % 8 == 0 { 6 } else { 90 };
        let text: Vec<String> = (0..words)
            .map(|place| {
                word(
                    place * place * 3
                        + document / 4 * 71
                        + usize::from(place == document % 4 * 20) * document,
                )
            })
            .collect();
        let (text, score, source) = (text.join(" "), number * 37 % 101, number % 3);
        lines += &format!(
            "{{\"id\":{number},\"text\":\"{text}\",\"score\":{score},\"source\":{source}}}\n"
        );
    }
    lines
}

/// All files of a folder except the summary.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        match path.is_dir() {
            true => files.extend(
                self::files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            ),
            false if name == "summary.json" => {}
            false => drop(files.insert(name, std::fs::read(&path).unwrap())),
        }
    }
    files
}

struct Place {
    folder: tempfile::TempDir,
    deduplicator: Deduplicator,
}

impl Place {
    fn new(settings: &str) -> Place {
        let settings = format!("on-error = 'skip'\nkeep = 'highest:score'\n{settings}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("news.jsonl"), corpus()).unwrap();
        Place {
            folder,
            deduplicator: Deduplicator::new(Config::from_toml(&settings).unwrap()).unwrap(),
        }
    }

    fn output(&self, name: &str) -> Output {
        Output { pairs: true, ..Output::new(self.folder.path().join(name)) }
    }

    fn run(&self, output: &Output, watch: &dyn Watch) -> Result<Summary, Error> {
        self.deduplicator.dedup(
            &[self.folder.path().join("news.jsonl").display().to_string()],
            output,
            watch,
        )
    }
}

#[test]
fn a_run_that_was_stopped_anywhere_goes_on_and_gives_the_same_bytes() {
    let settings = [
        "",
        "recall = 0.9",
        "features = 'words'\nweights = 'entropy'\nverify = 'jaccard'",
        "features = 'words'\nngram = 2\nfeature-hash = 'md5'\nbits = 128\nverify = 'cosine'\ncluster = 'components'",
        "preset = 'exact'",
        "differ = 'source'\nmax-lost = 0.3",
    ];
    for settings in settings {
        let place = Place::new(settings);
        let whole = place.output("whole");
        let summary = place.run(&whole, &Silent).unwrap();
        assert!(summary.counts.removed > 0 && summary.resumed.is_empty(), "{settings}");
        assert_eq!(whole.unfinished(place.deduplicator.config()), None);
        let expected = files(&whole.folder);
        assert!(
            expected.contains_key("rejected.jsonl") && expected.contains_key("kept/news.jsonl")
        );
        let stages = [
            (Stage::Read, vec![]),
            (Stage::Statistics, vec![]),
            (Stage::Estimate, vec![Stage::Read]),
            (Stage::Fingerprint, vec![Stage::Read]),
            (Stage::Join, vec![Stage::Read]),
            (Stage::Verify, vec![Stage::Read, Stage::Join]),
            (Stage::Recall, vec![Stage::Read, Stage::Join]),
            (Stage::Cluster, vec![Stage::Read, Stage::Join, Stage::Verify]),
            (Stage::Write, vec![Stage::Read, Stage::Join, Stage::Verify]),
        ];
        for (stage, finished) in stages {
            let output = place.output(&format!("until {}", stage.name()));
            match place.run(&output, &StopAt(stage, AtomicBool::new(false))) {
                Err(Error::Interrupted) => {}
                // Some runs lack a stage, and the last look at the watch may be before the run's
                // end.
                Ok(_) => continue,
                Err(error) => panic!("{settings}: {error}"),
            }
            assert!(!output.folder.exists());
            assert_eq!(
                output.unfinished(place.deduplicator.config()).is_some(),
                !finished.is_empty(),
                "{settings} {stage:?}"
            );
            let summary = place.run(&Output { resume: true, ..output.clone() }, &Silent).unwrap();
            assert_eq!(summary.resumed, finished, "{settings} {stage:?}");
            assert_eq!(files(&output.folder), expected, "{settings} {stage:?}");
            assert_eq!(output.unfinished(place.deduplicator.config()), None);
        }
    }
}

#[test]
fn only_the_same_run_goes_on() {
    let place = Place::new("");
    let output = place.output("out");
    let stop = StopAt(Stage::Write, AtomicBool::new(false));
    assert!(place.run(&output, &stop).is_err());
    let again = Output { resume: true, ..output.clone() };
    let refused = |place: &Place, part: &str| {
        let error = place.run(&again, &Silent).unwrap_err().to_string();
        assert!(error.starts_with("resume: ") && error.contains(part), "{error}");
    };
    let others = Place::new("min-similarity = 0.7\nthreads = 1");
    let moved = Place { folder: place.folder, deduplicator: others.deduplicator };
    refused(&moved, "another min-similarity");
    let place = Place { folder: moved.folder, deduplicator: Place::new("").deduplicator };
    let input = place.folder.path().join("news.jsonl");
    std::fs::write(&input, corpus() + "\n").unwrap();
    refused(&place, "read other files as input");
    // Without resume the other run is discarded, and no unfinished files stay.
    assert!(place.run(&output, &Silent).unwrap().resumed.is_empty());
    assert_eq!(output.unfinished(place.deduplicator.config()), None);
    let left: Vec<_> = std::fs::read_dir(place.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_run_against_other_documents_goes_on_with_the_same_ones_only() {
    let place = Place::new("");
    let [train, test] = ["news.jsonl", "test.jsonl"]
        .map(|name| place.folder.path().join(name).display().to_string());
    // The reference documents are every third document, with equal ids.
    let rows: Vec<String> =
        corpus().lines().skip(1).step_by(3).map(|line| format!("{line}\n")).collect();
    std::fs::write(&test, rows.concat()).unwrap();
    let run = |output: &Output, watch: &dyn Watch| {
        place.deduplicator.dedup_against(
            std::slice::from_ref(&test),
            std::slice::from_ref(&train),
            output,
            watch,
        )
    };
    let whole = place.output("whole");
    let summary = run(&whole, &Silent).unwrap();
    assert!(summary.counts.removed > 80 && summary.counts.kept > 0, "{:?}", summary.counts);
    for (stage, finished) in [
        (Stage::Join, vec![Stage::Read]),
        (Stage::Verify, vec![Stage::Read, Stage::Join]),
        (Stage::Write, vec![Stage::Read, Stage::Join, Stage::Verify]),
    ] {
        let output = place.output(&format!("until {}", stage.name()));
        assert!(matches!(
            run(&output, &StopAt(stage, AtomicBool::new(false))),
            Err(Error::Interrupted)
        ));
        let again = Output { resume: true, ..output.clone() };
        // Neither an ordinary run nor a run against a changed file may resume.
        let refused = |result: Result<Summary, Error>| {
            let error = result.unwrap_err().to_string();
            assert!(
                error.starts_with("resume: ") && error.contains("read other files as against"),
                "{error}"
            );
        };
        refused(place.run(&again, &Silent));
        std::fs::write(&test, rows.concat() + "\n").unwrap();
        refused(run(&again, &Silent));
        std::fs::write(&test, rows.concat()).unwrap();
        assert!(matches!(
            run(&output, &StopAt(stage, AtomicBool::new(false))),
            Err(Error::Interrupted)
        ));
        let resumed = run(&again, &Silent).unwrap();
        assert_eq!(resumed.resumed, finished);
        assert_eq!(resumed.counts, summary.counts);
        assert_eq!((resumed.inputs, resumed.against), (vec![train.clone()], vec![test.clone()]));
        assert_eq!(files(&output.folder), files(&whole.folder), "{stage:?}");
    }
}

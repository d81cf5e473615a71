//! Real runs that are killed at random moments: the next run with `--resume` writes the bytes of an
//! undisturbed run, and nothing of the killed ones stays. `nearprint_bench.crash` does ten times as
//! many rounds over larger input.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use crate::common::{self, Articles, Place};
use crate::index_crash::rounds;

/// Verbs, inputs and settings; each round takes one.
const SCENARIOS: [&[&str]; 6] = [
    &["dedup", "news.jsonl", "--pairs"],
    &["dedup", "news.parquet", "--annotate"],
    &["dedup", "news.jsonl", "--against", "test.jsonl", "--tmp-dir", "tmp"],
    &["dedup", "news.jsonl", "--memory", "128M", "--features", "words", "--weights", "entropy"],
    &[
        "passages",
        "news.jsonl",
        "news.parquet",
        "--action",
        "cut",
        "--min-length",
        "60",
        "--tmp-dir",
        "tmp",
    ],
    &["dedup", "news.parquet", "news.jsonl", "--verify", "jaccard", "--tmp-dir", "tmp", "--force"],
];

/// The files before any run.
const INPUT: [&str; 4] = ["news.jsonl", "news.parquet", "test.jsonl", "tmp"];

fn input() -> Place {
    let (news, test) = (Articles::quick(11, 2_000, 60), Articles::quick(11, 200, 60));
    let rows = common::rows(&Articles::quick(12, 1_500, 60));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        rows.iter().map(|row| row["text"].as_str().unwrap()),
    ));
    let id: ArrayRef =
        Arc::new(Int64Array::from_iter_values((0..rows.len() as i64).map(|row| 10_000 + row)));
    let batch = RecordBatch::try_from_iter([("id", id), ("text", text)]).unwrap();
    let place = Place::with("news.jsonl", news);
    place.write("test.jsonl", test);
    place.write("news.parquet", common::parquet(&batch));
    std::fs::create_dir(place.path("tmp")).unwrap();
    place
}

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    /// A random share, from 0 to 1.
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_and_gives_the_same_bytes() {
    let place = input();
    let mut random = Random(2_024);
    let mut whole: BTreeMap<usize, (BTreeMap<String, Vec<u8>>, Duration)> = BTreeMap::new();
    let (mut killed, mut resumed) = (0, 0);
    let few = rounds();
    let least = few.div_ceil(10).max(3);
    let is_enough = |killed, resumed| killed >= few && resumed >= least;
    for round in 0..4 * few {
        // A slow or busy machine may need more rounds until enough runs were killed in a stage.
        if round >= few && is_enough(killed, resumed) {
            break;
        }
        let scenario = round % SCENARIOS.len();
        let arguments =
            [SCENARIOS[scenario], &["--output", "out", "--quiet", "--recall-sample", "16"]]
                .concat();
        let (expected, time) = whole.entry(scenario).or_insert_with(|| {
            let begun = Instant::now();
            place.run(&arguments).succeeds();
            let (files, time) = (common::files(&place.path("out")), begun.elapsed());
            std::fs::remove_dir_all(place.path("out")).unwrap();
            let report = if arguments[0] == "dedup" { "removed.jsonl" } else { "passages.jsonl" };
            assert!(files.keys().any(|name| name.contains('/')) && !files[report].is_empty());
            (files, time)
        });
        if arguments.contains(&"--force") {
            place.write("out/rejected.jsonl", "replaced");
            place.write("out/summary.json", r#"{"nearprint":"0.1.0"}"#);
        }
        let is_done = || {
            place.path("out/summary.json").exists() && !place.path("out/rejected.jsonl").exists()
        };
        let again = [&arguments[..], &["--resume"]].concat();
        // The first run and one or two resumed ones are killed, unless they end before.
        for attempt in 0..2 + round % 2 {
            let mut child =
                place.command(if attempt == 0 { &arguments } else { &again }).spawn().unwrap();
            std::thread::sleep(time.mul_f64(random.part()));
            child.kill().unwrap();
            killed += usize::from(child.wait().unwrap().code().is_none());
            if is_done() {
                break;
            }
        }
        if !is_done() {
            let run = place.run(&again).succeeds();
            assert!(run.stdout.is_empty());
            resumed += usize::from(place.summary("out").get("resumed").is_some());
        }
        assert!(common::files(&place.path("out")) == *expected, "round {round}: {arguments:?}");
        std::fs::remove_dir_all(place.path("out")).unwrap();
        // The next run to this output cleans up after a run that was killed after writing its
        // output.
        place.run(&[&arguments[..], &["--dry-run"]].concat()).succeeds();
        std::fs::remove_dir_all(place.path("out")).unwrap();
        assert_eq!(place.names(), INPUT, "round {round}: {arguments:?}");
        assert_eq!(common::names(&place.path("tmp")), [""; 0], "round {round}");
    }
    assert!(
        is_enough(killed, resumed),
        "{killed} runs were killed, and {resumed} went on after a finished stage"
    );
    // Folders for standard input, of runs that were killed before they had a folder.
    place.run(&["dedup", "news.jsonl", "--output", "out", "--quiet"]).succeeds();
    assert_eq!(place.leftovers(), [""; 0]);
}

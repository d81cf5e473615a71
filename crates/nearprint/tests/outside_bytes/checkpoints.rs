//! The folder of an unfinished run. With damage in any of its files, the run goes on and gives the
//! bytes of an undisturbed run, or says that the identity of the run is damaged.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nearprint::watch::{Stage, Watch};
use nearprint::{Config, Deduplicator, Output, Silent};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::bytes::{Bytes, damaged};
use crate::target;

/// Stops a run when it begins to write.
#[derive(Default)]
struct StopAtWrite(AtomicBool);

impl Watch for StopAtWrite {
    fn begin(&self, stage: Stage, _: Option<u64>, _: Option<u64>) {
        self.0.fetch_or(stage == Stage::Write, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The files of a folder by name, without the lock.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && !path.ends_with("lock") && !path.ends_with("summary.json"))
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn unfinished_runs() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.jsonl");
    let text = |n: u32| -> String {
        (0..60)
            .map(|word| {
                format!("word{} ", n / 3 * 31 + word * word % 97 + u32::from(word == n % 3))
            })
            .collect()
    };
    let rows = (0..24).map(|n| format!("{{\"id\":{n},\"text\":\"{}\"}}\n", text(n)));
    std::fs::write(&input, rows.collect::<String>()).unwrap();
    let deduplicator = Deduplicator::new(Config::default().threads(1)).unwrap();
    let run = |output: &Output, watch: &dyn Watch| {
        deduplicator.dedup(&[input.display().to_string()], output, watch)
    };
    let output = Output { pairs: true, resume: true, ..Output::new(folder.path().join("out")) };
    assert!(run(&output, &Silent).unwrap().counts.removed > 0);
    let expected = files(&output.folder);
    std::fs::remove_dir_all(&output.folder).unwrap();
    assert!(run(&output, &StopAtWrite::default()).is_err());
    let unfinished = output.unfinished(deduplicator.config()).unwrap();
    let whole = files(&unfinished);
    assert!(whole.len() >= 5, "{whole:?}");

    let inputs = (0..whole.len()).prop_flat_map({
        let whole = whole.clone();
        move |number| {
            (
                Just(number),
                damaged(whole[number].1.clone(), &[b"\0", b"\xff\xff\xff\xff", b"{}", b"[", b"\""]),
                any::<Index>(),
            )
        }
    });
    target(inputs, |(number, Bytes(bytes), _)| {
        std::fs::create_dir_all(&unfinished).unwrap();
        std::fs::write(unfinished.join("lock"), "").unwrap();
        for (name, bytes) in &whole {
            std::fs::write(unfinished.join(name), bytes).unwrap();
        }
        let (name, before) = &whole[number];
        std::fs::write(unfinished.join(name), &bytes).unwrap();
        match run(&output, &Silent) {
            Ok(summary) => {
                prop_assert_eq!(files(&output.folder), expected.clone(), "{}", name);
                prop_assert!(
                    bytes != *before || summary.resumed.len() == 3,
                    "{:?}",
                    summary.resumed
                );
                std::fs::remove_dir_all(&output.folder).unwrap();
            }
            Err(error) => {
                let says = error.to_string();
                prop_assert!(
                    name == "run.json" && says.contains("is damaged") && !output.folder.exists(),
                    "{} {}",
                    name,
                    says
                );
            }
        }
        Ok(())
    });
}

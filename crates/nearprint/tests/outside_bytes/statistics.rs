//! A damaged file of corpus statistics is refused, or gives the statistics of the whole file.

use std::io::Cursor;
use std::sync::LazyLock;

use nearprint::{Config, Deduplicator, Silent};
use nearprint_core::statistics::Saved;
use proptest::prelude::*;

use crate::bytes::{Bytes, damaged, made_up};
use crate::formats::LINES;
use crate::target;

fn file() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.jsonl");
    std::fs::write(&input, LINES).unwrap();
    let words = nearprint::config::Features::Words(Default::default());
    let deduplicator = Deduplicator::new(Config::default().features(words)).unwrap();
    let sources =
        deduplicator.find_files(&[input.display().to_string()], folder.path(), &Silent).unwrap();
    let mut bytes = Vec::new();
    deduplicator.save_statistics(sources, &folder.path().join("s"), &mut bytes, &Silent).unwrap();
    bytes
}

#[test]
fn corpus_statistics() {
    static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(file);
    // Some bits of a compressed stream do not affect its content; its checksum covers all others.
    let facts = |bytes: &[u8]| {
        let mut saved = Saved::open(Cursor::new(bytes.to_vec())).ok()?;
        let entropies = saved.entropies().ok()?;
        let entropies: Vec<f64> =
            (0..saved.features.len()).map(|n| entropies.left(n) + entropies.right(n)).collect();
        Some((saved.description, saved.documents, saved.features, entropies))
    };
    const PIECES: &[&[u8]] =
        &[b"nearprint", b"\x28\xb5\x2f\xfd", b"\0\0\0\0\0\0\0\0", b"\xff\xff\xff\xff", b"\n"];
    target(
        prop_oneof![9 => damaged(WHOLE.clone(), PIECES), 1 => made_up(PIECES)],
        |Bytes(bytes)| {
            let read = facts(&bytes);
            prop_assert!(read.is_none() || read == facts(&WHOLE));
            prop_assert!(bytes.len() >= WHOLE.len() || read.is_none());
            Ok(())
        },
    );
}

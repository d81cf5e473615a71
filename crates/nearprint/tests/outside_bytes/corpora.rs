//! Whole runs over damaged files. Every row is kept, removed or rejected, and kept rows have the
//! input's bytes and order.

use nearprint::config::{MaxRejected, OnError};
use nearprint::{Config, Deduplicator, Output, Silent};
use proptest::prelude::*;

use crate::bytes::{Bytes, damaged};
use crate::formats::{JSON, LINES, RECORDS, TABLE, gzip};
use crate::target;

/// Pieces of a format.
type Pieces = &'static [&'static [u8]];

#[test]
fn runs() {
    let config = Config::default().max_rejected(MaxRejected::Share(1_000_000));
    let deduplicator = Deduplicator::new(config.on_error(OnError::Skip).threads(1)).unwrap();
    let zstd = zstd::encode_all(RECORDS.as_bytes(), 3).unwrap();
    let files: [(&str, Vec<u8>, Pieces); 7] = [
        ("a.jsonl", LINES.into(), JSON),
        ("a.csv", RECORDS.into(), TABLE),
        ("a.tsv", RECORDS.replace(',', "\t").into(), TABLE),
        ("a.parquet", crate::parquet::file(), &[b"PAR1", b"\0"]),
        ("a.jsonl.gz", gzip(LINES.as_bytes()), &[b"\x1f\x8b"]),
        ("a.csv.zst", zstd, &[b"\x28\xb5\x2f\xfd"]),
        ("a.txt", LINES.into(), JSON),
    ];
    let inputs = prop::sample::select(files.to_vec())
        .prop_flat_map(|(name, whole, pieces)| (Just(name), damaged(whole, pieces)));
    target(inputs, |(name, Bytes(bytes))| {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join(name);
        std::fs::write(&input, &bytes).unwrap();
        let output = Output { pairs: true, ..Output::new(folder.path().join("out")) };
        let Ok(summary) = deduplicator.dedup(&[input.display().to_string()], &output, &Silent)
        else {
            prop_assert!(!output.folder.exists());
            return Ok(());
        };
        let counts = summary.counts;
        prop_assert_eq!(counts.read, counts.kept + counts.removed);
        let rejected = std::fs::read_to_string(output.folder.join("rejected.jsonl")).unwrap();
        prop_assert_eq!(rejected.lines().count() as u64, counts.rejected);
        if let (Ok(kept), false) =
            (std::fs::read(output.folder.join("kept").join(name)), name.contains(['q', 'z']))
        {
            // Both files are cut at the ends of lines. The kept pieces are some of the input's, in
            // order.
            let mut pieces = bytes.split_inclusive(|byte| matches!(*byte, b'\n' | b'\r'));
            prop_assert!(
                kept.split_inclusive(|byte| matches!(*byte, b'\n' | b'\r'))
                    .all(|own| pieces.any(|piece| piece == own))
            );
        }
        Ok(())
    });
}

//! Bytes from outside, damaged or made up: whatever is in a file, reading it ends with documents and rejections, never
//! with a panic, and a file of statistics that is not whole is refused.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nearprint::read::{self, Options};
use nearprint::statistics::Saved;
use nearprint::{Config, Deduplicator, Output, Silent};
use proptest::prelude::*;

const TEXT: &str =
    "{\"id\":1,\"text\":\"春眠不觉晓，\\u5904处\\n闻啼鸟\",\"more\":[1.5e3,{}]}\n{\"id\":2,\"text\":\"one\"}\n";
const TABLE: &str = "id,text\n1,\"spring, \"\"asleep\"\"\r\nuntil dawn\"\n2,处处闻啼鸟\n";

fn parquet() -> Vec<u8> {
    let texts = ["春眠不觉晓", "处处闻啼鸟", "", "one more row, longer than the others before it"];
    let text: ArrayRef = Arc::new(StringArray::from(texts.repeat(20)));
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..80));
    let batch = RecordBatch::try_from_iter([("id", id), ("text", text)]).unwrap();
    let mut bytes = Vec::new();
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_max_row_group_row_count(Some(30))
        .build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

/// A whole file of each kind, made once.
fn whole(kind: usize) -> (&'static str, Vec<u8>) {
    static FILES: std::sync::LazyLock<[(&str, Vec<u8>); 7]> = std::sync::LazyLock::new(|| {
        [
            ("a.jsonl", TEXT.into()),
            ("a.csv", TABLE.into()),
            ("a.tsv", TABLE.replace(',', "\t").into()),
            ("a.parquet", parquet()),
            ("a.jsonl.gz", gzip(TEXT.as_bytes())),
            ("a.csv.zst", zstd::encode_all(TABLE.as_bytes(), 3).unwrap()),
            ("a.txt", TEXT.into()),
        ]
    });
    FILES[kind].clone()
}

/// Some bytes changed, some left out, the end cut off or something put behind it.
fn damage(bytes: &mut Vec<u8>, changes: &[(prop::sample::Index, u8)], cut: Option<prop::sample::Index>, tail: &[u8]) {
    for (place, byte) in changes {
        let place = place.index(bytes.len());
        match byte % 3 {
            0 => bytes[place] ^= 1 << (byte / 3 % 8),
            1 => bytes[place] = *byte,
            _ if bytes.len() > 1 => drop(bytes.remove(place)),
            _ => {}
        }
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len() + 1));
    }
    bytes.extend_from_slice(tail);
}

/// Reads a file to its end and gives the number of documents.
fn documents(name: &str, bytes: &[u8], folder: &Path) -> usize {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = Options { max_document_bytes: 1 << 20, ..Options::default() };
    let sources = read::find(&[path.display().to_string()], &options, folder, &Silent).unwrap();
    read::read(&sources[0], &options).map_or(0, |documents| documents.filter(Result::is_ok).count())
}

fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)
}

fn tail() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(any::<u8>(), 0..40)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_damaged_file_is_read_or_refused(
        kind in 0usize..7,
        changes in changes(),
        cut in proptest::option::weighted(0.3, any::<prop::sample::Index>()),
        tail in tail(),
    ) {
        let (name, mut bytes) = whole(kind);
        damage(&mut bytes, &changes, cut, &tail);
        let folder = tempfile::tempdir().unwrap();
        let found = documents(name, &bytes, folder.path());
        prop_assert!(found <= 100 + bytes.len());
    }

    #[test]
    fn made_up_bytes_are_read_or_refused(kind in 0usize..7, bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        documents(whole(kind).0, &bytes, folder.path());
    }

    #[test]
    fn damaged_statistics_are_refused(changes in changes(), cut in proptest::option::of(any::<prop::sample::Index>())) {
        static WHOLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(statistics);
        let mut bytes = WHOLE.clone();
        damage(&mut bytes, &changes, cut, &[]);
        // Some bits of a compressed stream say nothing about its content; all others are seen by its checksum.
        let facts = |bytes: &[u8]| {
            let mut saved = Saved::open(std::io::Cursor::new(bytes.to_vec())).ok()?;
            let entropies = saved.entropies().ok()?;
            let entropies: Vec<f64> = (0..saved.features.len()).map(|n| entropies.left(n) + entropies.right(n)).collect();
            Some((saved.description, saved.documents, saved.features, entropies))
        };
        let read = facts(&bytes);
        prop_assert!(read.is_none() || read == facts(&WHOLE));
        prop_assert!(cut.is_none() || bytes.len() >= WHOLE.len() || read.is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_can_be_read_of_a_damaged_file_is_deduplicated(
        kind in 0usize..7,
        changes in changes(),
        cut in proptest::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        static DEDUPLICATOR: std::sync::LazyLock<Deduplicator> = std::sync::LazyLock::new(|| {
            Deduplicator::new(Config { on_error: nearprint::config::OnError::Skip, ..Config::default() }).unwrap()
        });
        let (name, mut bytes) = whole(kind);
        damage(&mut bytes, &changes, cut, &[]);
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join(name);
        std::fs::write(&input, &bytes).unwrap();
        let output = Output { pairs: true, ..Output::new(folder.path().join("out")) };
        if let Ok(summary) = DEDUPLICATOR.dedup(&[input.display().to_string()], &output, &Silent) {
            prop_assert_eq!(summary.counts.read, summary.counts.kept + summary.counts.removed);
            let rejected = std::fs::read_to_string(output.folder.join("rejected.jsonl")).unwrap();
            prop_assert_eq!(rejected.lines().count() as u64, summary.counts.rejected);
        } else {
            prop_assert!(!output.folder.exists());
        }
    }
}

fn statistics() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.jsonl");
    std::fs::write(&input, TEXT).unwrap();
    let words = nearprint::config::Features::Words(Default::default());
    let deduplicator = Deduplicator::new(Config { features: words, ..Config::default() }).unwrap();
    let sources = deduplicator.find(&[input.display().to_string()], folder.path(), &Silent).unwrap();
    let mut bytes = Vec::new();
    deduplicator.save_statistics(sources, &folder.path().join("s"), &mut bytes, &Silent).unwrap();
    bytes
}

#[test]
fn whole_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let counts: Vec<usize> = (0..7).map(whole).map(|(name, bytes)| documents(name, &bytes, folder.path())).collect();
    assert_eq!(counts, [2, 2, 2, 80, 2, 2, 1]);
}

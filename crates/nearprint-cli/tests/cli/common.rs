//! Helpers for the tests of the command line: a folder to work in, the program, readers of its
//! output, and texts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tempfile::TempDir;

/// A folder in which nearprint runs, and another one for its temporary files.
pub struct Place {
    folder: TempDir,
    temporary: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap(), temporary: tempfile::tempdir().unwrap() }
    }

    /// A place that holds one file.
    pub fn with(name: &str, bytes: impl AsRef<[u8]>) -> Place {
        let place = Place::new();
        place.write(name, bytes);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and the folders it lies in.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The rows of a JSON Lines file.
    pub fn rows(&self, name: &str) -> Vec<Value> {
        rows(&self.text(name))
    }

    pub fn summary(&self, folder: &str) -> Value {
        serde_json::from_slice(&self.read(&format!("{folder}/summary.json"))).unwrap()
    }

    /// The names in the folder itself, hidden ones too, sorted.
    pub fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }

    /// The temporary files that nearprint left.
    pub fn leftovers(&self) -> Vec<String> {
        names(self.temporary.path())
    }

    /// The program with its arguments, to be started in this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearprint"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.temporary.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::new(arguments, self.command(arguments).output().unwrap())
    }

    /// Runs with bytes on standard input.
    pub fn run_with_input(&self, arguments: &[&str], bytes: &[u8]) -> Run {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        Run::new(arguments, child.wait_with_output().unwrap())
    }

    /// Runs `dedup` quietly into the folder `out`, which must succeed.
    pub fn dedup(&self, arguments: &[&str]) -> Run {
        self.run(&[&["dedup", "--quiet", "--output", "out"], arguments].concat()).succeeds()
    }

    /// Runs dedup without the files and rows that cannot be used, of which there are some.
    pub fn dedup_the_rest(&self, arguments: &[&str]) -> Run {
        let dedup = ["dedup", "--quiet", "--output", "out"];
        self.run(&[&dedup, arguments, &SKIP].concat()).ends_with_code(3)
    }
}

/// Flags that leave out whatever cannot be used.
pub const SKIP: [&str; 4] = ["--on-error", "skip", "--max-rejected", "100%"];

/// A Parquet file of one batch.
pub fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// The rows of a Parquet file.
pub fn read_parquet(place: &Place, name: &str) -> RecordBatch {
    let file = std::fs::File::open(place.path(name)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    // The batches of a reader lack the metadata of its schema.
    let schema = reader.schema().clone();
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&batches[0].schema(), &batches)
        .unwrap()
        .with_schema(schema)
        .unwrap()
}

/// A run that has ended.
#[derive(Debug)]
pub struct Run {
    arguments: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(arguments: &[&str], output: Output) -> Run {
        Run {
            arguments: arguments.join(" "),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn succeeds(self) -> Run {
        self.ends_with_code(0)
    }

    pub fn ends_with_code(self, code: i32) -> Run {
        assert_eq!(self.code, Some(code), "nearprint {}\n{}", self.arguments, self.stderr);
        self
    }

    /// Standard error must hold all of these.
    pub fn says(self, parts: &[&str]) -> Run {
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "nearprint {}\nshould say: {part}\n{}",
                self.arguments,
                self.stderr
            );
        }
        self
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// All files below a folder but `summary.json`, which tells seconds and memory.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            files.extend(
                self::files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
        } else if name != "summary.json" {
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
    files
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// One field of every row.
pub fn column(rows: &[Value], field: &str) -> Vec<Value> {
    rows.iter().map(|row| row[field].clone()).collect()
}

/// A file of the repository: `examples/articles.jsonl`.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A place with the sample corpus.
pub fn sample() -> Place {
    Place::with("articles.jsonl", std::fs::read(repository("examples/articles.jsonl")).unwrap())
}

/// Reports a skipped test on the real standard error, which the test harness does not capture.
pub fn skipped(reason: &str) {
    std::io::stderr().write_all(format!("SKIPPED: {reason}\n").as_bytes()).unwrap();
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut out).unwrap();
    out
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A JSON Lines row.
pub fn row(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "text": text}))
}

/// Three articles with nothing in common.
pub const FERRY: &str = "The night ferry to Cobble Island sails again from Friday. The crew has \
    replaced both engines, painted the railings green and hired a cook who bakes cardamom buns \
    before the first crossing at dawn.";
pub const LIBRARY: &str = "Our village library lends garden tools now. Spades, shears and a cider \
    press can be borrowed for two weeks with any reader's card, and whoever returns them muddy \
    must sharpen ten pencils as a fine.";
pub const BRIDGE: &str = "石桥镇的老桥上个月拆下了第一块石板。工匠发现桥拱里藏着一封写给后人的信，信里说每一任修桥的人都要在石板背面刻下自己的名字，\
    还要请全镇的孩子吃一碗红豆汤。";

/// A word of eight letters for each number, the same in every run; without digits it is not a
/// figure.
pub fn word(number: usize) -> String {
    let mut letters = SplitMix(number as u64).next();
    let letter = |_| {
        let letter = char::from(b'a' + (letters % 26) as u8);
        letters /= 26;
        letter
    };
    (0..8).map(letter).collect()
}

/// Random numbers, the same in every run.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// Random articles, the same in every run: mixed words, some Chinese ones, every third an edited
/// copy of an earlier one, with some words left out and some added. No word is exchanged for
/// another in the same place, since many such texts would fill in one form.
pub struct Articles {
    random: SplitMix,
    texts: Vec<Vec<String>>,
}

impl Articles {
    pub fn new(seed: u64) -> Articles {
        Articles { random: SplitMix(seed), texts: Vec::new() }
    }

    /// `count` articles as JSON Lines, ids from 1.
    pub fn json_lines(seed: u64, count: usize, words: usize) -> String {
        let mut articles = Articles::new(seed);
        let mut out = String::new();
        for id in 1..=count {
            let text = articles.next(words);
            writeln!(
                out,
                "{}",
                serde_json::json!({"id": id, "text": text, "score": articles.below(100)})
            )
            .unwrap();
        }
        out
    }

    /// Articles of random letters as JSON Lines: no two are near by chance, so a run takes little
    /// time.
    pub fn quick(seed: u64, count: usize, words: usize) -> String {
        let mut articles = Articles::new(seed);
        let mut texts: Vec<Vec<String>> = Vec::new();
        let mut out = String::new();
        for id in 1..=count {
            let word = |articles: &mut Articles| -> String {
                (0..3 + articles.below(6))
                    .map(|_| char::from(b'a' + articles.below(26) as u8))
                    .collect()
            };
            let text = match articles.below(3) {
                0 if id > 1 => {
                    let mut text = texts[articles.below(texts.len())].clone();
                    let place = articles.below(text.len());
                    text[place] = word(&mut articles);
                    text
                }
                _ => (0..words).map(|_| word(&mut articles)).collect(),
            };
            let (score, joined) = (articles.below(100), text.join(" "));
            writeln!(out, "{}", serde_json::json!({"id": id, "text": joined, "score": score}))
                .unwrap();
            texts.push(text);
        }
        out
    }

    /// The next article, of about `words` words.
    pub fn next(&mut self, words: usize) -> String {
        let mut text = match self.texts.len() {
            count if count > 0 && self.below(3) == 0 => self.edited_copy(count),
            _ => (0..words / 2 + self.below(words)).map(|_| self.word()).collect(),
        };
        // Some copies of copies make chains.
        text.truncate(words * 2);
        self.texts.push(text.clone());
        text.join(" ")
    }

    fn edited_copy(&mut self, count: usize) -> Vec<String> {
        let original = self.below(count);
        let mut text = self.texts[original].clone();
        for edit in 0..self.below(2 + text.len() / 8) {
            let place = self.below(text.len());
            if edit % 2 == 0 && text.len() > 1 {
                text.remove(place);
            } else {
                text.insert(place, self.word());
            }
        }
        text
    }

    /// A word of a vocabulary of 4,000; few of them come often.
    fn word(&mut self) -> String {
        let rank = 1 + self.below(4000);
        let number = self.below(rank);
        let han = |number: usize| char::from_u32(0x4e00 + (number * 37 % 6000) as u32).unwrap();
        match number % 5 {
            0 => format!("{}{}", han(number), han(number + 1)),
            _ => {
                let syllable = |number: usize| {
                    ["ba", "den", "ki", "lor", "mu", "sta", "ven", "zo", "phi", "ter"][number % 10]
                };
                [number, number / 10, number / 100, number / 7].map(syllable).concat()
            }
        }
    }

    /// A random number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        (self.random.next() % bound as u64) as usize
    }
}

//! How fast Chinese is cut, beside jieba-rs on the same text, whose tokens must be the same.
//!
//! ```sh
//! taskset -c 1 cargo bench -p nearprint --bench segment -- FILE.jsonl.zst ...
//! ```
//!
//! Of each file the texts of `text`, `text_a` and `text_b` are taken, up to 6 MB. Both take turns; what is printed are the
//! medians of CPU time.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::time::Instant;

use jieba_rs::Jieba;
use nearprint::segment::{Kind, Options, Segmenter};

const BYTES: usize = 6_000_000;
const ROUNDS: usize = 9;

fn main() {
    let jieba = Jieba::new();
    let start = Instant::now();
    Segmenter::new(Options::default()).tokens("载", &mut |_| ());
    println!("dictionary loaded in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let texts = texts(&path);
        let bytes: usize = texts.iter().map(String::len).sum();
        println!("{path}: {:.1} MB", bytes as f64 / 1e6);
        for hmm in [true, false] {
            let [chinese, auto] = [Kind::Chinese, Kind::Auto].map(|kind| Segmenter::new(Options { kind, hmm }));
            let compared: usize = texts.iter().map(|text| compare(&chinese, &jieba, text, hmm)).sum();
            let mut seconds: [Vec<f64>; 3] = Default::default();
            for _ in 0..ROUNDS {
                seconds[0].push(cpu(|| {
                    texts.iter().for_each(|text| chinese.tokens(text, &mut |token| _ = black_box(token)))
                }));
                seconds[1]
                    .push(cpu(|| texts.iter().for_each(|text| auto.tokens(text, &mut |token| _ = black_box(token)))));
                seconds[2].push(cpu(|| texts.iter().for_each(|text| drop(black_box(jieba.cut(text, hmm))))));
            }
            let [chinese, auto, jieba] = seconds.map(|seconds| bytes as f64 / 1e6 / median(seconds));
            println!(
                "  hmm {hmm}: chinese {chinese:.0} MB/s, auto {auto:.0} MB/s, jieba-rs {jieba:.0} MB/s; chinese is {:.2} times \
                 as fast; {compared} tokens equal",
                chinese / jieba
            );
        }
    }
}

fn texts(path: &str) -> Vec<String> {
    let file =
        zstd::Decoder::new(std::fs::File::open(path).expect("the file can be opened")).expect("it is compressed");
    let mut texts = Vec::new();
    let mut bytes = 0;
    for line in BufReader::new(file).lines() {
        let row: serde_json::Value = serde_json::from_str(&line.expect("text")).expect("a line is JSON");
        let fields = ["text", "text_a", "text_b"].iter().filter_map(|field| row[field].as_str());
        texts.extend(fields.map(str::to_string));
        bytes += texts.last().map_or(0, String::len);
        if bytes > BYTES {
            break;
        }
    }
    texts
}

fn compare(segmenter: &Segmenter, jieba: &Jieba, text: &str, hmm: bool) -> usize {
    let mut ours = Vec::new();
    segmenter.tokens(text, &mut |token| ours.push(token));
    let theirs = jieba.cut(text, hmm).into_iter().map(|token| token.word);
    let theirs: Vec<&str> = theirs.filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    assert!(ours == theirs, "other tokens than jieba-rs: {text}");
    ours.len()
}

/// Seconds of CPU time, by the clock where the system does not tell. Linux tells in steps of some milliseconds, so the
/// work is repeated for a while.
fn cpu(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let now = || {
        let times = std::fs::read_to_string("/proc/self/schedstat").ok();
        let nanoseconds = times.and_then(|times| times.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
    };
    let before = now();
    let mut times = 0.0;
    while start.elapsed().as_secs_f64() < 0.2 {
        work();
        times += 1.0;
    }
    (now() - before) / times
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

//! The CPU seconds of the default fingerprints of a JSON Lines file, on one thread, with the texts
//! in memory. `bench/run.sh frames` compares them with fingerprints through Python.
//!
//!     cargo run --release --example fingerprint_texts -- texts.jsonl

// An example prints its result.
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use nearprint::Config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a file of JSON Lines")?;
    let rows = std::fs::read_to_string(path)?;
    let text = |row: &str| -> Result<String, Box<dyn std::error::Error>> {
        let row: serde_json::Value = serde_json::from_str(row)?;
        Ok(row["text"].as_str().ok_or("a row has no text")?.to_string())
    };
    let texts = rows.lines().map(text).collect::<Result<Vec<_>, _>>()?;
    let fingerprinter = Config::default().fingerprinter()?;
    let begun = cpu_seconds()?;
    let fingerprints = fingerprinter
        .fingerprint_all(texts.len(), |number| &texts[number], |_| ControlFlow::Continue(()))
        .ok_or("nothing stops it")?;
    let took = cpu_seconds()? - begun;
    assert_eq!(fingerprints.len(), texts.len());
    println!("{took:.4}");
    Ok(())
}

/// The CPU seconds of all threads of this process, from Linux's counters.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    // The first field of a thread's schedstat is its CPU time in nanoseconds.
    let mut nanoseconds = 0u64;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += text.split_whitespace().next().unwrap_or("0").parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e9)
}

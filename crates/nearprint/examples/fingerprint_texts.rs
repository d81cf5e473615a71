//! The CPU seconds that the default fingerprints of a JSON Lines file take on one thread, its texts
//! being in memory: what the same through Python is held against.
//!
//!     cargo run --release --example fingerprint_texts -- texts.jsonl

// An example shows its result.
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

/// Of all threads of this process, as Linux counts them.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    // Nanoseconds on the processor of each thread.
    let mut nanoseconds = 0u64;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += text.split_whitespace().next().unwrap_or("0").parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e9)
}

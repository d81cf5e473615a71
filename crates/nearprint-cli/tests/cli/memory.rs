//! Too little memory: a run ends before it exceeds its limit, and a failed allocation is an error
//! that keeps finished stages.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::process::Command;

use crate::common::{self, Place, Run};

/// Documents with a vocabulary that grows with each of them.
fn growing_vocabulary(documents: usize) -> String {
    let mut rows = String::new();
    for id in 0..documents {
        let words: String = (0..100).fold(String::new(), |mut words, place| {
            write!(words, "{}{} ", ["ka", "mo", "ri"][place % 3], (id * 100 + place) * 7919)
                .unwrap();
            words
        });
        writeln!(rows, "{{\"id\":{id},\"text\":\"{words}\"}}").unwrap();
    }
    rows
}

/// The peak memory of a command, in bytes, and its end.
fn run_and_watch(place: &Place, arguments: &[&str]) -> (u64, Run) {
    let mut command = place.command(arguments);
    // Errors are few lines, which fit into the pipe.
    let mut child = command.spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            peak.and_then(|peak| peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    (most, Run::new(arguments, child.wait_with_output().unwrap()))
}

#[test]
fn a_bound_is_not_exceeded_before_it_refuses() {
    let place = Place::with("words.jsonl", growing_vocabulary(32_000));
    let words = [
        "dedup",
        "words.jsonl",
        "--output",
        "out",
        "--quiet",
        "--features",
        "words",
        "--memory",
        "128M",
    ];
    // Every thread has its own buffers: with many threads, the memory of a batch is noticed only
    // after it.
    let (most, run) = run_and_watch(&place, &[&words[..], &["--threads", "2"]].concat());
    let run = run.ends_with_code(1).says(&[
        "nearprint: --memory: ",
        " documents need ",
        "M, more than the limit of 128M; raise the limit",
    ]);
    assert!(!run.stderr.contains("MB"), "{}", run.stderr);
    assert!(most > 32 << 20 && most <= 128 << 20, "{most} bytes, and the bound is {}", 128 << 20);
    assert_eq!(place.names(), ["words.jsonl"]);
}

/// Runs with a limit on the address space, in kilobytes.
fn run_within(place: &Place, kilobytes: u64, arguments: &[&str]) -> Run {
    let program = place.command(arguments);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\""));
    command.arg(program.get_program()).args(program.get_args());
    command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
    Run::new(arguments, command.output().unwrap())
}

#[test]
fn memory_that_the_system_refuses_is_an_error_and_the_run_goes_on_later() {
    goes_on_after_a_refusal(60);
}

#[test]
#[ignore = "nightly: more limits"]
fn memory_that_the_system_refuses_at_more_limits_is_an_error_and_the_run_goes_on_later() {
    goes_on_after_a_refusal(15);
}

/// Runs within limits that are so many megabytes apart.
fn goes_on_after_a_refusal(step: usize) {
    let place = Place::with("news.jsonl", growing_vocabulary(12_000));
    place.write("tmp/in", "");
    let settings = [
        "dedup",
        "news.jsonl",
        "--quiet",
        "--threads",
        "2",
        "--recall-sample",
        "0",
        "--features",
        "words",
    ];
    let dedup = [&settings[..], &["--output", "out"]].concat();
    place.run(&[&settings[..], &["--output", "whole"]].concat()).succeeds();
    let mut refused = 0;
    // From just enough to start the program (some 40) to enough for the run.
    for megabytes in (70..=250).step_by(step) {
        let run = run_within(&place, megabytes << 10, &dedup);
        assert!(matches!(run.code, Some(0..=2)), "{megabytes} MB: {:?}\n{}", run.code, run.stderr);
        if run.code != Some(0) {
            assert!(run.stderr.contains("nearprint: "), "{megabytes} MB: {}", run.stderr);
            assert!(
                !run.stderr.contains("panicked") && !place.path("out").exists(),
                "{megabytes} MB: {}",
                run.stderr
            );
        }
        if run.stderr.contains("out of memory: the system refused ") {
            refused += 1;
            let run = run.ends_with_code(1);
            run.says(&[
                " bytes; check the limits",
                "ulimit -v",
                "--memory",
                "to continue, run the same command",
            ]);
            place.run(&[&dedup[..], &["--resume"]].concat()).succeeds();
            assert_eq!(
                common::files(&place.path("out")),
                common::files(&place.path("whole")),
                "{megabytes} MB"
            );
        }
        if place.path("out").exists() {
            std::fs::remove_dir_all(place.path("out")).unwrap();
        }
    }
    assert!(refused > 1, "the system refused memory {refused} times");
    assert_eq!(place.names(), ["news.jsonl", "tmp", "whole"]);
}

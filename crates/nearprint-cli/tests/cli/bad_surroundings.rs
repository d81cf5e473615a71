//! Faults around the input: an unreadable file, a huge line, a full disk, Ctrl-C.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{self, Articles, FERRY, LIBRARY, Place, Run, SKIP, row, skipped};
use serde_json::json;

const NOBODY: u32 = 65534;

#[test]
fn a_file_without_permission_is_unreadable() {
    let place = Place::with("good.jsonl", row("a", FERRY));
    place.write("bad.jsonl", row("b", LIBRARY));
    std::fs::set_permissions(place.path("bad.jsonl"), PermissionsExt::from_mode(0o000)).unwrap();
    // The superuser may read everything, so the program runs as another user, who needs access to
    // it.
    let superuser = std::fs::read(place.path("bad.jsonl")).is_ok();
    if superuser {
        place.write("tmp/in", "");
        let program = place.path("program");
        // Another process copies the program: a file open for writing here could not be started.
        assert!(
            Command::new("cp")
                .arg(env!("CARGO_BIN_EXE_nearprint"))
                .arg(&program)
                .status()
                .unwrap()
                .success()
        );
        for path in ["", "tmp", "good.jsonl", "bad.jsonl", "program"] {
            chown(place.path(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let run = |arguments: &[&str]| {
        let mut command =
            if superuser { Command::new(place.path("program")) } else { place.command(arguments) };
        if superuser {
            command.args(arguments).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
            command.uid(NOBODY).gid(NOBODY);
        }
        Run::new(arguments, command.output().unwrap())
    };
    let before = place.names();
    let dedup = ["dedup", "bad.jsonl", "good.jsonl", "--output", "out"];
    let says = [
        "nearprint: bad.jsonl: cannot be read (Permission denied",
        "check the path and its permissions",
    ];
    run(&dedup).ends_with_code(1).says(&says);
    assert_eq!(place.names(), before);
    run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!(
        (&rejected[0]["file"], &rejected[0]["problem"]),
        (&json!("bad.jsonl"), &json!("unreadable"))
    );
    assert_eq!(common::names(&place.path("out/kept")), ["good.jsonl"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_fails_while_it_is_read_is_unreadable() {
    let place = Place::with("good.jsonl", row("a", FERRY));
    // The file opens, and every read of it is an input/output error.
    symlink("/proc/self/mem", place.path("bad.jsonl")).unwrap();
    let dedup = ["dedup", "bad.jsonl", "good.jsonl", "--output", "out"];
    place
        .run(&dedup)
        .ends_with_code(1)
        .says(&["nearprint: bad.jsonl: cannot be read (Input/output error"]);
    assert_eq!(place.names(), ["bad.jsonl", "good.jsonl"]);
    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(place.rows("out/rejected.jsonl")[0]["problem"], "unreadable");
    assert_eq!(place.summary("out")["counts"]["kept"], 1);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let place = Place::with("good.jsonl", row("a", FERRY));
    let dedup = ["dedup", "good.jsonl", "gone.jsonl", "--output", "out"];
    place.run(&dedup).ends_with_code(1).says(&["nearprint: cannot read gone.jsonl: No such file"]);
    assert_eq!(place.names(), ["good.jsonl"]);
}

#[test]
fn a_line_of_100_mb_is_refused_unless_allowed() {
    let place = Place::with("good.jsonl", row("a", FERRY));
    // Long words make a text of few words, which is fast to segment.
    let word = "x".repeat(9_999) + " ";
    place.write("bad.jsonl", row("b", &word.repeat(10_000)) + &row("c", LIBRARY));
    let dedup = ["dedup", "bad.jsonl", "good.jsonl", "--output", "out"];
    let says =
        ["nearprint: bad.jsonl, row 1: longer than 67108864 bytes", "raise --max-document-bytes"];
    place.run(&dedup).ends_with_code(1).says(&says);
    assert_eq!(place.names(), ["bad.jsonl", "good.jsonl"]);

    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!(
        (rejected.len(), &rejected[0]["row"], &rejected[0]["problem"]),
        (1, &json!(1), &json!("too_long"))
    );
    assert_eq!(place.text("out/kept/bad.jsonl"), row("c", LIBRARY));
    let summary = place.summary("out");
    assert_eq!(summary["counts"]["read"], 2);
    let peak = summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 200 << 20, "refusing a long line took {peak} bytes");

    place.run(&[&dedup[..], &["--force", "--max-document-bytes", "110000000"]].concat()).succeeds();
    let summary = place.summary("out");
    assert_eq!(
        (&summary["counts"]["read"], &summary["counts"]["rejected"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(place.read("out/kept/bad.jsonl"), place.read("bad.jsonl"));
    // The line, its text and the normalized text, each once, and the usual memory of a run.
    let peak = summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 450 << 20, "a line of 100 MB took {peak} bytes");
}

/// Runs on a disk of 256 KiB at `disk`, mounted only for this process. `None` if the system does
/// not allow that. Standard output is the list of files left on the disk.
fn run_with_small_disk(place: &Place, arguments: &[&str]) -> Option<Run> {
    std::fs::create_dir_all(place.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=256k tmpfs disk || exit 99; \"$@\" >&2; code=$?; ls -A \
        disk; exit $code";
    for rights in [&["--mount"][..], &["--map-root-user", "--mount"]] {
        let program = place.command(arguments);
        let mut command = Command::new("unshare");
        command
            .args(rights)
            .args(["sh", "-c", script, "sh"])
            .arg(program.get_program())
            .args(program.get_args());
        command.current_dir(place.path("")).env("TMPDIR", place.path(""));
        let Ok(output) = command.output() else { continue };
        let unshared = !String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
        if unshared && output.status.code() != Some(99) {
            return Some(Run::new(arguments, output));
        }
    }
    None
}

#[test]
fn a_full_disk_leaves_no_half_output() {
    let place = Place::with("news.jsonl", Articles::json_lines(2, 1500, 60));
    for arguments in [&["--output", "disk/out"][..], &["--output", "out", "--tmp-dir", "disk"]] {
        let dedup = [&["dedup", "news.jsonl", "--quiet"], arguments].concat();
        let Some(run) = run_with_small_disk(&place, &dedup) else {
            return skipped("a full disk: this system does not let a test mount a small one");
        };
        let run =
            run.ends_with_code(1).says(&["nearprint: cannot write ", "No space left on device"]);
        let run = run.says(&[
            "disk",
            "; free some space, or choose another place with --output or --tmp-dir",
        ]);
        assert_eq!(run.stdout, "", "left on the disk");
        assert_eq!(place.names(), ["disk", "news.jsonl"]);
    }
    // The disk is large enough for the output, if temporary files are elsewhere.
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let dedup = [
        "dedup",
        "news.jsonl",
        "--quiet",
        "--dry-run",
        "--output",
        "disk/out",
        "--tmp-dir",
        "elsewhere",
    ];
    let run = run_with_small_disk(&place, &dedup).unwrap().succeeds();
    assert_eq!(run.stdout, "out\n");
}

#[test]
fn a_full_standard_output_is_an_error() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["fingerprint", "news.jsonl"][..], &["presets"]] {
        let output = place.command(arguments).stdout(full()).output().unwrap();
        Run::new(arguments, output)
            .ends_with_code(1)
            .says(&["cannot write standard output: No space left"]);
    }
}

/// Starts a run that takes a while.
fn start_long_run(place: &Place) -> Child {
    place.write("news.jsonl", Articles::json_lines(3, 1_200, 100));
    place.command(&["dedup", "news.jsonl", "--output", "out", "--threads", "1"]).spawn().unwrap()
}

fn interrupt(child: &Child) {
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
}

/// The run must have stopped in order after the signal, with only this left in its place.
fn assert_interrupted(place: &Place, child: Child, begun: Instant, left: &[&str]) {
    let output = child.wait_with_output().unwrap();
    Run::new(&["dedup"], output).ends_with_code(130);
    assert!(begun.elapsed() < Duration::from_secs(20), "it took {:?} to stop", begun.elapsed());
    assert_eq!(place.names(), left, "what was left beside the output folder");
    assert_eq!(place.leftovers(), [""; 0]);
}

/// The names in the place of a run that ended after a finished stage.
const LEFT: [&str; 2] = [".out.unfinished", "news.jsonl"];

#[test]
fn ctrl_c_while_reading_leaves_no_output() {
    let place = Place::new();
    let child = start_long_run(&place);
    let begun = Instant::now();
    while place.names().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the run did not begin");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(place.names()[0].starts_with(".out."), "{:?}", place.names());
    interrupt(&child);
    assert_interrupted(&place, child, Instant::now(), &["news.jsonl"]);
}

#[test]
fn signals_that_come_together_are_one() {
    let place = Place::new();
    let mut child = start_long_run(&place);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("read "));
    for signal in ["-TERM", "-TERM", "-INT"] {
        // A run that has already ended cannot get a signal.
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap()
            .success();
        assert!(sent || child.try_wait().unwrap().is_some());
        std::thread::sleep(Duration::from_millis(20));
    }
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.last().unwrap().contains("interrupted; no output was written"), "{rest:?}");
    assert_interrupted(&place, child, Instant::now(), &LEFT);
}

#[test]
fn ctrl_c_while_standard_input_is_silent_is_heard() {
    let place = Place::new();
    let mut command = place.command(&["dedup", "-", "--output", "out"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let silent = child.stdin.take();
    let begun = Instant::now();
    while place.leftovers().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the run did not begin");
        std::thread::sleep(Duration::from_millis(2));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    drop(silent);
    Run::new(&["dedup"], output).ends_with_code(130).says(&["interrupted; no output was written"]);
    assert_eq!((place.names(), place.leftovers()), (vec![], vec![]));
}

#[test]
fn a_run_that_was_killed_goes_on_and_gives_the_same_bytes() {
    let place = Place::new();
    let mut child = start_long_run(&place);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("read "));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("out").exists());
    // A run does not begin while another run holds the folder.
    let lock =
        std::fs::File::options().write(true).open(place.path(".out.unfinished/lock")).unwrap();
    lock.try_lock().unwrap();
    let locked = place
        .run(&["dedup", "news.jsonl", "--output", "out"])
        .ends_with_code(2)
        .says(&["another run is writing to"]);
    assert!(!locked.stderr.contains("begun anew"), "{}", locked.stderr);
    drop(lock);
    // An output that appeared during the run is not replaced without --force, and the message says
    // so.
    place.write("out/summary.json", r#"{"nearprint":"0.1.0"}"#);
    let taken =
        place.run(&["dedup", "news.jsonl", "--output", "out", "--resume"]).ends_with_code(2);
    taken.says(&["to continue, run the same command with --force"]);
    // A folder that no run made is never replaced.
    place.write("out/summary.json", "mine");
    let taken = place
        .run(&["dedup", "news.jsonl", "--output", "out", "--resume", "--force"])
        .ends_with_code(2);
    taken.says(&["to continue, remove the output folder, and run the same command"]);
    assert_eq!(place.text("out/summary.json"), "mine");
    std::fs::remove_dir_all(place.path("out")).unwrap();
    let resumed = place.run(&["dedup", "news.jsonl", "--output", "out"]).succeeds();
    assert!(resumed.stderr.contains("the earlier run had finished read"), "{}", resumed.stderr);
    assert!(!place.path(".out.unfinished").exists());
    let whole = place
        .run(&["dedup", "news.jsonl", "--output", "whole", "--resume", "--memory", "150M"])
        .succeeds();
    assert!(whole.stderr.contains("Nothing to resume"), "{}", whole.stderr);
    for file in ["removed.jsonl", "clusters.jsonl", "kept/news.jsonl"] {
        assert!(
            place.read(&format!("out/{file}")) == place.read(&format!("whole/{file}")),
            "{file}"
        );
    }
    place.write("news.jsonl", row("a", FERRY));
    let piped = place.run_with_input(
        &["dedup", "-", "--output", "other", "--resume"],
        row("a", FERRY).as_bytes(),
    );
    piped.ends_with_code(2).says(&["--resume: standard input cannot be read a second time"]);
}

#[test]
fn ctrl_c_after_reading_leaves_no_output() {
    let place = Place::new();
    let mut child = start_long_run(&place);
    // A stage prints a line at its end.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    assert!(line.starts_with("read "), "{line}");
    interrupt(&child);
    // The test reads the rest of standard error, so that the run never waits for a reader.
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.last().unwrap().contains("interrupted; no output was written"), "{rest:?}");
    assert_interrupted(&place, child, Instant::now(), &LEFT);
    let other = ["--quiet", "--min-similarity", "0.8"];
    let anew =
        place.run(&[&["dedup", "news.jsonl", "--output", "out"], &other[..]].concat()).succeeds();
    assert!(
        anew.stderr.contains("warning: the unfinished run in ")
            && anew.stderr.contains("had another --min-similarity; it is discarded"),
        "{}",
        anew.stderr
    );
}

#[test]
fn what_an_interrupted_run_would_have_replaced_is_still_there() {
    let place = Place::with("news.jsonl", row("a", FERRY) + "{\"id\":\"b\"}\n");
    place.write("out/removed.jsonl", "precious");
    place.write("out/summary.json", r#"{"nearprint":"0.1.0"}"#);
    place.run(&["dedup", "news.jsonl", "--output", "out", "--force"]).ends_with_code(1);
    assert_eq!(place.text("out/removed.jsonl"), "precious");
    assert_eq!(place.names(), ["news.jsonl", "out"]);
    place.dedup_the_rest(&["news.jsonl", "--force"]);
    assert_ne!(place.text("out/removed.jsonl"), "precious");
}

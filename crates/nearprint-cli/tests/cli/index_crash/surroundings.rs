//! A full disk, a limited file size, a read-only folder: changes are refused with the reason, and
//! the index is unchanged.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::{answers, copy, create, documents, exported, verify};
use crate::common::{self, Place, Run, skipped};

const NOBODY: u32 = 65534;

/// Runs a script in a place, with a disk of this size at `disk`, mounted only for this process.
/// `None` if the system does not allow that.
fn on_small_disk(place: &Place, size: &str, script: &str) -> Option<Run> {
    std::fs::create_dir_all(place.path("disk")).unwrap();
    let script = format!("mount -t tmpfs -o size={size} tmpfs disk || exit 99\n{script}");
    for rights in [&["--mount"][..], &["--map-root-user", "--mount"]] {
        let program = place.command(&[]);
        let mut command = Command::new("unshare");
        command.args(rights).args(["sh", "-c", &script, "sh"]).arg(program.get_program());
        command.current_dir(place.path("")).env("TMPDIR", place.path(""));
        let Ok(output) = command.output() else { continue };
        let unshared = !String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
        if unshared && output.status.code() != Some(99) {
            return Some(Run::new(&["on a small disk"], output));
        }
    }
    None
}

#[test]
fn a_full_disk_leaves_the_index_as_it_was() {
    let place = Place::with("some.jsonl", documents("some", 0..1_000));
    place.write("many.jsonl", documents("many", 10_000..22_000));
    // Each step leaves its output, its messages and its exit code.
    let script = r#"
        step() { name=$1; shift; "$@" > $name.out 2> $name.err; echo $? > $name.code; }
        step created "$1" index create disk/seen some.jsonl
        step before "$1" index query disk/seen some.jsonl
        step full "$1" index add disk/seen many.jsonl --if-new --quiet
        step verified "$1" index verify disk/seen --json
        step exported "$1" index export disk/seen
        cat /dev/zero > disk/filler 2> /dev/null
        step filled "$1" index add disk/seen many.jsonl --quiet
        step asked "$1" index query disk/seen some.jsonl
        rm disk/filler
        step after "$1" index query disk/seen some.jsonl
        mount -o remount,size=256m disk
        step again "$1" index add disk/seen many.jsonl --if-new --quiet
        step last "$1" index verify disk/seen --json
        step all "$1" index export disk/seen
    "#;
    let Some(run) = on_small_disk(&place, "2m", script) else {
        return skipped(
            "an index on a full disk: this system does not let a test mount a small one",
        );
    };
    run.succeeds();
    let code = |step: &str| place.text(&format!("{step}.code")).trim().to_string();
    let said = |step: &str| place.text(&format!("{step}.err"));
    for step in
        ["created", "before", "verified", "exported", "asked", "after", "again", "last", "all"]
    {
        assert_eq!(code(step), "0", "{step}: {}{}", said(step), place.text(&format!("{step}.out")));
    }
    for step in ["full", "filled"] {
        assert_eq!(code(step), "1", "{step}: {}", said(step));
        let error = said(step);
        let says = "no space left on the disk; free some space, and try again";
        assert!(
            error.starts_with("nearprint: cannot write disk/seen/") && error.contains(says),
            "{step}: {error}"
        );
    }
    assert_eq!(place.read("before.out"), place.read("after.out"));
    // All changes reported before the disk was full are there.
    let told = common::column(&place.rows("full.out"), "id");
    let there = common::column(&place.rows("exported.out"), "id");
    assert!(
        !told.is_empty() && there.len() == 1_000 + told.len(),
        "{} of {}",
        there.len(),
        told.len()
    );
    let again = place.rows("again.out");
    assert!(again[..told.len()].iter().all(|answer| answer["new"] == false));
    assert!(again[told.len()..].iter().all(|answer| answer["new"] == true));
    assert_eq!(place.rows("all.out").len(), 13_000);
}

#[test]
fn files_that_may_not_grow_leave_the_index_as_it_was() {
    let place = Place::with("some.jsonl", documents("some", 0..1_000));
    place.write("many.jsonl", documents("many", 10_000..16_000));
    create(&place, "seen", "some.jsonl");
    let before = answers(&place, "seen", "some.jsonl");
    // The signal is ignored, so that a write fails instead.
    let limited = |blocks: u32, arguments: &[&str]| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let program = place.command(arguments);
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(program.get_program()).args(program.get_args());
        command.current_dir(place.path("")).env("TMPDIR", place.path("")).env("LC_ALL", "C");
        Run::new(arguments, command.output().unwrap())
    };
    let says = "seen/documents.sqlite: disk I/O error; check whether the disk is full or failing";
    let mut told = 1_000;
    for blocks in [0, 40, 600, 1_500] {
        let run = limited(blocks, &["index", "add", "seen", "many.jsonl", "--if-new", "--quiet"]);
        assert!(
            run.code == Some(1) && run.stderr.contains(says),
            "{blocks} blocks: {:?} {}",
            run.code,
            run.stderr
        );
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        told += common::rows(&run.stdout).iter().filter(|answer| answer["new"] == true).count();
        verify(&place, "seen");
        assert_eq!(answers(&place, "seen", "some.jsonl"), before, "{blocks} blocks");
        assert_eq!(exported(&place, "seen").len(), told, "{blocks} blocks");
    }
    assert!(told > 1_000 && told < 7_000, "{told}");
    place.run(&["index", "add", "seen", "many.jsonl", "--if-new", "--quiet"]).succeeds();
    verify(&place, "seen");
    assert_eq!(exported(&place, "seen").len(), 7_000);
}

/// Gives a folder and its contents this owner, and takes or restores the right to write.
fn set_rights(place: &Place, folder: &str, owner: Option<u32>, is_writable: bool) {
    let folder = place.path(folder);
    let mut paths = vec![folder.clone()];
    for name in common::names(&folder) {
        paths.push(folder.join(&name));
        if folder.join(&name).is_dir() {
            paths.extend(
                common::names(&folder.join(&name))
                    .iter()
                    .map(|inner| folder.join(&name).join(inner)),
            );
        }
    }
    for path in paths {
        std::os::unix::fs::chown(&path, owner, owner).unwrap();
        let write = if is_writable { 0o200 } else { 0 };
        let read = if path.is_dir() { 0o555 } else { 0o444 };
        std::fs::set_permissions(&path, PermissionsExt::from_mode(read | write)).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_written_can_be_read() {
    let place = Place::with("input.jsonl", documents("doc", 0..4_200));
    create(&place, "seen", "input.jsonl");
    place.write("ask.jsonl", documents("asked", 4_000..4_300));
    let (before, export) = (answers(&place, "seen", "ask.jsonl"), exported(&place, "seen"));
    // A copy with a log: of a process that was killed.
    place.write("more.jsonl", documents("more", 5_000..15_000));
    place.run(&["index", "create", "killed", "--quiet"]).succeeds();
    let mut child = place
        .command(&["index", "add", "killed", "more.jsonl", "--if-new", "--quiet"])
        .spawn()
        .unwrap();
    let mut first = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    copy(&place.path("killed"), &place.path("logged"));
    assert!(std::fs::metadata(place.path("logged/documents.sqlite-wal")).unwrap().len() > 0);
    // The superuser may write everywhere, so the program runs as another user, who needs access to
    // it.
    place.write("probe", "");
    std::fs::set_permissions(place.path("probe"), PermissionsExt::from_mode(0o444)).unwrap();
    let superuser = std::fs::File::options().write(true).open(place.path("probe")).is_ok();
    let owner = superuser.then_some(NOBODY);
    if superuser {
        place.write("tmp/in", "");
        // Another process copies the program: a file open for writing here could not be started.
        assert!(
            Command::new("cp")
                .arg(env!("CARGO_BIN_EXE_nearprint"))
                .arg(place.path("program"))
                .status()
                .unwrap()
                .success()
        );
        for path in ["", "tmp", "input.jsonl", "ask.jsonl", "more.jsonl", "program"] {
            std::os::unix::fs::chown(place.path(path), owner, owner).unwrap();
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
    set_rights(&place, "seen", owner, false);
    let asked = run(&["index", "query", "seen", "ask.jsonl", "--quiet"]).succeeds();
    assert_eq!(common::rows(&asked.stdout), before);
    assert_eq!(run(&["index", "export", "seen"]).succeeds().stdout.lines().count(), export.len());
    assert_eq!(run(&["index", "info", "seen", "--json"]).succeeds().json()["documents"], 4_200);
    run(&["index", "verify", "seen"]).succeeds();
    for verb in [
        &["add", "seen", "more.jsonl", "--quiet"][..],
        &["remove", "seen", "doc-1"],
        &["compact", "seen"],
    ] {
        let refused = run(&[&["index"], verb].concat()).ends_with_code(1);
        refused.says(&["nearprint: cannot write seen/documents.sqlite: permission denied; check \
            the permissions"]);
    }
    // A waiting log cannot be read completely.
    set_rights(&place, "logged", owner, false);
    for verb in ["info", "verify", "export"] {
        let refused = run(&["index", verb, "logged"]);
        assert_ne!(refused.code, Some(0));
        refused.says(&[
            "logged/documents.sqlite-wal: ",
            "run nearprint index info once as a user who may",
        ]);
    }
    set_rights(&place, "logged", owner, true);
    run(&["index", "info", "logged"]).succeeds();
    set_rights(&place, "logged", owner, false);
    let verified = run(&["index", "verify", "logged", "--json"]).succeeds().json();
    assert!(verified["documents"].as_u64().unwrap() >= 1_000, "{verified}");
    // So that the folder can be removed.
    ["seen", "logged"].iter().for_each(|folder| set_rights(&place, folder, owner, true));
}

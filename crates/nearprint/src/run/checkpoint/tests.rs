//! Checkpoints that are made, resumed, damaged, and refused.

use super::*;

#[test]
fn a_folder_is_known_for_ours_until_nothing_is_left_in_it() {
    let folder = tempfile::tempdir().unwrap();
    for name in [LOCK, RUN, "read", "texts"] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    empty(folder.path()).unwrap();
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [LOCK]);
    assert!(is_ours(folder.path()).unwrap());
}

type Made = (Vec<u128>, Option<i128>, String, f64);

fn made() -> Made {
    (vec![0, u128::MAX, 7], Some(-3), "字".repeat(9), 0.1 + 0.2)
}

fn keep(
    checkpoints: &mut Checkpoints,
    make: impl FnOnce() -> Result<Made, Error>,
) -> Result<Made, Error> {
    checkpoints.stage(Stage::Read, |_: &mut Made, _| Ok(true), |_| make())
}

fn never() -> Result<Made, Error> {
    unreachable!("the stage is finished")
}

#[test]
fn a_finished_stage_is_made_once_and_an_unfinished_one_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let run = json!({"bits": 64});
    let open = |resume| Checkpoints::open(&folder, &run, resume).unwrap();
    // A run without a finished stage leaves nothing.
    assert!(keep(&mut open(true), || Err(Error::Interrupted)).is_err());
    assert!(!folder.exists());
    assert_eq!(keep(&mut open(true), || Ok(made())).unwrap(), made());
    assert!(holds_a_stage(&folder));
    let mut again = open(true);
    assert_eq!(keep(&mut again, never).unwrap(), made());
    assert_eq!(again.resumed, [Stage::Read]);
    // Another run must not use the folder at the same time.
    let error = Checkpoints::open(&folder, &run, true).unwrap_err().to_string();
    assert!(error.contains("another run is writing to"), "{error}");
    drop(again);
    // A stage with damaged lists is made again.
    let lost = open(true).stage(
        Stage::Read,
        |_: &mut Made, _| Ok(false),
        |_| Ok((vec![], None, String::new(), 0.0)),
    );
    assert_eq!(lost.unwrap().0, [0u128; 0]);
    // The same run goes on without resume, too. Another one is discarded, and so is a finished one.
    let mut same = open(false);
    assert!(keep(&mut same, never).unwrap().0.is_empty() && same.discarded.is_none());
    drop(same);
    let mut other = Checkpoints::open(&folder, &json!({"bits": 128}), false).unwrap();
    let discarded = other.discarded.take().unwrap().to_string();
    assert!(discarded.contains("had another bits; it is discarded"), "{discarded}");
    drop(other);
    assert!(!folder.exists());
    open(true).discard();
    assert!(!folder.exists());
}

#[test]
fn another_run_is_refused_by_name_and_damage_counts_as_not_finished() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let open = |bits| Checkpoints::open(&folder, &json!({"bits": bits, "threads": 1}), true);
    keep(&mut open(64).unwrap(), || Ok(made())).unwrap();
    let error = open(128).unwrap_err().to_string();
    assert!(error.contains("had another bits") && error.contains("without resume"), "{error}");
    let path = folder.join("read");
    let whole = fs::read(&path).unwrap();
    for damaged in
        [&whole[..whole.len() - 1], &whole[..7], &[&[whole[0] ^ 1], &whole[1..]].concat()]
    {
        fs::write(&path, damaged).unwrap();
        let mut remade = false;
        keep(&mut open(64).unwrap(), || {
            remade = true;
            Ok(made())
        })
        .unwrap();
        assert!(remade);
    }
    let path = folder.join(RUN);
    let whole = fs::read_to_string(&path).unwrap();
    // A changed digit counts as damage, not as another setting.
    for damaged in [
        "",
        "{",
        "{}",
        "[]",
        "null",
        "\u{0}",
        &whole.replace("64", "65"),
        &whole[..whole.len() - 1],
    ] {
        fs::write(&path, damaged).unwrap();
        let error = open(64).unwrap_err().to_string();
        assert!(error.contains("is damaged; run without resume"), "{damaged}: {error}");
        let mut other = Checkpoints::open(&folder, &json!({}), false).unwrap();
        let discarded = other.discarded.take().unwrap();
        drop(other);
        assert!(discarded.to_string().contains("is damaged; it is discarded"), "{discarded}");
        keep(&mut open(64).unwrap(), || Ok(made())).unwrap();
    }
    // Without a finished stage, a damaged identity does no harm.
    fs::remove_file(folder.join("read")).unwrap();
    assert!(open(64).unwrap().resumed.is_empty());
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine"), "precious").unwrap();
    let refused = |folder: &Path| {
        let error = Checkpoints::open(folder, &json!({}), false).unwrap_err().to_string();
        assert!(error.contains("not an unfinished run of yours"), "{error}");
    };
    refused(&folder);
    #[cfg(unix)]
    {
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        refused(&link);
    }
    assert_eq!(fs::read_to_string(folder.join("mine")).unwrap(), "precious");
}

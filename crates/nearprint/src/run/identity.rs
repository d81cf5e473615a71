//! Settings and input files -> the identity of a run, by which an unfinished run is recognized, and
//! its checkpoints.

use xxhash_rust::xxh3::xxh3_64;

use super::checkpoint::{self, Checkpoints};
use super::{Deduplicator, Output};
use crate::error::Error;
use crate::read::{self, Source};

/// The checkpoints of a run. Standard input has none, since it cannot be read again; nor has a run
/// whose folder for checkpoints cannot be made.
///
/// # Errors
/// [`Error::Usage`] if `resume` cannot be obeyed; as [`Checkpoints::open`].
pub(super) fn checkpoints(
    run: &Deduplicator,
    against: &[Source],
    sources: &[Source],
    output: &Output,
) -> Result<Checkpoints, Error> {
    checkpoints_with(run, against, sources, output, None)
}

/// The checkpoints of a run that depends on a further value, with its name.
///
/// # Errors
/// As [`checkpoints`].
pub(super) fn checkpoints_with(
    run: &Deduplicator,
    against: &[Source],
    sources: &[Source],
    output: &Output,
    further: Option<(&str, serde_json::Value)>,
) -> Result<Checkpoints, Error> {
    if against.iter().chain(sources).any(|source| source.label == read::STANDARD_INPUT) {
        let problem =
            "standard input cannot be read a second time; save it to a file, and name the file";
        return if output.resume {
            Err(Error::usage("resume", problem))
        } else {
            Ok(Checkpoints::none())
        };
    }
    let config = &run.config;
    let folder = checkpoint::folder_of(&output.folder, config.run.tmp_dir.as_deref());
    let folder = folder.map_err(Error::io("find", &output.folder))?;
    let mut described = described(run, against, sources, output);
    if let (Some((name, value)), Some(settings)) = (further, described.as_object_mut()) {
        settings.insert(name.to_string(), value);
    }
    match Checkpoints::open(&folder, &described, output.resume) {
        Err(Error::Io { .. }) if !output.resume => Ok(Checkpoints::none()),
        checkpoints => checkpoints,
    }
}

/// The identity of a run: all that its output depends on. One number is not covered: if memory is
/// short, the size of the recall's sample in `summary.json` may differ.
fn described(
    of: &Deduplicator,
    against: &[Source],
    sources: &[Source],
    output: &Output,
) -> serde_json::Value {
    let mut run = serde_json::to_value(&of.config).expect("settings are JSON values");
    let settings = run.as_object_mut().expect("settings have names");
    for setting in ["threads", "memory", "tmp-dir"] {
        settings.remove(setting);
    }
    let modified = |source: &Source| {
        source
            .modified
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos())
            .to_string()
    };
    for (name, sources) in [("input", sources), ("against", against)] {
        let file = |source: &Source| {
            (
                source.label.clone(),
                source.path.display().to_string(),
                source.bytes,
                modified(source),
            )
        };
        settings.insert(
            name.to_string(),
            serde_json::json!(sources.iter().map(file).collect::<Vec<_>>()),
        );
    }
    let stop_words = xxh3_64(of.recipe.stop_words().as_bytes());
    settings.insert("list of stop words".to_string(), format!("{stop_words:016x}").into());
    if let Some(marks) = &of.marks {
        settings.insert("content of the marks".to_string(), format!("{:032x}", marks.hash).into());
    }
    settings.insert("pairs".to_string(), output.pairs.into());
    settings.insert("fingerprint".to_string(), of.recipe.identity().into());
    settings.insert("version of nearprint".to_string(), env!("CARGO_PKG_VERSION").into());
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_content_of_the_marks_is_a_part_of_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        let identity = |verdict: &str| {
            let mark = format!("{{\"left\":1,\"right\":2,\"verdict\":\"{verdict}\"}}\n");
            std::fs::write(&path, mark).unwrap();
            let run = Deduplicator::new(Config::default().marks(path.clone())).unwrap();
            described(&run, &[], &[], &Output::new("out"))
        };
        assert_eq!(identity("right"), identity("right"));
        assert_ne!(identity("right"), identity("wrong"));
    }
}

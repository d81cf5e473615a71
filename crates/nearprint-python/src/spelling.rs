//! Python's spelling of settings and verbs in messages of the library.

use nearprint::message::{Setting, Spelling, Value, Verb};

/// Settings as keyword arguments: `text=`, `on_error="skip"`; verbs as their counterparts in
/// Python.
pub(crate) struct Keywords;

/// Names with the library's spelling in Python: positional arguments, and arguments of the command
/// line only.
pub(crate) const ELSEWHERE: [&str; 12] = [
    "annotate", "config", "found", "in", "index", "input", "output", "resume", "sample", "text",
    "top", "truth",
];

impl Spelling for Keywords {
    fn setting(&self, setting: &Setting) -> String {
        if ELSEWHERE.contains(&setting.name()) {
            return setting.name().to_string();
        }
        let keyword = keyword(setting.name());
        match setting.value() {
            // A flag without a value.
            None if setting.name() == "force" => format!("{keyword}=True"),
            None => format!("{keyword}="),
            Some(Value::Word(word)) => format!("{keyword}=\"{word}\""),
            Some(Value::Number(number)) => format!("{keyword}={number}"),
        }
    }

    fn subject(&self, name: &str) -> String {
        keyword(name)
    }

    fn verb(&self, verb: Verb) -> String {
        match verb {
            Verb::Dedup => "nearprint dedup",
            Verb::Stats => "Stats.build",
            Verb::Tune => "nearprint.tune",
            Verb::IndexCreate => "Index.create",
            Verb::IndexInfo => "Index.info",
            Verb::IndexVerify => "Index.verify",
            Verb::IndexCompact => "Index.compact",
            Verb::IndexExport => "Index.export",
        }
        .to_string()
    }
}

/// A setting as a keyword argument.
pub(crate) fn keyword(setting: &str) -> String {
    match setting {
        "text-field" => "text".to_string(),
        "id-field" => "id".to_string(),
        "store-field" => "store_fields".to_string(),
        "show-field" => "show_fields".to_string(),
        other => other.replace('-', "_"),
    }
}

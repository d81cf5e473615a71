//! The command line's spelling of settings and verbs in messages of the library.

use nearprint::message::{Message, Setting, Spelling, Value, Verb};

use crate::settings::only_in_file;

/// Settings as flags: `--text-field`, `--on-error skip`; verbs as commands: `nearprint stats`.
pub struct Flags;

/// Positional arguments, and their names in help.
const POSITIONAL: [(&str, &str); 6] = [
    ("input", "input"),
    ("found", "FOUND"),
    ("truth", "TRUTH"),
    ("verb", "VERB"),
    ("index", "DIR"),
    ("id", "ID"),
];

impl Spelling for Flags {
    fn setting(&self, setting: &Setting) -> String {
        let flag = flag(setting.name());
        match setting.value() {
            None => flag,
            Some(Value::Word(word)) => format!("{flag} {}", quoted(word)),
            Some(Value::Number(number)) => format!("{flag} {number}"),
        }
    }

    /// The flag; or, for a setting that only the file of settings has, the file and the name there.
    fn subject(&self, name: &str) -> String {
        match only_in_file(name) {
            Some(file) => format!("{}: {name}", file.display()),
            None => flag(name),
        }
    }

    fn verb(&self, verb: Verb) -> String {
        format!("nearprint {}", verb.name())
    }
}

/// A value quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.,:/%".contains(letter);
    if word.chars().all(is_plain) { word.to_string() } else { format!("'{word}'") }
}

fn flag(name: &str) -> String {
    let positional = POSITIONAL.iter().find(|(argument, _)| *argument == name);
    positional.map_or_else(|| format!("--{name}"), |(_, shown)| shown.to_string())
}

/// A message as the command line spells it.
pub fn spelled(message: &Message) -> String {
    message.spelled(&Flags)
}

#[cfg(test)]
#[path = "../../nearprint-python/src/spelling.rs"]
mod keywords;

#[cfg(test)]
mod tests;

//! Messages for a person that name settings. Each face spells the settings in its own way.
//!
//! The command line writes `--text-field`, Python `text=`, a TOML file `text-field`. A message
//! names a setting as a value among its words, and a [`Spelling`] turns the whole into text. The
//! library has a spelling of its own, [`Neutral`], which [`Display`](fmt::Display) shows.
//!
//! ```
//! use nearprint::message;
//! use nearprint::message::Setting;
//! let field = "body";
//! let message = message!["no field \"", field, "\"; name the right one with ", Setting::named("text-field")];
//! assert_eq!(message.to_string(), "no field \"body\"; name the right one with text-field");
//! let message = message!["leave such rows out with ", Setting::with("on-error", "skip")];
//! assert_eq!(message.to_string(), "leave such rows out with on-error = \"skip\"");
//! ```

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// A text that names settings without spelling them. Made by [`message!`](crate::message!), or of a
/// string that names none.
///
/// Its JSON is its neutral spelling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    parts: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words, the same in every face.
    Text(String),
    /// A setting.
    Setting(Setting),
    /// The setting of the whole message, at its beginning.
    Subject(Cow<'static, str>),
    /// A verb of the program.
    Verb(Verb),
}

/// A setting, or another argument of a run, by its name in TOML: `text-field`; with a suggested
/// value if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    name: Cow<'static, str>,
    value: Option<Value>,
}

/// The value of a setting that a message suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A word: `skip`.
    Word(Cow<'static, str>),
    /// A number: `128`.
    Number(u64),
}

/// The verbs of the program that messages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Removes near-duplicates.
    Dedup,
    /// Counts the statistics of a corpus.
    Stats,
    /// Finds the distances for the duplicates of a corpus.
    Tune,
    /// Creates an index.
    IndexCreate,
    /// Describes an index.
    IndexInfo,
    /// Checks an index.
    IndexVerify,
    /// Frees the space of removed documents of an index.
    IndexCompact,
    /// Writes the documents of an index.
    IndexExport,
}

/// The spelling of settings and verbs by a face: the library, the command line or Python.
///
/// Every name of a setting in a message of the library is in [`SETTINGS`] or in
/// [`Config::names`](crate::Config::names).
pub trait Spelling {
    /// A setting within a message, with its suggested value if there is one: `--on-error skip`.
    fn setting(&self, setting: &Setting) -> String;

    /// The setting of the whole message, at its beginning before a colon: `--on-error`.
    fn subject(&self, name: &str) -> String;

    /// A verb of the program: `nearprint stats`.
    fn verb(&self, verb: Verb) -> String;
}

/// The spelling of the library: settings as in TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Neutral;

/// The arguments of runs that messages name and no file of settings holds.
pub const SETTINGS: [&str; 31] = [
    "action",
    "against",
    "annotate",
    "bootstrap",
    "cluster-field",
    "config",
    "date-field",
    "documents",
    "force",
    "found",
    "id",
    "in",
    "index",
    "input",
    "judged-only",
    "keep-copy",
    "label-field",
    "left-field",
    "output",
    "resume",
    "right-field",
    "sample",
    "show-field",
    "source-field",
    "store-field",
    "store-text",
    "text",
    "top",
    "truth",
    "ttl",
    "within",
];

impl Setting {
    /// A setting by its name.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Setting {
        Setting { name: name.into(), value: None }
    }

    /// A setting with a suggested value.
    pub fn with(name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Setting {
        Setting { name: name.into(), value: Some(value.into()) }
    }

    /// The name in TOML.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The suggested value, if there is one.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }
}

impl From<&'static str> for Value {
    fn from(word: &'static str) -> Value {
        Value::Word(word.into())
    }
}

impl From<String> for Value {
    fn from(word: String) -> Value {
        Value::Word(word.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(number.into())
    }
}

impl Verb {
    /// The name on the command line: `stats`.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Dedup => "dedup",
            Verb::Stats => "stats",
            Verb::Tune => "tune",
            Verb::IndexCreate => "index create",
            Verb::IndexInfo => "index info",
            Verb::IndexVerify => "index verify",
            Verb::IndexCompact => "index compact",
            Verb::IndexExport => "index export",
        }
    }
}

impl Message {
    /// The message as a face spells it.
    ///
    /// ```
    /// use nearprint::message;
    /// use nearprint::message::{Setting, Spelling, Verb};
    /// struct Loud;
    /// impl Spelling for Loud {
    ///     fn setting(&self, setting: &Setting) -> String { setting.name().to_uppercase() }
    ///     fn subject(&self, name: &str) -> String { name.to_uppercase() }
    ///     fn verb(&self, verb: Verb) -> String { verb.name().to_uppercase() }
    /// }
    /// let message = message!["set ", Setting::named("bits"), ", or see ", Verb::Tune];
    /// assert_eq!(message.spelled(&Loud), "set BITS, or see TUNE");
    /// ```
    pub fn spelled(&self, spelling: &dyn Spelling) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(words) => text += words,
                Part::Setting(setting) => text += &spelling.setting(setting),
                Part::Subject(name) => text += &spelling.subject(name),
                Part::Verb(verb) => text += &spelling.verb(*verb),
            }
        }
        text
    }

    /// The message with a setting at its beginning.
    pub fn about(self, setting: impl Into<Cow<'static, str>>) -> Message {
        let mut message = Message { parts: vec![Part::Subject(setting.into())] };
        message.push(": ");
        message.push(self);
        message
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds words, a setting, a verb or another message.
    pub fn push(&mut self, part: impl Say) {
        part.say(self);
    }

    fn text(&mut self, words: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(before)) => *before += words,
            _ => self.parts.push(Part::Text(words.to_string())),
        }
    }
}

/// Values that a message can be made of.
pub trait Say {
    /// Adds itself to the message.
    fn say(self, message: &mut Message);
}

macro_rules! words {
    ($($kind:ty),*) => {$(
        impl Say for $kind {
            fn say(self, message: &mut Message) {
                message.text(&self.to_string());
            }
        }
    )*};
}

words!(String, &String, char, i32, u32, u64, usize, f64, std::path::Display<'_>);

impl Say for &std::io::Error {
    fn say(self, message: &mut Message) {
        // Rust adds the number of the error.
        let words = self.to_string();
        let number = words.rfind(" (os error ").filter(|_| words.ends_with(')'));
        message.text(&words[..number.unwrap_or(words.len())]);
    }
}

impl Say for std::io::Error {
    fn say(self, message: &mut Message) {
        (&self).say(message);
    }
}

impl Say for &str {
    fn say(self, message: &mut Message) {
        message.text(self);
    }
}

impl Say for Setting {
    fn say(self, message: &mut Message) {
        message.parts.push(Part::Setting(self));
    }
}

impl Say for Verb {
    fn say(self, message: &mut Message) {
        message.parts.push(Part::Verb(self));
    }
}

impl Say for Message {
    fn say(self, message: &mut Message) {
        for part in self.parts {
            match part {
                Part::Text(words) => message.text(&words),
                part => message.parts.push(part),
            }
        }
    }
}

impl Say for &Message {
    fn say(self, message: &mut Message) {
        self.clone().say(message);
    }
}

/// Makes a [`Message`](crate::message::Message) of its parts in order: strings and numbers,
/// settings, verbs, other messages.
///
/// ```
/// use nearprint::message;
/// use nearprint::message::Verb;
/// assert_eq!(message![3, " of 5; see ", Verb::Tune].to_string(), "3 of 5; see the verb tune");
/// ```
#[macro_export]
macro_rules! message {
    ($($part:expr),+ $(,)?) => {{
        let mut message = $crate::message::Message::default();
        $(message.push($part);)+
        message
    }};
}

impl From<&str> for Message {
    fn from(words: &str) -> Message {
        message![words]
    }
}

impl From<String> for Message {
    fn from(words: String) -> Message {
        message![words]
    }
}

impl Spelling for Neutral {
    fn setting(&self, setting: &Setting) -> String {
        match setting.value() {
            None => setting.name().to_string(),
            Some(Value::Word(word)) => format!("{} = \"{word}\"", setting.name()),
            Some(Value::Number(number)) => format!("{} = {number}", setting.name()),
        }
    }

    fn subject(&self, name: &str) -> String {
        name.to_string()
    }

    fn verb(&self, verb: Verb) -> String {
        format!("the verb {}", verb.name())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&Neutral))
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_meet_are_one_part() {
        let message = message!["a ", 1, message![" b ", Setting::with("bits", 64u32), "!"], "?"];
        assert_eq!(
            message.parts(),
            [
                Part::Text("a 1 b ".to_string()),
                Part::Setting(Setting::with("bits", 64u32)),
                Part::Text("!?".to_string())
            ]
        );
        assert_eq!(message.clone().about("memory").to_string(), "memory: a 1 b bits = 64!?");
        assert_eq!(serde_json::to_string(&message).unwrap(), "\"a 1 b bits = 64!?\"");
    }
}

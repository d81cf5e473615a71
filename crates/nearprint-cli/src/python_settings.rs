//! The flags of settings -> `settings.py` of the Python package: the keyword arguments, with their
//! types, in the words of `--help`.
//!
//! A test of the command line compares the file with this, and tests in Python compare the types
//! with what the library takes.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::{Args, Command};
use nearprint::config::PRESETS;

use crate::other_tools::in_python_words;
use crate::settings::Settings;

const TITLE: &str = "\
\"\"\"Settings as keyword arguments.

The command line writes this file, from its own help:
NEARPRINT_WRITE_PAGES=1 cargo test -p nearprint-cli --test cli pages
\"\"\"

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, SupportsIndex, TypedDict, Union

if TYPE_CHECKING:
    from nearprint._nearprint import Stats

__all__ = [\"Settings\"]

Names = Union[str, Sequence[str]]
Path = Union[str, os.PathLike[str]]
Preset = Literal[
{PRESETS}]


class Settings(TypedDict, total=False):
    \"\"\"The keyword arguments that functions of nearprint share, as ``nr.dedup(documents,
    min_similarity=0.9)``. A setting that is left out, or is None, has the value of the preset.\"\"\"
";

/// The types of settings that are no single text.
const TYPES: [(&str, &str); 46] = [
    ("text-field", "Names"),
    ("against-text-field", "Names"),
    ("ids", r#"Literal["field", "file-row"]"#),
    ("format", r#"Literal["json-lines", "jsonl", "parquet", "csv", "tsv", "text", "lines"]"#),
    ("exclude", "Names"),
    ("max-document-bytes", "SupportsIndex | str"),
    ("on-error", r#"Literal["fail", "skip"]"#),
    ("max-rejected", "SupportsIndex | str"),
    ("min-similarity", "float"),
    ("just-missed", r#"float | Literal["auto", "off"]"#),
    ("same", "Names"),
    ("differ", "Names"),
    ("max-lost", "float"),
    ("marks", "Path"),
    ("cluster", r#"Literal["star", "components"]"#),
    ("verify", r#"Literal["coverage", "jaccard", "containment", "cosine", "minhash", "none"]"#),
    ("shingle", "SupportsIndex"),
    ("leak-action", r#"Literal["remove", "mask", "cut", "list"]"#),
    ("min-leak-length", r#"SupportsIndex | Literal["off"]"#),
    ("recall", "float"),
    ("recall-sample", r#"SupportsIndex | Literal["off", "narrow"]"#),
    ("distance", r#"Literal["hamming", "edit"]"#),
    ("max-distance", r#"SupportsIndex | Literal["auto", "any", "off"]"#),
    ("complete-distance", r#"SupportsIndex | Literal["auto"]"#),
    ("normalize", "Names"),
    ("ignore-passages", "Path"),
    ("features", r#"Literal["letters", "words"]"#),
    ("min-features", "SupportsIndex"),
    ("bits", "Literal[32, 64, 128, 256]"),
    ("segmenter", r#"Literal["auto", "chinese", "words", "characters"]"#),
    ("stop-words", "Names"),
    ("min-token-length", "SupportsIndex"),
    ("ngram", "SupportsIndex"),
    ("weights", r#"Literal["one", "tf", "tfidf", "entropy"]"#),
    ("stats", "Stats | Path"),
    ("hmm", "bool"),
    ("han-only", "bool"),
    ("tf", r#"Literal["raw", "relative", "log"]"#),
    ("idf", r#"Literal["clamped", "signed"]"#),
    ("least-idf", "float"),
    ("weight-cap", r#"float | Literal["none"]"#),
    ("feature-hash", r#"Literal["xxh3", "md5"]"#),
    ("threads", "SupportsIndex"),
    ("memory", "SupportsIndex | str"),
    ("tmp-dir", "Path"),
    ("preset", "Preset"),
];

/// The largest number of characters of a line.
const WIDTH: usize = 100;

/// The file.
pub fn file() -> String {
    let settings = Settings::augment_args(Command::new("settings"));
    let presets: String = PRESETS.iter().map(|(name, ..)| format!("    \"{name}\",\n")).collect();
    let types = BTreeMap::from(TYPES);
    let mut text = TITLE.replace("{PRESETS}", &presets);
    for flag in settings.get_arguments() {
        let name = flag.get_long().expect("settings have long names");
        // Short for another, and the file of settings, which is an argument.
        if ["lines", "config"].contains(&name) {
            continue;
        }
        let help = flag.get_long_help().or(flag.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let kind = types.get(name).copied().unwrap_or("str");
        let field = name.replace('-', "_");
        let meaning = in_python_words(&help.replace("--on-error skip", "--on-error=skip"))
            .replace("verify= jaccard", "verify=\"jaccard\"")
            .replace("repeat it to join several", "a list joins several")
            .replace("repeat it for several", "a list names several")
            .replace('\\', "\\\\");
        write!(text, "\n    {field}: {kind} | None\n{}", documented(&meaning))
            .expect("memory takes what is written");
    }
    text
}

/// The words as a docstring below a field.
fn documented(meaning: &str) -> String {
    let mut lines = vec!["    \"\"\"".to_string()];
    for word in meaning.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        let is_first = line.ends_with("\"\"\"");
        // The last line has the closing quotes.
        if line.chars().count() + word.chars().count() + 4 > WIDTH {
            lines.push(format!("    {word}"));
        } else {
            *line += if is_first { "" } else { " " };
            *line += word;
        }
    }
    lines.join("\n") + ".\"\"\"\n"
}

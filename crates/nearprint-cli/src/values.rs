//! The values of flags: numbers, and the words that shells complete. The library refuses any other
//! value.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, Command};

/// Settings with the words that they take, without numbers and names. A setting that also takes
/// files is not here, since shells would then complete no files.
const VALUES: [(&str, &[&str]); 21] = [
    (
        "preset",
        &["default", "strict", "loose", "paper", "simhash", "google", "md5-32", "jaccard", "exact"],
    ),
    ("ids", &["field", "file-row"]),
    ("format", &["json-lines", "jsonl", "parquet", "csv", "tsv", "text", "lines"]),
    ("delimiter", &["tab"]),
    ("quote", &["none"]),
    (
        "encoding",
        &["auto", "utf-8", "gb18030", "big5", "shift_jis", "euc-kr", "utf-16le", "windows-1252"],
    ),
    ("on-error", &["fail", "skip"]),
    ("keep", &["longest", "first", "newest:", "oldest:", "highest:"]),
    ("just-missed", &["auto", "off"]),
    ("cluster", &["star", "components"]),
    ("verify", &["coverage", "jaccard", "containment", "cosine", "none"]),
    ("against-id-field", &["off"]),
    ("leak-action", &["remove", "mask", "cut", "list"]),
    ("min-leak-length", &["off"]),
    ("max-distance", &["auto", "off"]),
    ("complete-distance", &["auto"]),
    ("normalize", &["none", "addresses", "nfkc", "simplified", "case", "digits", "space"]),
    ("features", &["letters", "words"]),
    ("bits", &["32", "64", "128", "256"]),
    ("segmenter", &["auto", "chinese", "words", "characters"]),
    ("weights", &["one", "tf", "tfidf", "entropy"]),
];

/// The flag with its known values.
pub fn with_values(flag: Arg) -> Arg {
    let known = VALUES.iter().find(|(name, _)| flag.get_long() == Some(name));
    match known {
        Some((_, values)) => {
            flag.value_parser(ValueParser::from(PossibleValuesParser::new(*values)))
        }
        None => flag,
    }
}

/// A whole number in its written form.
///
/// # Errors
/// A text that says what is expected.
pub fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is not a whole number from 0 on"))
}

/// Lets flags take numbers below 0, which would otherwise be read as flags. The range of the value
/// is checked as for other numbers.
pub fn with_negative_numbers(command: Command) -> Command {
    let flag = |flag: Arg| match flag.get_long() {
        Some(_) if flag.get_action().takes_values() => flag.allow_negative_numbers(true),
        _ => flag,
    };
    command.mut_args(flag).mut_subcommands(with_negative_numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearprint::Config;
    use nearprint::config::PRESETS;

    #[test]
    fn every_value_is_one_that_the_setting_takes_and_that_help_names() {
        let command = crate::command();
        let dedup = command.find_subcommand("dedup").unwrap();
        for (name, values) in VALUES {
            let flag = dedup
                .get_arguments()
                .find(|flag| flag.get_long() == Some(name))
                .unwrap_or_else(|| panic!("{name}"));
            let help = flag.get_long_help().or(flag.get_help()).unwrap().to_string();
            for value in values {
                assert!(help.contains(value), "--{name} {value}: {help}");
                let value = value.replace(':', ":date");
                let given =
                    value.parse().map_or_else(|_| value.as_str().into(), toml::Value::Integer);
                let settings =
                    [("features".to_string(), "words".into()), (name.to_string(), given)];
                Config::from_layers(&[toml::Table::from_iter(settings)])
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        assert_eq!(VALUES[0].1, PRESETS.map(|(name, _, _)| name));
    }

    #[test]
    fn the_flags_of_words_from_a_list_are_all_here() {
        let command = crate::command();
        let dedup = command.find_subcommand("dedup").unwrap();
        for flag in dedup.get_arguments().filter(|flag| !flag.is_hide_set()) {
            let name = flag.get_long().unwrap_or_default();
            let wrong = toml::Table::from_iter([
                ("features".to_string(), "words".into()),
                (name.to_string(), "?".into()),
            ]);
            let Err(error) = Config::from_layers(&[wrong]) else { continue };
            let has_words = error.to_string().contains(" is not one of ");
            assert!(
                !has_words || VALUES.iter().any(|(known, _)| *known == name),
                "--{name}: {error}"
            );
        }
    }
}

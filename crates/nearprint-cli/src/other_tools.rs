//! Options of other tools -> the equivalent option of nearprint, or the reason why there is none.
//!
//! The names come from text-dedup, datatrove, SemHash and Data-Juicer, and from habit. They are
//! written with `-`; a typed `_` counts as one. An answer is for the typed verb: it names no option
//! that this verb lacks. The Python package gives the same answers for keyword arguments.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Names, and the answer to each of them.
const ANSWERS: [(&[&str], &str); 30] = [
    // The similarity, and what finds it.
    (
        &[
            "threshold",
            "treshold",
            "thresold",
            "threshhold",
            "similarity",
            "similarity-threshold",
            "jaccard-threshold",
            "sim-threshold",
            "min-jaccard",
        ],
        "use --min-similarity; with --verify=jaccard it bounds a Jaccard similarity",
    ),
    (
        &["ngram-size", "ngrams", "n-grams", "n-gram", "shingle-size", "window-size"],
        "use --shingle for the n-grams that --verify=jaccard compares, or --features=words and --ngram \
         for those of fingerprints",
    ),
    (
        &["num-perm", "num-perms", "num-permutations", "permutations", "num-hashes"],
        "there are no permutations, since candidates are compared by their texts; --recall sets \
         the share of duplicates to find",
    ),
    (
        &["bands", "num-bands", "b", "rows", "r", "num-rows", "rows-per-band", "num-rows-per-band"],
        "there are no bands, since the search plans its tables by itself; --recall sets the share \
         of duplicates to find",
    ),
    (
        &["num-bucket", "num-buckets", "buckets", "hashes-per-bucket", "num-blocks", "block-num"],
        "the search plans its tables by itself; --recall sets the share of duplicates to find",
    ),
    (
        &["bit-diff", "hamming-distance", "hamming", "max-hamming"],
        "use --max-distance; 3 of 64 bits are --preset=google",
    ),
    (&["f", "hash-bits", "num-bits", "hash-size", "fingerprint-bits"], "use --bits"),
    (
        &["hash-func", "hash-func-name", "hash-fc", "hash-config", "hash-function"],
        "the hash is part of a fingerprint; with --features=words, --feature-hash chooses it",
    ),
    (
        &["check-false-positive", "false-positive-weight", "false-negative-weight"],
        "every candidate is confirmed on its text; --verify chooses the measure",
    ),
    (
        &["algorithm", "algorithm-name", "algo-name", "algo", "method"],
        "use --preset, or --verify for the measure",
    ),
    (&["seed"], "there is no seed, since the same input always gives the same output"),
    (
        &["model", "model-name", "encoder", "use-ann", "ann-backend"],
        "texts are compared by their letters, without a model",
    ),
    (
        &["min-length", "min-ngram-size", "min-tokens"],
        "no document is left out for its length; documents of fewer than --min-features features \
         are compared by their characters",
    ),
    (
        &["tokenizer", "tokenization", "tokenizer-model", "word-tokenizer"],
        "features are letters; with --features=words, use --segmenter",
    ),
    (
        &["language", "lang", "languages"],
        "there is no language to set; with --features=words, use --segmenter and --stop-words",
    ),
    (
        &["lowercase", "norm-config", "ignore-pattern", "ignore-punctuation", "normalization"],
        "use --normalize",
    ),
    // The input.
    (
        &[
            "column",
            "columns",
            "text-column",
            "content-column",
            "text-col",
            "text-key",
            "text-keys",
            "content-field",
            "content-key",
        ],
        "use --text-field",
    ),
    (&["id-column", "id-col", "id-key", "index-column", "idx-column"], "use --id-field"),
    (
        &[
            "input",
            "inputs",
            "input-dir",
            "input-file",
            "input-path",
            "path",
            "data-dir",
            "data-files",
            "dataset",
            "dataset-path",
        ],
        "name the input without an option, as in nearprint dedup news.jsonl --output clean",
    ),
    (
        &["split", "revision", "local", "use-auth-token"],
        "the Python package reads datasets from a hub; here name their files",
    ),
    (
        &[
            "test-set",
            "testset",
            "test-data",
            "benchmark",
            "benchmarks",
            "reference",
            "index-folder",
            "index-dir",
            "only-dedup-in-index",
        ],
        "use --against",
    ),
    // The output.
    (
        &[
            "out",
            "out-dir",
            "output-dir",
            "output-folder",
            "output-path",
            "output-file",
            "export-path",
            "save-path",
        ],
        "use --output",
    ),
    (&["overwrite", "overwrite-output", "overwrite-output-dir"], "use --force"),
    (&["skip-completed", "continue", "restart"], "use --resume"),
    (
        &["save-cluster-id", "save-cluster-size", "cluster-column", "keep-all"],
        "use --annotate; clusters.jsonl has the clusters of every run",
    ),
    (
        &["verbose", "log-level", "logging-dir", "debug"],
        "progress is shown unless --quiet is given",
    ),
    // The machine.
    (
        &[
            "workers",
            "num-workers",
            "num-proc",
            "nproc",
            "np",
            "tasks",
            "jobs",
            "n-jobs",
            "num-threads",
            "cpus",
            "processes",
        ],
        "use --threads",
    ),
    (
        &["batch-size", "chunk-size", "buffer-size"],
        "batches need no setting; --memory limits the memory of a run",
    ),
    (&["cache-dir", "temp-dir", "tmp", "tmpdir", "temporary-dir", "working-dir"], "use --tmp-dir"),
    (&["gpu", "use-gpu", "device"], "all work runs on the CPU; use --threads"),
];

/// The answer for an option that this verb lacks, if there is one.
pub fn answer(error: &Error, verb: &Command) -> Option<String> {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(given))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return None;
    };
    let name = given.strip_prefix("--")?.split('=').next()?.to_lowercase().replace('_', "-");
    let given = given.split('=').next()?;
    if has_flag(verb, &name) && format!("--{name}") != given {
        return Some(format!("{given} is --{name} here"));
    }
    let answer = for_verb(answer_to(&name)?, |flag| has_flag(verb, flag))?;
    Some(format!("{given} is not an option of nearprint; {}", answer.replace('=', " ")))
}

/// The answer for a keyword argument of a function in Python, if there is one: the settings are
/// spelled as in Python.
pub fn answer_in_python(keyword: &str) -> Option<String> {
    let answer = answer_to(&keyword.to_lowercase().replace('_', "-"))?;
    let in_python = |flag: &str| nearprint::Config::names().contains(&flag) || flag == "against";
    // Two answers are about the files of a command.
    let is_general =
        |answer: &String| !answer.contains("nearprint dedup") && !answer.contains(" here ");
    for_verb(answer, in_python).filter(is_general).map(|answer| in_python_words(&answer))
}

fn answer_to(name: &str) -> Option<&'static str> {
    ANSWERS.iter().find(|(names, _)| names.contains(&name)).map(|(_, answer)| *answer)
}

/// Words that name options, with the keyword arguments of Python in their place: `min_similarity=`
/// for `--min-similarity`, `verify="jaccard"` for `--verify=jaccard`.
pub fn in_python_words(text: &str) -> String {
    let word = |word: &str| {
        let Some(flag) = word.trim_start_matches(['(', '\'']).strip_prefix("--") else {
            return word.to_string();
        };
        let before = &word[..word.len() - flag.len() - 2];
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-=".contains(c);
        let end = flag.find(|c| !is_name(c)).unwrap_or(flag.len());
        let (flag, behind) = flag.split_at(end);
        let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
        let value = if value.is_empty() { String::new() } else { format!("\"{value}\"") };
        let name = match name {
            "text-field" => "text".to_string(),
            "id-field" => "id".to_string(),
            name => name.replace('-', "_"),
        };
        format!("{before}{name}={value}{behind}")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Drops the tip to write `-- --name` for an unknown option `--name`, which would make a file of it.
pub fn drop_useless_tips(error: &mut Error) {
    let is_option = |given: &ContextValue| matches!(given, ContextValue::String(given) if given.starts_with("--"));
    if !error.get(ContextKind::InvalidArg).is_some_and(is_option) {
        return;
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains("as a value, use"));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
}

/// The part of an answer that holds for a verb with these options: the clauses that name no other. `None` if the first clause goes, since the others depend on it.
fn for_verb(answer: &str, has_flag: impl Fn(&str) -> bool) -> Option<String> {
    let holds = |clause: &str| flags(clause).all(&has_flag);
    let mut clauses = answer.split("; ");
    let first = clauses.next().filter(|first| holds(first))?;
    Some(
        std::iter::once(first)
            .chain(clauses.filter(|clause| holds(clause)))
            .collect::<Vec<_>>()
            .join("; "),
    )
}

/// The options that an answer names.
fn flags(answer: &str) -> impl Iterator<Item = &str> {
    let words = answer.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    words.map(|word| word.split([';', ',', '=']).next().unwrap_or(word))
}

/// True if a verb has a flag of this name.
fn has_flag(verb: &Command, name: &str) -> bool {
    verb.get_arguments().any(|flag| flag.get_long() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_has_one_answer_and_is_no_option_of_dedup() {
        let command = crate::command();
        let dedup = command.find_subcommand("dedup").unwrap();
        let mut seen = BTreeSet::new();
        for name in ANSWERS.iter().flat_map(|(names, _)| *names) {
            assert!(seen.insert(name), "{name} is there twice");
            assert!(dedup.get_arguments().all(|flag| flag.get_long() != Some(name)), "--{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        }
    }

    #[test]
    fn an_answer_names_only_options_that_the_verb_has() {
        let command = crate::command();
        let dedup = command.find_subcommand("dedup").unwrap();
        for (names, answer) in ANSWERS {
            assert_eq!(
                for_verb(answer, |flag| has_flag(dedup, flag)).as_deref(),
                Some(answer),
                "{names:?}"
            );
            for verb in command.get_subcommands() {
                let named = for_verb(answer, |flag| has_flag(verb, flag)).unwrap_or_default();
                let lacking = flags(&named).find(|flag| !has_flag(verb, flag));
                assert_eq!(lacking, None, "{} {names:?}", verb.get_name());
            }
        }
        let of = |verb: &str| {
            let verb = command.find_subcommand(verb).unwrap();
            for_verb(ANSWERS[0].1, |flag| has_flag(verb, flag))
        };
        assert_eq!(of("rethreshold").as_deref(), Some("use --min-similarity"));
        assert_eq!(of("explain"), None);
    }

    #[test]
    fn python_gets_the_answers_with_its_own_names() {
        let answer = |keyword| answer_in_python(keyword).unwrap_or_default();
        assert_eq!(
            answer("threshold"),
            "use min_similarity=; with verify=\"jaccard\" it bounds a Jaccard similarity"
        );
        assert_eq!(answer("text_column"), "use text=");
        assert_eq!(answer("n_jobs"), "use threads=");
        assert_eq!(
            answer("num_perm"),
            "there are no permutations, since candidates are compared by their texts; recall= sets \
             the share of duplicates to find"
        );
        assert!(answer("seed").starts_with("there is no seed"));
        // Of the command line only.
        for keyword in ["overwrite", "input_dir", "split", "verbose", "min_similarity", "no_such"] {
            assert_eq!(answer_in_python(keyword), None, "{keyword}");
        }
    }
}

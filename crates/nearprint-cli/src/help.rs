//! The help of each verb: `-h` shows the options that people use, `--help` every setting that the
//! verb obeys.
//!
//! Every verb takes all settings, so that scripts may share them. The help of a verb leaves out
//! settings that have no effect on it.

use std::collections::BTreeSet;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Args, Command, Id};

use crate::settings::{INPUT, SETTINGS, SPEED, Settings, TEST_SETS, WORDS};
use crate::verbs;

/// Adds the flags of a verb, and its description.
type Flags = fn(Command) -> Command;

/// Names of flags, as [`Arg::get_id`] has them.
type Ids = &'static [&'static str];

/// The verbs that take settings: the name, the flags, the settings that it does not obey.
const VERBS: [(&str, Flags, &[Ids]); 9] = [
    ("dedup", verbs::dedup::Arguments::augment_args, &[]),
    (
        PASSAGES,
        verbs::passages::Arguments::augment_args,
        &[JUDGMENT, DISTANCES, CHOICE, OF_RUNS, GUARDS, FINGERPRINTS, NOT_OF_PASSAGES],
    ),
    (
        "find",
        verbs::find::Arguments::augment_args,
        &[CHOICE, CLUSTERS, OF_RUNS, GUARDS, &["complete_distance", "tokens_field"]],
    ),
    ("serve", verbs::serve::Arguments::augment_args, &[CHOICE, CLUSTERS, OF_RUNS, GUARDS]),
    (
        "fingerprint",
        verbs::fingerprint::Arguments::augment_args,
        &[JUDGMENT, DISTANCES, CHOICE, CLUSTERS, OF_RUNS, GUARDS, &["min_features"]],
    ),
    (
        "compare",
        verbs::compare::Arguments::augment_args,
        &[CHOICE, CLUSTERS, OF_RUNS, GUARDS, &["threads", "memory", "tokens_field"]],
    ),
    (
        "stats",
        verbs::stats::Arguments::augment_args,
        &[JUDGMENT, DISTANCES, CHOICE, CLUSTERS, OF_RUNS, GUARDS, FINGERPRINTS],
    ),
    ("tune", verbs::tune::Arguments::augment_args, &[DISTANCES, OF_RUNS]),
    (
        "evaluate",
        verbs::evaluate::Arguments::augment_args,
        &[DISTANCES, CHOICE, CLUSTERS, OF_RUNS, GUARDS],
    ),
];

/// The verb that has verbs of its own which take settings.
const INDEX: &str = "index";

/// The verdict on a pair.
const JUDGMENT: Ids = &["verify", "shingle", "min_similarity"];

/// The distances of a search, and the choice of them.
const DISTANCES: Ids = &["max_distance", "complete_distance"];
const CHOICE: Ids = &["recall"];

/// Conditions on the documents of a pair.
const GUARDS: Ids = &["same", "differ", "marks"];

/// Keepers and clusters.
const CLUSTERS: Ids = &["keep", "max_lost", "cluster"];

/// Reference documents, and measurements of the result.
const OF_RUNS: Ids = &[
    "just_missed",
    "recall_sample",
    "against_text_field",
    "against_id_field",
    "leak_action",
    "min_leak_length",
];

/// The way from features to fingerprints. Statistics count words before they have weights.
const FINGERPRINTS: Ids = &["features", "min_features", "bits", "weights", "stats"];

/// The verb that finds passages, and its meaning of a setting.
const PASSAGES: &str = "passages";
const MAX_LOST_OF_PASSAGES: &str = "Maximum share of its letters that a document may lose, 0 to 1. \
    One that would lose more stays as it is [default: 0.5]";

/// What passages are found without.
const NOT_OF_PASSAGES: Ids = &["cluster", "ignore_passages", "tokens_field"];

/// Settings in the short help of every verb that obeys them, each with its line.
const SHORT: [(&str, &str); 8] = [
    ("text_field", "Field with the text; repeat it to join several"),
    ("id_field", "Field with the id; off: ids are FILE:ROW"),
    ("format", "json-lines, parquet, csv, tsv, text or lines"),
    ("on_error", "Stop at an unusable row, or skip and list it"),
    ("threads", "Threads to use; 0: one per processor"),
    ("memory", "Maximum memory, such as 4G"),
    ("preset", "strict, loose, exact and others"),
    ("config", "TOML file with settings, named like the flags"),
];

const SIMILARITY: &str = "Minimum similarity of duplicates [default: 0.75]";

/// Further options in the short help of a verb, and shorter words for its own ones.
const SHORT_OF_VERB: [(&str, &[(&str, &str)]); 9] = [
    (
        INDEX,
        &[
            ("inputs", "Files, folders or globs; - for standard input"),
            ("store_field", "Field to store and show in answers; repeat it"),
            ("store_text", "Store texts as read, and show them in answers"),
            ("ttl", "Lifetime of a document: 12h, 365d, 2w"),
            ("date_field", "Field with the date at which the lifetime begins"),
            ("if_new", "Add only documents without a duplicate"),
            ("marks", "Pairs that a person marked right or wrong"),
            ("top", "Maximum number of duplicates to list"),
            ("min_similarity", SIMILARITY),
            ("verify", "coverage, jaccard, containment, cosine or none"),
            ("bits", "Bits: 32, 64, 128 or 256 [default: 256]"),
        ],
    ),
    (
        "dedup",
        &[
            ("output", "Folder to write"),
            ("force", "Replace the output of an earlier run"),
            ("pairs", "Also write every duplicate pair"),
            ("report", "Also write a page that shows the removals"),
            ("resume", "Never discard an unfinished run"),
            ("min_similarity", SIMILARITY),
            ("same", "Merge only if FIELD is the same in both"),
            ("differ", "Merge only if FIELD differs"),
            ("keep", "longest, first, or newest|oldest|highest:FIELD"),
            ("against", "Reference documents, such as a test set"),
            ("against_text_field", "Their text field [default: --text-field]"),
            ("leak_action", "Leaks of these: remove, mask, cut or list"),
        ],
    ),
    (
        PASSAGES,
        &[
            ("output", "Folder to write"),
            ("force", "Replace the output of an earlier run"),
            ("action", "list, annotate, mask or cut"),
            ("min_length", "Minimum length in letters"),
            ("min_documents", "Minimum number of documents that share it"),
            ("within", "Only among documents with the same FIELD"),
            ("keep_copy", "Copy that stays: first, best or none"),
            ("max_lost", "Largest share that a document may lose"),
            ("max_edits", "Share of letters that a copy may differ in"),
            ("approved", "Passages marked right or wrong"),
            ("report", "Also write a page to approve passages on"),
            ("resume", "Never discard an unfinished run"),
        ],
    ),
    (
        "find",
        &[
            ("text", "A text to look for; repeat it for more"),
            ("file", "A file with one text to look for"),
            ("top", "Documents to list for each text [default: 10]"),
            ("min_similarity", SIMILARITY),
            ("verify", "coverage, jaccard, containment, cosine or none"),
        ],
    ),
    (
        "fingerprint",
        &[
            ("output", "File to write: .parquet, or JSON Lines"),
            ("top", "Add the N heaviest words of each document"),
            ("features", "Features: letters or words"),
            ("bits", "Bits: 32, 64, 128 or 256 [default: 256]"),
        ],
    ),
    (
        "compare",
        &[
            ("min_similarity", SIMILARITY),
            ("inputs", "Input that holds the two documents"),
            ("verify", "coverage, jaccard, containment, cosine or none"),
            ("features", "Features: letters or words"),
            ("bits", "Bits: 32, 64, 128 or 256 [default: 256]"),
        ],
    ),
    (
        "stats",
        &[
            ("segmenter", "auto, chinese, words or characters"),
            ("stop_words", "Tokens to drop: lists or files"),
            ("ngram", "Terms in a feature [default: 1]"),
        ],
    ),
    (
        "tune",
        &[
            ("distances", "Show the distances of the search instead"),
            ("output", "File for the settings; - for standard output"),
            ("min_similarity", SIMILARITY),
            ("plot", "SVG file for a plot of the recall"),
            ("recall", "Share of the pairs to find [default: 0.95]"),
        ],
    ),
    (
        "evaluate",
        &[
            ("found", "Pairs, clusters, or an output folder of dedup"),
            ("truth", "Labelled pairs or clusters"),
            ("documents", "The corpus, to compare texts of worst pairs"),
            ("judged_only", "Ignore pairs that TRUTH does not judge"),
            ("worst", "Misses and false alarms to show"),
            ("bootstrap", "Replicates for the intervals"),
            ("seed", "Seed of the bootstrap"),
            ("label_field", "Label of a pair: duplicate or not"),
            ("left_field", "First document of a pair"),
            ("right_field", "Second document of a pair"),
            ("cluster_field", "Name of a document's cluster"),
        ],
    ),
];

/// Examples in the short help.
const EXAMPLES: usize = 2;

/// The last lines of a verb's help.
const MORE_SETTINGS: &str = "\
`nearprint presets paper` also lists the settings for published variants, as --config takes them; \
each is a flag.";

/// The command with its help texts.
pub fn with_help(command: Command) -> Command {
    let settings: BTreeSet<Id> = Settings::augment_args(Command::new("settings"))
        .get_arguments()
        .map(|flag| flag.get_id().clone())
        .collect();
    command.mut_subcommands(|command| {
        if command.get_name() == INDEX {
            return with_help_of_index(command, &settings);
        }
        let Some((verb, add, idle)) = VERBS.iter().find(|(verb, _, _)| *verb == command.get_name())
        else {
            return command;
        };
        let command = command
            .mut_args(|flag| shown(verb, idle, flag, &settings))
            .long_about(description(*add));
        // `disable_help_flag` also holds for the verbs of a verb, which need the flag back.
        let command =
            command.disable_help_flag(true).mut_subcommands(|command| command.arg(help()));
        with_examples(command.arg(help().help_heading(SETTINGS)))
    })
}

/// The help of `index`. Its verbs other than `create` only read documents, and show only the
/// settings about reading.
fn with_help_of_index(command: Command, settings: &BTreeSet<Id>) -> Command {
    let command = command
        .long_about(description(verbs::index::Arguments::augment_args))
        .disable_help_flag(true);
    let command = command.mut_subcommands(|verb| {
        let verb_name = verb.get_name().to_string();
        let makes = verb_name == "create";
        let verb = verb.mut_args(|flag| {
            // A flag of the verb itself may have the name of a setting; it has no heading.
            if flag.get_help_heading().is_none() {
                return shown(INDEX, &[], flag, settings);
            }
            if flag.get_id() == "marks" && ["add", "query"].contains(&verb_name.as_str()) {
                return shown(INDEX, &[], flag, settings);
            }
            let is_about_reading = [Some(INPUT), Some(SPEED)].contains(&flag.get_help_heading());
            let is_idle = settings.contains(flag.get_id()) && !is_about_reading && !makes;
            let flag = shown(INDEX, &[CHOICE, CLUSTERS, OF_RUNS, GUARDS], flag, settings);
            if is_idle { flag.hide(true) } else { flag }
        });
        verb.disable_help_flag(true).arg(help().help_heading(SETTINGS))
    });
    with_examples(command.arg(help().help_heading(SETTINGS)))
}

/// A flag under the heading and with the text that it has in the help of this verb.
fn shown(verb: &str, idle: &[Ids], flag: Arg, settings: &BTreeSet<Id>) -> Arg {
    let id = flag.get_id().clone();
    let flag = match id.as_str() {
        "inputs" => flag.help_heading(INPUT).display_order(0),
        "against" => flag.help_heading(TEST_SETS).display_order(0),
        _ if verb == "stats" && flag.get_help_heading() == Some(WORDS) => {
            flag.help_heading("Words")
        }
        _ if verb == "dedup" && flag.get_help_heading().is_none() => flag.help_heading("Output"),
        _ => flag,
    };
    let is_about_words = verb == PASSAGES && flag.get_help_heading() == Some(WORDS);
    if is_about_words || idle.iter().any(|group| group.contains(&id.as_str())) {
        return flag.hide(true);
    }
    let whole = match (verb, id.as_str()) {
        (PASSAGES, "max_lost") => MAX_LOST_OF_PASSAGES.into(),
        _ => flag.get_help().cloned().unwrap_or_default(),
    };
    let flag = flag.long_help(whole);
    let of_verb =
        SHORT_OF_VERB.iter().find(|(name, _)| *name == verb).map_or(&[][..], |(_, flags)| flags);
    match of_verb.iter().chain(&SHORT).find(|(name, _)| id == *name) {
        Some((_, sentence)) => flag.help(*sentence),
        None if settings.contains(&id) && flag.get_help_heading().is_some() => {
            flag.hide_short_help(true)
        }
        None => flag,
    }
}

/// The long description of a verb. The list of verbs has a short one.
fn description(add: Flags) -> StyledStr {
    let verb = add(Command::new("verb"));
    verb.get_long_about().or(verb.get_about()).cloned().unwrap_or_default()
}

/// The first examples in the short help, and all in the long one.
fn with_examples(command: Command) -> Command {
    let examples = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let first: Vec<&str> = examples.lines().take(1 + EXAMPLES).collect();
    command.after_help(first.join("\n")).after_long_help(format!("{examples}\n\n{MORE_SETTINGS}"))
}

/// `-h` and `--help`, shown below the settings.
fn help() -> Arg {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    help.help("This help; --help shows all options")
        .long_help("This help; -h shows the options used most.")
}

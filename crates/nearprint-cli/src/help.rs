//! What the help of each verb shows: in short (`-h`) the options that people use, at length
//! (`--help`) every setting that the verb obeys.
//!
//! Every verb takes all settings, so that scripts may share them. The help of a verb leaves out
//! those that would change nothing in it.

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
const VERBS: [(&str, Flags, &[Ids]); 7] = [
    ("dedup", verbs::dedup::Arguments::augment_args, &[]),
    (
        "find",
        verbs::find::Arguments::augment_args,
        &[CHOICE, DECISIONS, GUARDS, &["complete_distance", "tokens_field"]],
    ),
    (
        "fingerprint",
        verbs::fingerprint::Arguments::augment_args,
        &[JUDGMENT, DISTANCES, CHOICE, DECISIONS, GUARDS, &["min_features"]],
    ),
    (
        "compare",
        verbs::compare::Arguments::augment_args,
        &[CHOICE, DECISIONS, GUARDS, &["on_error", "threads", "memory", "tokens_field"]],
    ),
    (
        "stats",
        verbs::stats::Arguments::augment_args,
        &[JUDGMENT, DISTANCES, CHOICE, DECISIONS, GUARDS, FINGERPRINTS],
    ),
    ("tune", verbs::tune::Arguments::augment_args, &[DISTANCES, DECISIONS, &["tokens_field"]]),
    ("evaluate", verbs::evaluate::Arguments::augment_args, &[DISTANCES, CHOICE, DECISIONS, GUARDS]),
];

/// The verb that has verbs of its own which take settings.
const INDEX: &str = "index";

/// The verdict on a pair.
const JUDGMENT: Ids = &["verify", "shingle", "min_similarity"];

/// How far a search goes, and the choice of that.
const DISTANCES: Ids = &["max_distance", "complete_distance"];
const CHOICE: Ids = &["recall"];

/// Which documents may be a pair.
const GUARDS: Ids = &["same", "differ"];

/// Who stays, what is compared with, and what is measured of it.
const DECISIONS: Ids = &[
    "keep",
    "max_lost",
    "cluster",
    "just_missed",
    "recall_sample",
    "against_text_field",
    "against_id_field",
    "leak_action",
    "min_leak_length",
];

/// What becomes of features; statistics are about those of words, before they weigh something.
const FINGERPRINTS: Ids = &["features", "min_features", "bits", "weights", "stats"];

/// The settings in the short help of every verb that obeys them, each in a line.
const SHORT: [(&str, &str); 8] = [
    ("text_field", "Field with the text; repeat it to join several"),
    ("id_field", "Field with the id; off: ids are FILE:ROW"),
    ("format", "json-lines, parquet, csv, tsv, text or lines"),
    ("on_error", "Stop at bad rows, or skip and list them"),
    ("threads", "Threads to use; 0: one per processor"),
    ("memory", "Most memory to take, such as 4G"),
    ("preset", "strict, loose, exact and others"),
    ("config", "TOML file with settings, named as the flags"),
];

const SIMILARITY: &str = "Least similarity of duplicates [default: 0.75]";

/// Further options in the short help of a verb, and shorter words for its own ones.
const SHORT_OF_VERB: [(&str, &[(&str, &str)]); 8] = [
    (
        INDEX,
        &[
            ("inputs", "Files, folders or globs; - for standard input"),
            ("store_field", "Field to keep, which answers show; repeat it"),
            ("store_text", "Keep texts as read, which answers show"),
            ("ttl", "How long a document stays: 12h, 365d, 2w"),
            ("date_field", "Field with the date from which that counts"),
            ("if_new", "Add what has no duplicate, and answer each row"),
            ("top", "Duplicates to name for each"),
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
            ("pairs", "Write every duplicate pair too"),
            ("report", "Write a page to look at the removals too"),
            ("resume", "Go on with an unfinished run to this output"),
            ("min_similarity", SIMILARITY),
            ("same", "Merge only where FIELD is the same in both"),
            ("differ", "Merge only where FIELD is not the same"),
            ("keep", "longest, first, newest:FIELD or highest:FIELD"),
            ("against", "Remove only what is near, or contains, these"),
            ("against_text_field", "Field with its text [default: --text-field]"),
            ("leak_action", "remove, mask, cut or list what contains one"),
        ],
    ),
    (
        "find",
        &[
            ("text", "A text to look for; repeat it for more"),
            ("file", "A file that is a text to look for"),
            ("top", "Documents to name for each text [default: 10]"),
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
            ("output", "File for the settings; - for nothing else"),
            ("min_similarity", SIMILARITY),
            ("plot", "SVG file to draw the recall to"),
            ("recall", "Share of the pairs to find [default: 0.95]"),
        ],
    ),
    (
        "evaluate",
        &[
            ("found", "Pairs, clusters, or an output folder of dedup"),
            ("truth", "Labelled pairs or clusters"),
            ("documents", "The corpus; its texts are then compared"),
            ("judged_only", "Leave out what TRUTH does not judge"),
            ("worst", "Misses and false alarms to show"),
            ("bootstrap", "Replicates for the intervals"),
            ("seed", "Seed of the bootstrap"),
            ("label_field", "Whether a pair is one of duplicates"),
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
`nearprint presets paper` lists the settings for published variants too, as --config takes them; each is a flag.";

/// The same command with what its help shows.
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
        // The flag is off in the verbs of a verb, too.
        let command =
            command.disable_help_flag(true).mut_subcommands(|command| command.arg(help()));
        with_examples(command.arg(help().help_heading(SETTINGS)))
    })
}

/// The same for the verbs of an index: those that only read documents show the settings about that.
fn with_help_of_index(command: Command, settings: &BTreeSet<Id>) -> Command {
    let command = command
        .long_about(description(verbs::index::Arguments::augment_args))
        .disable_help_flag(true);
    let command = command.mut_subcommands(|verb| {
        let makes = verb.get_name() == "create";
        let verb = verb.mut_args(|flag| {
            let is_about_reading = [Some(INPUT), Some(SPEED)].contains(&flag.get_help_heading());
            let is_idle = settings.contains(flag.get_id()) && !is_about_reading && !makes;
            let flag =
                shown(INDEX, &[CHOICE, DECISIONS, GUARDS, &["tokens_field"]], flag, settings);
            if is_idle { flag.hide(true) } else { flag }
        });
        verb.disable_help_flag(true).arg(help().help_heading(SETTINGS))
    });
    with_examples(command.arg(help().help_heading(SETTINGS)))
}

/// A flag where the help of this verb has it.
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
    if idle.iter().any(|group| group.contains(&id.as_str())) {
        return flag.hide(true);
    }
    let whole = flag.get_help().cloned().unwrap_or_default();
    let flag = flag.long_help(whole);
    let of_verb =
        SHORT_OF_VERB.iter().find(|(name, _)| *name == verb).map_or(&[][..], |(_, flags)| flags);
    match of_verb.iter().chain(&SHORT).find(|(name, _)| id == *name) {
        Some((_, sentence)) => flag.help(*sentence),
        None if settings.contains(&id) => flag.hide_short_help(true),
        None => flag,
    }
}

/// What a verb does, at length; the list of verbs has a line of its own for each.
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

/// `-h` and `--help`, which are to stand below the settings.
fn help() -> Arg {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    help.help("This help; --help shows all options")
        .long_help("This help; -h shows the options used most.")
}

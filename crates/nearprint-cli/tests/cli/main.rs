//! The tests of the command line: one program, so that it is linked once.

mod common;

mod against;
mod bad_input;
mod bad_surroundings;
mod changed_input;
mod check;
mod columns;
mod completions;
mod crash;
mod dedup;
mod edit_distance;
mod evaluate;
mod evaluate_inputs;
mod formats;
mod formats_for_ever;
mod forms;
mod golden;
mod guards;
mod help;
mod leaks;
mod max_lost;
mod memory;
mod own_tokens;
mod real_data;
mod recall;
mod remedies;
mod same_bytes;
mod settings;
mod short_documents;
mod statistics;
mod stream;
mod terminal;
mod tune;
mod usage;
mod verbs;

//! Help for tests of loops that are compiled for instructions that some processors lack.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

/// True if this processor has all of these instructions, so that a test can run the form of a loop
/// that needs them. If it lacks some, a line on standard error names the form and the instructions,
/// once for each form.
macro_rules! processor_has {
    ($form:literal, $($instructions:tt),+) => {
        $crate::testing::can_run($form, &[$(($instructions, std::arch::is_x86_feature_detected!($instructions))),+])
    };
}

pub(crate) use processor_has;

/// The function of [`processor_has`], which has detected the instructions.
pub(crate) fn can_run(form: &'static str, instructions: &[(&str, bool)]) -> bool {
    static TOLD: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let Some(line) = skipped(form, instructions) else { return true };
    if TOLD.lock().expect("no test panics here").insert(form) {
        // The test harness captures the output of `eprint`, but not that of the handle, so the line
        // is always shown.
        std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
    }
    false
}

/// The line for a form that cannot be run. The gate knows it by its beginning.
fn skipped(form: &str, instructions: &[(&str, bool)]) -> Option<String> {
    let lacking: Vec<&str> =
        instructions.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
    let line = || format!("SKIPPED for want of instructions: {form} (no {})\n", lacking.join(", "));
    (!lacking.is_empty()).then(line)
}

#[test]
fn the_line_names_the_form_and_what_is_lacking() {
    let line =
        skipped("near/hamming.rs with AVX2", &[("popcnt", true), ("avx2", false), ("bmi2", false)]);
    assert_eq!(
        line.unwrap(),
        "SKIPPED for want of instructions: near/hamming.rs with AVX2 (no avx2, bmi2)\n"
    );
    assert_eq!(skipped("near/hamming.rs with AVX2", &[("avx2", true)]), None);
}

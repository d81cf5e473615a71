//! `nearprint dedup --check`: a list of the problems of the input, on standard output.

use std::io::Write;

use nearprint::corpus::{Alike, Checked};
use nearprint::{Deduplicator, Error};

use super::counted;
use super::dedup::Arguments;
use crate::progress::Progress;
use crate::spelling::spelled;
use crate::visible::visible;

/// The most kinds of problems that are listed.
const LISTED: usize = 100;

/// Lists the problems, and returns the exit code: 1 if there are any.
pub fn run(arguments: &Arguments) -> Result<u8, Error> {
    let deduplicator = Deduplicator::new(arguments.settings.config()?)?;
    let progress = Progress::new(arguments.quiet);
    let checked = deduplicator.check(&arguments.against, &arguments.inputs, LISTED, &progress)?;
    progress.finish();
    let mut out = std::io::stdout().lock();
    out.write_all(report(&checked).as_bytes()).map_err(Error::io("write", "standard output"))?;
    Ok(u8::from(checked.problems() > 0))
}

/// One line for each kind of problem, one for files that were passed over, and one with the totals.
fn report(checked: &Checked) -> String {
    let mut report = String::new();
    let mut line = |text: String| report += &format!("{}\n", visible(&text));
    checked.missing_fields.iter().for_each(|error| line(spelled(&error.message())));
    checked.warnings.iter().for_each(|warning| line(spelled(warning)));
    checked.kinds.iter().for_each(|alike| line(kind(alike)));
    if checked.more > 0 {
        line(format!("and {} more", checked.more));
    }
    if !checked.some_passed_over.is_empty() {
        let names = checked.some_passed_over.join(", ");
        let more = match checked.passed_over - checked.some_passed_over.len() as u64 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(format!("passed over, format unknown: {names}{more}"));
    }
    let files = match checked.passed_over {
        0 => String::new(),
        count => format!(", {} passed over", counted(count, "file", "files")),
    };
    let documents = counted(checked.documents, "document", "documents");
    let problems = counted(checked.problems(), "problem", "problems");
    let all = counted(checked.files, "file", "files");
    line(format!("{documents} read from {all}{files}: {problems}"));
    report
}

/// The first problem of a kind, and the places of others.
fn kind(Alike { first, places, others, .. }: &Alike) -> String {
    let problem = spelled(&first.problem.message());
    let place = |file: &str, row: Option<u64>| match row {
        Some(row) => format!("{file}, row {row}"),
        None => file.to_string(),
    };
    let at = place(&first.file, first.row);
    if *others == 0 {
        return format!("{at}: {problem}");
    }
    let mut file = &first.file;
    let mut listed = Vec::new();
    for (other, row) in places {
        listed.push(match row {
            Some(row) if other == file => format!("row {row}"),
            _ => place(other, *row),
        });
        file = other;
    }
    let more = match others - places.len() as u64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let others = counted(*others, "other", "others");
    format!("{at}, and {others} ({}{more}): {problem}", listed.join("; "))
}

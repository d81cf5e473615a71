//! `nearprint dedup --check`: a list of what is wrong with the input, on standard output.

use std::io::Write;

use nearprint::corpus::Checked;
use nearprint::{Deduplicator, Error};

use super::dedup::Arguments;
use crate::progress::Progress;
use crate::spelling::spelled;
use crate::visible::visible;

/// The most problems that are listed.
const LISTED: usize = 100;

/// Lists the problems, and gives the exit code: 1 where there are some.
pub fn run(arguments: &Arguments) -> Result<u8, Error> {
    let deduplicator = Deduplicator::new(arguments.settings.config()?)?;
    let progress = Progress::new(arguments.quiet);
    let checked = deduplicator.check(&arguments.against, &arguments.inputs, LISTED, &progress)?;
    progress.finish();
    let mut out = std::io::stdout().lock();
    out.write_all(report(&checked).as_bytes()).map_err(Error::io("write", "standard output"))?;
    Ok(u8::from(checked.problems() > 0))
}

/// One line for each problem, and one for all.
fn report(checked: &Checked) -> String {
    let missing = checked.missing_fields.iter().map(Error::message);
    let problems = checked.rejections.iter().map(nearprint::Rejection::message);
    let mut report: String =
        missing.chain(problems).map(|problem| format!("{}\n", visible(&spelled(&problem)))).collect();
    if checked.more > 0 {
        report += &format!("and {} more\n", checked.more);
    }
    let plural = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let files = match checked.passed_over {
        0 => String::new(),
        count => format!(", {} passed over", plural(count, "file")),
    };
    let documents = plural(checked.documents, "document");
    report
        + &format!(
            "{documents} read from {}{files}: {}\n",
            plural(checked.files, "file"),
            plural(checked.problems(), "problem")
        )
}

//! The data of a report, as JSON -> one file of HTML with its script and its style.
//!
//! The content security policy names the script and the style by their hashes and allows nothing
//! else: no address, no other script, no frame, no form. So the page sends no request, and no
//! content of a document can run. If the texts stand in files, the page's own script may load them:
//! scripts of its own disk or server, and only those that it adds itself.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use nearprint_core::signs::HIDDEN;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::list::in_script;
use crate::error::Error;
use crate::shown_fields::USUAL;

const PAGE: &str = include_str!("page/report.html");

/// The style of a page with the elements of the report.
pub const PAGE_STYLE: &str = include_str!("page/report.css");

/// The files that pages share.
macro_rules! elements {
    () => {
        concat!(
            include_str!("page/language.js"),
            include_str!("page/elements.js"),
            include_str!("page/pieces.js"),
            include_str!("page/plots.js"),
            include_str!("page/switches.js"),
        )
    };
}

/// The script of the page of removals.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("page/held.js"),
    include_str!("page/data.js"),
    elements!(),
    include_str!("page/loss.js"),
    include_str!("page/words.js"),
    include_str!("page/files.js"),
    include_str!("page/texts.js"),
    include_str!("page/filter.js"),
    include_str!("page/pairs.js"),
    include_str!("page/marks.js"),
    include_str!("page/clusters.js"),
    include_str!("page/bound.js"),
    include_str!("page/grow.js"),
    include_str!("page/browse.js"),
    include_str!("page/address.js"),
    include_str!("page/keys.js"),
    include_str!("page/sources.js"),
    include_str!("page/alarms.js"),
    include_str!("page/main.js"),
);

/// The script of the page of passages.
const SCRIPT_OF_PASSAGES: &str = concat!(
    "'use strict';\n",
    include_str!("page/held.js"),
    elements!(),
    include_str!("page/loss.js"),
    include_str!("page/passage_words.js"),
    include_str!("page/files.js"),
    include_str!("page/passages.js"),
    include_str!("page/passage_marks.js"),
    include_str!("page/grow.js"),
    include_str!("page/keys.js"),
    include_str!("page/passage_main.js"),
);

/// The page of removals, whose script may load the texts from files.
pub(super) const REMOVALS: Sheet = Sheet { style: PAGE_STYLE, script: SCRIPT, with_files: false };

/// The page of passages.
pub(super) const PASSAGES: Sheet = Sheet {
    style: concat!(include_str!("page/report.css"), include_str!("page/passages.css")),
    script: SCRIPT_OF_PASSAGES,
    with_files: false,
};

/// A page without its data.
#[derive(Clone, Copy)]
pub(super) struct Sheet {
    style: &'static str,
    script: &'static str,
    /// True if the script loads files beside the page.
    with_files: bool,
}

/// The beginning of the script of another page with the elements of the report: words in both
/// languages, marked texts, plots, and the switches of language and theme. `DATA.usual` has the
/// usual names of a title, a date, an address and a source. Texts become text nodes and never
/// markup.
///
/// ```
/// let script = nearprint::page_elements();
/// assert!(script.contains("function make(") && !script.contains("innerHTML"));
/// ```
pub fn page_elements() -> String {
    let data = serde_json::json!({ "hidden": HIDDEN, "usual": USUAL });
    format!("'use strict';\nconst DATA = {data};\n{}", elements!())
}

impl Sheet {
    /// The same page, whose script may load files beside it if this is true.
    pub fn with_files(self, with_files: bool) -> Sheet {
        Sheet { with_files, ..self }
    }

    /// Writes the page into a file: its data, the list that `list` writes, and parts of the list.
    ///
    /// # Errors
    /// [`Error::Io`], and the errors of `list`.
    pub fn write(
        &self,
        path: &Path,
        data: &impl Serialize,
        list: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
        parts: &[String],
    ) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io("write", path)(error);
        let mut out = BufWriter::with_capacity(1 << 18, File::create(path).map_err(failed)?);
        let (mut rest, mut list) = (PAGE, Some(list));
        // The page has a place for each part, in this order.
        for place in ["{policies}", "{style}", "{data}", "{pairs}", "{parts}", "{script}"] {
            let (before, after) = rest.split_once(place).expect("the page has it");
            rest = after;
            out.write_all(before.as_bytes()).map_err(failed)?;
            let part = match place {
                "{policies}" => self.policies(),
                "{style}" => self.style.to_string(),
                "{data}" => in_script(&serde_json::to_string(data).expect("a report is JSON")),
                "{parts}" => parts.iter().map(|part| of_part(part)).collect(),
                "{script}" => self.script.to_string(),
                _ => {
                    list.take().map_or(Ok(()), |list| list(&mut out))?;
                    continue;
                }
            };
            out.write_all(part.as_bytes()).map_err(failed)?;
        }
        out.write_all(rest.as_bytes()).map_err(failed)?;
        out.into_inner().map_err(io::IntoInnerError::into_error).map(drop).map_err(failed)
    }

    /// The content security policies of the page. A script must satisfy all of them.
    fn policies(&self) -> String {
        let policy = |rules: &str| {
            format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{rules}\">")
        };
        let (style, script) = (hash(self.style), hash(self.script));
        // With `strict-dynamic` the script of this hash may add others, and nothing else may.
        let trusted = if self.with_files { " 'strict-dynamic'" } else { "" };
        let own = policy(&format!(
            "default-src 'none'; style-src '{style}'; script-src '{script}'{trusted}; \
             base-uri 'none'; form-action 'none'"
        ));
        match self.with_files {
            true => own + "\n" + &policy(&format!("script-src '{script}' 'self' file:")),
            false => own,
        }
    }
}

/// A part of the texts in the page.
fn of_part(part: &str) -> String {
    format!("<script type=\"application/json\" class=\"part\">{}</script>\n", in_script(part))
}

/// The hash of a script or a style for a content security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_styles_are_named_by_their_hashes() {
        // The vector is from FIPS 180-2, appendix B.1.
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn only_a_page_with_files_may_load_scripts() {
        let alone = REMOVALS.policies();
        assert!(!alone.contains("strict-dynamic") && !alone.contains("file:"));
        let with_files = REMOVALS.with_files(true).policies();
        assert_eq!(with_files.matches(&hash(SCRIPT)).count(), 2);
    }

    #[test]
    fn the_scripts_make_no_markup_of_texts() {
        for way in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
        {
            assert!(!SCRIPT.contains(way) && !SCRIPT_OF_PASSAGES.contains(way), "{way}");
        }
    }
}

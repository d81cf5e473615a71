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
use sha2::{Digest, Sha256};

use super::Material;
use super::census::Census;
use super::data::Data;
use super::list::{self, in_script};
use super::rows::ReportRows;
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

const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("page/data.js"),
    elements!(),
    include_str!("page/words.js"),
    include_str!("page/texts.js"),
    include_str!("page/filter.js"),
    include_str!("page/pairs.js"),
    include_str!("page/marks.js"),
    include_str!("page/clusters.js"),
    include_str!("page/bound.js"),
    include_str!("page/browse.js"),
    include_str!("page/address.js"),
    include_str!("page/keys.js"),
    include_str!("page/sources.js"),
    include_str!("page/alarms.js"),
    include_str!("page/main.js"),
);

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

/// Writes the page into a file.
pub(super) fn write(
    material: &Material<'_>,
    rows: [&ReportRows; 3],
    census: &Census,
    (data, in_page): (&Data, &[String]),
    path: &Path,
) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("write", path)(error);
    let mut out = BufWriter::with_capacity(1 << 18, File::create(path).map_err(failed)?);
    let mut rest = PAGE;
    // The page has a place for each part, in this order.
    for place in ["{policies}", "{style}", "{data}", "{pairs}", "{parts}", "{script}"] {
        let (before, after) = rest.split_once(place).expect("the page has it");
        rest = after;
        out.write_all(before.as_bytes()).map_err(failed)?;
        let part = match place {
            "{policies}" => policies(data.parts_in.is_some()),
            "{style}" => PAGE_STYLE.to_string(),
            "{data}" => in_script(&serde_json::to_string(data).expect("a report is JSON")),
            "{parts}" => in_page.iter().map(|part| of_part(part)).collect(),
            "{script}" => SCRIPT.to_string(),
            _ => {
                let by_field = material.source_field.is_some();
                list::write(rows, census, by_field, &mut out, failed)?;
                continue;
            }
        };
        out.write_all(part.as_bytes()).map_err(failed)?;
    }
    out.write_all(rest.as_bytes()).map_err(failed)?;
    out.into_inner().map_err(io::IntoInnerError::into_error).map(drop).map_err(failed)
}

/// A part of the texts in the page.
fn of_part(part: &str) -> String {
    format!("<script type=\"application/json\" class=\"part\">{}</script>\n", in_script(part))
}

/// The content security policies of the page. A script must satisfy all of them.
fn policies(with_files: bool) -> String {
    let policy =
        |rules: &str| format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{rules}\">");
    let (style, script) = (hash(PAGE_STYLE), hash(SCRIPT));
    // With `strict-dynamic` the script of this hash may add others, and nothing else may.
    let trusted = if with_files { " 'strict-dynamic'" } else { "" };
    let own = policy(&format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'{trusted}; \
         base-uri 'none'; form-action 'none'"
    ));
    match with_files {
        true => own + "\n" + &policy(&format!("script-src '{script}' 'self' file:")),
        false => own,
    }
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
        assert!(!policies(false).contains("strict-dynamic") && !policies(false).contains("file:"));
        assert_eq!(policies(true).matches(&hash(SCRIPT)).count(), 2);
    }

    #[test]
    fn the_script_makes_no_markup_of_texts() {
        for way in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
        {
            assert!(!SCRIPT.contains(way), "{way}");
        }
    }
}

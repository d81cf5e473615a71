//! The data of a report, as JSON -> one file of HTML with its script and its style.
//!
//! The content security policy names the script and the style by their hashes and allows nothing
//! else: no address, no other script, no frame, no form. So the page sends no request, and no
//! content of a document can run.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::data::Data;

const PAGE: &str = include_str!("page/report.html");
const STYLE: &str = include_str!("page/report.css");
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("page/words.js"),
    include_str!("page/elements.js"),
    include_str!("page/plots.js"),
    include_str!("page/pairs.js"),
    include_str!("page/marks.js"),
    include_str!("page/clusters.js"),
    include_str!("page/bound.js"),
    include_str!("page/browse.js"),
    include_str!("page/keys.js"),
    include_str!("page/main.js"),
);

/// The page with these data.
pub(super) fn page(data: &Data) -> String {
    let json = in_script(&serde_json::to_string(data).expect("a report is JSON"));
    let parts = [
        ("{style-hash}", hash(STYLE)),
        ("{script-hash}", hash(SCRIPT)),
        ("{style}", STYLE.to_string()),
        ("{data}", json),
        ("{script}", SCRIPT.to_string()),
    ];
    let (mut page, mut rest) = (String::new(), PAGE);
    for (name, part) in parts {
        let (before, after) =
            rest.split_once(name).expect("the page has a place for each part, in this order");
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page + rest
}

/// JSON that may stand in a script element. A `<`, which could end the element, is written by its
/// number. Only strings of JSON can have one.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
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
    fn the_script_makes_no_markup_of_texts() {
        for way in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
        {
            assert!(!SCRIPT.contains(way), "{way}");
        }
    }

    #[test]
    fn nothing_ends_the_data() {
        assert_eq!(in_script(r#"{"a":"</script><!--"}"#), r#"{"a":"\u003c/script>\u003c!--"}"#);
    }
}

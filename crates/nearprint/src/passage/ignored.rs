//! Passages that a person approved, and a text -> the text without them.
//!
//! Two articles of one agency are alike by its footer, and two copies of one article may differ by
//! theirs. So the passages of a list are left out of texts before these are compared. Copies of a
//! passage may differ in some letters, as by a year. Only whole sentences, lines and paragraphs are
//! left out.

use std::path::Path;

use nearprint_core::normalize::{Normalizer, Options, append_alphanumeric};
use xxhash_rust::xxh3::xxh3_64;

use super::closing::without;
use super::edited::KnownPassages;
use super::places::{CopyPlaces, Letters};
use super::verdicts::Verdicts;
use crate::error::Error;
use crate::message;

/// The largest share of the letters of a passage that a copy may differ in, that of
/// [`PassageOptions`](super::PassageOptions).
const MAX_EDITS: f64 = 0.05;

/// The version of the way in which passages are found and left out.
const VERSION: u32 = 3;

/// Passages that are left out of texts.
#[derive(Debug)]
pub struct IgnoredPassages {
    known: KnownPassages,
    normalizer: Normalizer,
    name: String,
}

impl IgnoredPassages {
    /// Reads the passages that a file approves. `setting` names it. Signs do not count, and letters
    /// are those of the normalized text.
    ///
    /// ```
    /// use nearprint::passage::IgnoredPassages;
    /// let folder = tempfile::tempdir()?;
    /// let list = folder.path().join("footers.jsonl");
    /// std::fs::write(&list, r#"{"text":"All rights reserved. No part may be sold.","verdict":"right"}"#)?;
    /// let ignored = IgnoredPassages::read(&list, "ignore-passages", Default::default())?;
    /// let text = "The ferry is back.\n\nAll rights reserved! No part may be sold.\n";
    /// assert_eq!(ignored.rest(text).as_deref(), Some("The ferry is back.\n"));
    /// assert_eq!(ignored.rest("The ferry is back."), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Verdicts::read`]; [`Error::Usage`] if no passage is approved, or one is too short to be
    /// found.
    pub fn read(
        path: &Path,
        setting: &'static str,
        normalize: Options,
    ) -> Result<IgnoredPassages, Error> {
        let refused = |problem: String| {
            Error::usage(setting, message![format!("{} {problem}", path.display())])
        };
        let mut passages = Verdicts::read(path, setting)?.right;
        if passages.is_empty() {
            let problem = "approves no passage; give the rows of passages to ignore the verdict \
                           right";
            return Err(refused(problem.to_string()));
        }
        // What is found depends on the passages alone, and not on their order.
        passages.sort_unstable();
        passages.dedup();
        // An address is a part of its sentence, so nothing is stripped.
        let normalizer = Normalizer::new(Options { addresses: false, ..normalize });
        KnownPassages::check(&passages, setting, &normalizer)?;
        let mut known =
            KnownPassages::new(MAX_EDITS, None, passages.iter().map(|own| own.len() as u64).sum());
        passages
            .iter()
            .zip(1..)
            .for_each(|(text, number)| known.add((number, true), 0, text, &normalizer));
        known.finish();
        let hash = xxh3_64(passages.join("\0").as_bytes());
        let name = format!("{} passages ({hash:016x}) ({VERSION})", passages.len());
        Ok(IgnoredPassages { known, normalizer, name })
    }

    /// The number and the hash of the passages. The same passages under the same normalization make
    /// the same rests.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text without the passages and the white space that they would leave; empty if no letter
    /// stays. `None` if none of them stands in it.
    pub fn rest(&self, text: &str) -> Option<String> {
        let candidates = self.known.candidates(&letters_of(text, &self.normalizer), 0);
        if candidates.is_empty() {
            return None;
        }
        let letters = Letters::new(text, &self.normalizer);
        let mut places = CopyPlaces::new(text, &letters, &[], MAX_EDITS, true);
        self.known.copies(&letters.letters, &candidates, |copy| places.add(copy));
        let places = places.finish();
        if places.is_empty() {
            return None;
        }
        let places = places.into_iter().map(|(_, place)| (place.characters, place.gaps));
        let mut going = without(places).into_iter().peekable();
        let mut rest = String::with_capacity(text.len());
        for (at, c) in text.chars().enumerate() {
            while going.next_if(|range| range.end <= at).is_some() {}
            if going.peek().is_none_or(|range| at < range.start) {
                rest.push(c);
            }
        }
        // Two texts of which only signs stay, such as a line between passages, are not the same.
        if !rest.contains(char::is_alphanumeric) {
            rest.clear();
        }
        Some(rest)
    }
}

/// The letters and digits of a text.
fn letters_of(text: &str, normalizer: &Normalizer) -> String {
    let mut letters = String::new();
    append_alphanumeric(&normalizer.normalize(text), &mut letters);
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOTER: &str = "© 2023 Harbor News. All rights reserved. No part of this page may be \
        copied or sold without the consent of the publisher.";
    const NOTE: &str = "本报道由港口通讯社撰写，未经书面许可不得转载。";

    fn ignored(rows: &[(&str, &str)]) -> IgnoredPassages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.jsonl");
        let row = |(text, verdict): &(&str, &str)| {
            format!("{}\n", serde_json::json!({"text": text, "verdict": verdict}))
        };
        std::fs::write(&path, rows.iter().map(row).collect::<String>()).unwrap();
        IgnoredPassages::read(&path, "ignore-passages", Options::default()).unwrap()
    }

    #[test]
    fn whole_passages_go_wherever_they_stand() {
        let ignored =
            ignored(&[(FOOTER, "right"), (NOTE, "right"), ("The ferry is back.", "wrong")]);
        let newer = FOOTER.replace("2023", "2024").replace("consent", "consents");
        for (text, rest) in [
            (format!("The ferry is back.\n\n{FOOTER}\n"), Some("The ferry is back.\n")),
            (format!("{newer}\n\nThe ferry is back."), Some("The ferry is back.")),
            (
                format!("渡轮恢复运行。{NOTE}\n\n{FOOTER}\n\n明天见。"),
                Some("渡轮恢复运行。\n\n明天见。"),
            ),
            (format!("One.\n\n{}\n\nTwo.", NOTE.replace("讯", "訊")), Some("One.\n\nTwo.")),
            (format!("* * *\n{FOOTER}"), Some("")),
            (format!("{NOTE}\n\n{FOOTER}"), Some("")),
            // The rule between two passages belongs to one of them.
            (
                format!("The ferry is back.\n---\n{NOTE}\n---\n{FOOTER}"),
                Some("The ferry is back.\n---"),
            ),
            ("The ferry is back. * * *".to_string(), None),
            (format!("{} and then some", &FOOTER[..60]), None),
            (String::new(), None),
        ] {
            assert_eq!(ignored.rest(&text).as_deref(), rest, "{text}");
        }
    }

    #[test]
    fn the_name_is_that_of_the_approved_passages() {
        let name = |rows: &[(&str, &str)]| ignored(rows).name().to_string();
        let both = name(&[(FOOTER, "right"), (NOTE, "right")]);
        assert!(both.starts_with("2 passages ("), "{both}");
        let others = [(NOTE, "right"), (FOOTER, "right"), (NOTE, "right"), ("Other", "wrong")];
        assert_eq!(both, name(&others));
        assert_ne!(both, name(&[(FOOTER, "right")]));
    }
}

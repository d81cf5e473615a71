//! A text -> its print: what the search knows it by.

use crate::config::Config;
use crate::error::Error;
use crate::judge::{PreparedText, Preparer, Rules};
use crate::recipe::Recipe;
use crate::search::largest_distance;
use crate::verify::ShortText;

/// What the search knows a text by.
#[derive(Debug, Clone, PartialEq)]
pub struct Print {
    /// The XXH3-128 of its normalized text: prints of the same one stand for each other.
    pub text_hash: u128,
    /// Characters as read.
    pub characters: u32,
    /// Whether it is empty once normalized and trimmed: it is no duplicate of any.
    pub is_empty: bool,
    /// Whether it has too few features to be searched by its fingerprint.
    pub is_short: bool,
    /// Its fingerprint, in the first bits of the words; `None` of a short one.
    pub fingerprint: Option<[u64; 4]>,
    /// Its characters and figures, where it may be compared with a short one by these.
    pub short: Option<ShortText>,
}

/// The print of each text, in order.
///
/// ```
/// use nearprint::{Config, distributed};
/// let prints = distributed::prints(&Config::default(), &["春眠不觉晓", " 春眠不覺曉", ""])?;
/// assert!(prints[0].text_hash == prints[1].text_hash && prints[0].is_short && prints[2].is_empty);
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// As [`check`](super::check).
pub fn prints(config: &Config, texts: &[&str]) -> Result<Vec<Print>, Error> {
    super::check(config)?;
    let rules = Rules::new(config, largest_distance(config));
    let mut preparer = Preparer::new(&Recipe::new(config)?, rules);
    let mut text = PreparedText::default();
    let print = |own: &&str| {
        preparer.prepare(own, &mut text);
        let PreparedText { prepared, characters } = &text;
        let is_short = rules.is_short(prepared.features);
        Print {
            text_hash: prepared.text_hash,
            characters: *characters,
            is_empty: prepared.is_empty,
            is_short,
            fingerprint: prepared.fingerprint.filter(|_| !is_short && !prepared.is_empty),
            short: prepared.short.get().filter(|short| !short.characters.is_empty()).cloned(),
        }
    };
    Ok(texts.iter().map(print).collect())
}

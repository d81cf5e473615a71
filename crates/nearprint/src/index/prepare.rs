//! A text -> all that an index keeps of it.

use nearprint_core::judge::PreparedText;
use nearprint_core::recipe::Recipe;

use super::record::Text;
use crate::document::Document;
use crate::error::Error;

/// Refuses a recipe whose fingerprints depend on the other documents of the input.
///
/// # Errors
/// [`Error::Usage`].
pub fn check(recipe: &Recipe) -> Result<(), Error> {
    if recipe.takes_tokens() {
        return Err(Error::usage("tokens-field", "an index makes its own tokens; leave it out"));
    }
    Ok(recipe.check_statistics()?)
}

/// The text as it is kept: normalized, or this one as it was read.
pub fn text(of: &PreparedText, as_read: Option<&Document>) -> Text {
    let normalized = || of.prepared.text.get().cloned().unwrap_or_default();
    Text {
        characters: of.characters,
        features: of.prepared.features,
        text: as_read.map_or_else(normalized, |document| document.text.clone()),
    }
}

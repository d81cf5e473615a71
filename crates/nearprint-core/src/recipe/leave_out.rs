//! Parts of texts that are left out before texts are prepared.

use std::fmt;
use std::sync::Arc;

/// Makes the rest of a text, `None` if nothing of it is left out.
type Rest = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Leaves parts of texts out before they are prepared: passages that must not make two texts alike.
///
/// ```
/// use nearprint_core::recipe::{LeaveOut, Options, Prepared, Recipe, Wanted};
/// let without_footer = |text: &str| text.strip_suffix(" All rights reserved.").map(str::to_string);
/// let leave_out = Some(LeaveOut::new("a footer", without_footer));
/// let recipe = Recipe::new(Options { leave_out, ..Options::default() })?;
/// let mut document = Prepared::default();
/// recipe.prepare("The ferry returns. All rights reserved.", Wanted::default(), &mut document);
/// assert_eq!(document.text.get().unwrap(), "the ferry returns.");
/// assert!(document.has_left_out && recipe.identity().contains("left-out=a footer"));
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Clone)]
pub struct LeaveOut {
    name: String,
    rest: Arc<Rest>,
}

impl LeaveOut {
    /// `rest` makes the rest of a text, `None` if nothing of it is left out. `name` stands for it
    /// in the identity of a recipe: equal names must mean equal rests of every text.
    pub fn new(
        name: impl Into<String>,
        rest: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> LeaveOut {
        LeaveOut { name: name.into(), rest: Arc::new(rest) }
    }

    /// The name in the identity of a recipe.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rest of a text, `None` if nothing of it is left out.
    pub fn rest(&self, text: &str) -> Option<String> {
        (self.rest)(text)
    }
}

impl fmt::Debug for LeaveOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LeaveOut").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Kind;
    use crate::recipe::{Fingerprinter, Options, Prepared, Recipe, Wanted, Words};
    use crate::statistics::Statistics;

    fn recipe(features: Kind, leave_out: Option<LeaveOut>) -> Recipe {
        Recipe::new(Options { features, leave_out, ..Options::default() }).unwrap()
    }

    fn footer() -> Option<LeaveOut> {
        let rest = |text: &str| text.strip_suffix(" all rights reserved").map(str::to_string);
        Some(LeaveOut::new("a footer", rest))
    }

    #[test]
    fn a_text_is_prepared_as_its_rest() {
        let (letters, whole) = (recipe(Kind::Letters, footer()), recipe(Kind::Letters, None));
        let text = "the ferry returns on monday after eleven weeks";
        let longer = format!("{text} all rights reserved");
        let [mut without, mut with] =
            [&letters, &whole].map(|recipe| Fingerprinter::new(recipe).unwrap());
        assert_eq!(without.fingerprint(&longer), with.fingerprint(text));
        assert_ne!(with.fingerprint(&longer), with.fingerprint(text));
        assert_eq!(letters.tokens(&longer), letters.tokens(text));
        let mut document = Prepared::default();
        letters.prepare(&longer, Wanted::default(), &mut document);
        assert!(document.has_left_out && document.text.get().unwrap() == text);
        letters.prepare(text, Wanted::default(), &mut document);
        assert!(!document.has_left_out);
        letters.prepare_with_tokens(&longer, &["all".into()], Wanted::default(), &mut document);
        assert_eq!(document.own_tokens.get().unwrap(), "all\n");
        assert!(document.has_left_out && document.text.get().unwrap() == text);
    }

    #[test]
    fn the_name_is_a_part_of_both_identities_if_there_is_one() {
        for features in [Kind::Letters, Kind::Words] {
            let (with, without) = (recipe(features, footer()), recipe(features, None));
            for (with, without) in [
                (with.identity(), without.identity()),
                (with.features_identity(), without.features_identity()),
            ] {
                assert!(!without.contains("left-out"));
                assert_eq!(with.replace("; left-out=a footer", ""), without);
                assert_ne!(with, without);
            }
        }
        let words = Words::default();
        let options =
            Options { features: Kind::Words, words, leave_out: footer(), ..Options::default() };
        let saved = Recipe::new(options).unwrap().with_statistics(Statistics::default(), "file 1");
        assert!(saved.identity().contains("left-out=a footer"), "{}", saved.identity());
    }
}

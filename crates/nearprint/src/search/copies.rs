//! Texts of a sample -> edited copies of a given similarity, and the distance between each copy and
//! its text.

use nearprint_core::compare;
use nearprint_core::fingerprint::Hasher;
use nearprint_core::judge::{Compared, Judge};
use nearprint_core::recipe::{Prepared, Recipe, Wanted, Weigher};
use rayon::prelude::*;

use super::Input;
use crate::estimate::{COPIES, Copied, Editor, Words, replaced_words};
use crate::watch::Progress;

/// The most copies of one text, in a sample of few texts.
const COPIES_OF_ONE: usize = 16;

/// The number of texts that are considered as the source of words for a copy. If 4 of 5 texts are
/// of one family, 97 % of the copies of these get words of an unrelated text.
const DONORS: usize = 16;

/// A text is dissimilar enough to be a source of words if its similarity is below this part of the
/// wanted one.
const DISSIMILAR: f64 = 0.5;

/// The copies of sampled texts that are edited to about the similarity. Each text comes with its
/// hash.
pub(super) fn copies(
    input: &Input<'_>,
    texts: &[(u128, String)],
    similarity: f64,
    stage: &Progress<'_>,
) -> Vec<Copied> {
    let count = texts.len();
    if count < 2 {
        return Vec::new();
    }
    let of_one = COPIES.div_ceil(count).min(COPIES_OF_ONE);
    let copy = |copier: &mut Copier, number: usize| {
        if stage.stopped() {
            return None;
        }
        let (text, turn) = (number % count, number / count);
        // The other texts take turns. A text is never its own source.
        let other = |later: usize| &*texts[(text + 1 + (turn + later) % (count - 1)) % count].1;
        let donors: Vec<&str> = (0..DONORS.min(count - 1)).map(other).collect();
        let seed = (texts[text].0 as u64).wrapping_add(turn as u64);
        let copy = copier.copy(&texts[text].1, &donors, seed, similarity);
        stage.advance(1);
        copy
    };
    let copies: Vec<Option<Copied>> = (0..(count * of_one).min(COPIES))
        .into_par_iter()
        .map_init(|| Copier::new(input), copy)
        .collect();
    copies.into_iter().flatten().collect()
}

/// Makes edited copies of texts, and compares them with the originals. Each thread has its own.
struct Copier {
    recipe: Recipe,
    weigher: Weigher,
    judge: Judge,
    hasher: Hasher,
    original: Prepared,
    donor: Prepared,
    copy: Prepared,
    text: String,
}

impl Copier {
    fn new(input: &Input<'_>) -> Copier {
        Copier {
            recipe: input.recipe.clone(),
            weigher: Weigher::of_corpus(input.recipe, input.corpus.statistics()),
            judge: Judge::new(input.config.rules(None).exact()),
            hasher: input.recipe.hasher(),
            original: Prepared::default(),
            donor: Prepared::default(),
            copy: Prepared::default(),
            text: String::new(),
        }
    }

    /// A copy of a text that is edited to about the similarity, by words of another text; `None` if
    /// that is impossible. The words come from the first dissimilar donor, or from the least
    /// similar one. A donor that is an edition of the text would have too many equal words.
    fn copy(&mut self, text: &str, donors: &[&str], seed: u64, similarity: f64) -> Option<Copied> {
        let Copier { recipe, weigher, judge, hasher, original, donor, copy, text: edited } = self;
        let compared = judge.rules().compared();
        let mut prepare = |text: &str, wanted: Wanted, out: &mut Prepared| {
            recipe.prepare_normalized(text, wanted, out);
            if compared == Compared::Weights {
                weigher.add_weights(out);
            }
        };
        let all = Wanted { terms: true, places: true, alphanumeric: true };
        prepare(text, all, original);
        judge.set_left(original);
        let mut least: Option<(f64, &str)> = None;
        for text in donors {
            prepare(text, all, donor);
            if starts(donor).len() < 2 {
                continue;
            }
            let alike = judge.at_least(donor, None, similarity * DISSIMILAR).unwrap_or(0.0);
            if least.is_none_or(|(least, _)| alike < least) {
                least = Some((alike, text));
            }
            if alike < similarity * DISSIMILAR {
                break;
            }
        }
        let (_, giver) = least?;
        prepare(giver, all, donor);
        let (own_words, others) = (starts(original), starts(donor));
        let editor = Editor::new(
            Words { text, starts: &own_words },
            Words { text: giver, starts: &others },
            seed,
        )?;
        let needed = Wanted {
            terms: matches!(compared, Compared::Terms | Compared::Weights),
            alphanumeric: compared != Compared::Terms,
            ..Wanted::default()
        };
        let (replaced, _) = replaced_words(editor.words(), similarity, |replaced| {
            editor.copy(replaced, edited);
            prepare(edited, needed, copy);
            judge.at_least(copy, None, similarity).unwrap_or(0.0)
        })?;
        editor.copy(replaced, edited);
        prepare(edited, all, copy);
        for document in [&mut *original, &mut *copy] {
            document.teach(recipe.ngram(), hasher);
            weigher.add_fingerprint(document, hasher);
            weigher.add_weights(document);
        }
        let [left, right] =
            [&*original, &*copy].map(|document| document.fingerprint.expect("just made"));
        let [left_weights, right_weights] =
            [&*original, &*copy].map(|document| document.weights.get().expect("just made"));
        Some(Copied {
            difference: std::array::from_fn(|word| left[word] ^ right[word]),
            cosine: compare::cosine(left_weights, right_weights),
        })
    }
}

/// The place in bytes at which each term of a document begins.
fn starts(document: &Prepared) -> Vec<usize> {
    document
        .places
        .get()
        .map_or_else(Vec::new, |places| places.iter().map(|(start, _)| *start as usize).collect())
}

#[cfg(test)]
mod tests {
    use nearprint_core::compare::Measure;

    use super::*;
    use crate::config::Config;
    use crate::corpus::Purpose;
    use crate::memory::MemoryBound;
    use crate::run::Deduplicator;
    use crate::watch::Silent;

    #[test]
    fn the_words_of_a_copy_are_those_of_a_dissimilar_text() {
        let words = |name: &str, changed: u8| -> String {
            let letters = |n: u8| [b'a' + n / 26, b'a' + n % 26].map(char::from);
            let word = |n: u8| {
                if n % 10 < changed { "other" } else { name }
                    .chars()
                    .chain(letters(n))
                    .collect::<String>()
            };
            (0..80).map(|n| word(n) + " ").collect()
        };
        let (text, edition, farther, foreign) =
            (words("own", 0), words("own", 1), words("own", 2), words("their", 0));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, format!("{{\"id\":1,\"text\":\"{text}\"}}\n")).unwrap();
        for verify in [Measure::Coverage, Measure::Jaccard, Measure::Containment, Measure::Cosine] {
            let config = Config::default().verify(verify);
            let deduplicator = Deduplicator::new(config.clone()).unwrap();
            let recipe = deduplicator.recipe();
            let sources = deduplicator
                .find_files(&[path.display().to_string()], folder.path(), &Silent)
                .unwrap();
            let corpus = deduplicator.read(sources, Purpose::Tune, &Silent).unwrap();
            let input =
                Input { config: &config, recipe, corpus: &corpus, memory: MemoryBound::default() };
            let mut copier = Copier::new(&input);
            let mut made = 0;
            for seed in 0..10 {
                let copy =
                    copier.copy(&text, &[&edition, &farther, "one", &foreign, &edition], seed, 0.8);
                made += usize::from(copy.is_some());
                assert_eq!(
                    copier.donor.terms.get(),
                    terms_of(recipe, &foreign).terms.get(),
                    "{verify:?}"
                );
                assert!(
                    copy.is_none()
                        || copier.text.contains("their") && !copier.text.contains("other")
                );
                // Without a dissimilar donor, the least similar one is taken.
                copier.copy(&text, &[&edition, &farther, &edition], seed, 0.8);
                assert_eq!(
                    copier.donor.terms.get(),
                    terms_of(recipe, &farther).terms.get(),
                    "{verify:?}"
                );
            }
            assert!(made >= 5, "{verify:?}: {made} of 10");
            assert!(copier.copy(&text, &["one"], 1, 0.8).is_none());
        }
    }

    fn terms_of(recipe: &Recipe, text: &str) -> Prepared {
        let mut document = Prepared::default();
        recipe.prepare(text, Wanted { terms: true, ..Wanted::default() }, &mut document);
        document
    }
}

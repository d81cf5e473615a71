//! Two texts -> their comparison as documents of an index.
//!
//! The settings are those of the index, and its documents show whether one of the two is in a
//! family. So the verdict is that of a query for one of them in an index that has the other one.

use super::{Comparison, compare_by};
use crate::error::Error;
use crate::index::Index;

impl Index {
    /// Compares two texts as documents of the index. Lists show `top` features each.
    ///
    /// ```
    /// use nearprint::Config;
    /// use nearprint::index::{Index, IndexOptions};
    /// let folder = tempfile::tempdir()?;
    /// let mut index = Index::create(&folder.path().join("seen"), &Config::default(), &IndexOptions::default())?;
    /// let compared = index.compare(["The ferry returns", "The ferry returns!"], 0)?;
    /// assert_eq!((compared.verdict, compared.in_family), ("short", Some(false)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`]; [`Error::Usage`] if its documents have their own tokens.
    pub fn compare(&mut self, texts: [&str; 2], top: usize) -> Result<Comparison, Error> {
        self.own_tokens(None)?;
        let in_family = self.in_family(texts)?;
        let (recipe, rules) = self.recipe_and_rules();
        Ok(compare_by(recipe, rules, texts, Some(in_family), top))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::document::{Document, Id};
    use crate::index::{Index, IndexOptions};
    use crate::watch::Silent;

    /// A notice in which words and a figure are filled in, or an edited copy of one.
    fn text(number: usize) -> String {
        let towns = ["Alder Bay", "Birch Point", "Cedar Falls", "Dogwood", "Elm Grove", "Fir Hill"];
        let (town, fee) = (towns[number / 2 % towns.len()], 10 + number / 2);
        let end = if number.is_multiple_of(2) { "on weekdays" } else { "on every weekday" };
        format!(
            "The council of {town} reminds all residents that the harbor office opens at nine \
             {end}. Permits for moorings cost {fee} crowns a season and are issued to owners of \
             boats who bring the papers of their vessel, a photograph of it, and a form that \
             names two neighbors as witnesses. Boats without a permit are towed to the north pier."
        )
    }

    #[test]
    fn two_texts_are_compared_as_a_query_for_one_is_answered() {
        for (documents, store_text) in [(0, true), (2, false), (6, true), (12, false)] {
            for (left, right) in [(0, 1), (0, 2), (1, 4), (3, 12), (12, 13), (5, 5)] {
                let folder = tempfile::tempdir().unwrap();
                let options = IndexOptions { store_text, ..IndexOptions::default() };
                let path = folder.path().join("seen");
                let mut index = Index::create(&path, &Config::default(), &options).unwrap();
                let add = |index: &mut Index, number: usize| {
                    let id = Id::Integer(number as i64);
                    let text = text(number);
                    let document = Document { row: 0, id, text, fields: Vec::new() };
                    index.add(vec![document], false, &Silent).unwrap();
                };
                (0..documents).for_each(|number| add(&mut index, number));
                let texts = [text(left), text(right)];
                let compared = index.compare([&texts[0], &texts[1]], 0).unwrap();
                add(&mut index, left);
                let answer = index.query(&texts[1], 100, &Silent).unwrap();
                let found =
                    answer.matches.iter().find(|found| found.id == Id::Integer(left as i64));
                assert_eq!(
                    found.map(|found| (found.similarity, found.distance)),
                    compared
                        .judged
                        .duplicates
                        .then_some((compared.similarity, compared.judged.distance)),
                    "{left} and {right} beside {documents} documents"
                );
            }
        }
    }
}

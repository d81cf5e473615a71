//! Two texts and the texts in their companies -> the verdict.

use crate::config::Config;
use crate::corpus::{DocumentStore, Parts, StoreJudge};
use crate::error::Error;
use crate::judge::{PreparedText, Preparer, Rules, Verdict};
use crate::recipe::{Prepared, Recipe};
use crate::search::largest_distance;

/// Two documents to be compared.
#[derive(Debug, Clone, Default)]
pub struct Compared<'t> {
    /// Their texts; that of the better rank first.
    pub texts: [&'t str; 2],
    /// The distance of their fingerprints; `None` where they are compared by their characters.
    pub distance: Option<u32>,
    /// The texts in the company of each: those of the 16 of their candidates whose text hashes begin with the least 32 bits.
    pub company: [Vec<&'t str>; 2],
}

/// The verdict on each pair; `None` where the two are no duplicates.
///
/// ```
/// use nearprint::{Config, distributed};
/// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft, the harbour office said";
/// let edited = format!("{text} today.");
/// let pair = distributed::Compared { texts: [text, &edited], distance: Some(20), ..Default::default() };
/// let verdicts = distributed::verdicts(&Config::default(), &[pair])?;
/// assert!(verdicts[0].is_some_and(|verdict| verdict.similarity > 0.9));
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// As [`check`](super::check).
pub fn verdicts(config: &Config, pairs: &[Compared<'_>]) -> Result<Vec<Option<Verdict>>, Error> {
    super::check(config)?;
    let rules = Rules::new(config, largest_distance(config));
    let preparer = Preparer::new(&Recipe::new(config)?, rules);
    let mut judge = StoreJudge::of(Texts { preparer, texts: Vec::new(), used: 0 }, rules);
    let mut verdicts = Vec::with_capacity(pairs.len());
    for Compared { texts, distance, company } in pairs {
        let known = judge.store().used as u32;
        (0..known).for_each(|document| judge.forget(document));
        judge.store().used = 0;
        let is_searched = distance.is_some();
        let [left, right] = texts.map(|text| judge.store().add(text, is_searched));
        let mut add = |texts: &[&str]| texts.iter().map(|text| judge.store().add(text, true)).collect::<Vec<u32>>();
        let companies = [add(&company[0]), add(&company[1])];
        let verdict = judge.candidate([left, right], *distance, || Ok(companies))?;
        verdicts.push(verdict.filter(|(_, bound)| *bound >= config.min_similarity).map(|(verdict, _)| verdict));
    }
    Ok(verdicts)
}

/// The texts of a pair and of its companies.
struct Texts {
    preparer: Preparer,
    texts: Vec<PreparedText>,
    /// How many of them are of this pair.
    used: usize,
}

impl Texts {
    fn add(&mut self, text: &str, is_searched: bool) -> u32 {
        if self.used == self.texts.len() {
            self.texts.push(PreparedText::default());
        }
        let prepared = &mut self.texts[self.used];
        match is_searched {
            true => self.preparer.prepare_searched(text, prepared),
            false => self.preparer.prepare(text, prepared),
        }
        self.used += 1;
        self.used as u32 - 1
    }
}

impl DocumentStore for Texts {
    fn load(&mut self, document: u32, _: Parts, out: &mut Prepared) -> Result<(), Error> {
        out.copy(&self.texts[document as usize].prepared);
        Ok(())
    }

    fn characters(&mut self, document: u32) -> Result<u32, Error> {
        Ok(self.texts[document as usize].characters)
    }
}

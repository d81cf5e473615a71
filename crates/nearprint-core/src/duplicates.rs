//! Texts in memory -> every pair of duplicates, with its verdict.

use crate::judge::{Judge, PreparedText, Preparer, Rules, Verdict};
use crate::near::{Among, Met, Record, Records};
use crate::recipe::Recipe;

/// Two texts that are duplicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// The place of the first text.
    pub left: u32,
    /// The place of the second text, above `left`.
    pub right: u32,
    /// The verdict on the two.
    pub verdict: Verdict,
}

/// All pairs of duplicates among some texts, sorted by their places: of equal, near and short
/// texts, with families considered. `recipe` has its statistics if its weights need some.
///
/// All fingerprints are compared with each other on one thread, which suits some 10,000 texts. The
/// crate `nearprint` searches more of them by tables and chooses the texts to keep.
///
/// ```
/// use nearprint_core::{duplicates::duplicates, judge::Rules, recipe::{Options, Recipe}};
/// let texts = [
///     "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs.",
///     "Half of the bakeries in the old town now close before noon.",
///     "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs!",
/// ];
/// let found = duplicates(&Recipe::new(Options::default())?, Rules::default(), &texts);
/// assert_eq!(found.iter().map(|pair| (pair.left, pair.right)).collect::<Vec<_>>(), [(0, 2)]);
/// assert_eq!((found[0].verdict.similarity, found[0].verdict.name()), (1.0, "near"));
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
pub fn duplicates(recipe: &Recipe, rules: Rules, texts: &[impl AsRef<str>]) -> Vec<Duplicate> {
    let mut preparer = Preparer::new(recipe, rules);
    let prepare = |text: &_| {
        let mut out = PreparedText::default();
        preparer.prepare(AsRef::<str>::as_ref(text), &mut out);
        out
    };
    let prepared: Vec<PreparedText> = texts.iter().map(prepare).collect();
    let mut records = Records::new(rules.bits.div_ceil(64) as usize);
    let own: Vec<Record> = prepared.iter().map(|text| Record::new(text, &rules)).collect();
    (0..).zip(&own).for_each(|(place, record)| records.push(place, record));

    let (mut judge, mut among) = (Judge::new(rules), None);
    let mut found = Vec::new();
    for (left, record) in (0..).zip(own) {
        let among = among.get_or_insert_with(|| Among::new(&records, &rules, record));
        among.query(record, None);
        judge.set_left(&prepared[left as usize].prepared);
        let mut verdict =
            |right: u32, distance| judge.verdict(&prepared[right as usize].prepared, distance);
        let mut push = |right, verdict| found.push(Duplicate { left, right, verdict });
        let later = |right: &u32| *right > left;
        for right in among.equal().into_iter().filter(later) {
            push(right, Verdict::of_equal_texts());
        }
        for Met { number: right, distance, .. } in among.near() {
            if !later(&right) {
                continue;
            }
            let verdict = verdict(right, Some(distance));
            match among.are_in_family(right, false) {
                true => push(right, verdict.of_family(&rules)),
                false => push(right, verdict),
            }
        }
        for right in among.short().iter().map(|met| met.number).filter(later) {
            push(right, verdict(right, None));
        }
    }
    found.retain(|pair| pair.verdict.duplicates);
    found.sort_unstable_by_key(|pair| (pair.left, pair.right));
    found
}

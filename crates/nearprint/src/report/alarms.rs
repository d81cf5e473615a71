//! The alarms of the report, which a person should check first: sources that lost many documents,
//! large clusters, families that resemble one template, many removals near the bound, and removed
//! documents that are longer than their keepers. The page names the limits.

use hashbrown::HashMap;
use serde::Serialize;

use super::census::Counts;
use super::rows::{LONGER, ReportRows, Row};

/// The limits of alarms. Shares are in percent.
#[derive(Debug, Serialize)]
pub(super) struct Limits {
    /// A source is an alarm if it lost more than `lost` percent of its documents and has at least
    /// `few`.
    lost: u64,
    few: u64,
    /// A cluster is an alarm if it has more than `large` documents.
    large: u32,
    /// A cluster is an alarm if it has at least `family` documents and at least `form` percent of
    /// its removed ones are in a family of similar texts.
    family: u32,
    form: u64,
    /// Near removals within `near_bound` of the bound are an alarm if there are at least `many`,
    /// and if they are at least `of_near` percent of all near removals.
    many: u64,
    near_bound: f64,
    of_near: u64,
    /// Removed documents are an alarm if they are at least `longer` percent longer than their
    /// keepers.
    longer: u64,
}

pub(super) const LIMITS: Limits = Limits {
    lost: 50,
    few: 10,
    large: 100,
    family: 10,
    form: 50,
    many: 10,
    near_bound: 0.02,
    of_near: 10,
    longer: LONGER,
};

/// The most alarms of a kind that are shown.
const SHOWN: usize = 10;

/// An alarm. The last two count the near removals close to the bound, and those that are longer
/// than their keepers, among all near removals.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Alarm {
    Source { name: Option<String>, read: u64, removed: u64 },
    Cluster { number: u32, size: u32 },
    Template { number: u32, size: u32, forms: u32 },
    Bound { removed: u64, near: u64 },
    Longer { removed: u64, near: u64 },
}

/// All alarms, the largest of each kind first.
pub(super) fn alarms(
    removed: &ReportRows,
    sizes: &[(u32, u32)],
    counts: &Counts,
    min_similarity: f64,
) -> Vec<Alarm> {
    let lost_much =
        |[read, removed]: [u64; 2]| read >= LIMITS.few && 100 * removed > LIMITS.lost * read;
    let mut sources: Vec<(&Option<String>, [u64; 2])> = counts
        .sources
        .iter()
        .map(|(name, counted)| (name, *counted))
        .filter(|(_, counted)| lost_much(*counted))
        .collect();
    sources.sort_by_key(|(_, counted)| std::cmp::Reverse(counted[1]));
    let sources = sources.into_iter().take(SHOWN);
    let sources =
        sources.map(|(name, [read, removed])| Alarm::Source { name: name.clone(), read, removed });
    let mut forms: HashMap<u32, u32> = HashMap::new();
    let in_family = removed.rows.iter().filter(|row| row.is_in_family());
    in_family.for_each(|row| *forms.entry(row.cluster).or_default() += 1);
    let large = sizes.iter().filter(|(_, size)| *size > LIMITS.large);
    let clusters =
        large.take(SHOWN).map(|(number, size)| Alarm::Cluster { number: *number, size: *size });
    let templates = sizes.iter().filter_map(|(number, size)| {
        let forms = *forms.get(number)?;
        let are_many = 100 * u64::from(forms) >= LIMITS.form * u64::from(*size - 1);
        (*size >= LIMITS.family && are_many).then_some(Alarm::Template {
            number: *number,
            size: *size,
            forms,
        })
    });
    let of_rows = of_rows(removed, min_similarity);
    sources.chain(clusters).chain(templates.take(SHOWN)).chain(of_rows).collect()
}

/// The alarms about near removals.
fn of_rows(removed: &ReportRows, min_similarity: f64) -> impl Iterator<Item = Alarm> {
    let near: Vec<&Row> = removed.rows.iter().filter(|row| row.is_near()).collect();
    // The tolerance makes six decimals exact.
    let is_at_bound = |row: &&&Row| row.similarity <= min_similarity + LIMITS.near_bound + 1e-7;
    let [all, at_bound] =
        [near.len(), near.iter().filter(is_at_bound).count()].map(|count| count as u64);
    let longer = near.iter().filter(|row| row.is_longer()).count() as u64;
    let bound = (at_bound >= LIMITS.many && 100 * at_bound >= LIMITS.of_near * all)
        .then_some(Alarm::Bound { removed: at_bound, near: all });
    let longer = (longer > 0).then_some(Alarm::Longer { removed: longer, near: all });
    bound.into_iter().chain(longer)
}

//! Marks of a person in runs of all kinds.

use super::*;
use crate::error::Error;

/// The documents of a mark by their places among the inputs, or of the reference document and the
/// input, and true for right.
type Mark = ((u32, u32), bool);

/// The rows of a file of marks. Each pair has one mark.
fn file(marks: &[Mark]) -> String {
    let row = |((left, right), verdict): &Mark| {
        let verdict = if *verdict { "right" } else { "wrong" };
        format!("{{\"left\":{left},\"right\":{right},\"verdict\":\"{verdict}\"}}\n")
    };
    marks.iter().map(row).collect()
}

/// Decides with marks; `None` if they contradict each other.
fn decided(
    config: &Config,
    marks: &[Mark],
    against: &[Row],
    rows: &[Row],
    pairs: bool,
) -> Option<(Corpus, Decisions)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marks.jsonl");
    std::fs::write(&path, file(marks)).unwrap();
    let config = config.clone().marks(path);
    let source = |rows: &[Row]| if rows.is_empty() { vec![] } else { vec![source(&config, rows)] };
    let documents =
        Documents::new(source(rows)).against(Documents::new(source(against))).with_pairs(pairs);
    match Deduplicator::new(config.clone()).unwrap().run(documents, &Silent) {
        Err(Error::Incompatible { .. }) => None,
        run => run.map(|run| Some((run.corpus, run.decisions))).unwrap(),
    }
}

/// Removed documents with their keepers and reasons.
fn removed(decisions: &Decisions) -> Vec<(u32, u32, Reason)> {
    decisions.removals.iter().map(|r| (r.document, r.keeper, r.reason)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn wrong_pairs_are_never_removed_for_each_other_and_right_ones_are_in_one_cluster(
        rows in rows(),
        marks in proptest::collection::btree_map((0u32..20, 0u32..20), any::<bool>(), 1..8),
        (same, differ) in fields(),
        guarded in any::<bool>(),
        sides in any::<bool>(),
        longest in any::<bool>(),
        off in any::<bool>(),
        components in any::<bool>(),
        pairs in any::<bool>(),
    ) {
        let config = Config::default()
            .recall_sample(0)
            .min_leak_length(None)
            .threads(1)
            .keep(if longest { Policy::Longest } else { Policy::First })
            .max_distance(if off { MaxDistance::Off } else { MaxDistance::Auto })
            .cluster(if components { Method::Components } else { Method::Star });
        let config = if guarded { config.same(same).differ(differ) } else { config };
        let against = if sides { rows.len() / 3 } else { 0 };
        let has = |rows: &[Row]| rows.is_empty() || rows.iter().any(|(_, values)| values[1] < 2);
        prop_assume!(!guarded || has(&rows[..against]) && has(&rows[against..]));
        // One mark for each pair of ids, since ids are the same on both sides.
        let marks: Vec<Mark> = marks.into_iter().filter(|((left, right), _)| left < right).collect();
        let (references, inputs) = rows.split_at(against);
        let Some((_, decisions)) = decided(&config, &marks, references, inputs, pairs) else {
            return Ok(());
        };
        let keeper = |document: u32| decisions.removal(document).map_or(document, |r| r.keeper);
        for ((left, right), verdict) in &marks {
            // The left one is an input, the right one a reference document, if there are sides.
            let (one, other) = match sides && against > 0 {
                true => (*left + against as u32, *right),
                false => (*left, *right),
            };
            let is_there = one < rows.len() as u32
                && if against > 0 { other < against as u32 } else { other < rows.len() as u32 };
            match verdict {
                _ if !is_there => {}
                false => prop_assert!(keeper(one) != other && keeper(other) != one),
                true if against > 0 => prop_assert!(decisions.removal(one).is_some()),
                true => prop_assert_eq!(keeper(one), keeper(other)),
            }
        }
        for removal in &decisions.removals {
            prop_assert_eq!(keeper(removal.keeper), removal.keeper);
        }
        let backwards: Vec<Mark> = marks.iter().rev().copied().collect();
        let (_, again) = decided(&config, &backwards, references, inputs, !pairs).unwrap();
        prop_assert_eq!(removed(&again), removed(&decisions));
        let (_, without) = decided(&config, &[], references, inputs, pairs).unwrap();
        let (_, plain) = run(&config, references, inputs, pairs);
        prop_assert_eq!(removed(&without), removed(&plain));
    }
}

#[test]
fn a_wrong_mark_sends_a_document_to_its_next_keeper() {
    // Three copies of one text that differ in a word each.
    let rows: Vec<Row> = [0, 1 << 3, 1 << 6].map(|edits| (text(3, edits), [0, 0])).to_vec();
    let config = Config::default().recall_sample(0).keep(Policy::First);
    let (_, plain) = run(&config, &[], &rows, false);
    assert_eq!(removed(&plain), [(1, 0, Reason::Near), (2, 0, Reason::Near)]);
    let wrong = |marks: &[Mark]| removed(&decided(&config, marks, &[], &rows, true).unwrap().1);
    assert_eq!(wrong(&[((0, 2), false)]), [(1, 0, Reason::Near)]);
    assert_eq!(wrong(&[((0, 1), false)]), [(2, 0, Reason::Near)]);
    assert_eq!(wrong(&[((0, 1), false), ((0, 2), false)]), [(2, 1, Reason::Near)]);
}

#[test]
fn a_right_mark_merges_unlike_texts_and_is_their_reason() {
    let rows: Vec<Row> =
        [text(2, 0), text(3, 0), text(3, 1 << 3)].map(|text| (text, [0, 0])).to_vec();
    let config = Config::default().recall_sample(0).keep(Policy::First);
    let (_, decisions) = decided(&config, &[((1, 0), true)], &[], &rows, true).unwrap();
    // The second text is no keeper any more, so the third one stays.
    assert_eq!(removed(&decisions), [(1, 0, Reason::Marked)]);
    assert_eq!((decisions.counts.marked, decisions.counts.removed), (Some(1), 1));
    let pairs: Vec<_> = decisions.all_pairs().map(|pair| pair.unwrap()).collect();
    let marked = pairs.iter().find(|pair| pair.reason == Reason::Marked).unwrap();
    assert_eq!((marked.left, marked.right), (0, 1));
    assert_eq!(decisions.counts.confirmed_pairs as usize, pairs.len());
    let components = config.cluster(Method::Components);
    let (_, decisions) = decided(&components, &[((1, 0), true)], &[], &rows, false).unwrap();
    assert_eq!(decisions.removals.len(), 2);
}

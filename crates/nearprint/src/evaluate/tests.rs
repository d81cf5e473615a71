//! Compares every figure with its definition, pair by pair and document by document, and checks the
//! invariants of all figures.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const NO_INTERVALS: Options = Options { replicates: 0, seed: 0 };

/// All pairs of documents that an answer holds.
fn all_pairs(documents: u32, answer: &Answer) -> BTreeSet<Pair> {
    let pairs =
        (0..documents).flat_map(|left| (left + 1..documents).map(move |right| (left, right)));
    pairs.filter(|(left, right)| answer.holds(*left, *right)).collect()
}

/// For each document all documents that are connected with it.
fn reached(documents: u32, pairs: &BTreeSet<Pair>) -> Vec<BTreeSet<u32>> {
    let mut sets: Vec<BTreeSet<u32>> =
        (0..documents).map(|document| BTreeSet::from([document])).collect();
    for _ in 0..documents {
        for (left, right) in pairs {
            let union = &sets[*left as usize] | &sets[*right as usize];
            (sets[*left as usize], sets[*right as usize]) = (union.clone(), union);
        }
    }
    sets
}

fn partners(document: u32, pairs: &BTreeSet<Pair>) -> BTreeSet<u32> {
    let partner = |(left, right): &Pair| match document {
        _ if document == *left => Some(*right),
        _ if document == *right => Some(*left),
        _ => None,
    };
    pairs.iter().filter_map(partner).collect()
}

fn divided(part: f64, whole: f64) -> Option<f64> {
    (whole != 0.0).then(|| part / whole)
}

/// The counts of found, labeled and common pairs, and the measures, by their definitions.
fn by_definition(
    documents: u32,
    found: &Answer,
    truth: &Answer,
    left_out: &[Pair],
) -> (Vec<u64>, Vec<Option<f64>>) {
    let left_out: BTreeSet<Pair> =
        left_out.iter().map(|(left, right)| (*left.min(right), *left.max(right))).collect();
    let clusters = |answer: &Answer| match &answer.0 {
        answer::Shape::Pairs(_) => reached(documents, &(&all_pairs(documents, answer) - &left_out)),
        answer::Shape::Clusters(_) => reached(documents, &all_pairs(documents, answer)),
    };
    let (in_found, in_truth) = (clusters(found), clusters(truth));
    let (found, truth) =
        (&all_pairs(documents, found) - &left_out, &all_pairs(documents, truth) - &left_out);
    let common = &found & &truth;
    let count = |pairs: &BTreeSet<Pair>| pairs.len() as f64;

    let all = f64::from(documents);
    let share = |of: &[BTreeSet<u32>]| {
        let shares = (0..documents as usize)
            .map(|d| (&in_found[d] & &in_truth[d]).len() as f64 / of[d].len() as f64);
        divided(shares.sum(), all)
    };
    let (precision, recall) = (share(&in_found), share(&in_truth));

    let together = |clusters: &[BTreeSet<u32>]| -> BTreeSet<Pair> {
        let pairs =
            (0..documents).flat_map(|left| (left + 1..documents).map(move |right| (left, right)));
        pairs.filter(|(left, right)| clusters[*left as usize].contains(right)).collect()
    };
    let (a, b) = (together(&in_found), together(&in_truth));
    let expected = divided(count(&a) * count(&b), all * (all - 1.0) / 2.0).unwrap_or(0.0);
    let rand = match documents {
        0 => None,
        _ if a == b => Some(1.0),
        _ => divided(count(&(&a & &b)) - expected, (count(&a) + count(&b)) / 2.0 - expected),
    };
    let agreeing = (0..documents)
        .filter(|document| partners(*document, &found) == partners(*document, &truth))
        .count();
    let counts = [&found, &truth, &common].map(|pairs| pairs.len() as u64).to_vec();
    let measures = vec![
        divided(count(&common), count(&found)),
        divided(count(&common), count(&truth)),
        divided(2.0 * count(&common), count(&found) + count(&truth)),
        precision,
        recall,
        precision.zip(recall).map(|(p, r)| 2.0 * p * r / (p + r)),
        rand,
        divided(agreeing as f64, all),
    ];
    (counts, measures)
}

fn pairs(documents: u32, most: usize) -> impl Strategy<Value = Vec<Pair>> {
    proptest::collection::vec((0..documents, 0..documents), 0..most)
}

fn answer(documents: u32) -> impl Strategy<Value = Answer> {
    let clusters = (1..=documents, 0..=documents as usize)
        .prop_flat_map(|(labels, known)| proptest::collection::vec(0..labels, known))
        .prop_map(Answer::clusters);
    prop_oneof![pairs(documents, 30).prop_map(Answer::pairs), clusters]
}

fn case() -> impl Strategy<Value = (u32, Answer, Answer, Vec<Pair>)> {
    (1u32..16).prop_flat_map(|documents| {
        (Just(documents), answer(documents), answer(documents), pairs(documents, 12))
    })
}

fn values(evaluation: &Evaluation) -> Vec<Option<f64>> {
    MEASURES.iter().map(|name| evaluation.measures[name].value).collect()
}

proptest! {
    #[test]
    fn all_figures_are_those_of_their_definitions((documents, found, truth, left_out) in case()) {
        let evaluation = evaluate(documents, &found, &truth, &left_out, NO_INTERVALS);
        let (counts, measures) = by_definition(documents, &found, &truth, &left_out);
        let ours = &evaluation.counts;
        prop_assert_eq!(vec![ours.found_pairs, ours.labelled_pairs, ours.true_positives], counts);
        for ((name, ours), theirs) in MEASURES.iter().zip(values(&evaluation)).zip(measures) {
            let near = ours.zip(theirs).map(|(ours, theirs)| (ours - theirs).abs() < 1e-9);
            prop_assert!(near.unwrap_or(ours == theirs), "{}: {:?}, not {:?}", name, ours, theirs);
        }
    }

    #[test]
    fn exchanged_answers_exchange_precision_and_recall((documents, found, truth, left_out) in case()) {
        let there = values(&evaluate(documents, &found, &truth, &left_out, NO_INTERVALS));
        let back = values(&evaluate(documents, &truth, &found, &left_out, NO_INTERVALS));
        let exchanged = [1, 0, 2, 4, 3, 5, 6, 7].map(|place| back[place]);
        prop_assert_eq!(there, exchanged);
    }

    #[test]
    fn a_perfect_answer_has_nothing_but_ones((documents, truth, _, left_out) in case()) {
        let evaluation = evaluate(documents, &truth, &truth, &left_out, Options { replicates: 50, seed: 1 });
        for name in MEASURES {
            let Figure { value, low, high } = evaluation.measures[name];
            prop_assert!([value, low, high].iter().all(|figure| figure.is_none_or(|figure| figure == 1.0)), "{}", name);
            prop_assert!(value.is_some() || evaluation.counts.found_pairs == 0, "{}", name);
        }
    }

    #[test]
    fn what_one_answer_lacks_is_listed_whole_or_in_part((documents, found, truth, left_out) in case(), limit in 0usize..40) {
        let out = Answer::pairs(left_out.iter().copied());
        let missing: Vec<Pair> = all_pairs(documents, &truth)
            .into_iter()
            .filter(|(left, right)| !found.holds(*left, *right) && !out.holds(*left, *right))
            .collect();
        let listed = lacking(&truth, &found, &left_out, limit, 5);
        prop_assert_eq!(listed.len(), limit.min(missing.len()));
        prop_assert!(listed.is_sorted() && listed.windows(2).all(|two| two[0] != two[1]));
        prop_assert!(listed.iter().all(|pair| missing.contains(pair)));
        prop_assert_eq!(missing.len() as u64, evaluate(documents, &found, &truth, &left_out, NO_INTERVALS).counts.misses);
    }
}

#[test]
fn nothing_has_no_figures() {
    let evaluation =
        evaluate(0, &Answer::pairs([]), &Answer::clusters([]), &[], Options::default());
    assert!(
        evaluation.measures.values().all(|figure| figure.value.is_none() && figure.low.is_none())
    );
    // With one document and no pairs the clusterings agree, and measures of pairs are absent.
    let evaluation =
        evaluate(1, &Answer::pairs([]), &Answer::clusters([0]), &[], Options::default());
    assert_eq!(evaluation.measures["precision"], Figure { value: None, low: None, high: None });
    assert_eq!(evaluation.measures["adjusted_rand_index"].low, Some(1.0));
}

#[test]
fn other_documents_do_not_count() {
    let (pairs, clusters) = (Answer::pairs([(0, 1), (1, 7)]), Answer::clusters([0, 0, 1, 1, 1]));
    let counts = evaluate(3, &pairs, &clusters, &[(0, 9)], NO_INTERVALS).counts;
    assert_eq!(
        (counts.documents, counts.found_pairs, counts.labelled_pairs, counts.left_out_pairs),
        (3, 1, 1, 0)
    );
}

#[test]
fn a_cluster_of_a_million_is_counted_and_sampled_without_listing_its_pairs() {
    let documents = 1_000_000;
    let found = Answer::clusters((0..documents).map(|document| document % 2));
    let truth = Answer::clusters(std::iter::repeat_n(0, documents as usize));
    let counts =
        evaluate(documents, &found, &truth, &[], Options { replicates: 10, seed: 0 }).counts;
    assert_eq!(
        (counts.labelled_pairs, counts.misses, counts.blocks),
        (499_999_500_000, 250_000_000_000, 1)
    );
    let listed = lacking(&truth, &found, &[(0, 1)], 1000, 3);
    assert!(listed.len() == 1000 && listed.iter().all(|(left, right)| left % 2 != right % 2));
    assert!(lacking(&found, &truth, &[], 1000, 3).is_empty());
}

#[test]
fn intervals_depend_on_the_seed_and_on_nothing_else() {
    let documents = 100_000;
    // A hundred false alarms, a hundred misses, and three hundred pairs that are right.
    let pair = |number: u32| (2 * number, 2 * number + 1);
    let found = Answer::pairs((0..400).map(pair));
    let truth = Answer::pairs((100..500).map(pair));
    let figures = |seed: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            evaluate(documents, &found, &truth, &[], Options { replicates: 400, seed }).measures
        })
    };
    assert_eq!(figures(1, 1), figures(1, 3));
    assert_ne!(figures(1, 1), figures(2, 1));
    let Figure { value, low, high } = figures(1, 2)["precision"];
    assert_eq!(value, Some(0.75));
    // The interval is 1.96 standard errors of a share of 0.75 among 400.
    assert!(
        (low.unwrap() - 0.7076).abs() < 0.01 && (high.unwrap() - 0.7924).abs() < 0.01,
        "{low:?} {high:?}"
    );
}

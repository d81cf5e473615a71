//! The agreement of random clusterings, against figures of scikit-learn and of direct definitions.
//! `data/make_clusterings.py` names the source of each figure.

use nearprint::evaluate::{Answer, MEASURES, Options, evaluate};
use serde_json::Value;

#[test]
fn random_clusterings_have_the_figures_of_scikit_learn() {
    let data: Value = serde_json::from_str(include_str!("data/clusterings.json")).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 60);
    let labels = |list: &Value| -> Vec<u32> {
        list.as_array().unwrap().iter().map(|label| label.as_u64().unwrap() as u32).collect()
    };
    for case in cases {
        let (found, truth) = (labels(&case["found"]), labels(&case["truth"]));
        let documents = found.len() as u32;
        let options = Options { replicates: 0, ..Options::default() };
        let evaluation =
            evaluate(documents, &Answer::clusters(found), &Answer::clusters(truth), &[], options);
        for name in MEASURES {
            let (ours, theirs) = (evaluation.measures[name].value, case["measures"][name].as_f64());
            let agree = match (ours, theirs) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-10,
                (ours, theirs) => ours == theirs,
            };
            assert!(agree, "seed {}, {name}: {ours:?}, not {theirs:?}", case["seed"]);
        }
    }
}

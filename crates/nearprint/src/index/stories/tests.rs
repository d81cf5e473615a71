use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::document::{Document, FieldValue};
use crate::index::{
    Adding, Asked, Filter, IndexOptions, Judged, Mode, Outcome, PairDocument, PairDocuments,
    PairOrder, PairStatus, Question, Ttl,
};
use crate::watch::Silent;

const FERRY: &str = "The night ferry to Cobble Island sails again from Friday. The crew has \
    replaced both engines, painted the railings green and hired a cook who bakes cardamom buns \
    before the first crossing at dawn.";
const AGAIN: &str = "The night ferry to Cobble Island sails again from Friday. The crew has \
    replaced both engines, painted the railings green and hired a cook who bakes cinnamon buns \
    before the first crossing at dawn.";
const LIBRARY: &str = "Our village library lends garden tools now. Spades, shears and a cider \
    press can be borrowed for two weeks with any reader's card, and whoever returns them muddy \
    must sharpen ten pencils as a fine.";

struct Place {
    _folder: tempfile::TempDir,
    index: Index,
}

fn place_with(options: IndexOptions) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen");
    let index = Index::create(&path, &Config::default(), &options).unwrap();
    Place { _folder: folder, index }
}

fn plain() -> Place {
    place_with(IndexOptions::default())
}

fn id(id: &str) -> Id {
    Id::Text(id.to_string())
}

fn document(own: &str, text: &str, fields: &[&str]) -> Document {
    let fields = fields.iter().map(|value| Some(FieldValue::Text(value.to_string()))).collect();
    Document { row: 1, id: id(own), text: text.to_string(), fields }
}

fn offer(index: &mut Index, mode: Mode, own: &str, text: &str) -> (Outcome, Option<u32>) {
    let adding = Adding { mode, top: 5, ..Adding::default() };
    let added = index.offer(vec![document(own, text, &[])], &adding, &Silent).unwrap();
    (added[0].outcome, added[0].story)
}

fn found(index: &mut Index, text: &str) -> Vec<String> {
    let answer = index.query(text, 10, &Silent).unwrap();
    answer.matches.iter().map(|found| found.id.to_string()).collect()
}

fn only_pair(index: &mut Index, status: PairStatus) -> i64 {
    let pairs = index.pairs(status, PairOrder::Newest, None, 10).unwrap();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    pairs[0].pair.pair
}

fn judged(index: &mut Index, pair: i64, status: PairStatus, keeper: Option<&str>) {
    let keeper = keeper.map(id);
    assert_eq!(index.judge_pairs(&[Judged { pair, status, keeper }]).unwrap(), [true]);
    assert_eq!(index.verify(&Silent).unwrap().problems, []);
}

#[test]
fn a_copy_is_kept_and_not_searched() {
    let mut place = plain();
    let index = &mut place.index;
    assert_eq!(offer(index, Mode::Count, "a", FERRY), (Outcome::New, Some(0)));
    assert_eq!(offer(index, Mode::Count, "b", AGAIN), (Outcome::Duplicate, Some(0)));
    // A copy that is offered again, for example after a lost answer, changes nothing.
    assert_eq!(offer(index, Mode::Count, "b", AGAIN), (Outcome::Duplicate, Some(0)));
    assert_eq!(offer(index, Mode::Skip, "c", AGAIN), (Outcome::Duplicate, Some(0)));
    assert_eq!((index.len().unwrap(), found(index, AGAIN)), (1, vec!["a".to_string()]));
    let story = index.story_documents(0, 10).unwrap().unwrap();
    assert_eq!((story.keeper.id, story.copies.len(), story.more), (id("a"), 1, 0));
    let copy = &story.copies[0];
    assert_eq!((&copy.document.id, copy.document.hidden, &copy.keeper), (&id("b"), true, &id("a")));
    assert!(copy.similarity > 0.9 && copy.document.text.contains("cinnamon"));
    assert_eq!(index.story(0).unwrap().unwrap().seen.seen, 2);
    assert!(index.document(&id("b")).unwrap().unwrap().hidden);
    assert!(index.document(&id("c")).unwrap().is_none(), "skip leaves no trace");
}

#[test]
fn the_first_copy_takes_the_place_of_a_removed_keeper() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    offer(index, Mode::Count, "b", AGAIN);
    assert_eq!(index.remove(&[id("a")]).unwrap(), [true]);
    assert_eq!(found(index, FERRY), ["b"]);
    let story = index.story(0).unwrap().unwrap();
    assert_eq!((story.keeper.id, story.seen.seen), (id("b"), 1));
    assert_eq!(offer(index, Mode::Count, "c", FERRY), (Outcome::Duplicate, Some(0)));
    assert_eq!(index.remove(&[id("b"), id("c"), id("c")]).unwrap(), [true, true, false]);
    assert!(index.story(0).unwrap().is_none());
    let last = index.changes(Cursor::default(), 10).unwrap().pop().unwrap();
    assert_eq!((last.number, last.story), (0, None), "the end of a story is a change");
    assert_eq!(index.verify(&Silent).unwrap().problems, []);
}

#[test]
fn a_copy_that_is_no_duplicate_of_the_next_keeper_is_looked_up_again() {
    let whole = format!("{FERRY} {LIBRARY}");
    let words: Vec<&str> = whole.split(' ').collect();
    // Each is a duplicate of the whole, but not of the other one.
    let (left, right) = (words[..48].join(" "), words[21..].join(" "));
    // The keeper is removed, has another text, is exchanged, or is one of another story.
    for way in 0..4 {
        let mut place = plain();
        let index = &mut place.index;
        offer(index, Mode::Count, "a", &whole);
        for (own, text) in [("b", &left), ("c", &right)] {
            assert_eq!(offer(index, Mode::Count, own, text).0, Outcome::Duplicate, "{own}");
        }
        match way {
            0 => assert_eq!(index.remove(&[id("a")]).unwrap(), [true]),
            1 => {
                let other = "The tide table hangs beside the door of the boat house, under glass.";
                assert_eq!(offer(index, Mode::Count, "a", other), (Outcome::Replaced, Some(0)));
                assert_eq!(found(index, other), ["a"]);
            }
            2 => assert!(index.set_keeper(0, &id("b")).unwrap()),
            _ => {
                offer(index, Mode::All, "d", AGAIN);
                assert_eq!(offer(index, Mode::Count, "a", FERRY).0, Outcome::Duplicate);
                assert_eq!(index.document(&id("a")).unwrap().unwrap().text.len(), FERRY.len());
            }
        }
        for (own, text) in [("b", &left), ("c", &right)] {
            assert!(found(index, text).contains(&own.to_string()), "{way}: {own}");
        }
        assert_eq!(index.verify(&Silent).unwrap().problems, []);
    }
}

#[test]
fn an_exchange_there_and_back_leaves_one_pair() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    offer(index, Mode::Count, "b", AGAIN);
    let pair = only_pair(index, PairStatus::Open);
    for own in ["b", "b", "a", "b"] {
        assert!(index.set_keeper(0, &id(own)).unwrap(), "{own}");
        assert_eq!(only_pair(index, PairStatus::Right), pair);
    }
    assert_eq!(index.count_pairs(PairStatus::Open).unwrap(), 0);
    // The verdict is about the two documents, whichever is the copy now.
    judged(index, pair, PairStatus::Wrong, None);
    assert!(!index.document(&id("a")).unwrap().unwrap().hidden);
    assert_eq!(found(index, FERRY).len(), 2);
}

#[test]
fn open_pairs_end_with_their_documents() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    for (own, text) in [("b", AGAIN), ("c", FERRY), ("d", AGAIN)] {
        offer(index, Mode::Count, own, text);
    }
    index.remove(&[id("a"), id("d")]).unwrap();
    let pairs = index.pairs(PairStatus::Open, PairOrder::Oldest, None, 10).unwrap();
    assert_eq!(
        pairs.iter().map(|pair| pair.pair.pair).collect::<Vec<_>>(),
        [2],
        "its number stays"
    );
    let ids = |pair: &PairDocuments| {
        [&pair.left, &pair.right].map(|side| match side {
            PairDocument::There(own) => own.id.to_string(),
            PairDocument::Gone { id } => format!("no {id}"),
        })
    };
    assert_eq!(pairs.iter().map(ids).collect::<Vec<_>>(), [["c", "b"]]);
}

#[test]
fn digits_name_the_integer_and_quotation_marks_the_string() {
    let mut place = plain();
    let index = &mut place.index;
    let integer = Document { id: Id::Integer(42), ..document("", FERRY, &[]) };
    index
        .add(vec![document("42", LIBRARY, &[]), document("7", AGAIN, &[]), integer], false, &Silent)
        .unwrap();
    let named = |name| index.id_named(name).unwrap();
    assert_eq!(["0042", "+42", "042"].map(named), [None, None, None]);
    assert_eq!(named("42"), Some(Id::Integer(42)));
    assert_eq!((named("\"42\""), named("7")), (Some(id("42")), Some(id("7"))));
    assert_eq!(named("8"), None);
}

#[test]
fn a_replaced_document_hides_no_story_that_began_after_it() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "old", FERRY);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let between = now();
    let (_, began) = offer(index, Mode::Count, "new", LIBRARY);
    // The document gets a later number, and keeps the time at which it was added.
    let (outcome, changed) = offer(index, Mode::Count, "old", AGAIN);
    assert_eq!(outcome, Outcome::Replaced);
    let cursor = index.cursor_at(between).unwrap();
    let changes = index.changes(cursor, 10).unwrap();
    let numbers: Vec<_> = changes.iter().map(|change| Some(change.number)).collect();
    assert_eq!(numbers, [began, changed]);
}

#[test]
fn an_update_takes_the_place_of_its_duplicate() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    assert_eq!(offer(index, Mode::Update, "b", AGAIN), (Outcome::Replaced, Some(0)));
    assert_eq!(found(index, FERRY), ["b"]);
    let story = index.story_documents(0, 10).unwrap().unwrap();
    assert_eq!((story.keeper.id, story.copies[0].document.id.clone()), (id("b"), id("a")));
    assert_eq!(offer(index, Mode::Update, "c", LIBRARY), (Outcome::New, Some(2)));
}

#[test]
fn a_wrong_pair_makes_the_copy_a_document_until_it_is_opened_again() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    offer(index, Mode::Count, "b", AGAIN);
    let pair = only_pair(index, PairStatus::Open);
    judged(index, pair, PairStatus::Wrong, None);
    assert_eq!(found(index, AGAIN), ["b", "a"]);
    assert_eq!(only_pair(index, PairStatus::Wrong), pair);
    let own = index.document(&id("b")).unwrap().unwrap();
    assert!(!own.hidden && own.story != 0);
    // The mark counts in every answer about these two documents.
    let asked = Asked { id: Some(&id("b")), ..Asked::text(AGAIN) };
    let mut ids = Vec::new();
    let each = |_, answer: crate::index::Answer| {
        ids.extend(answer.matches.into_iter().map(|found| found.id));
        Ok(())
    };
    index.ask([asked], &Question::default(), &Silent, each).unwrap();
    assert_eq!(ids, [id("b")]);
    offer(index, Mode::Count, "c", AGAIN);
    judged(index, pair, PairStatus::Open, None);
    let story = index.story_documents(0, 10).unwrap().unwrap();
    assert_eq!(story.copies.len(), 2, "its own copy has followed");
    assert!(index.document(&id("b")).unwrap().unwrap().hidden);
}

#[test]
fn a_right_pair_is_one_even_if_another_document_is_more_similar() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    offer(index, Mode::Count, "b", AGAIN);
    let pair = only_pair(index, PairStatus::Open);
    for _ in 0..2 {
        judged(index, pair, PairStatus::Right, Some("b"));
    }
    assert_eq!(found(index, FERRY), ["b"], "the other one is the keeper");
    let story = index.story_documents(0, 10).unwrap().unwrap();
    assert_eq!((story.keeper.id, &story.copies[0].document.id), (id("b"), &id("a")));
    for (pair, keeper) in [(99, None), (pair, Some(id("c")))] {
        let none = Judged { pair, status: PairStatus::Right, keeper };
        assert_eq!(index.judge_pairs(&[none]).unwrap(), [false]);
    }
    // A changed text is another one: nobody has judged it.
    index.add(vec![document("b", LIBRARY, &[])], false, &Silent).unwrap();
    assert_eq!(index.pair(pair).unwrap(), None);
    assert!(["a", "b"].iter().all(|own| !index.document(&id(own)).unwrap().unwrap().hidden));
}

#[test]
fn verdicts_are_counted_and_listed_in_order() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    for (own, text) in [("b", AGAIN), ("c", FERRY), ("d", AGAIN)] {
        offer(index, Mode::Count, own, text);
    }
    let pairs = |index: &mut Index, order, after| {
        let pairs = index.pairs(PairStatus::Open, order, after, 10).unwrap();
        pairs.into_iter().map(|own| own.pair.pair).collect::<Vec<_>>()
    };
    assert_eq!(pairs(index, PairOrder::Newest, None), [3, 2, 1]);
    assert_eq!(pairs(index, PairOrder::Newest, Some(2)), [1]);
    assert_eq!(pairs(index, PairOrder::Oldest, Some(1)), [2, 3]);
    assert_eq!(pairs(index, PairOrder::LeastSimilar, None), [1, 3, 2]);
    assert_eq!(pairs(index, PairOrder::LeastSimilar, Some(1)), [3, 2]);
    judged(index, 2, PairStatus::Later, None);
    let count = |status| index.count_pairs(status).unwrap();
    assert_eq!(PairStatus::ALL.map(count), [2, 0, 0, 1]);
    assert_eq!(index.pair_named([&id("a"), &id("d")]).unwrap(), Some(3));
}

#[test]
fn a_question_is_about_documents_of_a_source_and_a_time() {
    let options = IndexOptions {
        store_fields: vec!["source".into()],
        date_field: Some("day".into()),
        ..IndexOptions::default()
    };
    let mut place = place_with(options);
    let index = &mut place.index;
    let rows =
        [("a", "wire", "2026-11-01"), ("b", "post", "2026-11-08"), ("c", "wire", "2026-11-09")];
    let rows = rows.map(|(own, source, day)| document(own, FERRY, &[source, day]));
    index.add(rows.to_vec(), false, &Silent).unwrap();
    let mut ask = |filter: Filter| {
        let question = Question { filter, ..Question::default() };
        let text = |value: &str| FieldValue::Text(value.to_string());
        let fields = [("day".into(), text("2026-11-02")), ("source".into(), text("wire"))];
        let asked = Asked { fields: &fields, ..Asked::text(FERRY) };
        let mut ids = String::new();
        index.ask([asked], &question, &Silent, |_, answer| {
            ids.extend(answer.matches.iter().map(|found| found.id.to_string()));
            Ok(())
        })?;
        Ok::<_, Error>(ids)
    };
    let wanted = |values: &[&str]| Filter {
        wanted: values.iter().map(|value| value.parse().unwrap()).collect(),
        ..Filter::default()
    };
    assert_eq!(ask(Filter::default()).unwrap(), "abc");
    assert_eq!(ask(wanted(&["source:wire"])).unwrap(), "ac");
    assert_eq!(ask(wanted(&["source:wire", "source:post"])).unwrap(), "abc");
    assert_eq!(ask(wanted(&["source:wire", "day:2026-11-09"])).unwrap(), "c");
    let within = |seconds| Filter { within: Some(Ttl(seconds)), ..Filter::default() };
    assert_eq!(ask(within(6 * 86_400)).unwrap(), "ab", "the bound is inclusive");
    assert_eq!(ask(within(6 * 86_400 - 1)).unwrap(), "a");
    let same = Filter { same: vec!["source".into()], ..Filter::default() };
    assert_eq!(ask(same).unwrap(), "ac");
    let differ = Filter { differ: vec!["source".into()], ..Filter::default() };
    assert_eq!(ask(differ).unwrap(), "b");
    let said = ask(wanted(&["author:me"])).unwrap_err().to_string();
    assert!(said.contains("no field \"author\"") && said.contains("source"), "{said}");
}

#[test]
fn a_reader_that_polls_sees_every_story_that_has_changed() {
    let mut place = plain();
    let index = &mut place.index;
    offer(index, Mode::Count, "a", FERRY);
    offer(index, Mode::Count, "b", LIBRARY);
    let numbers = |changes: &[Change]| changes.iter().map(|own| own.number).collect::<Vec<_>>();
    let all = index.changes(Cursor::default(), 10).unwrap();
    assert_eq!(numbers(&all), [0, 1]);
    let first = index.changes(Cursor::default(), 1).unwrap();
    let cursor = first[0].cursor.to_string().parse().unwrap();
    assert_eq!(numbers(&index.changes(cursor, 10).unwrap()), [1]);
    let cursor = all[1].cursor;
    assert!(index.changes(cursor, 10).unwrap().is_empty());
    offer(index, Mode::Count, "c", AGAIN);
    let changed = index.changes(cursor, 10).unwrap();
    assert_eq!((numbers(&changed), changed[0].story.as_ref().unwrap().seen.seen), (vec![0], 2));
    assert!("1-x".parse::<Cursor>().is_err());
    let again = index.changes(Cursor::default(), 10).unwrap();
    assert_eq!(numbers(&again), [1, 0], "a story that has changed since it began is there once");
    let (latest, earlier) = index.latest_stories(None, 10).unwrap();
    assert_eq!(latest.iter().map(|story| story.story).collect::<Vec<_>>(), [0]);
    assert_eq!(earlier, None);
}

#[test]
fn the_list_of_stories_goes_on_behind_those_that_have_ended() {
    let mut place = plain();
    let index = &mut place.index;
    for own in ["a", "b"] {
        offer(index, Mode::Count, own, FERRY);
    }
    offer(index, Mode::Count, "c", LIBRARY);
    index.remove(&[id("c")]).unwrap();
    // The last change is the end of the story of c.
    let (latest, earlier) = index.latest_stories(None, 1).unwrap();
    assert_eq!((latest.len(), earlier.is_some()), (0, true));
    let (latest, earlier) = index.latest_stories(earlier, 1).unwrap();
    assert_eq!((latest[0].story, earlier.is_some()), (0, true));
    assert_eq!(index.latest_stories(earlier, 1).unwrap(), (Vec::new(), None));
}

#[test]
fn words_of_a_title_find_documents_and_copies() {
    let options = IndexOptions { store_fields: vec!["title".into()], ..IndexOptions::default() };
    let mut place = place_with(options);
    let index = &mut place.index;
    let adding = Adding { mode: Mode::Count, ..Adding::default() };
    let rows = vec![
        document("a1", FERRY, &["Ferry returns"]),
        document("a2", AGAIN, &["Night FERRY sails"]),
        document("b1", LIBRARY, &["石桥"]),
    ];
    index.offer(rows, &adding, &Silent).unwrap();
    let mut search = |words: &str| {
        let found = index.search(words, 10, 100).unwrap();
        let ids = found.documents.iter().map(|own| own.id.to_string()).collect::<Vec<_>>();
        (ids.join(" "), found.searched)
    };
    assert_eq!(search("ferry").0, "a1 a2");
    assert_eq!(search("sails ferry").0, "a2");
    assert_eq!(search("石").0, "b1");
    assert_eq!(search("A").0, "a1 a2");
    assert_eq!(search("nothing"), (String::new(), 3));
}

/// A text of a family of near copies.
fn text(family: u8, version: u8) -> String {
    let base = [FERRY, LIBRARY][usize::from(family % 2)];
    let cooks = ["alder", "birch", "cedar"];
    base.replace("green", cooks[usize::from(version % 3)])
        .replace("cider", cooks[usize::from(version % 3)])
}

#[derive(Debug, Clone)]
enum Step {
    Offer { id: u8, family: u8, version: u8, mode: u8 },
    Remove { id: u8 },
    Judge { pair: u8, status: u8, swap: bool },
    Keeper { id: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u8..12, 0u8..2, 0u8..3, 0u8..4)
            .prop_map(|(id, family, version, mode)| Step::Offer { id, family, version, mode }),
        1 => (0u8..12).prop_map(|id| Step::Remove { id }),
        2 => (1u8..20, 0u8..4, any::<bool>())
            .prop_map(|(pair, status, swap)| Step::Judge { pair, status, swap }),
        1 => (0u8..12).prop_map(|id| Step::Keeper { id }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever happens, nothing is lost: each document is searched or a copy, and each copy has a
    /// story with one keeper, whose duplicate it is.
    #[test]
    fn no_document_is_lost(steps in prop::collection::vec(step(), 1..40)) {
        let mut place = plain();
        let index = &mut place.index;
        let mut kept: BTreeMap<Id, String> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Offer { id, family, version, mode } => {
                    let mode = [Mode::All, Mode::Skip, Mode::Count, Mode::Update][usize::from(mode)];
                    let (own, text) = (id.to_string(), text(family, version));
                    let (outcome, _) = offer(index, mode, &own, &text);
                    let is_new = !kept.contains_key(&Id::Text(own.clone()));
                    let is_kept = match outcome {
                        Outcome::Duplicate => mode != Mode::Skip && (is_new || mode != Mode::All),
                        _ => true,
                    };
                    if is_kept {
                        kept.insert(Id::Text(own), text);
                    }
                }
                Step::Remove { id } => {
                    let id = Id::Text(id.to_string());
                    let removed = index.remove(std::slice::from_ref(&id)).unwrap();
                    prop_assert_eq!(removed[0], kept.remove(&id).is_some());
                }
                Step::Judge { pair, status, swap } => {
                    let status = PairStatus::ALL[usize::from(status)];
                    let pair = i64::from(pair);
                    let known = index.pair(pair).unwrap().filter(|_| swap);
                    let keeper = known.map(|pair| match pair.left {
                        PairDocument::There(own) => own.id,
                        PairDocument::Gone { id } => id,
                    });
                    index.judge_pairs(&[Judged { pair, status, keeper }]).unwrap();
                }
                Step::Keeper { id } => {
                    let id = Id::Text(id.to_string());
                    if let Some(document) = index.document(&id).unwrap() {
                        prop_assert!(index.set_keeper(document.story, &id).unwrap());
                    }
                }
            }
            for id in kept.keys() {
                let own = index.document(id).unwrap();
                let own = own.unwrap_or_else(|| panic!("{id:?} is lost"));
                let story = index.story_documents(own.story, 100).unwrap().unwrap();
                let copies = story.copies.iter().filter(|copy| copy.document.id == *id).count();
                let is_keeper = usize::from(story.keeper.id == *id);
                if own.hidden {
                    let mut ids = Vec::new();
                    let asked = Asked { id: Some(id), ..Asked::text(&own.text) };
                    let question = Question { top: 100, ..Question::default() };
                    index
                        .ask([asked], &question, &Silent, |_, answer| {
                            ids.extend(answer.matches.into_iter().map(|found| found.id));
                            Ok(())
                        })
                        .unwrap();
                    prop_assert!(ids.contains(&story.keeper.id), "{:?} of {:?}", id, ids);
                }
                prop_assert_eq!((copies, is_keeper), (usize::from(own.hidden), usize::from(!own.hidden)));
            }
            let copies = kept.len() as u64 - index.len().unwrap();
            let hidden = kept.keys().filter(|id| index.document(id).unwrap().unwrap().hidden);
            prop_assert_eq!(hidden.count() as u64, copies);
        }
        prop_assert_eq!(index.verify(&Silent).unwrap().problems, []);
    }
}

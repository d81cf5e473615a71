//! Processes that change an index are killed at random moments. Reported changes stay, a
//! transaction is complete or absent, and the next process finds no problem.

use std::collections::BTreeMap;
use std::fs::File;
use std::time::{Duration, Instant};

use super::{
    Random, answers, create, documents, exported, first_match, rounds, tell, text, verify,
};
use crate::common::{self, Place, row};

/// Documents per transaction of `index add`.
const BATCH: usize = 1000;

/// Rounds that see each verb killed before and after each of its steps.
const MANY: usize = 100;

/// The actions on an index, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    AddIfNew,
    Replace,
    Remove,
    Compact,
}

const KINDS: [Kind; 4] = [Kind::AddIfNew, Kind::Replace, Kind::Remove, Kind::Compact];

/// Documents by their ids.
type Documents = BTreeMap<String, String>;

/// A change: an id, and its new text.
type Change = (String, Option<String>);

/// The index as it should be.
struct Model {
    documents: Documents,
    /// Ids that were removed and not added again.
    removed: Vec<String>,
    /// Documents that were offered as new, without an answer.
    untold: Vec<Change>,
    next: u64,
    random: Random,
}

impl Model {
    /// This number of existing documents, each once.
    fn some(&mut self, count: usize) -> Vec<String> {
        let mut ids: Vec<String> = self.documents.keys().cloned().collect();
        for place in 0..count.min(ids.len()) {
            let other = place + self.random.below(ids.len() - place);
            ids.swap(place, other);
        }
        ids.truncate(count);
        ids
    }

    fn new_text(&mut self) -> String {
        self.next += 1;
        text(self.next)
    }

    /// The action of a round.
    fn changes(&mut self, kind: Kind) -> Vec<Change> {
        match kind {
            Kind::AddIfNew => {
                let mut changes = std::mem::take(&mut self.untold);
                for _ in 0..2_500 {
                    let text = self.new_text();
                    changes.push((format!("doc-{}", self.next), Some(text)));
                }
                changes
            }
            Kind::Replace => {
                self.some(1_500).into_iter().map(|id| (id, Some(self.new_text()))).collect()
            }
            Kind::Remove => self.some(1_200).into_iter().map(|id| (id, None)).collect(),
            Kind::Compact => Vec::new(),
        }
    }

    /// Requires that the index has the changes of the first transactions, including all reported
    /// ones, and adopts its state.
    fn follow(
        &mut self,
        found: Documents,
        changes: &[Change],
        batch: usize,
        told: usize,
        round: &str,
    ) {
        let mut expected = self.documents.clone();
        let mut done = 0;
        for part in changes.chunks(batch) {
            let is_there = part.iter().all(|(id, text)| found.get(id) == text.as_ref());
            if !is_there {
                break;
            }
            done += part.len();
            for (id, text) in part {
                match text {
                    Some(text) => drop(expected.insert(id.clone(), text.clone())),
                    None => drop(expected.remove(id)),
                }
            }
        }
        assert!(done >= told, "{round}: {told} changes were told, and {done} are there");
        let differs =
            expected.iter().find(|(id, text)| found.get(*id) != Some(text)).map(|(id, _)| id);
        let differs = differs.or(found.keys().find(|id| !expected.contains_key(*id)));
        assert!(
            differs.is_none(),
            "{round}: after {done} of {} changes, {differs:?} is another",
            changes.len()
        );
        self.removed.extend(
            changes[..done].iter().filter(|(_, text)| text.is_none()).map(|(id, _)| id.clone()),
        );
        self.documents = expected;
    }
}

/// Runs the verb of a round and kills it after a while. Returns its duration if it ended before,
/// and the answers that it wrote.
fn run(
    place: &Place,
    kind: Kind,
    changes: &[Change],
    kill_after: Option<Duration>,
) -> (Option<Duration>, String) {
    let offered =
        || changes.iter().map(|(id, text)| row(id, text.as_ref().unwrap())).collect::<String>();
    let arguments: &[&str] = match kind {
        Kind::AddIfNew => &["index", "add", "seen", "offered.jsonl", "--if-new", "--quiet"],
        Kind::Replace => &["index", "add", "seen", "offered.jsonl", "--quiet"],
        Kind::Remove => &["index", "remove", "seen", "-", "--quiet"],
        Kind::Compact => &["index", "compact", "seen"],
    };
    match kind {
        Kind::AddIfNew | Kind::Replace => place.write("offered.jsonl", offered()),
        _ => place
            .write("ids.txt", changes.iter().map(|(id, _)| format!("{id}\n")).collect::<String>()),
    }
    let mut command = place.command(arguments);
    command.stdout(File::create(place.path("told.jsonl")).unwrap());
    if kind == Kind::Remove {
        command.stdin(File::open(place.path("ids.txt")).unwrap());
    }
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    if let Some(time) = kill_after {
        std::thread::sleep(time);
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let ended = output.status.code().map(|code| {
        assert_eq!(code, 0, "{kind:?}: {}", String::from_utf8_lossy(&output.stderr));
        begun.elapsed()
    });
    (ended, place.text("told.jsonl"))
}

/// Existing documents are found by their texts, removed ones are not.
fn ask(place: &Place, model: &mut Model, round: &str) {
    let known = model.some(40);
    if known.is_empty() {
        return;
    }
    place.write(
        "ask.jsonl",
        known.iter().map(|id| row(id, &model.documents[id])).collect::<String>(),
    );
    for (answer, id) in answers(place, "seen", "ask.jsonl").iter().zip(&known) {
        assert_eq!(first_match(answer), Some(id.as_str()), "{round}");
    }
}

#[test]
fn an_index_whose_writers_are_killed_at_any_moment_has_all_that_they_told() {
    let rounds = rounds();
    let place = Place::new();
    place.run(&["index", "create", "seen", "--quiet"]).succeeds();
    let random = Random(2_026);
    let mut model = Model {
        documents: Documents::new(),
        removed: Vec::new(),
        untold: Vec::new(),
        next: 0,
        random,
    };
    let mut times: BTreeMap<Kind, Duration> = BTreeMap::new();
    let mut killed: BTreeMap<Kind, usize> = BTreeMap::new();
    let (mut halfway, mut files_seen) = (0, std::collections::BTreeSet::new());
    // One undisturbed run measures the duration of each verb.
    for number in 0..KINDS.len() + rounds {
        let kind = KINDS[number % KINDS.len()];
        let round = format!("round {number}, {kind:?}");
        let changes = model.changes(kind);
        let kill_after = times.get(&kind).map(|time| time.mul_f64(1.1 * model.random.part()));
        let (ended, told) = run(&place, kind, &changes, kill_after);
        if let Some(time) = ended {
            times.insert(kind, time);
        } else {
            *killed.entry(kind).or_default() += 1;
        }
        // Standard output is flushed after a transaction; the last line of a killed process may be
        // cut.
        let told = common::rows(&told[..told.rfind('\n').map_or(0, |end| end + 1)]);
        for (answer, (id, text)) in told.iter().zip(&changes) {
            let known = model.documents.get(id) == text.as_ref();
            assert!(answer["id"] == *id && answer["new"] == !known, "{round}: {answer}");
            assert!(!known || answer["outcome"] == "unchanged", "{round}: {answer}");
        }
        let is_told = if ended.is_some() { changes.len() } else { told.len() };
        if kind == Kind::AddIfNew {
            assert!(ended.is_none() || told.len() == changes.len(), "{round}");
            model.untold = changes[is_told..].to_vec();
        }
        verify(&place, "seen");
        let batch = if kind == Kind::Remove { changes.len().max(1) } else { BATCH };
        let found = exported(&place, "seen");
        halfway += usize::from(ended.is_none() && found != model.documents);
        model.follow(found, &changes, batch, is_told, &round);
        ask(&place, &mut model, &round);
        files_seen.extend(common::names(&place.path("seen/tables")));
    }
    let stopped: usize = killed.values().sum();
    let (documents, files) = (model.documents.len(), files_seen.len());
    tell(&format!(
        "{rounds} rounds: killed {killed:?}, {halfway} after a change was made; {documents} \
         documents, {files} files of tables"
    ));
    // The progress of a killed writer depends on the machine; only many rounds reach every step.
    let has_merged = files_seen.iter().any(|name| !name.starts_with("0-4096-"));
    let has_seen_all = stopped * 2 > rounds && files_seen.len() > 2 && has_merged;
    assert!(stopped > 0 && (has_seen_all || rounds < MANY), "{killed:?}, {files_seen:?}");
    // Documents that were removed and not added again stay absent.
    model.removed.retain(|id| !model.documents.contains_key(id));
    let found = exported(&place, "seen");
    assert!(model.removed.iter().all(|id| !found.contains_key(id)) && !model.removed.is_empty());
    // A last change removes the leftovers of killed ones.
    place.run(&["index", "compact", "seen"]).succeeds();
    let info = place.run(&["index", "info", "seen", "--json"]).succeeds().json();
    assert_eq!(info["files"], common::names(&place.path("seen/tables")).len());
    let names = common::names(&place.path("seen"));
    let known = ["documents.sqlite", "generation", "generation.part", "lock", "next", "tables"];
    assert!(names.iter().all(|name| known.contains(&name.as_str())), "{names:?}");
}

#[test]
fn an_index_whose_making_was_killed_is_whole_or_refused() {
    let place = Place::with("input.jsonl", documents("doc", 0..3_000));
    let begun = Instant::now();
    create(&place, "seen", "input.jsonl");
    let time = begun.elapsed();
    let mut random = Random(2_027);
    let mut refused = 0;
    for round in 0..rounds() / 2 {
        // Most of the time is spent on adding.
        let part = random.part();
        std::fs::remove_dir_all(place.path("seen")).unwrap();
        let mut child =
            place.command(&["index", "create", "seen", "input.jsonl", "--quiet"]).spawn().unwrap();
        std::thread::sleep(time.mul_f64(part * part));
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::create_dir_all(place.path("seen")).unwrap();
        let query = place.run(&["index", "query", "seen", "input.jsonl", "--quiet"]);
        if query.code == Some(0) {
            verify(&place, "seen");
            let there = exported(&place, "seen").len();
            assert!(there.is_multiple_of(BATCH), "round {round}: {there}");
        } else {
            query.ends_with_code(1).says(&["nearprint: seen", "nearprint index create"]);
            refused += 1;
        }
    }
    tell(&format!("{refused} of {} were not there yet", rounds() / 2));
}

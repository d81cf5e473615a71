//! The data of a report, as its page reads them.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use nearprint_core::compare::Measure;
use nearprint_core::normalize::Normalizer;
use nearprint_core::signs::HIDDEN;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Material;
use super::alarms::{Alarm, LIMITS, Limits, alarms};
use super::census::Census;
use super::choose::{Chosen, Orders};
use super::clusters::{Cluster, clusters};
use super::plots::{Across, Lengths, Similarities, Sizes};
use super::rows::{Line, ReportRows};
use super::texts::{Room, Shown, basis, is_false};
use crate::corpus::text_hash;
use crate::error::Error;

/// The number of sources in the table.
const SOURCES: usize = 50;

/// The data of the page. Lists with thousands of entries have short names.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    name: &'a str,
    folder: Option<&'a str>,
    summary: &'a Value,
    files: Vec<String>,
    /// The files that have changed since the run.
    changed: &'a [String],
    sources: Sources<'a>,
    alarms: Vec<Alarm>,
    limits: &'static Limits,
    similarities: Similarities,
    sizes: Sizes,
    lengths: Option<Lengths>,
    across: Across,
    /// The number of documents that other bounds would remove, as in the summary.
    bounds: &'a Value,
    text: Option<Bytes>,
    /// Each document by its id in JSON, the number of its file, its row, its length in characters,
    /// and the hash of its text for marks, if the text is known.
    documents: Vec<(String, usize, u64, u32, Option<String>)>,
    /// The clusters of removed documents that have pairs here.
    clusters: Vec<Cluster>,
    /// The clusters to browse, by their places in `clusters`.
    orders: Orders<usize>,
    pairs: Vec<Pair>,
    marks: Marks,
    /// The first and the last character of each range of characters that are shown by their codes.
    hidden: &'static [[char; 2]],
}

/// The numbers of marks for a proposal of a bound.
#[derive(Serialize)]
struct Marks {
    /// The least number of marks for a proposal.
    least: u64,
    /// The number of pairs that were compared in the run, including those that the page does not
    /// hold.
    all: u64,
}

/// Documents read and removed by source, the source with the most removed ones first.
#[derive(Serialize)]
struct Sources<'a> {
    by: Option<&'a str>,
    rows: Vec<(&'a Option<String>, u64, u64)>,
    /// The sources that are not shown: their number, and their documents read and removed.
    more: Option<[u64; 3]>,
}

/// The number of bytes of texts.
#[derive(Serialize)]
struct Bytes {
    all: u64,
    removed: u64,
}

/// A removed document and its keeper, or two documents just below the bound.
#[derive(Serialize)]
struct Pair {
    d: usize,
    k: usize,
    s: f64,
    t: Option<u32>,
    r: &'static str,
    l: Option<f64>,
    f: Option<f64>,
    p: Option<[u32; 2]>,
    v: Option<Shown>,
    /// True if the removed document is much longer than its keeper.
    #[serde(skip_serializing_if = "is_false")]
    o: bool,
}

impl<'a> Data<'a> {
    pub fn new(
        material: &'a Material<'_>,
        removed: &ReportRows,
        missed: &ReportRows,
        chosen: &Chosen,
        census: &'a Census,
    ) -> Result<Data<'a>, Error> {
        let mut pairs = Pairs::of(material, census, chosen.removed.len() + chosen.missed.len());
        let mut of_cluster: BTreeMap<u32, Vec<(f64, usize)>> = BTreeMap::new();
        removed.lines(&chosen.removed, |_, line| {
            of_cluster.entry(line.cluster).or_default().push((line.similarity, pairs.pairs.len()));
            pairs.add(line);
            Ok(())
        })?;
        missed.lines(&chosen.missed, |_, line| {
            pairs.add(line);
            Ok(())
        })?;
        let Pairs { files, documents, pairs, .. } = pairs;
        let clusters = clusters(removed, chosen, census, of_cluster, |pair| pairs[pair].k);
        let at: HashMap<u32, usize> =
            clusters.iter().enumerate().map(|(at, cluster)| (cluster.n, at)).collect();
        let is_sample = material.summary["bounds"]["estimated"] == true;
        let min_similarity = material.summary["settings"]["min-similarity"].as_f64().unwrap_or(0.0);
        let [all, gone] = census.bytes;
        let compared = removed.rows.iter().filter(|row| row.reason.has_bound());
        Ok(Data {
            name: &material.title,
            folder: material.named.as_deref(),
            summary: &material.summary,
            changed: &material.changed,
            sources: Sources::new(material.source_field.as_deref(), census),
            alarms: alarms(removed, chosen, census, min_similarity),
            limits: &LIMITS,
            similarities: Similarities::new(removed, missed, is_sample),
            sizes: Sizes::new(chosen),
            lengths: Lengths::new(census),
            across: Across::new(census),
            bounds: &material.summary["bounds"],
            text: (all > 0).then_some(Bytes { all, removed: gone }),
            orders: chosen.orders.map(|number| at[number]),
            clusters,
            files,
            documents,
            pairs,
            hidden: HIDDEN,
            marks: Marks {
                least: material.least_marks,
                all: (compared.count() + missed.rows.len()) as u64,
            },
        })
    }
}

impl<'a> Sources<'a> {
    fn new(by: Option<&'a str>, census: &'a Census) -> Sources<'a> {
        let mut rows: Vec<_> =
            census.sources.iter().map(|(name, [read, removed])| (name, *read, *removed)).collect();
        rows.sort_by_key(|(_, read, removed)| std::cmp::Reverse((*removed, *read)));
        let rest = rows.split_off(rows.len().min(SOURCES));
        let more = [
            rest.len() as u64,
            rest.iter().map(|row| row.1).sum(),
            rest.iter().map(|row| row.2).sum(),
        ];
        Sources { by, rows, more: (!rest.is_empty()).then_some(more) }
    }
}

/// A builder of the pairs and their documents.
struct Pairs<'a> {
    census: &'a Census,
    normalizer: &'a Normalizer,
    measure: Measure,
    room: Room,
    files: Vec<String>,
    numbers: HashMap<(String, u64), usize>,
    documents: Vec<(String, usize, u64, u32, Option<String>)>,
    pairs: Vec<Pair>,
}

impl<'a> Pairs<'a> {
    fn of(material: &'a Material<'_>, census: &'a Census, pairs: usize) -> Pairs<'a> {
        Pairs {
            census,
            normalizer: material.normalizer,
            measure: material.measure,
            room: Room::of(pairs),
            files: Vec::new(),
            numbers: HashMap::new(),
            documents: Vec::new(),
            pairs: Vec::new(),
        }
    }

    fn add(&mut self, line: Line<'_>) {
        // A text of another length shows that the file has changed since the run.
        let text = |file: &str, row: u64, length: u32| {
            let text = self.census.texts.get(&(file.to_string(), row));
            text.filter(|text| text.chars().count() == length as usize)
        };
        let own = text(&line.file, line.row, line.length);
        let keeper = text(&line.keeper_file, line.keeper_row, line.keeper_length);
        let texts = own.zip(keeper);
        let basis = basis(line.reason, line.distance, self.measure);
        let o = line.is_longer();
        let shown =
            texts.map(|(own, keeper)| self.room.take([own, keeper], self.normalizer, basis));
        let [own, keeper] =
            [own, keeper].map(|text| text.map(|text| format!("{:016x}", text_hash(text))));
        let d = self.document(line.id, &line.file, line.row, line.length, own);
        let (file, row) = (&line.keeper_file, line.keeper_row);
        let k = self.document(line.keeper, file, row, line.keeper_length, keeper);
        self.pairs.push(Pair {
            d,
            k,
            s: line.similarity,
            t: line.distance,
            r: if line.is_missed() {
                "missed"
            } else {
                line.reason.map_or("near", |reason| reason.name())
            },
            l: line.lost,
            f: line.share,
            p: line.first.zip(line.last).map(|(first, last)| [first, last]),
            v: shown,
            o,
        });
    }

    /// The number of a document.
    fn document(
        &mut self,
        id: &RawValue,
        file: &str,
        row: u64,
        length: u32,
        text: Option<String>,
    ) -> usize {
        let number = self.files.iter().position(|own| own == file).unwrap_or_else(|| {
            self.files.push(file.to_string());
            self.files.len() - 1
        });
        let documents = &mut self.documents;
        *self.numbers.entry((file.to_string(), row)).or_insert_with(|| {
            documents.push((id.get().to_string(), number, row, length, text));
            documents.len() - 1
        })
    }
}

//! Requests, answers and the index in numbers -> the text that Prometheus reads.
//!
//! A label has few values: calls of this program, statuses, and words of the library.

use std::borrow::Cow;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use nearprint::Reason;
use nearprint::index::{Info, Recall};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::series::Series;

/// The calls whose times the series show: those that ask about texts.
const ASKING: [&str; 2] = ["POST /v1/check", "POST /v1/documents"];

/// The names of some labels with their values.
type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// The numbers of a service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels<2>, Counter>,
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    checked: Family<Labels<1>, Counter>,
    added: Family<Labels<1>, Counter>,
    answers: Family<Labels<1>, Counter>,
    problems: Family<Labels<1>, Counter>,
    /// The requests that are being answered.
    pub in_flight: Gauge,
    /// The requests that wait for a change of the index.
    pub waiting: Gauge,
    documents: Family<Labels<1>, Gauge>,
    files: Family<Labels<2>, Gauge>,
    recall: Family<Labels<1>, Gauge<f64, AtomicU64>>,
    recall_pairs: Family<Labels<1>, Gauge>,
    memory: Gauge,
    /// The last day.
    pub series: Series,
}

impl Metrics {
    /// Numbers of a service that has answered nothing yet.
    pub fn new() -> Metrics {
        // From 0.1 ms to 52 s, each twice the one before.
        let buckets = || Histogram::new(exponential_buckets(0.0001, 2.0, 20));
        let mut metrics = Metrics {
            registry: Registry::with_prefix("nearprint"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(buckets),
            checked: Family::default(),
            added: Family::default(),
            answers: Family::default(),
            problems: Family::default(),
            in_flight: Gauge::default(),
            waiting: Gauge::default(),
            documents: Family::default(),
            files: Family::default(),
            recall: Family::default(),
            recall_pairs: Family::default(),
            memory: Gauge::default(),
            series: Series::default(),
        };
        metrics.register();
        metrics
    }

    /// Gives each number its name and its words.
    fn register(&mut self) {
        let own = &mut self.registry;
        own.register("requests", "Requests answered", self.requests.clone());
        let seconds =
            "Time from a body that has been read to its answer; of a stream, that of each part";
        own.register_with_unit("request", seconds, Unit::Seconds, self.seconds.clone());
        own.register("rows_checked", "Rows and texts checked", self.checked.clone());
        own.register("rows_added", "Rows sent to be added", self.added.clone());
        let reasons = "Rows with a duplicate, by the reason of the best one";
        own.register("answers", reasons, self.answers.clone());
        let problems = "Requests refused or failed, by the type of the problem";
        own.register("problems", problems, self.problems.clone());
        own.register("requests_in_flight", "Requests being answered", self.in_flight.clone());
        let waiting = "Requests that wait for a change of the index";
        own.register("writer_queue", waiting, self.waiting.clone());
        own.register("documents", "Documents of the index", self.documents.clone());
        let files = "Bytes of the files of the index";
        own.register_with_unit("index", files, Unit::Bytes, self.files.clone());
        let recall = "Measured share of the duplicates that the search finds";
        own.register("recall", recall, self.recall.clone());
        let pairs = "Pairs by which the recall was measured";
        own.register("recall_pairs", pairs, self.recall_pairs.clone());
        let memory = "Memory of the process";
        own.register_with_unit("process_resident_memory", memory, Unit::Bytes, self.memory.clone());
    }

    /// All numbers in the text format of OpenMetrics.
    pub fn text(&self) -> String {
        if let Some(used) = memory_stats::memory_stats() {
            self.memory.set(signed(used.physical_mem as u64));
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// A request was answered.
    pub fn answered(&self, call: &str, status: u16) {
        let call = call.to_string().into();
        self.requests.get_or_create(&[("call", call), ("status", status.to_string().into())]).inc();
    }

    /// A request was answered this long after its body was read.
    pub fn took(&self, call: &str, time: Duration) {
        self.seconds
            .get_or_create(&[("call", call.to_string().into())])
            .observe(time.as_secs_f64());
        if ASKING.contains(&call) {
            self.series.took(time);
        }
    }

    /// A request was refused, or failed.
    pub fn problem(&self, kind: &'static str) {
        self.problems.get_or_create(&[("kind", kind.into())]).inc();
    }

    /// A row was checked; the reason of its best duplicate, if it has one.
    pub fn row_checked(&self, best: Option<Reason>) {
        let outcome = if best.is_some() { "known" } else { "unknown" };
        self.checked.get_or_create(&[("outcome", outcome.into())]).inc();
        self.asked(best);
    }

    /// A row could not be checked.
    pub fn row_not_checked(&self) {
        self.checked.get_or_create(&[("outcome", "error".into())]).inc();
    }

    /// A row to add has an outcome; the reason of its best duplicate, if it has one.
    pub fn row_added(&self, outcome: &'static str, best: Option<Reason>) {
        self.added.get_or_create(&[("outcome", outcome.into())]).inc();
        self.asked(best);
    }

    /// A row could not be added.
    pub fn row_not_added(&self) {
        self.added.get_or_create(&[("outcome", "error".into())]).inc();
    }

    /// A row was looked for.
    fn asked(&self, best: Option<Reason>) {
        if let Some(reason) = best {
            self.answers.get_or_create(&[("reason", reason.name().into())]).inc();
        }
        self.series.asked(best.is_some());
    }

    /// The index of a collection was described.
    pub fn describe(&self, collection: &str, info: &Info) {
        let own = [("collection", Cow::from(collection.to_string()))];
        self.documents.get_or_create(&own).set(signed(info.documents));
        for (part, bytes) in [("store", info.store_bytes), ("tables", info.table_bytes)] {
            self.files.get_or_create(&[own[0].clone(), ("part", part.into())]).set(signed(bytes));
        }
        if let Some(Recall { pairs: pairs @ 1.., found, .. }) = info.recall {
            self.recall_pairs.get_or_create(&own).set(signed(pairs));
            self.recall.get_or_create(&own).set(found as f64 / pairs as f64);
        }
    }
}

/// A number as gauges have them.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

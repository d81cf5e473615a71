//! Numbers of each minute of the last day, for small plots.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::lock::lock;

/// The minutes of a day.
const MINUTES: usize = 24 * 60;

/// The longest time that is told apart, in microseconds.
const LONGEST: u64 = 3_600_000_000;

/// The numbers of the last minutes.
pub(crate) struct Series(Mutex<Minutes>);

/// The minutes that are over, and the numbers of the one that has begun.
struct Minutes {
    past: VecDeque<Minute>,
    questions: u64,
    hits: u64,
    microseconds: Histogram<u32>,
}

/// A minute that is over.
struct Minute {
    end: SystemTime,
    documents: u64,
    questions: u64,
    hits: u64,
    p99_ms: Option<f64>,
}

/// The series as an answer: columns with a number for each minute, the oldest first.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Columns {
    /// The end of the last minute, in UTC; `None` in the first minute of the service.
    end: Option<String>,
    /// The seconds between two numbers.
    step: u32,
    /// The documents of the index at the end of the minute.
    documents: Vec<u64>,
    /// The rows that were looked for among the documents.
    questions: Vec<u64>,
    /// The questions with a duplicate.
    hits: Vec<u64>,
    /// The milliseconds within which 99 of 100 questions were answered.
    p99_ms: Vec<Option<f64>>,
}

impl Default for Series {
    fn default() -> Series {
        let microseconds = Histogram::new_with_max(LONGEST, 2).expect("the bounds are valid");
        let past = VecDeque::new();
        Series(Mutex::new(Minutes { past, questions: 0, hits: 0, microseconds }))
    }
}

impl Series {
    /// A row was looked for, and `hit` is true if it has a duplicate.
    pub fn asked(&self, hit: bool) {
        let mut now = lock(&self.0);
        now.questions += 1;
        now.hits += u64::from(hit);
    }

    /// Questions were answered after this time.
    pub fn took(&self, time: Duration) {
        let microseconds = u64::try_from(time.as_micros()).unwrap_or(LONGEST);
        lock(&self.0).microseconds.saturating_record(microseconds);
    }

    /// Ends the minute. The index has so many documents.
    pub fn end_minute(&self, documents: u64) {
        let mut now = lock(&self.0);
        let p99 = match now.microseconds.is_empty() {
            true => None,
            false => Some(now.microseconds.value_at_quantile(0.99) as f64 / 1000.0),
        };
        let minute = Minute {
            end: SystemTime::now(),
            documents,
            questions: std::mem::take(&mut now.questions),
            hits: std::mem::take(&mut now.hits),
            p99_ms: p99,
        };
        now.microseconds.reset();
        if now.past.len() == MINUTES {
            now.past.pop_front();
        }
        now.past.push_back(minute);
    }

    /// The minutes that are over.
    pub fn columns(&self) -> Columns {
        let minutes = lock(&self.0);
        let past = &minutes.past;
        let in_words = |minute: &Minute| {
            DateTime::<Utc>::from(minute.end).to_rfc3339_opts(SecondsFormat::Secs, true)
        };
        Columns {
            end: past.back().map(in_words),
            step: 60,
            documents: past.iter().map(|minute| minute.documents).collect(),
            questions: past.iter().map(|minute| minute.questions).collect(),
            hits: past.iter().map(|minute| minute.hits).collect(),
            p99_ms: past.iter().map(|minute| minute.p99_ms).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_its_own_numbers() {
        let series = Series::default();
        assert_eq!(series.columns(), Columns { step: 60, ..Columns::default() });
        for number in 0..200 {
            series.asked(number < 50);
            series.took(Duration::from_millis(if number < 197 { 2 } else { 400 }));
        }
        series.end_minute(7);
        series.took(Duration::MAX);
        series.end_minute(8);
        series.end_minute(9);
        let columns = series.columns();
        assert!(columns.end.unwrap().ends_with('Z'));
        assert_eq!(columns.documents, [7, 8, 9]);
        assert_eq!((columns.questions, columns.hits), (vec![200, 0, 0], vec![50, 0, 0]));
        let [Some(slow), Some(slowest), None] = columns.p99_ms[..] else { panic!() };
        assert!((390.0..410.0).contains(&slow), "{slow}");
        assert!(slowest > 3e6, "{slowest}");
    }

    #[test]
    fn no_more_than_a_day_is_kept() {
        let series = Series::default();
        (0..2000).for_each(|documents| series.end_minute(documents));
        let documents = series.columns().documents;
        assert_eq!((documents.len(), documents[0], documents[1439]), (1440, 560, 1999));
    }
}

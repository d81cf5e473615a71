//! The files and rows that were left out of an input -> the loss in numbers and in words, and its
//! check against `max-rejected`.
//!
//! A file of which no row is used is left out whole. A file that is damaged somewhere is cut: the
//! number of rows behind the damage is unknown. Only a bound that allows everything allows these
//! two, since the bound counts rows. A text file that is one document is a row.

use serde::{Deserialize, Serialize};

use super::names::{file_in_words, some_of};
use super::{Error, MaxRejected, Rejection};
use crate::message;
use crate::message::{Message, Setting, Value};

/// The files and rows of the input that were left out, and the number of rows of each file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejections {
    /// The files and rows that were left out, in the order of the input.
    pub all: Vec<Rejection>,
    /// The files that were begun, in order.
    files: Vec<Tally>,
}

/// The rows of a file, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    file: String,
    /// True for a file of rows, false for a file that is one document and for rows in memory.
    has_rows: bool,
    /// The number of rows that were used.
    used: u64,
    /// The number of rows that were left out one by one, with those that a missing quote joined.
    rejected: u64,
    /// The number of rows that were left out one by one. Rows that a missing quote joined are one.
    listed: u64,
    /// The number of the other rows.
    unread: Unread,
    /// The place of the first rejection of the file among all of them.
    first: Option<usize>,
}

/// The number of rows of a file that were not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Unread {
    /// The file was read to its end.
    None,
    Known(u64),
    Unknown,
}

impl Tally {
    fn is_whole(&self) -> bool {
        let lacks_rows = self.unread != Unread::None;
        self.used == 0 && (lacks_rows || self.has_rows && self.rejected > 0)
    }

    fn is_cut(&self) -> bool {
        self.used > 0 && self.unread != Unread::None
    }

    /// The number of all rows, if it is known.
    fn rows(&self) -> Option<u64> {
        match self.unread {
            Unread::None => Some(self.used + self.rejected),
            Unread::Known(rows) => Some(self.used + self.rejected + rows),
            Unread::Unknown => None,
        }
    }
}

impl Rejections {
    /// Begins the next file. `has_rows` is false for a file that is one document, and for rows in
    /// memory.
    pub(crate) fn begin(&mut self, file: &str, has_rows: bool) {
        let (file, unread) = (file.to_string(), Unread::None);
        self.files.push(Tally {
            file,
            has_rows,
            used: 0,
            rejected: 0,
            listed: 0,
            unread,
            first: None,
        });
    }

    /// Counts a used row of a file, which is named by its place among the files.
    pub(crate) fn use_row(&mut self, file: usize) {
        self.files[file].used += 1;
    }

    /// Adds a rejection of a file. If it concerns the whole file, `unread` is the number of the
    /// rows that were not read, if it is known.
    pub(crate) fn reject(&mut self, file: usize, rejection: Rejection, unread: Option<u64>) {
        let tally = &mut self.files[file];
        tally.first.get_or_insert(self.all.len());
        match rejection.row {
            Some(_) => {
                tally.rejected += rejection.problem.rows();
                tally.listed += 1;
            }
            None => tally.unread = unread.map_or(Unread::Unknown, Unread::Known),
        }
        self.all.push(rejection);
    }

    /// Adds a rejection of a row that was counted as used.
    pub(crate) fn reject_used(&mut self, file: usize, rejection: Rejection) {
        self.files[file].used -= 1;
        self.reject(file, rejection, None);
    }

    /// Adds the files and rejections of another input.
    pub(crate) fn append(&mut self, mut other: Rejections) {
        let before = self.all.len();
        other
            .files
            .iter_mut()
            .flat_map(|tally| &mut tally.first)
            .for_each(|first| *first += before);
        self.all.append(&mut other.all);
        self.files.append(&mut other.files);
    }

    /// Returns true if a file could not be read, at its beginning or later.
    pub(crate) fn has_failed(&self, file: usize) -> bool {
        self.files[file].unread != Unread::None
    }

    /// The number of files and rows that were left out.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The files and rows that were left out.
    pub fn iter(&self) -> impl Iterator<Item = &Rejection> {
        self.all.iter()
    }

    /// The loss in numbers; `None` if nothing was left out.
    pub fn loss(&self) -> Option<Loss> {
        self.loss_from(0)
    }

    /// The loss of the files from this one on.
    fn loss_from(&self, first: usize) -> Option<Loss> {
        let files = &self.files[first..];
        let first = files.iter().filter_map(|tally| tally.first).min()?;
        let whole = files.iter().filter(|tally| tally.is_whole());
        let cut = files.iter().filter(|tally| tally.is_cut());
        let of_others = || files.iter().filter(|tally| !tally.is_whole());
        Some(Loss {
            whole: whole.map(|tally| (tally.file.clone(), tally.rows())).collect(),
            cut: cut.map(|tally| (tally.file.clone(), tally.used)).collect(),
            rows: of_others().map(|tally| tally.rejected).sum(),
            listed: of_others().map(|tally| tally.listed).sum(),
            rejected: files.iter().map(|tally| tally.rejected).sum(),
            of: files.iter().map(|tally| tally.used + tally.rejected).sum(),
            first: self.all[first].clone(),
        })
    }

    /// Refuses a loss of the files from this one on that exceeds the bound.
    ///
    /// # Errors
    /// [`Error::TooManyRejected`].
    pub(crate) fn check(&self, first: usize, most: MaxRejected) -> Result<(), Error> {
        match self.loss_from(first) {
            Some(loss) if !loss.is_within(most) => {
                let (rejections, loss) = (Box::new(self.clone()), Box::new(loss));
                Err(Error::TooManyRejected { rejections, loss, most })
            }
            _ => Ok(()),
        }
    }
}

/// The loss of an input in numbers. In JSON it has the fields `whole`, `cut` and `rows`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The files of which no row is used, with the number of their rows, if it is known.
    pub whole: Vec<(String, Option<u64>)>,
    /// The files of which only the rows before some damage are read, with the number of used rows.
    pub cut: Vec<(String, u64)>,
    /// The number of rows that were left out of other files than those of `whole`.
    pub rows: u64,
    /// The number of these rows as they are listed: rows that a missing quote joined are one.
    #[serde(skip)]
    pub listed: u64,
    /// The number of all rows that were left out one by one.
    #[serde(skip)]
    pub rejected: u64,
    /// The number of all rows that were read.
    #[serde(skip)]
    pub of: u64,
    /// The first file or row that was left out.
    #[serde(skip)]
    pub first: Rejection,
}

impl Loss {
    /// Returns true if the bound allows this loss. A file without any row is no loss.
    fn is_within(&self, most: MaxRejected) -> bool {
        let loses_nothing = |(_, rows): &(String, Option<u64>)| *rows == Some(0);
        let has_files = !self.cut.is_empty() || !self.whole.iter().all(loses_nothing);
        most.allows_all() || !has_files && most.allows(self.rejected, self.of)
    }

    /// The loss in words: `1 file left out whole (9,200 rows): a.jsonl; 17 rows left out`.
    pub fn message(&self) -> Message {
        let row_count = |rows: u64| counted(rows, "row", "rows");
        let mut parts = Vec::new();
        if !self.whole.is_empty() {
            let known = self.whole.iter().filter_map(|(_, rows)| *rows).sum();
            let unknown = self.whole.iter().filter(|(_, rows)| rows.is_none()).count() as u64;
            let rows = match (self.whole.len() as u64 - unknown, unknown) {
                (_, 0) => row_count(known),
                (0, _) => "number of rows unknown".to_string(),
                (_, 1) => format!("{}, and an unknown number of one file", row_count(known)),
                _ => format!("{}, and unknown numbers of {unknown} files", row_count(known)),
            };
            let names: Vec<String> =
                self.whole.iter().map(|(file, _)| file_in_words(file).to_string()).collect();
            let files = counted(names.len() as u64, "file", "files");
            parts.push(format!("{files} left out whole ({rows}): {}", some_of(&names)));
        }
        if !self.cut.is_empty() {
            let used = |(file, used): &(String, u64)| {
                format!("{} ({} used)", file_in_words(file), row_count(*used))
            };
            let names: Vec<String> = self.cut.iter().map(used).collect();
            let files = counted(names.len() as u64, "file", "files");
            parts.push(format!("{files} left out from the damage on: {}", some_of(&names)));
        }
        if self.rows > 0 {
            let joined = match self.rows == self.listed {
                true => String::new(),
                false => format!(" (listed as {}, since missing quotes join rows)", self.listed),
            };
            parts.push(format!("{} left out{joined}", row_count(self.rows)));
        }
        parts.join("; ").into()
    }

    /// The message of a loss that exceeds the bound.
    pub(super) fn too_much(&self, most: MaxRejected) -> Message {
        let bound = match most {
            MaxRejected::Rows(rows) => Value::Number(rows),
            MaxRejected::Share(_) => Value::Word(most.to_string().into()),
        };
        let of = counted(self.of, "row", "rows");
        let exclude = match self.whole.is_empty() && self.cut.is_empty() {
            true => Message::default(),
            false => {
                let exclude = Setting::named("exclude");
                message![" leave such files out of a folder with ", exclude, ","]
            }
        };
        message![
            self.message(),
            " (of ",
            of,
            " that were read); ",
            Setting::with("max-rejected", bound),
            " does not allow this; mend the input,",
            exclude,
            " or accept the loss with ",
            Setting::with("max-rejected", "100%"),
            "; the first problem: ",
            self.first.message()
        ]
    }
}

/// A number with its noun, in groups of three digits: `9,200 rows`.
fn counted(count: u64, one: &str, many: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problem;

    /// Files with their used rows, rejected rows, and unread rows if they could not be read on.
    fn rejections(files: &[(&str, u64, u64, Option<Option<u64>>)]) -> Rejections {
        let mut all = Rejections::default();
        for (number, (file, used, rejected, unread)) in files.iter().enumerate() {
            all.begin(file, !file.ends_with(".txt"));
            (0..*used).for_each(|_| all.use_row(number));
            let rejection =
                |row| Rejection { file: file.to_string(), row, problem: Problem::JsonArray };
            (0..*rejected).for_each(|row| all.reject(number, rejection(Some(row + 1)), None));
            if let Some(unread) = unread {
                all.reject(number, rejection(None), *unread);
            }
        }
        all
    }

    #[test]
    fn the_loss_is_told_in_words() {
        let words = |files: &[_]| rejections(files).loss().map(|loss| loss.message().to_string());
        assert_eq!(words(&[("a.jsonl", 3, 0, None)]), None);
        for (files, says) in [
            (&[("a.jsonl", 3, 1, None)][..], "1 row left out"),
            (&[("a.jsonl", 3, 1200, None)], "1,200 rows left out"),
            (
                &[("a.jsonl", 0, 9200, None), ("b.csv", 0, 0, Some(Some(1))), ("c", 5, 17, None)],
                "2 files left out whole (9,201 rows): a.jsonl, b.csv; 17 rows left out",
            ),
            (
                &[("a.jsonl", 0, 0, Some(None))],
                "1 file left out whole (number of rows unknown): a.jsonl",
            ),
            (
                &[("a", 0, 2, Some(None)), ("b", 0, 7, None)],
                "2 files left out whole (7 rows, and an unknown number of one file): a, b",
            ),
            (
                &[("a.gz", 402, 2, Some(None))],
                "1 file left out from the damage on: a.gz (402 rows used); 2 rows left out",
            ),
            (&[("a.txt", 0, 1, None)], "1 row left out"),
            (
                &[("a.txt", 0, 0, Some(None))],
                "1 file left out whole (number of rows unknown): a.txt",
            ),
        ] {
            assert_eq!(words(files).as_deref(), Some(says));
        }
    }

    #[test]
    fn rows_that_a_missing_quote_joined_are_counted_and_listed() {
        let mut all = rejections(&[("a.csv", 20, 2, None)]);
        let problem = Problem::BadQuote { is_open: true, lines: 425 };
        all.reject(0, Rejection { file: "a.csv".to_string(), row: Some(23), problem }, None);
        let loss = all.loss().unwrap();
        assert_eq!((loss.rows, loss.listed, all.len()), (427, 3, 3));
        let says = "427 rows left out (listed as 3, since missing quotes join rows)";
        assert_eq!(loss.message().to_string(), says);
    }

    #[test]
    fn only_the_whole_bound_allows_files_and_rows_are_bounded_inclusively() {
        let [tenth, all] = ["10%", "100%"].map(|most| most.parse::<MaxRejected>().unwrap());
        for (files, most, is_allowed) in [
            (&[("a", 9, 1, None)][..], tenth, true),
            (&[("a", 8, 1, None)], tenth, false),
            (&[("a", 8, 1, None), ("b", 1, 0, None)], tenth, true),
            (&[("a", 8, 1, None)], MaxRejected::Rows(1), true),
            (&[("a", 800, 2, None)], MaxRejected::Rows(1), false),
            (&[("a", 999, 0, None), ("b", 0, 1, None)], tenth, false),
            (&[("a", 999, 0, None), ("b.txt", 0, 1, None)], tenth, true),
            (&[("a", 999, 0, Some(None))], MaxRejected::Rows(9), false),
            (&[("a", 0, 0, Some(None)), ("b", 0, 9, None)], all, true),
            (&[("a", 0, 0, Some(Some(0)))], MaxRejected::Rows(0), true),
        ] {
            let checked = rejections(files).check(0, most);
            assert_eq!(checked.is_ok(), is_allowed, "{files:?} {most}");
        }
        // Each side of a run is checked by itself, and its files may have names of the other side.
        let sides = rejections(&[("a", 0, 2, None), ("a", 8, 1, None)]);
        assert_eq!(sides.loss_from(1).unwrap().first, sides.all[2]);
        let mut both = rejections(&[("b", 9, 1, None)]);
        both.append(sides);
        assert_eq!(both.loss_from(2).unwrap().first, both.all[3]);
        let both = rejections(&[("a", 0, 1, None), ("b", 9, 1, None)]);
        assert!(both.check(1, tenth).is_ok());
        let error = both.check(0, tenth).unwrap_err().to_string();
        assert_eq!(
            error.split("; the first problem: a, row 1: ").next().unwrap(),
            "1 file left out whole (1 row): a; 1 row left out (of 11 rows that were read); \
             max-rejected = \"10%\" does not allow this; mend the input, leave such files out of a \
             folder with exclude, or accept the loss with max-rejected = \"100%\""
        );
    }
}

//! A file of a person's marks -> pairs of ids that are right or wrong, with the hashes of their
//! texts.
//!
//! The page of a report saves such a file. Any file with the columns `left`, `right` and `verdict`
//! will do. Rows with the verdict `later`, or without one, do not count.

use std::collections::BTreeMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::document::Id;
use crate::error::{Error, Problem, Rejection};
use crate::message;
use crate::read::json::Value;
use crate::read::table::{self, Table};
use crate::read::{self, Format, STANDARD_INPUT, content, values};
use crate::watch::Silent;

/// The columns that a file must have.
const COLUMNS: [&str; 3] = ["left", "right", "verdict"];

/// The columns with the hashes of both texts, which a file may lack.
const TEXTS: [&str; 2] = ["left_text", "right_text"];

/// The column with the similarity of both texts, which a file may lack.
const SIMILARITY: &str = "similarity";

/// The marks of a file.
#[derive(Debug, Clone, Default)]
pub struct MarkFile {
    /// The file, as the user named it.
    pub file: String,
    /// XXH3-128 of its bytes.
    pub hash: u128,
    /// The marks in the order of the file.
    pub(crate) marks: Vec<Mark>,
}

/// A mark on two documents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// The ids of both documents.
    pub ids: [Id; 2],
    /// The hash of each text when it was marked ([`text_hash`]), if the file has it.
    pub texts: [Option<u64>; 2],
    /// The similarity of both texts when they were marked, if the file has it.
    pub similarity: Option<f64>,
    /// True if the two are duplicates, false if they are none.
    pub right: bool,
    /// The row in the file.
    pub row: u64,
}

/// The hash by which a mark knows a text as read.
pub(crate) fn text_hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

impl MarkFile {
    /// Reads a file of marks: JSON Lines, CSV, TSV or Parquet.
    ///
    /// # Errors
    /// [`Error::Usage`] for standard input, a file of plain text and a missing file, [`Error::Io`],
    /// [`Error::Incompatible`] for a file without these columns, for a damaged row, and for two
    /// different marks on one pair.
    pub fn read(path: &Path) -> Result<MarkFile, Error> {
        let name = path.display().to_string();
        if name == STANDARD_INPUT {
            let problem = "marks cannot come from standard input; save them to a file";
            return Err(Error::usage("marks", problem));
        }
        // The folder is for standard input.
        let source =
            read::find_table(&name, None, None, Path::new("."), &Silent).map_err(|error| {
                match error {
                    Error::Io { path, source, .. } => Error::setting("marks", path)(source),
                    error => error.of_setting("marks"),
                }
            })?;
        let hash = content::hash_of(&source.path).map_err(Error::io("read", &source.path))?;
        let file = MarkFile { file: source.label.clone(), hash, marks: Vec::new() };
        let has_all =
            |names: &[String]| COLUMNS.iter().all(|column| names.iter().any(|own| own == column));
        let available = match table::columns(&source, has_all) {
            Err(Rejection { problem: Problem::EmptyFile, .. }) => return Ok(file),
            available => available.map_err(unusable)?,
        };
        if !has_all(&available) {
            let problem = message![format!(
                "has no marks, which need the columns left, right and verdict; there are: {}; save \
                 the marks of a report's page",
                available.iter().take(30).cloned().collect::<Vec<_>>().join(", ")
            )];
            return Err(Error::Incompatible { path: path.to_path_buf(), problem });
        }
        let any_row_may = source.format == Format::JsonLines;
        let has = |name: &&&str| any_row_may || available.iter().any(|own| own == **name);
        let further = TEXTS.iter().chain([&SIMILARITY]).filter(has);
        let wanted: Vec<String> =
            COLUMNS.iter().chain(further).map(|name| name.to_string()).collect();
        let mut table = Table::open(&source, &wanted).map_err(unusable)?;
        let mut marks = Vec::new();
        while let Some(mark) = table.next(|row, values| mark(&wanted, values, row)) {
            marks.extend(mark.map_err(unusable)?);
        }
        check_alike(&source.label, &marks)?;
        Ok(MarkFile { marks, ..file })
    }

    /// The row of the first mark on two documents with this verdict, in either order. `counts` is
    /// true for rows that count.
    pub(crate) fn row_of(
        &self,
        [one, other]: [&Id; 2],
        right: bool,
        counts: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let ids = [one, other].map(Id::to_string);
        let is_of = |mark: &&Mark| {
            let [left, right_id] = mark.ids.each_ref().map(Id::to_string);
            let is_pair =
                left == ids[0] && right_id == ids[1] || left == ids[1] && right_id == ids[0];
            mark.right == right && is_pair && counts(mark.row)
        };
        self.marks.iter().find(is_of).map(|mark| mark.row)
    }
}

/// The mark of a row; `None` without a verdict. Both ids may be equal: of an input and of a
/// reference document.
fn mark(names: &[String], values: &[Option<Value<'_>>], row: u64) -> Result<Option<Mark>, Problem> {
    let value = |name: &str| {
        names.iter().position(|own| own == name).and_then(|place| values[place].as_ref())
    };
    let Some(right) = values::judgment(value("verdict"), "verdict")? else { return Ok(None) };
    let id = |name: &str| {
        let (id, is_integer) = values::id(value(name), name)?;
        Ok(match (is_integer, id.parse(), id.parse()) {
            (true, Ok(id), _) => Id::Integer(id),
            (true, _, Ok(id)) => Id::Unsigned(id),
            _ => Id::Text(id.into_owned()),
        })
    };
    let text = |name: &str| match value(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(hash)) if hash.is_empty() => Ok(None),
        Some(Value::Text(hash)) if u64::from_str_radix(hash, 16).is_ok() => {
            Ok(u64::from_str_radix(hash, 16).ok())
        }
        other => Err(values::wrong(name, "a hash of 16 hexadecimal digits", other)),
    };
    let ids = [id("left")?, id("right")?];
    let similarity = value(SIMILARITY).and_then(values::number);
    let similarity = similarity.filter(|similarity| (0.0..=1.0).contains(similarity));
    Ok(Some(Mark { texts: [text(TEXTS[0])?, text(TEXTS[1])?], similarity, right, row, ids }))
}

/// Refuses two different marks on one pair.
fn check_alike(file: &str, marks: &[Mark]) -> Result<(), Error> {
    let mut first: BTreeMap<[String; 2], &Mark> = BTreeMap::new();
    for mark in marks {
        let mut ids = mark.ids.each_ref().map(Id::to_string);
        ids.sort_unstable();
        let before = first.entry(ids).or_insert(mark);
        if before.right != mark.right {
            let ids = mark.ids.each_ref().map(id_json);
            let problem = Problem::Contradiction {
                pair: ids.join(" and "),
                first: format!("{file}, row {}", before.row),
            };
            let rejection = Rejection { file: file.to_string(), row: Some(mark.row), problem };
            return Err(unusable(rejection));
        }
    }
    Ok(())
}

/// The error of a row, or of the whole file. Every mark counts, so no row is skipped.
fn unusable(Rejection { file, row, problem }: Rejection) -> Error {
    let problem = match row {
        Some(row) => message![format!("row {row}: "), problem.message()],
        None => problem.message(),
    };
    Error::Incompatible { path: file.into(), problem }
}

/// An id as JSON.
pub(crate) fn id_json(id: &Id) -> String {
    serde_json::to_string(id).expect("an id is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, rows: &str) -> Result<MarkFile, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, rows).unwrap();
        MarkFile::read(&path)
    }

    #[test]
    fn right_and_wrong_rows_are_marks_and_others_are_none() {
        let hash = format!("{:016x}", text_hash("ferry"));
        let rows = format!(
            "{{\"left\":1,\"right\":\"b\",\"verdict\":\"right\",\"left_text\":\"{hash}\",\
             \"similarity\":0.75}}\n\
             {{\"left\":1,\"right\":\"c\",\"verdict\":\"later\"}}\n\
             {{\"left\":1,\"right\":\"d\",\"verdict\":\"\"}}\n\
             {{\"left\":1,\"right\":1,\"verdict\":\"wrong\"}}\n\
             {{\"left\":1,\"right\":\"e\",\"verdict\":\"wrong\",\"similarity\":\"high\"}}\n"
        );
        let file = read("marks.jsonl", &rows).unwrap();
        let shown: Vec<_> =
            file.marks.iter().map(|mark| (mark.ids[1].to_string(), mark.right, mark.row)).collect();
        let pair = |id: &str, right, row| (id.to_string(), right, row);
        assert_eq!(shown, [pair("b", true, 1), pair("1", false, 4), pair("e", false, 5)]);
        assert_eq!(file.marks[0].texts, [Some(text_hash("ferry")), None]);
        assert_eq!([0, 2].map(|at| file.marks[at].similarity), [Some(0.75), None]);
        let ids = [&Id::Text("e".into()), &Id::Integer(1)];
        assert_eq!(file.row_of(ids, false, |_| true), Some(5));
        assert_eq!(file.row_of(ids, true, |_| true), None);
        let csv = read("marks.csv", "left,right,verdict\n1,b,wrong\n").unwrap();
        assert_eq!((csv.marks[0].ids[0].to_string(), csv.marks[0].right), ("1".to_string(), false));
        assert!(read("marks.jsonl", "").unwrap().marks.is_empty());
    }

    #[test]
    fn contradictions_and_other_files_are_refused() {
        let row = |left: &str, right: &str, verdict: &str| {
            format!("{{\"left\":\"{left}\",\"right\":\"{right}\",\"verdict\":\"{verdict}\"}}\n")
        };
        let rows = row("a", "b", "right") + &row("a", "b", "right") + &row("b", "a", "wrong");
        let error = read("marks.jsonl", &rows).unwrap_err().to_string();
        for part in ["row 3", "row 1", "\"b\" and \"a\""] {
            assert!(error.contains(part), "{error}");
        }
        let error = read("marks.jsonl", "{\"id\":1}\n").unwrap_err().to_string();
        assert!(error.contains("left, right and verdict"), "{error}");
        let broken = row("a", "b", "right").replace('}', ",\"left_text\":\"x\"}");
        let error = read("marks.jsonl", &broken).unwrap_err().to_string();
        assert!(error.contains("left_text"), "{error}");
    }
}

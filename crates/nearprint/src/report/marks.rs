//! The marks that a run was given -> the rows with which the page saves them again.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::corpus::{MarkFile, id_json};
use crate::document::Id;
use crate::finished::unused_marks;

/// All rows of the file on one pair. They have one verdict, since other files are refused.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Earlier {
    /// The ids of both documents in words.
    ids: [String; 2],
    /// True if the two are duplicates, false if they are none.
    right: bool,
    /// True if the run has used one of the rows.
    used: bool,
    /// The rows as JSON Lines.
    rows: String,
}

/// The marks of a file, pair by pair in the order of their first rows. `summary` is that of the run.
pub(super) fn earlier(file: &MarkFile, summary: &Value) -> Vec<Earlier> {
    let unused = unused_marks(summary);
    let (mut all, mut places) = (Vec::<Earlier>::new(), BTreeMap::new());
    for mark in &file.marks {
        let mut ids = mark.ids.each_ref().map(Id::to_string);
        ids.sort_unstable();
        let place = *places.entry(ids.clone()).or_insert(all.len());
        if place == all.len() {
            all.push(Earlier { ids, right: mark.right, used: false, rows: String::new() });
        }
        let [left, right] = mark.ids.each_ref().map(id_json);
        let similarity = mark.similarity.map(|value| format!(",\"similarity\":{value}"));
        let verdict = if mark.right { "right" } else { "wrong" };
        let text = |(name, hash): (&str, Option<u64>)| {
            hash.map_or(String::new(), |hash| format!(",\"{name}\":\"{hash:016x}\""))
        };
        let texts = ["left_text", "right_text"].into_iter().zip(mark.texts).map(text);
        let earlier = &mut all[place];
        earlier.used |= !unused.contains(&mark.row);
        earlier.rows += &format!(
            "{{\"left\":{left},\"right\":{right}{},\"verdict\":\"{verdict}\"{}}}\n",
            similarity.unwrap_or_default(),
            texts.collect::<String>()
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pair_has_all_its_rows_and_is_used_if_one_of_them_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.csv");
        let rows = "left,right,similarity,verdict,left_text,right_text\n\
                    a,b,0.5,right,,00000000000000ff\nc,d,,wrong,,\nd,e,1,later,,\nb,a,,right,,\n";
        std::fs::write(&path, rows).unwrap();
        let unused = |row: u64| json!({"row": row, "id": "a"});
        let summary = json!({"marks": {"changed": [unused(1)], "absent": [unused(2)]}});
        let shown = earlier(&MarkFile::read(&path).unwrap(), &summary);
        let ids = |ids: [&str; 2]| ids.map(str::to_string);
        let first = "{\"left\":\"a\",\"right\":\"b\",\"similarity\":0.5,\"verdict\":\"right\",\
                     \"right_text\":\"00000000000000ff\"}\n\
                     {\"left\":\"b\",\"right\":\"a\",\"verdict\":\"right\"}\n";
        let second = "{\"left\":\"c\",\"right\":\"d\",\"verdict\":\"wrong\"}\n";
        let expected = [
            Earlier { ids: ids(["a", "b"]), right: true, used: true, rows: first.into() },
            Earlier { ids: ids(["c", "d"]), right: false, used: false, rows: second.into() },
        ];
        assert_eq!(shown, expected);
    }
}

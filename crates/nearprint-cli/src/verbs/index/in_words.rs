//! The numbers of an index -> lines for a person.

use std::path::Path;

use nearprint::index::{Info, Recall};
use nearprint::shares::Percent;

use super::super::counted;

/// The contents, the sizes and the recall of an index.
pub fn in_words(info: &Info, folder: &Path) -> String {
    let mut lines = Vec::new();
    let Info {
        documents, generation, removed, files, remade, store_bytes, table_bytes, tail, ..
    } = info;
    let counted_documents = |count: u64| counted(count, "document", "documents");
    let documents = counted_documents(*documents);
    lines.push(format!("{}: {documents}, generation {generation}", folder.display()));
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let (store, tables) = (megabytes(*store_bytes), megabytes(*table_bytes));
    lines.push(format!(
        "  store     {store}, and {tables} in {} of tables; {} not in a table yet",
        counted(*files, "file", "files"),
        counted(*tail, "document is", "documents are"),
    ));
    if *removed > 0 {
        lines.push(format!(
            "  removed   {}; index compact frees their space",
            counted_documents(*removed)
        ));
    }
    if *remade > 0 {
        lines.push(format!(
            "  remade    {} of tables; the next change writes them, index verify lists them",
            counted(*remade, "damaged or missing file", "damaged or missing files")
        ));
    }
    match (info.complete_distance, info.max_distance) {
        (Some(complete), Some(most)) if complete < most => {
            lines.push(format!(
                "  search    finds all duplicates up to {complete} bits apart, and a share of \
                 those up to {most} bits apart:"
            ));
            let expected = info
                .expected
                .iter()
                .map(|(distance, share)| format!("{distance} bits {}", Percent(*share)));
            lines.push(format!(
                "            expected at {}",
                expected.collect::<Vec<_>>().join(", ")
            ));
        }
        (_, Some(most)) => {
            lines.push(format!("  search    finds all duplicates up to {most} bits apart"))
        }
        (_, None) => lines.push("  search    finds equal texts only".to_string()),
    }
    match &info.recall {
        Some(Recall { sample, pairs: 0, .. }) => {
            let none = counted(*sample, "document has", "documents have");
            lines.push(format!("            measured: {none} no duplicates"));
        }
        Some(Recall { sample, pairs, found }) => {
            let share = Percent(*found as f64 / *pairs as f64);
            lines.push(format!(
                "            measured: {found} of {} of {} are found ({share})",
                counted(*pairs, "duplicate", "duplicates"),
                counted_documents(*sample)
            ));
        }
        None => {}
    }
    lines.push(format!("  recipe    {}", info.recipe));
    lines.push(format!("  settings  {}", info.settings.trim_end().replace('\n', ", ")));
    lines.push(format!("  keeps     {}", info.options.trim_end().replace('\n', ", ")));
    lines.join("\n") + "\n"
}

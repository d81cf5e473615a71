//! The output folder of a run -> what an evaluation of it need not be asked for: its settings and
//! its documents, and the fields of some documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::question::Evaluator;
use crate::document::FieldValue;
use crate::error::Error;
use crate::field::outermost;
use crate::finished::Finished;
use crate::read::{self, Input, STANDARD_INPUT, Source, table};
use crate::watch::{Silent, Watch};

/// The fields of a document by name.
pub(super) type Fields = BTreeMap<String, FieldValue>;

/// The run whose output folder this is; `None` for another folder, and for a file.
///
/// # Errors
/// As [`Finished::open`].
pub fn run_of(found: &str) -> Result<Option<Finished>, Error> {
    let folder = Path::new(found);
    if !folder.join("summary.json").is_file() { Ok(None) } else { Finished::open(folder).map(Some) }
}

impl Evaluator<'_> {
    /// The documents of a run. They are empty if its inputs are gone or have changed, or came from
    /// standard input, and if it has reference documents, whose ids may repeat.
    pub(super) fn documents_of(
        &self,
        run: &Finished,
        watch: &dyn Watch,
    ) -> Result<Vec<Input>, Error> {
        let is_there = |label: &String| label != STANDARD_INPUT && Path::new(label).is_file();
        if !run.against.is_empty()
            || !run.inputs.iter().all(is_there)
            || !run.changed(watch)?.is_empty()
        {
            return Ok(Vec::new());
        }
        let mut documents = Vec::new();
        for (place, label) in run.inputs.iter().enumerate() {
            for source in
                read::find(std::slice::from_ref(label), self.options, self.spool, &Silent)?
            {
                let name = run.names.get(place).unwrap_or(&source.name).clone();
                documents.push(Input::Found(Source { name, ..source }));
            }
        }
        Ok(documents)
    }
}

/// Those of some ids that a run has read, as far as its inputs are still there.
pub(super) fn read_among(
    run: &Finished,
    ids: &BTreeSet<String>,
    watch: &dyn Watch,
) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    let read = run.each(watch, |document| {
        let id = document.id.to_string();
        if ids.contains(&id) {
            found.insert(id);
        }
        found.len() < ids.len()
    });
    unless_interrupted(read).map(|()| found)
}

/// Inputs that are gone or have changed leave a question unanswered, which is no error. The wish to
/// stop is one.
fn unless_interrupted(read: Result<(), Error>) -> Result<(), Error> {
    match read {
        Err(error @ Error::Interrupted) => Err(error),
        _ => Ok(()),
    }
}

/// The fields of some documents of a run that its settings do not name, by their ids in words; none
/// for documents that cannot be read again.
pub(super) fn fields_of(
    run: &Finished,
    ids: &BTreeSet<String>,
    watch: &dyn Watch,
) -> Result<BTreeMap<String, Fields>, Error> {
    let mut found: BTreeMap<String, Fields> = BTreeMap::new();
    let columns = |label: &String| {
        let options = run.config.reading();
        let sources =
            read::find(std::slice::from_ref(label), &options, Path::new("."), &Silent).ok()?;
        table::columns(sources.first()?, |_| false).ok()
    };
    let is_there = |label: &&String| *label != STANDARD_INPUT && Path::new(label).is_file();
    let Some(columns) = run.inputs.iter().filter(is_there).find_map(columns) else {
        return Ok(found);
    };
    let named = run.config.columns();
    let named: Vec<&str> = named.iter().flat_map(|name| outermost(name, &columns)).collect();
    let others: Vec<String> =
        columns.iter().filter(|column| !named.contains(&column.as_str())).cloned().collect();
    let run = run.clone().with_fields(&others);
    let read = run.each(watch, |mut document| {
        let id = document.id.to_string();
        if ids.contains(&id) && !document.of_against {
            document.fields.retain(|name, _| others.contains(name));
            found.insert(id, document.fields);
        }
        found.len() < ids.len()
    });
    unless_interrupted(read).map(|()| found)
}

//! An index -> its problems: every record and every file is read, and compared with the others.

use nearprint_core::near::Lists;
use serde::Serialize;

use super::view::View;
use super::{GENERATION, GENERATION_FORMAT, Index};
use crate::error::Error;
use crate::message;
use crate::message::{Message, Verb};
use crate::sealed;
use crate::watch::{Watch, stop_if_asked};

/// The most problems that are listed.
const MOST: usize = 100;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Verified {
    /// The number of documents that were read.
    pub documents: u64,
    /// The number of files of tables that were read.
    pub files: u64,
    /// The first hundred problems, each with its file.
    pub problems: Vec<Message>,
}

impl Index {
    /// Reads every record and every file of tables, and compares them with each other.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn verify(&mut self, watch: &dyn Watch) -> Result<Verified, Error> {
        // This view sees changes on disk.
        self.view = View::again(&self.folder, &self.config);
        self.store.begin()?;
        let verified = self.look(watch);
        self.store.end();
        verified
    }

    fn look(&mut self, watch: &dyn Watch) -> Result<Verified, Error> {
        let mut verified = Verified::default();
        let store = self.store.path().display().to_string();
        let mut problems = Vec::new();
        match self.store.problems() {
            Ok(found) => {
                let of_store = |problem| message![format!("{store}: {problem}")];
                problems.extend(found.into_iter().take(MOST).map(of_store));
            }
            Err(error) => problems.push(error.message()),
        }
        // The file is written after the documents, so it may be older than they are. Opening the
        // index has checked that it is not damaged and not newer than the documents. An index
        // without changes may lack it.
        let path = self.folder.join(GENERATION);
        if sealed::load::<u64>(&path, GENERATION_FORMAT)?.is_none()
            && self.store.state()?.generation > 1
        {
            problems
                .push(message![path.display(), ": is missing; the next change writes it again"]);
        }
        // An error is a problem, and the verification goes on.
        let mut take = |result: Result<(), Error>| match result {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(error) if problems.len() < MOST => {
                problems.push(error.message());
                Ok(())
            }
            _ => Ok(()),
        };
        let mut numbers = Vec::new();
        let of_documents = self.store.documents(|document| {
            stop_if_asked(watch)?;
            numbers.push(document.number);
            match self.store.number(&document.id)? {
                Some(number) if number == document.number => Ok(()),
                _ => Err(self.store.damaged("the id", document.number)),
            }
        });
        take(of_documents)?;
        verified.documents = numbers.len() as u64;
        let is_complete = numbers.len() as u64 == self.store.count("documents")?;
        for number in &numbers {
            stop_if_asked(watch)?;
            let text = self.store.text(*number).and_then(|text| match text {
                Some(_) => Ok(()),
                None => Err(self.store.damaged("the text", *number)),
            });
            take(text)?;
        }
        take(self.store.check_copies())?;
        let mut printed = Vec::new();
        take(self.store.prints(0..u32::MAX, |number, _| {
            printed.push(number);
            Ok(())
        }))?;
        if is_complete && printed != numbers {
            let other = printed.iter().zip(&numbers).position(|(one, other)| one != other);
            let other = other.unwrap_or(printed.len().min(numbers.len()));
            let number = numbers.get(other).or(printed.get(other)).copied().unwrap_or(0);
            take(Err(self.store.damaged("the fingerprint", number)))?;
        }
        let texts = self.store.count("texts")?;
        if texts != numbers.len() as u64 && is_complete {
            let count = numbers.len();
            take(Err(Error::Incompatible {
                path: self.store.path().to_path_buf(),
                problem: format!("has {texts} texts for {count} documents").into(),
            }))?;
        }
        let followed = self.view.follow(&self.store);
        let can_be_searched = followed.is_ok();
        take(followed)?;
        if can_be_searched {
            for (place, tabled) in self.view.tabled().iter().enumerate() {
                stop_if_asked(watch)?;
                verified.files += 1;
                let name = self.view.name(&self.store, place)?;
                // A process that changes the index meanwhile writes the new generation, and then
                // removes the older files.
                let is_now = || {
                    let generation: Option<u64> =
                        sealed::load(&self.folder.join(GENERATION), GENERATION_FORMAT)?;
                    Ok::<_, Error>(generation <= Some(self.view.state().generation))
                };
                if !tabled.is_mapped() && !name.exists() && !is_now()? {
                    continue;
                }
                if !tabled.is_mapped() {
                    let problem = "is damaged or missing; each start rebuilds it in memory, and \
                        the next change on disk";
                    take(Err(Error::Incompatible { path: name, problem: problem.into() }))?;
                    continue;
                }
                let (columns, _) = tabled.view();
                if !tabled.has_lists(&Lists::new(tabled.plan(), columns.words)) {
                    let problem =
                        message!["has tables of other fingerprints; run ", Verb::IndexCompact];
                    take(Err(Error::Incompatible { path: name.clone(), problem }))?;
                }
                let mut place = 0;
                let mut differs = None;
                let span = tabled.span().clone();
                take(self.store.prints(span, |number, record| {
                    // Documents that were removed later may still be in the file.
                    while columns.numbers.get(place).is_some_and(|other| *other < number) {
                        place += 1;
                    }
                    let is_there = columns.numbers.get(place) == Some(&number);
                    if !(is_there && columns.record(place) == record) {
                        differs.get_or_insert(number);
                    }
                    Ok(())
                }))?;
                if let Some(number) = differs {
                    let problem = message![
                        "differs from the documents at number ",
                        number,
                        "; run ",
                        Verb::IndexCompact
                    ];
                    take(Err(Error::Incompatible { path: name, problem }))?;
                }
            }
        }
        verified.problems = problems;
        Ok(verified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::document::{Document, Id};
    use crate::index::IndexOptions;
    use crate::index::store::{State, Store, Stored};
    use crate::watch::Silent;

    #[test]
    fn problems_leave_the_spelling_of_their_verbs_to_each_face() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("seen");
        let (config, options) = (Config::default(), IndexOptions::default());
        let mut index = Index::create(&folder, &config, &options).unwrap();
        let text = "床前明月光".to_string();
        let document = Document { row: 1, id: Id::Integer(7), text, fields: vec![] };
        index.add(vec![document], false, &Silent).unwrap();
        assert_eq!(index.verify(&Silent).unwrap().problems, []);
        let store = Store::open(&folder).unwrap();
        store.begin_writing().unwrap();
        let stored = Stored {
            number: 1,
            id: Id::Integer(8),
            expires: None,
            added: 0,
            dated: 0,
            story: 1,
            fields: vec![],
        };
        store.insert(&stored, b"no record", b"no text").unwrap();
        store.commit(State { generation: 3, next: 2 }).unwrap();
        let problems = index.verify(&Silent).unwrap().problems;
        let of_text = message![
            store.path().display(),
            ": is damaged: the text of document number 1 differs from the written data; list all \
             damage with ",
            Verb::IndexVerify,
            ", and restore the file from a backup, or create the index again"
        ];
        assert!(problems.contains(&of_text), "{problems:?}");
    }
}

//! The store at a generation -> the documents that are searched: those in the files of tables, and
//! those after the last file, without the removed ones.
//!
//! A view follows its store from generation to generation: it reads which documents were added and
//! removed, and opens new files.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nearprint_core::near::{
    Collection, Met, Plan, Query, Record, Records, RecordsIn, Tables, scan_column, share_seen,
};

use super::file::Tabled;
use super::spans::spans;
use super::store::{State, Store, TableFile};
use crate::config::Config;
use crate::error::Error;
use crate::search::plan_of;

/// The folder of tables in the folder of an index.
pub const TABLES: &str = "tables";

/// The extension of the names of files of tables.
const ENDING: &str = "tables";

/// The documents of an index at a generation.
#[derive(Debug)]
pub struct View {
    folder: PathBuf,
    config: Config,
    each: usize,
    state: State,
    tabled: Vec<Arc<Tabled>>,
    /// The documents after the last file.
    tail: Records,
    removed: Removed,
    /// The number of files that were damaged or missing and were made again.
    remade: u64,
    /// True if files that this process has open are read again from the disk.
    reads_again: bool,
}

/// The numbers of removed documents that may still be in files.
#[derive(Debug, Default)]
struct Removed {
    bits: Vec<u64>,
    count: u64,
    /// The place of the last one in the list of the store.
    last: i64,
}

impl Removed {
    fn push(&mut self, place: i64, number: u32) {
        let word = number as usize / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (number % 64);
        self.count += 1;
        self.last = self.last.max(place);
    }

    fn has(&self, number: u32) -> bool {
        self.bits.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

impl View {
    /// An empty view, of generation 0.
    pub fn new(folder: &Path, config: &Config) -> View {
        let each = config.fingerprint.bits.div_ceil(64) as usize;
        View {
            folder: folder.join(TABLES),
            config: config.clone(),
            each,
            state: State { generation: 0, next: 0 },
            tabled: Vec::new(),
            tail: Records::new(each),
            removed: Removed::default(),
            remade: 0,
            reads_again: false,
        }
    }

    /// An empty view that reads all files again from the disk.
    pub fn again(folder: &Path, config: &Config) -> View {
        View { reads_again: true, ..View::new(folder, config) }
    }

    /// The state of the store that the view shows.
    pub fn state(&self) -> State {
        self.state
    }

    /// The number of files that were damaged or missing and were made again.
    pub fn remade(&self) -> u64 {
        self.remade
    }

    /// The files of tables, the largest first.
    pub fn tabled(&self) -> &[Arc<Tabled>] {
        &self.tabled
    }

    /// The path of the file at a place in [`tabled`](Self::tabled), by its name in the store.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn name(&self, store: &Store, place: usize) -> Result<PathBuf, Error> {
        let file = store.files()?.into_iter().find(|file| file.span == *self.tabled[place].span());
        Ok(self.folder.join(file.map_or_else(|| "a file of tables".to_string(), |file| file.name)))
    }

    /// The number of documents after the last file.
    pub fn tail(&self) -> usize {
        self.tail.numbers.len()
    }

    /// Empties the view. The next [`follow`](Self::follow) reads all again.
    pub fn forget(&mut self) {
        let View { remade, reads_again, .. } = *self;
        *self = View {
            remade,
            reads_again,
            ..View::new(self.folder.parent().unwrap_or(Path::new("")), &self.config)
        };
    }

    /// Updates the view to the state of the store. The store is in a transaction.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] if the store is damaged.
    pub fn follow(&mut self, store: &Store) -> Result<(), Error> {
        let state = store.state()?;
        if state == self.state {
            return Ok(());
        }
        let followed = self.followed_removed(store).and_then(|is_known| {
            if !is_known {
                self.forget();
                self.followed_removed(store)?;
            }
            self.follow_to(state, store)
        });
        if followed.is_err() {
            self.forget();
        }
        followed
    }

    /// Reads the documents that were removed since. Returns true if the list is complete. It is not
    /// if the store has cleared it meanwhile; then the view must be read again.
    fn followed_removed(&mut self, store: &Store) -> Result<bool, Error> {
        let removed = &mut self.removed;
        let (before, last) = ((removed.last, removed.count), store.last_removed()?);
        store.removed(removed.last, |place, number| removed.push(place, number))?;
        removed.last = last;
        let is_complete = (removed.count - before.1) as i64 == last - before.0;
        Ok(is_complete || self.state.generation == 0)
    }

    fn follow_to(&mut self, state: State, store: &Store) -> Result<(), Error> {
        let before = self.state;
        let spans = spans(state.next);
        if self.spans() != spans {
            let files = store.files()?;
            let mut tabled = Vec::new();
            for span in &spans {
                let own = self.tabled.iter().find(|own| own.span() == span).cloned();
                tabled.push(own.map_or_else(|| self.open(store, &files, span), Ok)?);
            }
            self.tabled = tabled;
        }
        let begin = spans.last().map_or(0, |span| span.end);
        let known = match self.tail.numbers.first() {
            Some(first) if *first >= begin => before.next,
            _ => {
                self.tail = Records::new(self.each);
                begin
            }
        };
        let tail = &mut self.tail;
        store.prints(known.max(begin)..state.next, |number, record| {
            tail.push(number, &record);
            Ok(())
        })?;
        self.state = state;
        Ok(())
    }

    fn spans(&self) -> Vec<Range<u32>> {
        self.tabled.iter().map(|tabled| tabled.span().clone()).collect()
    }

    /// The plan of the search in a file of this span.
    fn plan(&self, span: &Range<u32>) -> Plan {
        plan_of(&self.config, span.len())
    }

    /// Opens the file of a span, or makes its tables from the store.
    fn open(
        &mut self,
        store: &Store,
        files: &[TableFile],
        span: &Range<u32>,
    ) -> Result<Arc<Tabled>, Error> {
        let plan = self.plan(span);
        let file = files.iter().find(|file| file.span == *span);
        if let Some(TableFile { name, hash, .. }) = file {
            let path = self.folder.join(name);
            let (plan, span) = (plan.clone(), span.clone());
            let opened = match self.reads_again {
                true => Tabled::open_again(&path, plan, span, self.each, *hash)?.map(Arc::new),
                false => Tabled::open(&path, plan, span, self.each, *hash)?,
            };
            if let Some(tabled) = opened {
                return Ok(tabled);
            }
        }
        self.remade += 1;
        let mut records = Records::new(self.each);
        store.prints(span.clone(), |number, record| {
            records.push(number, &record);
            Ok(())
        })?;
        Ok(Arc::new(Tabled::new(plan, span.clone(), self.each, &records)))
    }

    /// Adds a document that was added to the store in the same transaction.
    pub fn add(&mut self, number: u32, record: &Record) {
        self.tail.push(number, record);
        self.state.next = number + 1;
    }

    /// Adds the documents near a query that were added from a number on, in the same transaction.
    pub fn near_since(&self, number: u32, query: &Query, met: &mut Vec<Met>) {
        let tail = self.tail.view();
        let begin = tail.numbers.partition_point(|own| *own < number);
        let (words, mut near) = (&tail.words[begin * self.each..], Vec::new());
        scan_column(words, self.each, &query.words, query.most, &mut near);
        near.iter_mut().for_each(|near| near.slot += begin as u32);
        self.meet(&tail, &near, met);
    }

    /// Removes a document that was removed from the store in the same transaction.
    pub fn remove(&mut self, number: u32) {
        self.removed.push(self.removed.last, number);
    }

    /// Writes the missing files of tables, and saves the list of all files in the store, which is
    /// in a transaction. With `anew` it writes all files, without removed documents. Returns the
    /// list; `None` if no file was written.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write_files(
        &mut self,
        store: &Store,
        generation: u64,
        anew: bool,
    ) -> Result<Option<Vec<TableFile>>, Error> {
        let spans = spans(self.state.next);
        let has_file = |tabled: &Arc<Tabled>, span: &Range<u32>| {
            tabled.span() == span && tabled.is_mapped() && !anew
        };
        if !anew
            && self.tabled.len() == spans.len()
            && self.tabled.iter().zip(&spans).all(|(tabled, span)| has_file(tabled, span))
        {
            return Ok(None);
        }
        fs::create_dir_all(&self.folder).map_err(Error::io("create", &self.folder))?;
        let known = store.files()?;
        let (mut files, mut tabled) = (Vec::new(), Vec::new());
        for span in &spans {
            if let Some(own) = self.tabled.iter().find(|own| has_file(own, span)) {
                let file = known.iter().find(|file| file.span == *span && file.hash == own.hash());
                if let Some(file) = file {
                    files.push(file.clone());
                    tabled.push(Arc::clone(own));
                    continue;
                }
            }
            let made = Tabled::new(self.plan(span), span.clone(), self.each, &self.records(span));
            let name = format!("{}-{}-{generation}.{ENDING}", span.start, span.end);
            let path = self.folder.join(&name);
            made.write(&path)?;
            let hash = made.hash();
            let opened = Tabled::open(&path, self.plan(span), span.clone(), self.each, hash)?;
            files.push(TableFile { name, span: span.clone(), hash });
            tabled.push(opened.unwrap_or_else(|| Arc::new(made)));
        }
        let begin = spans.last().map_or(0, |span| span.end);
        self.tail = self.records(&(begin..self.state.next));
        self.tabled = tabled;
        store.set_files(&files)?;
        Ok(Some(files))
    }

    /// The records of the documents of a span, without the removed ones.
    fn records(&self, span: &Range<u32>) -> Records {
        let mut records = Records::new(self.each);
        for (part, _) in self.parts() {
            let begin = part.numbers.partition_point(|number| *number < span.start);
            let end = part.numbers.partition_point(|number| *number < span.end);
            for place in (begin..end).filter(|place| !self.removed.has(part.numbers[*place])) {
                records.push(part.numbers[place], &part.record(place));
            }
        }
        records
    }

    /// Forgets the removed documents, after all files were written without them.
    pub fn forget_removed(&mut self) {
        self.removed = Removed::default();
    }

    /// Takes the state of a committed transaction.
    pub fn committed(&mut self, state: State, last_removed: i64) {
        self.state = state;
        self.removed.last = last_removed;
    }

    /// The expected share of the pairs at this distance that are found.
    pub fn share_seen(&self, distance: u32) -> f64 {
        let (mut seen, mut all) = (self.tail.numbers.len() as f64, self.tail.numbers.len() as f64);
        for tabled in &self.tabled {
            let count = tabled.view().0.numbers.len();
            seen += count as f64 * share_seen(tabled.plan(), count, distance);
            all += count as f64;
        }
        if all == 0.0 { 1.0 } else { seen / all }
    }
}

impl Collection for View {
    fn parts(&self) -> impl Iterator<Item = (RecordsIn<'_>, Option<Tables<'_>>)> {
        self.tabled.iter().map(|tabled| tabled.view()).chain([(self.tail.view(), None)])
    }

    fn has(&self, number: u32) -> bool {
        !self.removed.has(number)
    }
}

//! The store at a generation -> its documents as they are searched: the files of tables, the
//! documents behind them, those that are gone.
//!
//! A view follows its store from generation to generation: it reads what was added and removed
//! since, and opens the files that are new.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nearprint_core::near::{Collection, Plan, Record, Records, RecordsIn, Tables, share_seen};

use super::file::Tabled;
use super::spans::spans;
use super::store::{State, Store, TableFile};
use crate::config::Config;
use crate::error::Error;
use crate::search::plan_of;

/// The folder of tables in that of an index.
pub const TABLES: &str = "tables";

/// The ending of their names.
const ENDING: &str = "tables";

/// The documents of an index at a generation.
#[derive(Debug)]
pub struct View {
    folder: PathBuf,
    config: Config,
    each: usize,
    state: State,
    tabled: Vec<Arc<Tabled>>,
    /// The documents behind the last file.
    tail: Records,
    removed: Removed,
    /// How many files were damaged or absent and had to be made again.
    remade: u64,
}

/// The numbers of documents that are gone.
#[derive(Debug, Default)]
struct Removed {
    bits: Vec<u64>,
    count: u64,
    /// The place of the last one.
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
    /// An empty view, which is of no generation yet.
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
        }
    }

    /// The state that it shows.
    pub fn state(&self) -> State {
        self.state
    }

    /// How many files were damaged or absent and had to be made again.
    pub fn remade(&self) -> u64 {
        self.remade
    }

    /// The files, the largest first.
    pub fn tabled(&self) -> &[Arc<Tabled>] {
        &self.tabled
    }

    /// The path of the file at a place among these, as the store names it.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn name(&self, store: &Store, place: usize) -> Result<PathBuf, Error> {
        let file = store.files()?.into_iter().find(|file| file.span == *self.tabled[place].span());
        Ok(self.folder.join(file.map_or_else(|| "a file of tables".to_string(), |file| file.name)))
    }

    /// The number of documents that have no file yet.
    pub fn tail(&self) -> usize {
        self.tail.numbers.len()
    }

    /// The number of documents that are gone, and not yet from the files.
    pub fn removed(&self) -> u64 {
        self.removed.count
    }

    /// Forgets all, so that it is read again.
    pub fn forget(&mut self) {
        let remade = self.remade;
        *self = View {
            remade,
            ..View::new(self.folder.parent().unwrap_or(Path::new("")), &self.config)
        };
    }

    /// Comes to the state of the store, which is within a transaction.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] where the store is damaged.
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

    /// Takes in what was removed since. Not all of that is known where some of it was forgotten
    /// meanwhile: a view of that time must be read anew.
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

    /// The plan of a file of this span.
    fn plan(&self, span: &Range<u32>) -> Plan {
        plan_of(&self.config, span.len())
    }

    /// Opens the file of a span, or makes its tables of the store.
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
            if let Some(tabled) = Tabled::open(&path, plan.clone(), span.clone(), self.each, *hash)?
            {
                return Ok(Arc::new(tabled));
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

    /// Takes in a document that was added to the store, in the transaction that adds it.
    pub fn add(&mut self, number: u32, record: &Record) {
        self.tail.push(number, record);
        self.state.next = number + 1;
    }

    /// Takes out a document that was removed from the store, in the transaction that removes it.
    pub fn remove(&mut self, number: u32) {
        self.removed.push(self.removed.last, number);
    }

    /// Writes the files of the spans that lack one, or all of them `anew` without what was removed,
    /// and names all files in the store, which is within the transaction that adds documents. Gives
    /// the files from now on, where any was written.
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
            let opened =
                Tabled::open(&path, self.plan(span), span.clone(), self.each, made.hash())?;
            files.push(TableFile { name, span: span.clone(), hash: made.hash() });
            tabled.push(Arc::new(opened.unwrap_or(made)));
        }
        let begin = spans.last().map_or(0, |span| span.end);
        self.tail = self.records(&(begin..self.state.next));
        self.tabled = tabled;
        store.set_files(&files)?;
        Ok(Some(files))
    }

    /// The records of the documents of a span that are there.
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

    /// Forgets which documents were removed, after all files were written anew without them.
    pub fn forget_removed(&mut self) {
        self.removed = Removed::default();
    }

    /// Takes the state of a transaction that was committed.
    pub fn committed(&mut self, state: State, last_removed: i64) {
        self.state = state;
        self.removed.last = last_removed;
    }

    /// The share of pairs of documents at this distance that are seen, to be expected.
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

//! A file of tables: the columns of a span of documents, and the tables of their fingerprints. They
//! are read from the mapped file.
//!
//! ```text
//! head   16 numbers: format, span, counts of each part, the hash of the body, the hash of the head
//! body   words | hashes of texts | values of the tables | signatures | numbers | places of the tables | short places | short lengths | kinds
//! ```
//!
//! All numbers have the lowest byte first. The parts follow each other, those of 8-byte numbers
//! first. The bytes depend only on the documents of the span and the settings. The store has the
//! hash of the body of each file, so that an older file is noticed, too. The hash is checked when
//! the file is opened. A damaged or missing file is made again from the store.

// A mapped file must not change. Files of tables are never written again.
#![allow(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use memmap2::{Advice, Mmap};
use nearprint_core::near::{Entries, Lists, Plan, Records, RecordsIn, Tables, numbers};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::Error;

/// The bytes of the head.
const HEAD: usize = 16 * size_of::<u64>();

/// The first two numbers of the head: "nprttabl", the lowest byte first, and the version of the
/// format.
const MAGIC: u64 = u64::from_le_bytes(*b"nprttabl");
const FORMAT: u64 = 2;

/// The files that are open in this process.
static SHARED: Mutex<Vec<Weak<Tabled>>> = Mutex::new(Vec::new());

/// The columns of a span and their tables.
#[derive(Debug)]
pub struct Tabled {
    bytes: Bytes,
    plan: Plan,
    layout: Entries,
    each: usize,
    span: Range<u32>,
    /// The number of documents, and of the short ones among them.
    count: usize,
    short: usize,
    hash: u128,
}

/// The bytes of a file: mapped, or in memory.
#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Held(Vec<u64>),
}

/// The ranges of the parts of a body, in bytes from the start of the file.
struct Parts {
    words: Range<usize>,
    hashes: Range<usize>,
    values: Range<usize>,
    signatures: Range<usize>,
    numbers: Range<usize>,
    places: Range<usize>,
    short_places: Range<usize>,
    short_lengths: Range<usize>,
    kinds: Range<usize>,
}

impl Parts {
    fn new(plan: &Plan, each: usize, count: usize, short: usize) -> Parts {
        let mut end = HEAD;
        let mut part = |bytes: usize| {
            let start = end;
            end += bytes;
            start..end
        };
        let values = plan.tables().len() * count;
        Parts {
            words: part(8 * each * count),
            hashes: part(16 * count),
            values: part(8 * values),
            signatures: part(16 * short),
            numbers: part(4 * count),
            places: part(4 * numbers(plan, count)),
            short_places: part(4 * short),
            short_lengths: part(4 * short),
            kinds: part(count),
        }
    }
}

impl Tabled {
    /// Makes the columns and tables of the documents of a span, in memory.
    pub fn new(plan: Plan, span: Range<u32>, each: usize, columns: &Records) -> Tabled {
        let Records {
            numbers, words, hashes, kinds, short_places, short_lengths, signatures, ..
        } = columns;
        let (count, short) = (numbers.len(), short_places.len());
        let parts = Parts::new(&plan, each, count, short);
        let lists = Lists::new(&plan, words);
        let mut held = vec![0u64; parts.kinds.end.div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut held);
        let mut put = |part: &Range<usize>, from: &[u8]| bytes[part.clone()].copy_from_slice(from);
        put(&parts.words, bytemuck::cast_slice(words));
        put(&parts.hashes, bytemuck::cast_slice(hashes));
        put(&parts.values, bytemuck::cast_slice(&lists.values));
        put(&parts.signatures, bytemuck::cast_slice(signatures));
        put(&parts.numbers, bytemuck::cast_slice(numbers));
        put(&parts.places, bytemuck::cast_slice(&lists.places));
        put(&parts.short_places, bytemuck::cast_slice(short_places));
        put(&parts.short_lengths, bytemuck::cast_slice(short_lengths));
        put(&parts.kinds, kinds);
        let hash = xxh3_128(&bytes[HEAD..]);
        let head = head(&plan, &span, each, count, short, hash);
        held[..head.len()].copy_from_slice(&head);
        Tabled {
            bytes: Bytes::Held(held),
            layout: Entries::new(&plan, count),
            plan,
            each,
            span,
            count,
            short,
            hash,
        }
    }

    /// Writes the bytes to a file, which then exists completely or not at all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let part = path.with_extension("part");
        let write = || -> io::Result<()> {
            let mut file = File::create(&part)?;
            file.write_all(self.bytes())?;
            file.sync_data()?;
            drop(file);
            fs::rename(&part, path)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&part);
            Error::io("write", path)(error)
        })
    }

    /// Opens a file as [`open_again`](Self::open_again), unless this process has a file of the same bytes open:
    /// checking the hash of a large file takes a second.
    ///
    /// # Errors
    /// As [`open_again`](Self::open_again).
    pub fn open(
        path: &Path,
        plan: Plan,
        span: Range<u32>,
        each: usize,
        hash: u128,
    ) -> Result<Option<Arc<Tabled>>, Error> {
        // Others wait for the first one that opens a file.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_own = |own: &Arc<Tabled>| {
            (&own.plan, &own.span, own.each, own.hash) == (&plan, &span, each, hash)
        };
        if let Some(own) = shared.iter().filter_map(Weak::upgrade).find(is_own) {
            return Ok(Some(own));
        }
        let opened = Tabled::open_again(path, plan, span, each, hash)?.map(Arc::new);
        shared.retain(|own| own.strong_count() > 0);
        shared.extend(opened.as_ref().map(Arc::downgrade));
        Ok(opened)
    }

    /// Opens a file; `None` if it is missing, damaged, or of another span, plan or hash.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read.
    pub fn open_again(
        path: &Path,
        plan: Plan,
        span: Range<u32>,
        each: usize,
        hash: u128,
    ) -> Result<Option<Tabled>, Error> {
        if cfg!(target_endian = "big") {
            return Ok(None);
        }
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(Error::io("read", path))?,
        };
        if file.metadata().map_err(Error::io("read", path))?.len() < HEAD as u64 {
            return Ok(None);
        }
        // SAFETY: a file of tables does not change once it has its name. After its removal the map
        // stays valid.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io("read", path))?;
        let found: &[u64] = bytemuck::cast_slice(&map[..HEAD]);
        let (count, short) = (found[7], found[8]);
        if count > u64::from(u32::MAX) || short > count {
            return Ok(None);
        }
        let (count, short) = (count as usize, short as usize);
        let length = Parts::new(&plan, each, count, short).kinds.end;
        // The system reads ahead while the hash is computed.
        let _ = map.advise(Advice::Sequential);
        let is_whole = found == head(&plan, &span, each, count, short, hash)
            && map.len() == length.div_ceil(8) * 8
            && xxh3_128(&map[HEAD..]) == hash;
        let _ = map.advise(Advice::Normal);
        Ok(is_whole.then_some(Tabled {
            bytes: Bytes::Mapped(map),
            layout: Entries::new(&plan, count),
            plan,
            each,
            span,
            count,
            short,
            hash,
        }))
    }

    /// The XXH3-128 of the body.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// The span of the document numbers.
    pub fn span(&self) -> &Range<u32> {
        &self.span
    }

    /// The plan of the tables.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Held(words) => bytemuck::cast_slice(words),
        }
    }

    /// Returns true if the bytes are mapped from a file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// Returns true if the tables consist of these lists.
    pub fn has_lists(&self, lists: &Lists) -> bool {
        let parts = Parts::new(&self.plan, self.each, self.count, self.short);
        let bytes = self.bytes();
        bytes[parts.places] == *bytemuck::cast_slice::<u32, u8>(&lists.places)
            && bytes[parts.values] == *bytemuck::cast_slice::<u64, u8>(&lists.values)
    }

    /// The columns and the tables; no tables if all fingerprints are compared.
    pub fn view(&self) -> (RecordsIn<'_>, Option<Tables<'_>>) {
        let parts = Parts::new(&self.plan, self.each, self.count, self.short);
        let bytes = self.bytes();
        let words = bytemuck::cast_slice(&bytes[parts.words]);
        let columns = RecordsIn::new(
            self.each,
            bytemuck::cast_slice(&bytes[parts.numbers]),
            words,
            bytemuck::cast_slice(&bytes[parts.hashes]),
            &bytes[parts.kinds],
            bytemuck::cast_slice(&bytes[parts.short_places]),
            bytemuck::cast_slice(&bytes[parts.short_lengths]),
            bytemuck::cast_slice(&bytes[parts.signatures]),
        );
        let tables = || {
            let [places, values] = [&bytes[parts.places], &bytes[parts.values]];
            Tables::with_layout(
                &self.plan,
                self.layout,
                words,
                bytemuck::cast_slice(places),
                bytemuck::cast_slice(values),
            )
        };
        (columns, (!self.plan.is_brute_force()).then(tables))
    }
}

fn head(
    plan: &Plan,
    span: &Range<u32>,
    each: usize,
    count: usize,
    short: usize,
    hash: u128,
) -> [u64; 16] {
    let mut head = [0; 16];
    head[..11].copy_from_slice(&[
        MAGIC,
        FORMAT,
        plan.bits().into(),
        each as u64,
        xxh3_64(plan.to_string().as_bytes()),
        span.start.into(),
        span.end.into(),
        count as u64,
        short as u64,
        hash as u64,
        (hash >> 64) as u64,
    ]);
    head[15] = xxh3_64(bytemuck::cast_slice(&head[..15]));
    head
}

#[cfg(test)]
mod tests {
    use nearprint_core::near::short::Signature;
    use nearprint_core::near::{Asking, Query, plan};
    use nearprint_core::near::{Kind, Record};
    use nearprint_core::random::Random;

    use super::*;

    fn columns(count: u32, each: usize) -> Records {
        let mut random = Random::new(count.into());
        let mut columns = Records::new(each);
        for number in 0..count {
            let short = (number % 5 == 0)
                .then(|| (number % 40, Signature::of_words([random.next(), random.next()])));
            let words = [random.next(), random.next(), random.next(), random.next()];
            let text_hash = u128::from(random.next()) << 64 | u128::from(random.next());
            columns.push(
                3 * number,
                &Record { text_hash, kind: Kind::new(true, false, false), short, words },
            );
        }
        columns
    }

    #[test]
    fn a_file_answers_as_the_columns_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.tables");
        for (count, bits) in [(0, 256), (1, 64), (9_000, 64), (9_000, 128), (30_000, 256)] {
            let each = bits as usize / 64;
            let (columns, plan) = (columns(count, each), plan(count as usize, bits, 3));
            let made = Tabled::new(plan.clone(), 0..3 * count, each, &columns);
            made.write(&path).unwrap();
            let opened =
                Tabled::open_again(&path, plan, 0..3 * count, each, made.hash()).unwrap().unwrap();
            assert!(opened.is_mapped() && opened.bytes() == made.bytes());
            let (view, tables) = opened.view();
            for place in (0..count as usize).step_by(97) {
                assert_eq!(view.place(3 * place as u32), Some(place));
                assert_eq!(view.place(3 * place as u32 + 1), None);
                let record = view.record(place);
                assert_eq!(record, columns.view().record(place));
                let mut near = [Vec::new(), Vec::new()];
                let query = [Query::all(record.words, 3)];
                view.near(tables.as_ref(), &query, &mut Asking::default(), &mut near[..1]);
                columns.view().near(None, &query, &mut Asking::default(), &mut near[1..]);
                assert!(!near[0].is_empty() && near[0] == near[1]);
            }
        }
    }

    #[test]
    fn a_file_that_is_torn_or_flipped_or_of_another_time_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.tables");
        let made = Tabled::new(plan(50, 64, 3), 0..150, 1, &columns(50, 1));
        made.write(&path).unwrap();
        let open = |span, hash| Tabled::open_again(&path, plan(50, 64, 3), span, 1, hash).unwrap();
        assert!(open(0..150, made.hash()).is_some());
        assert!(open(0..151, made.hash()).is_none() && open(0..150, made.hash() + 1).is_none());
        for byte in 0..made.bytes().len() {
            let mut bytes = made.bytes().to_vec();
            bytes[byte] ^= 4;
            fs::write(&path, bytes).unwrap();
            assert!(open(0..150, made.hash()).is_none(), "byte {byte}");
            fs::write(&path, &made.bytes()[..byte]).unwrap();
            assert!(open(0..150, made.hash()).is_none(), "{byte} bytes");
        }
        fs::remove_file(&path).unwrap();
        assert!(open(0..150, made.hash()).is_none());
    }
}

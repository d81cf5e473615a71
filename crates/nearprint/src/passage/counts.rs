//! The chosen windows of a shard -> the stretches of documents whose windows stand in enough
//! documents.
//!
//! Windows that choose the same gram are together in one group. Where all letters around the gram
//! are the same, the windows are counted together, without their texts. Other groups are counted
//! window by window: each window is known by its place beside the gram and by a hash of its letters.

use super::gathered::{Row, Stretch};
use super::windows::window_end;
use crate::error::Error;
use crate::spill::Spill;
use xxhash_rust::xxh3::xxh3_64;

/// The stretches of the documents of a shard, in no order. Windows count that stand at two places
/// or more, in at least `documents` documents.
pub(super) fn stretches(
    rows: &mut Vec<Row>,
    letters: &Spill<u8>,
    length: u32,
    documents: u32,
) -> Result<Vec<Stretch>, Error> {
    keep_repeated(rows);
    rows.sort_unstable();
    let mut counting = Counting::new(letters, length, documents);
    for group in rows.chunk_by(|one, other| one[0] == other[0]) {
        if group.len() > 1 {
            counting.count(group)?;
        }
    }
    Ok(counting.found)
}

/// Drops most rows whose gram stands in no other row: they need not be sorted.
fn keep_repeated(rows: &mut Vec<Row>) {
    let bits = (4 * rows.len()).next_power_of_two().max(64);
    let [mut seen, mut again] = [(); 2].map(|()| vec![0u64; bits / 64]);
    let place = |row: &Row| {
        let bit = row[0] as usize & (bits - 1);
        (bit / 64, 1 << (bit % 64))
    };
    for row in rows.iter() {
        let (word, bit) = place(row);
        again[word] |= seen[word] & bit;
        seen[word] |= bit;
    }
    rows.retain(|row| {
        let (word, bit) = place(row);
        again[word] & bit != 0
    });
}

fn document(row: &Row) -> u32 {
    (row[2] >> 32) as u32
}

/// The number of distinct documents of rows that are sorted by document.
fn distinct(rows: &[Row]) -> u32 {
    rows.chunk_by(|one, other| document(one) == document(other)).count() as u32
}

/// Counts one group after the other.
struct Counting<'l> {
    letters: &'l Spill<u8>,
    length: u32,
    documents: u32,
    found: Vec<Stretch>,
    /// The letters around one gram.
    around: Vec<u8>,
    /// The windows of a group: how many bytes before the gram each begins, the hash of its letters,
    /// and its class.
    windows: Vec<(u32, u64, u32)>,
    /// For each class and window the end of the window, and the number of its documents.
    counted: Vec<Vec<(u32, u32, u32)>>,
}

impl<'l> Counting<'l> {
    fn new(letters: &'l Spill<u8>, length: u32, documents: u32) -> Counting<'l> {
        Counting {
            letters,
            length,
            documents,
            found: Vec::new(),
            around: Vec::new(),
            windows: Vec::new(),
            counted: Vec::new(),
        }
    }

    /// Counts the windows of a group of two grams or more.
    fn count(&mut self, group: &[Row]) -> Result<(), Error> {
        // Rows of a class have the same letters around the gram.
        let classes: Vec<&[Row]> = group.chunk_by(|one, other| one[1] == other[1]).collect();
        let mut all: Vec<u32> = group.iter().map(document).collect();
        all.sort_unstable();
        all.dedup();
        if (all.len() as u32) < self.documents {
            return Ok(());
        }
        let of_classes: Vec<u32> = classes.iter().map(|class| distinct(class)).collect();
        if let [class] = classes[..] {
            let last = self.read_around(&class[0])?;
            let end = window_end(&self.around, last, self.length);
            self.push(class, [0, end as u32], of_classes[0]);
            return Ok(());
        }
        let is_apart = all.len() as u32 == of_classes.iter().sum::<u32>();
        self.windows.clear();
        self.counted.clear();
        for (number, class) in classes.iter().enumerate() {
            let last = self.read_around(&class[0])?;
            let before = class[0][3] >> 32;
            let (mut start, mut counted) = (0, Vec::new());
            loop {
                let end = window_end(&self.around, start, self.length);
                self.windows.push((
                    before as u32 - start as u32,
                    xxh3_64(&self.around[start..end]),
                    number as u32,
                ));
                counted.push((start as u32, end as u32, 0));
                if start == last {
                    break;
                }
                start = next_letter(&self.around, start);
            }
            self.counted.push(counted);
        }
        self.windows.sort_unstable();
        let windows = std::mem::take(&mut self.windows);
        for equal in windows.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let of = |(_, _, class): &(u32, u64, u32)| classes[*class as usize];
            let places: usize = equal.iter().map(|window| of(window).len()).sum();
            let documents = match equal {
                _ if is_apart => {
                    equal.iter().map(|(_, _, class)| of_classes[*class as usize]).sum()
                }
                [(_, _, class)] => of_classes[*class as usize],
                _ => {
                    let mut all: Vec<u32> = equal.iter().flat_map(of).map(document).collect();
                    all.sort_unstable();
                    all.dedup();
                    all.len() as u32
                }
            };
            if places < 2 || documents < self.documents {
                continue;
            }
            for (offset, _, class) in equal {
                let before = (classes[*class as usize][0][3] >> 32) as u32;
                let counted = &mut self.counted[*class as usize];
                let at = counted.partition_point(|(start, ..)| *start < before - offset);
                counted[at].2 = documents;
            }
        }
        self.windows = windows;
        let counted = std::mem::take(&mut self.counted);
        for (class, windows) in classes.iter().zip(&counted) {
            for run in windows.chunk_by(|one, other| one.2 == other.2).filter(|run| run[0].2 > 0) {
                self.push(class, [run[0].0, run[run.len() - 1].1], run[0].2);
            }
        }
        Ok(())
    }

    /// Reads the letters of the windows that choose a gram, and some behind them. Returns the place
    /// of the last window in bytes of these letters.
    fn read_around(&mut self, row: &Row) -> Result<usize, Error> {
        let (at, before, last) = (row[2] as u32, (row[3] >> 32) as u32, row[3] as u32);
        let (first, last) = ((at - before) as usize, (before - last) as usize);
        // A letter has four bytes at most.
        let most = last + 4 * self.length as usize;
        self.letters.part(document(row) as usize, first, most, &mut self.around)?;
        Ok(last)
    }

    /// Stores a stretch for each row of a class. Its bounds are in bytes from the first window.
    fn push(&mut self, class: &[Row], [start, end]: [u32; 2], documents: u32) {
        for row in class {
            let first = row[2] as u32 - (row[3] >> 32) as u32;
            let (start, end) = (first + start, first + end);
            self.found.push(Stretch { document: document(row), start, end, documents });
        }
    }
}

fn next_letter(letters: &[u8], at: usize) -> usize {
    let behind = letters[at + 1..].iter().position(|byte| *byte as i8 >= -64);
    behind.map_or(letters.len(), |more| at + 1 + more)
}

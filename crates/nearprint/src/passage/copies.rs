//! The sentences of all places -> the passages, and the places that stay.
//!
//! A passage is known by its most common sentence: places with the same one are copies of one
//! passage. A copy that lacks some sentences, or has others beside them, is a copy still.
//!
//! If one copy stays, nothing is lost: the first place of each sentence stays, so each sentence of a
//! place that goes stands in a place that stays. Places are in the order of the ranks of their
//! documents, those inside a sentence last.

use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::places::{Gap, Place};
use crate::error::Error;
use crate::spill::{Record, Sorted, Sorter};

/// Rows of numbers are stored as they are.
impl<const N: usize> Record for [u64; N]
where
    [u64; N]: bytemuck::Pod,
{
    type Row = [u64; N];

    fn to_row(self) -> [u64; N] {
        self
    }

    fn from_row(row: [u64; N]) -> [u64; N] {
        row
    }
}

/// The reason why a place stays, or that it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stay {
    /// It goes.
    Goes,
    /// It is the copy that stays.
    Copy,
    /// It stands inside a sentence.
    Inside,
    /// Its document would lose too much.
    MaxLost,
    /// What would go in one piece has fewer letters than a passage.
    Short,
    /// A person has refused the passage, or approved only others.
    Refused,
}

impl Stay {
    /// The reason as one word; `None` for a place that goes.
    ///
    /// ```
    /// use nearprint::passage::Stay;
    /// assert_eq!((Stay::MaxLost.name(), Stay::Goes.name()), (Some("max-lost"), None));
    /// ```
    pub fn name(self) -> Option<&'static str> {
        match self {
            Stay::Goes => None,
            Stay::Copy => Some("copy"),
            Stay::Inside => Some("inside"),
            Stay::MaxLost => Some("max-lost"),
            Stay::Short => Some("short"),
            Stay::Refused => Some("refused"),
        }
    }
}

const STAYS: [Stay; 6] =
    [Stay::Goes, Stay::Copy, Stay::Inside, Stay::MaxLost, Stay::Short, Stay::Refused];

/// A place as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceRow {
    /// The number of the document.
    pub document: u32,
    /// The number of the place in its document.
    pub number: u32,
    /// The first character in the text as read, and the end.
    pub characters: [u32; 2],
    /// The first byte in the text as read, and the end.
    pub bytes: [u32; 2],
    /// The white space before and behind it.
    pub gaps: [Gap; 2],
    /// The number of its letters, where wide characters count as two.
    pub letters: u32,
    /// The number of documents that share its most common window.
    pub documents: u32,
    /// The number of letters in which an edited copy differs; 0 for an exact one.
    pub edits: u32,
    /// The number of its passage, from 1.
    pub passage: u32,
    /// The document where a copy of its rarest sentence stays, if the place may go and a copy stays.
    pub copy: Option<u32>,
    /// Whether it stays, and why.
    pub stay: Stay,
}

impl PlaceRow {
    /// A place of a document, which goes unless it stands inside a sentence.
    pub fn of(document: u32, number: u32, place: &Place) -> PlaceRow {
        let bounds = |range: &std::ops::Range<usize>| [range.start as u32, range.end as u32];
        PlaceRow {
            document,
            number,
            characters: bounds(&place.characters),
            bytes: bounds(&place.bytes),
            gaps: place.gaps,
            letters: place.letters,
            documents: place.documents,
            edits: 0,
            passage: 0,
            copy: None,
            stay: if place.is_whole { Stay::Goes } else { Stay::Inside },
        }
    }
}

/// A place as numbers, in the order of documents and characters.
impl Record for PlaceRow {
    type Row = [u64; 8];

    fn to_row(self) -> [u64; 8] {
        let [before, behind] =
            self.gaps.map(|gap| pair(gap.characters, gap.lines << 1 | u32::from(gap.is_outer)));
        let stay = STAYS.iter().position(|stay| *stay == self.stay).unwrap_or(0) as u32;
        [
            pair(self.document, self.characters[0]),
            pair(self.characters[1], self.number),
            pair(self.bytes[0], self.bytes[1]),
            before,
            behind,
            pair(self.letters, self.documents),
            pair(self.edits, self.passage),
            pair(self.copy.unwrap_or(u32::MAX), stay),
        ]
    }

    fn from_row([place, end, bytes, before, behind, size, passage, stay]: [u64; 8]) -> PlaceRow {
        let gap = |numbers: u64| {
            let [characters, lines] = halves(numbers);
            Gap { characters, lines: lines >> 1, is_outer: lines & 1 == 1 }
        };
        let ([document, start], [end, number]) = (halves(place), halves(end));
        let ([letters, documents], [edits, passage]) = (halves(size), halves(passage));
        let [copy, stay] = halves(stay);
        PlaceRow {
            document,
            number,
            characters: [start, end],
            bytes: halves(bytes),
            gaps: [gap(before), gap(behind)],
            letters,
            documents,
            edits,
            passage,
            copy: (copy < u32::MAX).then_some(copy),
            stay: STAYS[stay as usize],
        }
    }
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn halves(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

/// A passage: all places with the same most common sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The hash of its most common sentence.
    pub sentence: u64,
    /// The number of documents that share its most common window; of an approved passage, those with
    /// a copy.
    pub documents: u32,
    /// The number of its places, edited copies included.
    pub places: u32,
    /// The number of places that are edited copies.
    pub edited: u32,
    /// The number of its letters, where wide characters count as two.
    pub letters: u32,
    /// A place with the text that most places have, if more than half have one; `None` for a passage
    /// that a person has approved.
    pub example: Option<PlaceRow>,
}

impl Passage {
    /// The document where a copy of its rarest sentence stays, if one stays.
    pub fn copy(&self) -> Option<u32> {
        self.example.and_then(|example| example.copy)
    }
}

/// All passages, the one in most documents first, and their places by document.
#[derive(Debug)]
pub struct Found {
    /// The passages. The number of the first one is 1.
    pub passages: Vec<Passage>,
    /// The places, by document and place.
    pub places: Sorted<PlaceRow>,
}

impl Found {
    /// Passages with these numbers of letters that a person has approved, before they are looked for.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn approved(letters: impl IntoIterator<Item = u32>, folder: &Path) -> Result<Found, Error> {
        let passage = |letters| Passage {
            sentence: 0,
            documents: 0,
            places: 0,
            edited: 0,
            letters,
            example: None,
        };
        let passages = letters.into_iter().map(passage).collect();
        Ok(Found { passages, places: Sorter::new(folder)?.finish()? })
    }

    /// The number of documents that share the passage of a place.
    pub fn documents(&self, place: &PlaceRow) -> u32 {
        self.passages[place.passage as usize - 1].documents
    }

    /// For each document whether more of it may go: one that would lose more than the share
    /// `max_lost` of its letters stays as it is. Short pieces count as well, since further places may
    /// stand beside them. `letters` are the letters of each document.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn may_lose_more(&self, max_lost: f64, letters: &[u32]) -> Result<Vec<bool>, Error> {
        let mut lost = vec![0; letters.len()];
        for place in self.places.iter() {
            let place = place?;
            if place.stay == Stay::Goes {
                lost[place.document as usize] += u64::from(place.letters);
            }
        }
        let may = |(lost, all): (u64, &u32)| !is_too_much(lost, max_lost, *all);
        Ok(lost.into_iter().zip(letters).map(may).collect())
    }

    /// Adds places that were found otherwise. What would go in one piece stays if it has fewer letters
    /// than `least`, and documents stay as they are that would lose more than the share `max_lost` of
    /// their letters. `letters` are the letters of each document.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn complete(
        self,
        further: Sorter<PlaceRow>,
        least: u32,
        max_lost: f64,
        letters: &[u32],
        folder: &Path,
    ) -> Result<Found, Error> {
        let Found { mut passages, places } = self;
        let (mut out, further) = (Sorter::new(folder)?, further.finish()?);
        let mut last = vec![None; passages.len()];
        for place in further.iter() {
            let place = place?;
            let number = place.passage as usize - 1;
            let passage = &mut passages[number];
            let is_other = last[number].replace(place.document) != Some(place.document);
            passage.documents += u32::from(passage.example.is_none() && is_other);
            passage.places += 1;
            passage.edited += u32::from(place.edits > 0);
        }
        let mut of_document: Vec<PlaceRow> = Vec::new();
        let mut further = further.iter().peekable();
        let mut take = |place: PlaceRow| {
            if of_document.last().is_some_and(|last| last.document != place.document) {
                push_decided(&mut of_document, &mut passages, least, max_lost, letters, &mut out)?;
            }
            of_document.push(place);
            Ok::<(), Error>(())
        };
        for place in places.iter() {
            let place = place?;
            let is_before = |other: &Result<PlaceRow, Error>| {
                let order = |place: &PlaceRow| (place.document, place.characters);
                other.as_ref().map_or(true, |other| order(other) < order(&place))
            };
            while let Some(other) = further.next_if(is_before) {
                take(other?)?;
            }
            take(place)?;
        }
        further.try_for_each(|place| take(place?))?;
        push_decided(&mut of_document, &mut passages, least, max_lost, letters, &mut out)?;
        Ok(Found { passages, places: out.finish()? })
    }
}

/// The runs of places between which there are only signs and white space, two places or more.
pub fn touching<'r>(text: &str, places: &'r [PlaceRow]) -> Vec<&'r [PlaceRow]> {
    let touches = |one: &PlaceRow, next: &PlaceRow| {
        let between = text.get(one.bytes[1] as usize..next.bytes[0] as usize);
        let is_whole = |row: &PlaceRow| row.stay != Stay::Inside;
        is_whole(one)
            && is_whole(next)
            && between.is_some_and(|between| !between.contains(char::is_alphanumeric))
    };
    places.chunk_by(touches).filter(|run| run.len() > 1).collect()
}

/// Whether a document with so many letters would lose more than the share `max_lost` of them.
fn is_too_much(lost: u64, max_lost: f64, all: u32) -> bool {
    lost as f64 > max_lost * f64::from(all)
}

/// Moves the places of one document to `out`. Pieces with fewer letters than `least` stay, and all
/// places if the document would lose too much. Places inside a sentence are none if they overlap with
/// an edited copy.
fn push_decided(
    places: &mut Vec<PlaceRow>,
    passages: &mut [Passage],
    least: u32,
    max_lost: f64,
    letters: &[u32],
    out: &mut Sorter<PlaceRow>,
) -> Result<(), Error> {
    let edited = places.iter().filter(|place| place.edits > 0);
    let edited: Vec<[u32; 2]> = edited.map(|place| place.characters).collect();
    places.retain(|place| {
        let [start, end] = place.characters;
        let is_place = place.stay != Stay::Inside
            || !edited.iter().any(|[first, last]| *first < end && start < *last);
        passages[place.passage as usize - 1].places -= u32::from(!is_place);
        is_place
    });
    let goes = |place: &PlaceRow| place.stay == Stay::Goes;
    let size = |place: &PlaceRow| u64::from(place.letters);
    let mut going: Vec<&mut PlaceRow> = places.iter_mut().filter(|place| goes(place)).collect();
    // Only white space stands between two places of one piece.
    let is_one = |one: &&mut PlaceRow, next: &&mut PlaceRow| {
        one.characters[1] + one.gaps[1].characters == next.characters[0]
    };
    for piece in going.chunk_by_mut(is_one) {
        if piece.iter().map(|place| size(place)).sum::<u64>() < u64::from(least) {
            piece.iter_mut().for_each(|place| place.stay = Stay::Short);
        }
    }
    let lost: u64 = places.iter().filter(|place| goes(place)).map(size).sum();
    let all = places.first().map_or(0, |place| letters[place.document as usize]);
    let is_too_much = is_too_much(lost, max_lost, all);
    for place in places.drain(..) {
        let stay = match place.stay {
            Stay::Goes if is_too_much => Stay::MaxLost,
            stay => stay,
        };
        out.push(PlaceRow { stay, ..place })?;
    }
    Ok(())
}

/// Collects the places of documents.
#[derive(Debug)]
pub struct Copies {
    /// The sentence, the rank and the number of its document, the place and the letters.
    sentences: Sorter<[u64; 3]>,
    places: Sorter<PlaceRow>,
    folder: PathBuf,
}

impl Copies {
    /// Starts without places. Temporary files go to `folder`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(folder: &Path) -> Result<Copies, Error> {
        let (sentences, places) = (Sorter::new(folder)?, Sorter::new(folder)?);
        Ok(Copies { sentences, places, folder: folder.to_path_buf() })
    }

    /// Adds the places of a document. `rank` is the better the smaller it is.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn push(
        &mut self,
        document: u32,
        rank: u32,
        group: u64,
        places: &[Place],
    ) -> Result<(), Error> {
        for (place, number) in places.iter().zip(0..) {
            // An edited copy may go that overlaps with a place inside a sentence.
            let rank = if place.is_whole { rank } else { u32::MAX };
            for (sentence, letters) in &place.sentences {
                let row = [sentence ^ group, pair(rank, document), pair(number, *letters)];
                self.sentences.push(row)?;
            }
            self.places.push(PlaceRow::of(document, number, place))?;
        }
        Ok(())
    }

    /// The passages, and their places. If `keeps_copy`, one copy of each sentence stays. `may_go`
    /// tells whether a passage with this most common sentence may go. `groups` are the groups of the
    /// documents; empty if all are in one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(
        self,
        keeps_copy: bool,
        groups: &[u64],
        may_go: &dyn Fn(u64) -> bool,
    ) -> Result<Found, Error> {
        let Copies { sentences, places, folder } = self;
        let places = places.finish()?;
        let known = known(&sentences.finish()?, &folder)?;
        let mut passages = passages(&known, &places)?;
        let numbers: HashMap<u64, u32> =
            passages.iter().zip(1..).map(|(passage, number)| (passage.sentence, number)).collect();
        let group_of = |document: u32| groups.get(document as usize).copied().unwrap_or(0);
        let mut out = Sorter::new(&folder)?;
        for place in joined(&known, &places) {
            let (place, Known { sentence, is_first, copy, .. }) = place?;
            let stay = match place.stay {
                Stay::Goes if !may_go(sentence ^ group_of(place.document)) => Stay::Refused,
                Stay::Goes if is_first && keeps_copy => Stay::Copy,
                stay => stay,
            };
            let copy = (keeps_copy && stay == Stay::Goes).then_some(copy);
            out.push(PlaceRow { passage: numbers[&sentence], copy, stay, ..place })?;
        }
        for passage in &mut passages {
            if let (false, Some(example)) = (keeps_copy, &mut passage.example) {
                example.copy = None;
            }
            passage.sentence ^= passage.example.map_or(0, |example| group_of(example.document));
        }
        Ok(Found { passages, places: out.finish()? })
    }
}

/// What is known of a place by its sentences.
struct Known {
    /// The most common sentence, of several the longest.
    sentence: u64,
    /// True if it is the first place of one of its sentences.
    is_first: bool,
    /// The document with the first place of its rarest sentence, of several the longest.
    copy: u32,
    /// The number of documents with that sentence.
    documents: u32,
}

/// Document and place; the documents and letters of a sentence, the most first; the sentence; the
/// document of its first place, and 1 if this is it.
type KnownRow = [u64; 4];

/// The sentences, each with the number of documents that have it, by place.
fn known(sentences: &Sorted<[u64; 3]>, folder: &Path) -> Result<Sorted<KnownRow>, Error> {
    let mut known = Sorter::new(folder)?;
    let mut equal: Vec<[u64; 3]> = Vec::new();
    let mut count = |equal: &mut Vec<[u64; 3]>| {
        // A document may have places of both kinds.
        let mut documents: Vec<u32> = equal.iter().map(|row| halves(row[1])[1]).collect();
        documents.sort_unstable();
        documents.dedup();
        let documents = documents.len() as u32;
        let (mut is_first, [_, copy]) = (true, halves(equal.first().map_or(0, |row| row[1])));
        equal.drain(..).try_for_each(|[sentence, document, place]| {
            let ([_, document], [place, letters]) = (halves(document), halves(place));
            let size = pair(u32::MAX - documents, u32::MAX - letters);
            let first = u32::from(std::mem::replace(&mut is_first, false));
            known.push([pair(document, place), size, sentence, pair(copy, first)])
        })
    };
    for row in sentences.iter() {
        let row = row?;
        if equal.last().is_some_and(|last| last[0] != row[0]) {
            count(&mut equal)?;
        }
        equal.push(row);
    }
    count(&mut equal)?;
    known.finish()
}

/// Each place with what is known of it, in order.
fn joined<'k>(
    known: &'k Sorted<KnownRow>,
    places: &'k Sorted<PlaceRow>,
) -> impl Iterator<Item = Result<(PlaceRow, Known), Error>> + 'k {
    let mut rows = known.iter().peekable();
    places.iter().map(move |place| {
        let place = place?;
        let own = pair(place.document, place.number);
        let is_own = |row: &Result<KnownRow, Error>| row.as_ref().map_or(true, |row| row[0] == own);
        let mut found: Option<Known> = None;
        while let Some(row) = rows.next_if(is_own) {
            let [_, size, sentence, first] = row?;
            let ([copy, first], documents) = (halves(first), u32::MAX - halves(size)[0]);
            let new = Known { sentence, is_first: false, copy, documents };
            let known = found.get_or_insert(new);
            known.is_first |= first == 1;
            if documents < known.documents {
                (known.copy, known.documents) = (copy, documents);
            }
        }
        Ok((place, found.expect("a place has a sentence")))
    })
}

/// The passages, the one in most documents first.
fn passages(known: &Sorted<KnownRow>, places: &Sorted<PlaceRow>) -> Result<Vec<Passage>, Error> {
    // The passage of a sentence, and by how many places its example leads (majority vote of Boyer and
    // Moore). Places of one passage with the same number of letters have the same text.
    let mut by_sentence: HashMap<u64, (Passage, u32)> = HashMap::new();
    for place in joined(known, places) {
        let (place, Known { sentence, copy, .. }) = place?;
        let place = PlaceRow { copy: Some(copy), ..place };
        let documents = place.documents;
        let new = Passage { sentence, documents, places: 0, edited: 0, letters: 0, example: None };
        let (passage, lead) = by_sentence.entry(sentence).or_insert((new, 0));
        passage.places += 1;
        passage.documents = passage.documents.max(documents);
        match passage.example {
            Some(example) if example.letters == place.letters => *lead += 1,
            Some(_) if *lead > 0 => *lead -= 1,
            _ => (passage.example, *lead) = (Some(place), 1),
        }
    }
    let mut passages: Vec<Passage> =
        by_sentence.into_values().map(|(passage, _)| passage).collect();
    for passage in &mut passages {
        passage.letters = passage.example.map_or(0, |example| example.letters);
    }
    let order = |passage: &Passage| {
        let example = passage.example.map(|example| (example.document, example.number));
        (std::cmp::Reverse((passage.documents, passage.places)), example)
    };
    passages.sort_unstable_by_key(order);
    Ok(passages)
}

//! A text and the coverage of its letters -> the places of passages in it.
//!
//! The letters that are shared begin and end anywhere: where two footers are equal, the words
//! before them may end in the same letters by chance. So a place is made of whole segments
//! (sentences, lines, paragraphs), all letters of which are shared. Two neighboring segments are
//! in one place if they stand in about as many documents: a footer and a rarer paragraph before it
//! are two passages.
//!
//! A stretch with few whole segments, less than half of it and less than a passage, is a quotation
//! inside a sentence. Its place has whole words, and it is listed but never cut.

use std::ops::Range;

use nearprint_core::normalize::{AsRead, Normalizer, append_alphanumeric, is_of_spaced_word};
use xxhash_rust::xxh3::xxh3_64;

use super::coverage::Part;
use super::edited::Copy;
use super::gathered::length;
use super::segments::{divide, is_ended, segments};

/// Neighboring segments are in one passage if the rarer one stands in at least this share of the
/// documents with the other: nearly all of them, since some copies lack a sentence.
const TOGETHER: [u32; 2] = [4, 5];

/// The letters and digits of a text, and where each stands in the text as read.
#[derive(Debug, Default)]
pub struct Letters {
    /// The letters and digits of the normalized text.
    pub letters: String,
    /// For each letter its first byte among the letters, and its bytes in the text as read. The
    /// last entry is the end of both.
    places: Vec<(usize, Range<usize>)>,
}

impl Letters {
    /// The letters of a text as read. The normalizer must strip nothing.
    pub fn new(text: &str, normalizer: &Normalizer) -> Letters {
        let mut letters = String::new();
        let normalized = normalizer.normalize(text);
        append_alphanumeric(&normalized, &mut letters);
        let counts = nearprint_core::normalize::counting(&normalized);
        let in_text: Vec<Range<usize>> = match text.is_ascii() {
            true => {
                let counted = text.char_indices().filter(|(_, c)| counts(*c));
                counted.map(|(at, _)| at..at + 1).collect()
            }
            false => AsRead::new(text, normalizer, counts).places(),
        };
        let starts = letters.char_indices().map(|(at, _)| at);
        let mut places: Vec<_> = starts.zip(in_text).collect();
        places.push((letters.len(), text.len()..text.len()));
        Letters { letters, places }
    }

    /// The bytes of the letters that stand in a part of the text.
    fn within(&self, part: &Range<usize>) -> Range<usize> {
        let before = |bound: usize| {
            self.places.partition_point(|(_, place)| place.start < bound).min(self.places.len() - 1)
        };
        self.places[before(part.start)].0..self.places[before(part.end)].0
    }

    /// The bytes of the text from the first to the last letter of a range of the letters.
    fn in_text(&self, letters: &Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.places.partition_point(|(start, _)| *start < byte);
        self.places[at(letters.start)].1.start..self.places[at(letters.end) - 1].1.end
    }
}

/// The white space beside a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gap {
    /// The number of its characters.
    pub characters: u32,
    /// The number of its line ends.
    pub lines: u32,
    /// True if the text begins before it or ends behind it.
    pub is_outer: bool,
}

/// A place of a passage in a text as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its characters.
    pub characters: Range<usize>,
    /// The white space before and behind it.
    pub gaps: [Gap; 2],
    /// The number of its letters, where wide characters count as two.
    pub letters: u32,
    /// The number of documents that share its most common window.
    pub documents: u32,
    /// The hash and the number of letters of each sentence. A quotation inside a sentence is one.
    pub sentences: Vec<(u64, u32)>,
    /// True if it is made of whole segments; false for a quotation inside of one.
    pub is_whole: bool,
}

/// A segment of the text.
struct Segment {
    text: Range<usize>,
    letters: Range<usize>,
}

/// The places of passages in a text, in order. `least` is the least length of a passage in letters.
/// Sentences that `may_go` and those that may not are in different places.
pub fn places(
    text: &str,
    letters: &Letters,
    parts: &[Part],
    least: u32,
    may_go: &(dyn Fn(u64) -> bool + Sync),
) -> Vec<Place> {
    let mut all = Vec::new();
    segments(text, &mut all);
    let segments = segments_of(letters, all);
    let (mut found, mut last) = (Vec::new(), 0);
    for stretch in parts.chunk_by(|one, next| one.bytes.end == next.bytes.start) {
        let bytes = stretch[0].bytes.start..stretch[stretch.len() - 1].bytes.end;
        let first = segments.partition_point(|segment| segment.letters.start < bytes.start);
        let end = segments.partition_point(|segment| segment.letters.end <= bytes.end);
        let end = before_heading(text, &segments, first..end.max(first));
        let whole = &segments[first..end];
        let own = |segment: &Segment| &letters.letters.as_bytes()[segment.letters.clone()];
        let in_whole: u32 = whole.iter().map(|segment| length(own(segment))).sum();
        if in_whole < least && 2 * in_whole < length(&letters.letters.as_bytes()[bytes.clone()]) {
            let documents = stretch.iter().map(|part| part.documents).max().unwrap_or(0);
            let place = whole_words(text, letters.in_text(&bytes));
            let segment = Segment { letters: letters.within(&place), text: place };
            found.push(place_of(std::slice::from_ref(&segment), own, documents, false));
            continue;
        }
        let mut open = first..first;
        let (mut most, mut before, mut goes) = (0, 0, true);
        let mut push = |open: &Range<usize>, most: u32| {
            let from = segments.partition_point(|segment| segment.text.start < last);
            let of_place = &segments[with_signs(&segments, open, from)];
            last = of_place[of_place.len() - 1].text.end;
            found.push(place_of(of_place, own, most, true));
        };
        for (segment, at) in whole.iter().zip(first..) {
            if segment.letters.is_empty() {
                continue;
            }
            let documents = most_documents(stretch, &segment.letters);
            let [rarer, other] = [documents.min(before), documents.max(before)];
            let may_go = may_go(xxh3_64(own(segment)));
            let is_other = TOGETHER[1] * rarer < TOGETHER[0] * other || goes != may_go;
            let is_again = own(&segments[open.start]) == own(segment);
            if !open.is_empty() && (is_other || is_again) {
                push(&open, most);
                (open, most) = (at..at, 0);
            }
            (most, before, goes) = (most.max(documents), documents, may_go);
            open = if open.is_empty() { at..at + 1 } else { open.start..at + 1 };
        }
        if !open.is_empty() {
            push(&open, most);
        }
    }
    measure(text, &mut found);
    found
}

/// The places of copies in a text. A place is made of whole segments beside those that are taken by
/// earlier places. At most a share of a segment is outside of the copy, and at least half of the copy
/// is in whole segments.
pub struct CopyPlaces<'t> {
    text: &'t str,
    letters: &'t Letters,
    taken: &'t [Range<usize>],
    edited: f64,
    is_approved: bool,
    segments: Vec<Segment>,
    found: Vec<(Copy, Place)>,
}

impl<'t> CopyPlaces<'t> {
    /// No place yet. `taken` are the bytes of earlier places. At most the share `edited` of a segment
    /// is outside of a copy. Segments also end where the copies of approved passages do.
    pub fn new(
        text: &'t str,
        letters: &'t Letters,
        taken: &'t [Range<usize>],
        edited: f64,
        is_approved: bool,
    ) -> CopyPlaces<'t> {
        let mut all = Vec::new();
        segments(text, &mut all);
        let segments = segments_of(letters, all);
        CopyPlaces { text, letters, taken, edited, is_approved, segments, found: Vec::new() }
    }

    /// Adds the places of a copy. Returns false if it has none.
    pub fn add(&mut self, copy: &Copy) -> bool {
        let divided = self.is_approved.then(|| {
            let mut all: Vec<_> = self.segments.iter().map(|own| own.text.clone()).collect();
            let before = all.len();
            divide(self.text, &mut all, &self.letters.in_text(&copy.letters));
            (all.len() > before).then(|| segments_of(self.letters, all))
        });
        let divided = divided.flatten();
        let segments = divided.as_deref().unwrap_or(&self.segments);
        let is_free = |segment: &Segment| {
            let before = self.taken.partition_point(|place| place.end <= segment.text.start);
            let own = segment.text.clone();
            let overlaps = |(_, place): &(Copy, Place)| {
                place.bytes.start < own.end && own.start < place.bytes.end
            };
            self.taken.get(before).is_none_or(|place| own.end <= place.start)
                && !self.found.iter().any(overlaps)
        };
        let own = |segment: &Segment| &self.letters.letters.as_bytes()[segment.letters.clone()];
        let range = &copy.letters;
        let is_in = |segment: &Segment| {
            let Range { start, end } = segment.letters;
            let inside = end.min(range.end).saturating_sub(start.max(range.start));
            inside > 0 && ((end - start - inside) as f64) <= self.edited * (end - start) as f64
        };
        let first = segments.partition_point(|segment| segment.letters.end <= range.start);
        let end = segments.partition_point(|segment| segment.letters.start < range.end);
        let whole: Vec<usize> = (first..end).filter(|at| is_in(&segments[*at])).collect();
        let in_whole: usize = whole.iter().map(|at| segments[*at].letters.len()).sum();
        if 2 * in_whole < range.len() {
            return false;
        }
        let are_free = |run: &[usize]| run.iter().all(|at| is_free(&segments[*at]));
        let runs = whole.chunk_by(|one, next| are_free(&[*one]) == are_free(&[*next]));
        let mut places = Vec::new();
        for run in runs.filter(|run| are_free(run)) {
            let run = run[0]..run[run.len() - 1] + 1;
            let with_signs = with_signs(segments, &run, 0);
            let all_free = with_signs.clone().all(|at| is_free(&segments[at]));
            let own_segments = &segments[if all_free { with_signs } else { run }];
            places.push((copy.clone(), place_of(own_segments, own, 0, true)));
        }
        let is_new = !places.is_empty();
        self.found.extend(places);
        if let Some(divided) = divided.filter(|_| is_new) {
            self.segments = divided;
        }
        is_new
    }

    /// The places in order, each with its copy.
    pub fn finish(mut self) -> Vec<(Copy, Place)> {
        self.found.sort_by_key(|(_, place)| place.bytes.start);
        self.found.dedup_by(|next, last| next.1.bytes.start < last.1.bytes.end);
        let (copies, mut places): (Vec<Copy>, Vec<Place>) = self.found.into_iter().unzip();
        measure(self.text, &mut places);
        copies.into_iter().zip(places).collect()
    }
}

fn segments_of(letters: &Letters, all: Vec<Range<usize>>) -> Vec<Segment> {
    all.into_iter().map(|text| Segment { letters: letters.within(&text), text }).collect()
}

/// The end of these segments, without a heading of what follows: a line without a mark, behind a
/// sentence with one and right before another line.
fn before_heading(text: &str, segments: &[Segment], whole: Range<usize>) -> usize {
    let of = |at: usize| text[segments[at].text.clone()].trim();
    let Some(last) = whole.clone().next_back().filter(|last| whole.contains(&last.wrapping_sub(1)))
    else {
        return whole.end;
    };
    let is_line = !of(last).contains(is_line_end) && !is_ended(of(last));
    let leads = segments.get(whole.end).is_some_and(|next| {
        let space = &text[segments[last].text.end..next.text.start];
        gap(space, false).lines == 1 && !next.letters.is_empty()
    });
    if is_line && leads && is_ended(of(last - 1)) { last } else { whole.end }
}

/// The segments of a place, and those of signs alone beside it behind which the text ends, or where
/// nothing else would be between two of them. Those before `from` belong to another place.
fn with_signs(segments: &[Segment], own: &Range<usize>, from: usize) -> Range<usize> {
    let are_signs = |segment: &&Segment| segment.letters.is_empty();
    let ahead = segments[from.min(own.start)..own.start].iter().rev().take_while(are_signs).count();
    let behind = segments[own.end..].iter().take_while(are_signs).count();
    let is_last = own.end + behind == segments.len();
    let is_first = own.start == ahead;
    match (is_first || is_last, ahead > 0) {
        (true, _) => own.start - ahead..own.end + behind,
        (false, true) => own.start..own.end + behind.min(1),
        (false, false) => own.clone(),
    }
}

/// The largest number of documents that share letters of a segment.
fn most_documents(parts: &[Part], letters: &Range<usize>) -> u32 {
    let first = parts.partition_point(|part| part.bytes.end <= letters.start);
    let inside = parts[first..].iter().take_while(|part| part.bytes.start < letters.end);
    inside.map(|part| part.documents).max().unwrap_or(0)
}

/// The place of these segments, without characters and gaps.
fn place_of<'s>(
    segments: &'s [Segment],
    own: impl Fn(&'s Segment) -> &'s [u8],
    documents: u32,
    is_whole: bool,
) -> Place {
    let sentence = |segment: &'s Segment| {
        let letters = own(segment);
        (xxh3_64(letters), length(letters))
    };
    let sentences: Vec<(u64, u32)> =
        segments.iter().filter(|segment| !segment.letters.is_empty()).map(sentence).collect();
    Place {
        bytes: segments[0].text.start..segments[segments.len() - 1].text.end,
        characters: 0..0,
        gaps: [Gap::default(); 2],
        letters: sentences.iter().map(|(_, letters)| letters).sum(),
        documents,
        sentences,
        is_whole,
    }
}

/// Fills in the characters and the gaps of places.
fn measure(text: &str, places: &mut [Place]) {
    let (mut byte, mut character) = (0, 0);
    let mut count = |until: usize| {
        character += text[byte..until].chars().count();
        byte = until;
        character
    };
    for place in places {
        place.characters = count(place.bytes.start)..count(place.bytes.end);
        let (before, behind) = (&text[..place.bytes.start], &text[place.bytes.end..]);
        let (rest, ahead) = (before.trim_end(), behind.trim_start());
        place.gaps = [
            gap(&before[rest.len()..], rest.is_empty()),
            gap(&behind[..behind.len() - ahead.len()], ahead.is_empty()),
        ];
    }
}

fn gap(space: &str, is_outer: bool) -> Gap {
    // A carriage return and a line feed are one end.
    let lines = space.replace("\r\n", "\n").chars().filter(|c| is_line_end(*c)).count();
    Gap { characters: space.chars().count() as u32, lines: lines as u32, is_outer }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The whole words of a part of a text; the part itself if it has none.
fn whole_words(text: &str, part: Range<usize>) -> Range<usize> {
    let goes_on = |at: usize| {
        let [before, behind] = [text[..at].chars().next_back(), text[at..].chars().next()];
        before.is_some_and(is_of_spaced_word) && behind.is_some_and(is_of_spaced_word)
    };
    let inside = &text[part.clone()];
    let (mut start, mut end) = (0, inside.len());
    if goes_on(part.start) {
        start = inside.find(|c| !is_of_spaced_word(c)).unwrap_or(end);
        start += inside[start..].find(char::is_alphanumeric).unwrap_or(0);
    }
    if goes_on(part.end) {
        end = inside.trim_end_matches(is_of_spaced_word).trim_end().len();
    }
    if start < end { part.start + start..part.start + end } else { part }
}

#[cfg(test)]
mod tests {
    use nearprint_core::normalize::Options;

    use super::*;

    fn found(text: &str, shared: &[(&str, u32)]) -> Vec<(String, bool)> {
        let normalizer = Normalizer::new(Options { addresses: false, ..Options::default() });
        let letters = Letters::new(text, &normalizer);
        let part = |(part, documents): &(&str, u32)| {
            let own = Letters::new(part, &normalizer).letters;
            let start = letters.letters.find(&own).unwrap();
            Part { bytes: start..start + own.len(), documents: *documents }
        };
        let parts: Vec<Part> = shared.iter().map(part).collect();
        let places = places(text, &letters, &parts, 100, &|_| true).into_iter();
        places
            .map(|place| {
                let characters: Vec<char> = text.chars().collect();
                let of_characters: String = characters[place.characters.clone()].iter().collect();
                assert_eq!(of_characters, text[place.bytes.clone()]);
                (of_characters, place.is_whole)
            })
            .collect()
    }

    fn whole(texts: &[&str]) -> Vec<(String, bool)> {
        texts.iter().map(|text| (text.to_string(), true)).collect()
    }

    #[test]
    fn a_place_has_whole_segments_and_what_stands_between_them() {
        let text = "Prices rose.\nAll rights reserved.\n* * *\nSent from my phone.\nBye";
        let shared = "s rose. All rights reserved. Sent from my phone. B";
        assert_eq!(
            found(text, &[(shared, 5)]),
            whole(&["All rights reserved.\n* * *\nSent from my phone."])
        );
    }

    #[test]
    fn no_rule_is_left_alone_and_no_heading_goes_without_its_text() {
        let footer = "All rights reserved. Sent from my phone.";
        for (text, place) in [
            ("Prices rose.\n\n---\n\nFOOTER", "---\n\nFOOTER"),
            ("FOOTER\n\n---\nPrices rose.", "FOOTER\n\n---"),
            ("Prices rose.\n---\nFOOTER\n---\nWho?", "FOOTER\n---"),
            ("Prices rose.\n---\nFOOTER\nWho?", "FOOTER"),
            ("Prices rose.\nFOOTER\nCover\nA house.", "FOOTER"),
            ("Prices rose.\nFOOTER\nCover\n\nA house.", "FOOTER\nCover"),
        ] {
            let [text, place] = [text, place].map(|of| of.replace("FOOTER", footer));
            let shared =
                if text.contains("Cover") { format!("{footer} Cover") } else { footer.to_string() };
            assert_eq!(found(&text, &[(&shared, 3)]), whole(&[&place]));
        }
    }

    #[test]
    fn a_footer_and_a_rarer_paragraph_before_it_are_two_passages() {
        let text = "The committee met on Monday.\nAll rights reserved, says the agency.";
        let shared =
            [("The committee met on Monday.", 2), ("All rights reserved, says the agency.", 4)];
        assert_eq!(
            found(text, &shared),
            whole(&["The committee met on Monday.", "All rights reserved, says the agency."])
        );
        let shared =
            [("The committee met on Monday.", 4), ("All rights reserved, says the agency.", 5)];
        assert_eq!(found(text, &shared), whole(&[text]));
    }

    #[test]
    fn a_quotation_inside_a_sentence_has_whole_words() {
        let text = "He asked whether the ferries would return on Monday or not at all";
        assert_eq!(
            found(text, &[("ked whether the ferries would return on Mo", 2)]),
            [("whether the ferries would return on".to_string(), false)]
        );
        let text = "他問：渡輪何時恢復運行，市長沒有回答";
        assert_eq!(
            found(text, &[("渡輪何時恢復運行", 2)]),
            [("渡輪何時恢復運行".to_string(), false)]
        );
    }

    #[test]
    fn a_loop_is_a_place_for_each_round() {
        let text = "I am sorry.\nI cannot help.\nI am sorry.\nI cannot help.\n";
        let round = "I am sorry.\nI cannot help.";
        assert_eq!(found(text, &[(text, 1)]), whole(&[round, round]));
    }
}

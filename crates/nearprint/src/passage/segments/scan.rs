//! The lines of a text, one after the other -> the places at which sentences start.

use super::characters::{
    ABBREVIATIONS, PAIRS, QUOTES, ROUND, belongs_to_mark, closed_by, is_cjk, is_in, mark, opened_by,
};

/// The most bytes of a word before a full stop that are looked at.
const LONGEST_WORD: usize = 32;

/// Where a mark ends a sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sureness {
    Never,
    AtLineEnds,
    Anywhere,
}

/// A mark that may end a sentence, and what is known of the characters since.
struct End {
    sureness: Sureness,
    /// Whether it is a wide mark, which no white space follows.
    is_wide: bool,
    is_after_cjk: bool,
    /// Whether it is more than a full stop: behind a quotation, the sentence may run on.
    exclaims: bool,
    is_spaced: bool,
    /// Where the opening marks behind it begin.
    opening: Option<usize>,
}

/// The starts of segments, as far as the text has been read.
pub(super) struct Scan<'t> {
    text: &'t str,
    pub(super) starts: Vec<usize>,
    /// The places of the open marks of each pair.
    open: [Vec<usize>; PAIRS.len()],
    /// The last mark, if a sentence may have ended there.
    end: Option<End>,
    /// Whether the sentence has a quotation that stops at a comma.
    is_quoting: bool,
}

impl Scan<'_> {
    /// Starts before the first character of a text.
    pub(super) fn new(text: &str) -> Scan<'_> {
        Scan { text, starts: Vec::new(), open: Default::default(), end: None, is_quoting: false }
    }

    /// How sure it is that a sentence ended with the last mark; `None` if none may have.
    pub(super) fn sureness(&self) -> Option<Sureness> {
        self.end.as_ref().map(|end| end.sureness)
    }

    /// Starts a segment. If it is for good, no later mark takes it back.
    pub(super) fn start(&mut self, start: usize, for_good: bool) {
        self.starts.push(start);
        self.go_on();
        self.is_quoting = false;
        if for_good {
            self.open.iter_mut().for_each(Vec::clear);
        }
    }

    /// Tells that a sentence runs on.
    pub(super) fn go_on(&mut self) {
        self.end = None;
    }

    /// Reads a line, which begins here.
    pub(super) fn line(&mut self, start: usize, line: &str) {
        let mut at = start;
        let end = at + line.len();
        loop {
            if self.end.is_none() {
                at += self.text.as_bytes()[at..end]
                    .iter()
                    .take_while(|byte| PLAIN[usize::from(**byte)])
                    .count();
            }
            let Some(c) = self.text[at..end].chars().next() else { break };
            self.character(at, c);
            at += c.len_utf8();
        }
    }

    /// Reads a character that is not a line end.
    fn character(&mut self, at: usize, c: char) {
        if let Some(exclaims) = mark(c) {
            self.mark(at, c, exclaims);
        } else if c.is_whitespace() {
            self.space();
        } else if let Some(kind) = opened_by(c).filter(|kind| *kind > 0 || self.opens_straight(at))
        {
            self.open(at, kind);
        } else if let Some(kind) = closed_by(c) {
            self.close(at, kind);
        } else if let Some(end) = &mut self.end {
            let is_emphasis = matches!(c, '*' | '_' | '`');
            if is_emphasis && end.is_spaced {
                end.opening.get_or_insert(at);
            } else if end.is_spaced || !(is_emphasis || belongs_to_mark(c)) {
                if end.is_before(c) {
                    self.starts.push(end.opening.unwrap_or(at));
                    self.is_quoting = false;
                }
                self.end = None;
            }
        }
    }

    /// Reads white space.
    pub(super) fn space(&mut self) {
        if let Some(end) = &mut self.end {
            end.is_spaced = true;
        }
    }

    /// Reads a mark.
    fn mark(&mut self, at: usize, c: char, exclaims: bool) {
        let before = self.text[..at].chars().next_back();
        let is_wide = matches!(c, '。' | '！' | '？' | '｡');
        let is_ellipsis = !exclaims && before == Some(c);
        let sureness = match is_ellipsis || c.is_ascii() && !may_stop(&self.text[..at]) {
            true => Sureness::Never,
            false => Sureness::Anywhere,
        };
        let last = self.end.take().filter(|end| !end.is_spaced);
        self.end = Some(End {
            sureness,
            is_wide,
            is_after_cjk: last.as_ref().map_or(before.is_some_and(is_cjk), |end| end.is_after_cjk),
            exclaims: exclaims || last.is_some_and(|end| end.exclaims),
            is_spaced: false,
            opening: None,
        });
    }

    /// Whether the straight quotation mark here opens a quotation.
    fn opens_straight(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let behind = self.text[at + 1..].chars().next();
        let is_left = before.is_none_or(|c| c.is_whitespace() || opened_by(c).is_some());
        self.open[0].is_empty() || is_left && behind.is_some_and(|c| !c.is_whitespace())
    }

    /// Reads an opening mark.
    fn open(&mut self, at: usize, kind: usize) {
        self.open[kind].push(at);
        let goes_on = ROUND.contains(&kind) || QUOTES.contains(&kind) && self.is_quoting;
        match &mut self.end {
            Some(_) if goes_on => self.end = None,
            Some(end) if end.is_spaced || end.is_wide => _ = end.opening.get_or_insert(at),
            _ => self.end = None,
        }
    }

    /// Takes back the starts since the opening mark.
    fn close(&mut self, at: usize, kind: usize) {
        let opening = self.open[kind].pop();
        self.is_quoting |= QUOTES.contains(&kind) && self.text[..at].ends_with([',', '，']);
        if let Some(opening) = opening {
            while self.starts.pop_if(|start| *start > opening).is_some() {}
        }
        // A sentence may run on behind a mark and a closing one, as in `“Why?” he said`.
        let is_whole = opening.is_some() && opening.as_ref() == self.starts.last();
        self.end = self.end.take().filter(|end| !end.is_spaced).map(|mut end| {
            let is_quoted = QUOTES.contains(&kind) && !end.is_wide;
            if end.exclaims || !(is_quoted || ROUND.contains(&kind) && is_whole) {
                end.sureness = end.sureness.min(Sureness::AtLineEnds);
            }
            end
        });
    }
}

impl End {
    /// Whether a sentence ends with the mark if this is the next character behind opening marks.
    fn is_before(&self, c: char) -> bool {
        let begins = match c {
            _ if is_cjk(c) => self.is_wide || self.is_spaced && self.is_after_cjk,
            _ if self.is_wide => c.is_alphanumeric(),
            'א'..='ת' | 'ؠ'..='ي' | 'ऄ'..='ह' | 'অ'..='হ' => self.is_spaced,
            _ => self.is_spaced && c.is_uppercase(),
        };
        begins && self.sureness == Sureness::Anywhere
    }
}

/// Whether a full stop or another narrow mark behind this text may end a sentence: whether its last
/// word is no abbreviation, initial or number of an item.
fn may_stop(text: &str) -> bool {
    let near = &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST_WORD))..];
    let is_between = |c: char| {
        let is_pair = opened_by(c).is_some() || closed_by(c).is_some();
        c.is_whitespace() || is_pair || is_cjk(c) || matches!(c, '/' | '-' | '–' | '—')
    };
    let word = near.rsplit(is_between).next().unwrap_or("");
    if word.is_empty() {
        return near.chars().next_back().is_some_and(|c| is_cjk(c) || closed_by(c).is_some());
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let last = word.rsplit('.').next().unwrap_or("");
    let all = |belongs: fn(&u8) -> bool| last.bytes().all(|byte| belongs(&byte));
    let is_number = all(u8::is_ascii_digit) && (last.len() < word.len() || last.len() <= 3);
    let is_roman = all(|byte| b"IVXLC".contains(byte));
    let has_no_vowel = all(|byte| byte.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(byte));
    let is_letter = last.chars().nth(1).is_none();
    !(is_letter || is_number || is_roman || has_no_vowel || is_in(ABBREVIATIONS, last))
}

/// The bytes that begin no character of which [`Scan::character`] takes note unless after a mark.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let noted = b".!?\"()[]{}\xc2\xd8\xdb\xe0\xe1\xe2\xe3\xef";
    let mut at = 0;
    while at < noted.len() {
        plain[noted[at] as usize] = false;
        at += 1;
    }
    plain
};

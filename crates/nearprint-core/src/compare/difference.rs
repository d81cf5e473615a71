//! The numbers of the difference between two texts -> the highest `min-similarity` at which they
//! are duplicates, and the fact that tells them apart.
//!
//! | number | meaning | condition |
//! | --- | --- | --- |
//! | similarity | the share of the letters of both texts that stand in the other one | the least similarity s or more |
//! | lost | the share of each text that stands nowhere in the other one | 4/3 (1 - s) at most; 2/5 (1 - s) in a family, if each text loses some |
//! | figures | the figures of each text that the other one lacks | at most one in [`FIGURES`]; or, in long texts, fewer than [`FEW`] or than one in [`FIGURE_PLACES`] places |
//! | repeated | the places of the most frequent exchange of one word for another one | fewer than two, fewer than one in [`REPEATED`] places, or at most one for [`RENAMED`] letters |
//! | exchanged | in a family, the places where words stand for other words | at most two in five places, or at most one for [`EXCHANGE`] letters |
//!
//! A frame is the beginning and the end of each text, if they are its own and three fifths of the
//! text lie between. It counts a third, as far as both texts have one; in the lost share up to a
//! line more, and in a family only up to [`LONGEST_FRAME`] letters. Words in a frame are not
//! exchanged, but figures are. Words of nearly equal spelling are slips.

/// The least share of each text that lies within a frame, and the fewest letters of a text with a
/// frame.
pub(super) const FRAMED: f64 = 0.6;
pub(super) const FEWEST_FRAMED: u32 = 200;

/// The most letters of a frame in a family. Files around one license have longer ones, which are
/// their content.
const LONGEST_FRAME: u32 = 600;

/// The share by which a frame counts less.
const DISCOUNT: f64 = 2.0 / 3.0;

/// The letters, a line, by which a frame may be longer than the other text's one and still count
/// less in the lost share.
pub(super) const LINE: u32 = 50;

/// One in this many figures of a text may contradict.
const FIGURES: u32 = 6;

/// In texts of [`SHORT`] letters or more, figures contradict only if they are [`FEW`] or more, and
/// one in [`FIGURE_PLACES`] places or more.
const FEW: u32 = 2;
const FIGURE_PLACES: u32 = 4;
const SHORT: u32 = 200;

/// The places for each of which a repeated exchange may be made once.
const REPEATED: u32 = 10;

/// The letters of the shorter text for which a repeated exchange may be made once: the revision of
/// an article or a contract replaces a term throughout.
const RENAMED: u32 = 1_000;

/// In a family, words may be exchanged at two in five places, or at one place for this number of
/// letters of the shorter text.
const EXCHANGED: [u32; 2] = [2, 5];
const EXCHANGE: u32 = 250;

/// The share that a text may lose for each share by which the least similarity is below 1, and that
/// in a family.
const LOST: f64 = 4.0 / 3.0;
const LOST_IN_FAMILY: f64 = 2.0 / 5.0;

/// The numbers of the difference between two texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Difference {
    /// The letters of each text; a wide character counts as two.
    pub letters: [u32; 2],
    /// The letters that stand nowhere in the other text.
    pub own: [u32; 2],
    /// The own letters in a frame, at most a line more than those of the other text; 0 without a
    /// frame.
    pub framed: [u32; 2],
    /// The places where the texts differ.
    pub places: u32,
    /// The places where words stand for other words, without slips and the frame.
    pub exchanged: u32,
    /// The places of the most frequent exchange of one word for another one.
    pub repeated: u32,
    /// The figures of the text that has fewer.
    pub figures: u32,
    /// The figures that one text has and the other one lacks, of the text with fewer of them.
    pub contradicting: u32,
}

/// The fact by which two texts are no duplicates, however similar they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// Their figures contradict each other.
    Figures,
    /// One word stands for one other word again and again.
    Repeated,
    /// They fill in one form, as others do: words are exchanged for words.
    Exchanged,
}

impl Difference {
    /// The share of the letters of both texts that stand in the other one, 0 to 1. A frame counts a
    /// third.
    pub fn similarity(&self) -> f64 {
        let letters = f64::from(self.letters[0]) + f64::from(self.letters[1]);
        let set_aside = 2.0 * DISCOUNT * f64::from(self.framed[0].min(self.framed[1]));
        let own = f64::from(self.own[0]) + f64::from(self.own[1]) - set_aside;
        if letters == 0.0 { 0.0 } else { 1.0 - own / (letters - set_aside) }
    }

    /// The difference of the two texts in the other order.
    pub fn swapped(self) -> Difference {
        let [left, right] = self.letters;
        let [own, others] = self.own;
        let [framed, framed_other] = self.framed;
        Difference {
            letters: [right, left],
            own: [others, own],
            framed: [framed_other, framed],
            ..self
        }
    }

    /// The share of each text that stands nowhere in the other one, 0 to 1.
    pub fn lost(&self) -> [f64; 2] {
        [0, 1].map(|text| f64::from(self.own[text]) / f64::from(self.letters[text].max(1)))
    }

    /// Returns true if one text stands whole in the other one.
    fn is_whole(&self) -> bool {
        self.own[0].min(self.own[1]) == 0
    }

    /// The fact by which the texts are no duplicates, however similar they are.
    pub fn fact(&self, in_family: bool) -> Option<Fact> {
        let Difference { places, exchanged, repeated, figures, contradicting, .. } = *self;
        let shorter = self.letters[0].min(self.letters[1]);
        // A text that stands whole in a longer one contradicts nothing, unless a figure of it is a
        // part of another figure there: 15 of 150. Of equal letters, only blanks may have moved.
        if self.is_whole() && (contradicting == 0 || self.own == [0, 0]) {
            return None;
        }
        let few = contradicting < FEW || contradicting * FIGURE_PLACES < places;
        if contradicting * FIGURES > figures && (shorter < SHORT || !few) {
            return Some(Fact::Figures);
        }
        if repeated >= 2 && repeated * REPEATED >= places && repeated > shorter / RENAMED {
            return Some(Fact::Repeated);
        }
        let [most, of] = EXCHANGED;
        let in_form = exchanged * of > places * most && exchanged > shorter / EXCHANGE;
        (in_family && in_form).then_some(Fact::Exchanged)
    }

    /// The highest `min-similarity` at which the texts are duplicates, at most 1; 0 if there is
    /// none.
    pub fn largest_bound(&self, in_family: bool) -> f64 {
        if self.fact(in_family).is_some() {
            return 0.0;
        }
        let framed = match in_family {
            true if self.framed[0].min(self.framed[1]) > LONGEST_FRAME => [0; 2],
            true => self.framed.map(|framed| framed.min(LONGEST_FRAME)),
            false => self.framed,
        };
        self.bound(framed, in_family)
    }

    /// The largest bound without regard to facts, with these letters of a frame in the lost share.
    fn bound(&self, framed: [u32; 2], in_family: bool) -> f64 {
        let lost = |text: usize| {
            let aside = DISCOUNT * f64::from(framed[text]);
            (f64::from(self.own[text]) - aside) / (f64::from(self.letters[text]) - aside).max(1.0)
        };
        let may_be_lost = if in_family && !self.is_whole() { LOST_IN_FAMILY } else { LOST };
        self.similarity().min(1.0 - lost(0).max(lost(1)) / may_be_lost + TOLERANCE).clamp(0.0, 1.0)
    }

    /// The largest bound that two texts with these numbers of letters may have, if they share at
    /// most `shared` letters and have at most `most_framed` in a frame.
    pub(super) fn most(
        letters: [u32; 2],
        shared: u32,
        most_framed: [u32; 2],
        in_family: bool,
    ) -> f64 {
        let shorter = letters[0].min(letters[1]);
        let own = letters.map(|all| all - shared.min(shorter));
        let framed = [0, 1].map(|text| most_framed[text].min(own[text]));
        let counted =
            if in_family { framed.map(|framed| framed.min(LONGEST_FRAME)) } else { framed };
        Difference { letters, own, framed, ..Difference::default() }.bound(counted, in_family)
    }

    /// The most letters in a frame of two texts with these numbers of letters.
    pub(super) fn most_framed(letters: [u32; 2]) -> [u32; 2] {
        let is_framed = letters[0].min(letters[1]) >= FEWEST_FRAMED;
        letters
            .map(|all| if is_framed { (f64::from(all) * (1.0 - FRAMED)).ceil() as u32 } else { 0 })
    }
}

/// The fewest letters of the shorter of two duplicates with similarity `least` or more, if the
/// longer one has `longer` letters. The texts have a and b letters, f of a in a frame, and f and a
/// line l of b at most. The longer text has at least b - (a - f) letters of its own. With d the
/// [`DISCOUNT`], b - a + f - d (f + l) <= (1 - kept) (b - d (f + l)), so a is at least kept (b - d
/// l).
pub(super) fn least_letters(least: f64, longer: u32) -> f64 {
    let kept = 1.0 - LOST * (1.0 - least + TOLERANCE);
    kept * (f64::from(longer) - DISCOUNT * f64::from(LINE))
}

/// The most letters that two texts share, if they have this number in runs. Words between runs
/// count up to a third of them. In most duplicates of the judged corpora these words have a
/// twentieth of them, and only in rewritten translations more than a third.
pub(super) fn most_shared(in_runs: u32) -> u32 {
    in_runs.saturating_add(in_runs / WORDS_BETWEEN)
}

/// The part of the letters in runs up to which words between them count.
const WORDS_BETWEEN: u32 = 3;

/// The share that a text may lose in addition, so that a text with half as many letters added
/// reaches 0.75.
const TOLERANCE: f64 = 0.003;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_exchanged_again_and_again_counts_by_the_length_of_the_text() {
        let fact = |letters: u32, repeated: u32, places: u32| {
            let own = [20, 20];
            Difference {
                letters: [letters, letters + 1],
                own,
                places,
                repeated,
                ..Difference::default()
            }
            .fact(false)
        };
        assert_eq!(
            [fact(1_999, 2, 2), fact(2_000, 2, 2), fact(2_999, 3, 3)],
            [Some(Fact::Repeated), None, Some(Fact::Repeated)]
        );
        // An exchange counts from two times and a tenth of the places on.
        assert_eq!(
            [fact(900, 1, 1), fact(900, 2, 20), fact(900, 2, 21)],
            [None, Some(Fact::Repeated), None]
        );
    }

    #[test]
    fn nothing_is_asked_more_of_a_text_that_stands_whole_in_the_other_one() {
        let difference = |own| Difference {
            letters: [900, 1_100],
            own,
            repeated: 9,
            places: 9,
            ..Difference::default()
        };
        assert_eq!(
            [difference([0, 200]), difference([1, 201])].map(|own| own.fact(true)),
            [None, Some(Fact::Repeated)]
        );
        // 15 stands whole in 150, and is another figure.
        let figures = Difference { figures: 1, contradicting: 1, ..difference([0, 1]) };
        let short = Difference { letters: [150, 151], ..figures };
        assert_eq!(short.fact(false), Some(Fact::Figures));
        // "RMB25" and "RMB 25" are the same letters.
        assert_eq!(Difference { own: [0, 0], ..short }.fact(false), None);
        let bounds = |own| {
            let difference = Difference { repeated: 0, ..difference(own) };
            [false, true].map(|in_family| difference.largest_bound(in_family))
        };
        let [[whole, whole_in_family], [alone, in_family]] = [bounds([0, 200]), bounds([1, 201])];
        assert!(
            whole == whole_in_family && whole > 0.86 && alone > 0.86 && in_family < 0.6,
            "{whole} {alone} {in_family}"
        );
    }
}

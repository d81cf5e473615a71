//! Codes of a run of single characters -> words that the dictionary lacks: a hidden Markov model.
//!
//! Each character is the beginning, end or middle of a word, or a word of its own. The model has
//! the probabilities of the four states at the start of a text, of their transitions, and of each
//! state for each character. Viterbi's algorithm finds the most probable sequence; words end at the
//! states end and single. A character takes a few additions and one byte, with the better of the
//! two possible predecessors of each state.
//!
//! On equal probabilities single goes before end, and middle before beginning. The order of the
//! additions is part of the result.

use super::characters::FIRST_HAN;

/// The logarithm that stands for "never".
pub(super) const NEVER: f64 = -3.14e100;

/// The states, as places in the tables.
const BEGIN: usize = 0;
const END: usize = 1;
const MIDDLE: usize = 2;
const SINGLE: usize = 3;

/// The model: logarithms of probabilities.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// The logarithm of each state at the start.
    pub(super) initial: [f64; 4],
    /// The logarithms from state to state.
    pub(super) transition: [[f64; 4]; 4],
    /// The logarithms of a character in each state, by the character's code less [`FIRST_HAN`].
    /// Characters beyond the end never occurred.
    pub(super) emission: Vec<[f64; 4]>,
}

impl Model {
    #[inline]
    fn emission(&self, code: u16) -> [f64; 4] {
        self.emission.get(usize::from(code - FIRST_HAN)).copied().unwrap_or([NEVER; 4])
    }

    /// Fills `ends` with a 1 for each character of the run with which a word ends, and a 0 for the
    /// others.
    pub(super) fn cut(&self, codes: &[u16], ends: &mut Vec<u8>) {
        let Some((first, others)) = codes.split_first() else { return ends.clear() };
        let mut emission = self.emission(*first);
        let mut now: [f64; 4] = std::array::from_fn(|state| self.initial[state] + emission[state]);
        ends.clear();
        // Bits 0 to 3: 1 if the first possible predecessor of the state was the better one.
        ends.push(0);
        for code in others {
            emission = self.emission(*code);
            let last = now;
            let mut choices = 0;
            let mut best = |state: usize, predecessors: [usize; 2]| {
                let [one, other] = predecessors
                    .map(|from| last[from] + self.transition[from][state] + emission[state]);
                choices |= u8::from(one > other) << state;
                if one > other { one } else { other }
            };
            now = [
                best(BEGIN, [END, SINGLE]),
                best(END, [BEGIN, MIDDLE]),
                best(MIDDLE, [BEGIN, MIDDLE]),
                best(SINGLE, [END, SINGLE]),
            ];
            ends.push(choices);
        }
        let mut state = if now[END] > now[SINGLE] { END } else { SINGLE };
        for place in ends.iter_mut().rev() {
            let first = *place >> state & 1 == 1;
            *place = u8::from(matches!(state, END | SINGLE));
            state = match (state, first) {
                (BEGIN | SINGLE, true) => END,
                (BEGIN | SINGLE, false) => SINGLE,
                (_, true) => BEGIN,
                (_, false) => MIDDLE,
            };
        }
    }
}

//! Letters and digits -> windows and seeds, as bytes in a row.

use nearprint_core::compare::fold;

/// The bytes of a window: 15 letters of English, or 5 Chinese characters. A window may begin inside
/// of a character, since two texts that share a passage share such windows, too.
///
/// Shorter windows are common phrases: of the windows of news articles 0.7 % are in the index of
/// 12,542 questions (MMLU) with 15 bytes, 3.6 % with 12 and 11 % with 10. Longer windows leave more
/// of an edited text uncovered.
pub const WINDOW: usize = 15;

/// The bytes of a seed. A window at any place of a document has a seed that begins at a multiple of
/// [`STEP`]. So the search looks up only these seeds of a document, and any seeds of the items may
/// be in the index.
pub(super) const SEED: usize = 12;

/// The bytes between the beginnings of two seeds of a document that are looked up.
pub(super) const STEP: usize = WINDOW + 1 - SEED;

/// The most bytes of windows around a seed: its own, and those up to [`STEP`] - 1 beside them.
pub(super) const AROUND: usize = SEED + 2 * (STEP - 1);

/// 8 to 16 bytes in a row, as their first eight and their last eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Bytes<const LENGTH: usize>(u64, u64);

/// A window.
pub(super) type Window = Bytes<WINDOW>;

/// A seed.
pub(super) type Seed = Bytes<SEED>;

impl<const LENGTH: usize> Bytes<LENGTH> {
    /// The bytes of a text from this byte on.
    #[inline(always)]
    pub fn at(text: &[u8], start: usize) -> Self {
        let bytes: &[u8; LENGTH] = text[start..].first_chunk().expect("they lie in their text");
        let (first, last) = (bytes.first_chunk(), bytes.last_chunk());
        let number = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Bytes(number(first), number(last))
    }

    /// The number of places of LENGTH bytes in a text of this many bytes.
    pub fn count(bytes: usize) -> usize {
        (bytes + 1).saturating_sub(LENGTH)
    }

    /// A hash of the bytes, for tables in memory.
    #[inline(always)]
    pub fn hash(self) -> u64 {
        fold(self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_its_bytes() {
        let text = "abcdefgh一二三ijklmnop".as_bytes();
        let windows: Vec<_> =
            (0..Window::count(text.len())).map(|start| Window::at(text, start)).collect();
        assert_eq!(windows.len(), text.len() - 14);
        for (one, window) in windows.iter().enumerate() {
            for (other, second) in windows.iter().enumerate() {
                assert_eq!(
                    window == second,
                    text[one..one + WINDOW] == text[other..other + WINDOW]
                );
            }
        }
        assert_eq!((Window::count(14), Window::count(15), Window::count(0)), (0, 1, 0));
    }

    #[test]
    fn every_window_holds_a_seed_that_is_looked_up() {
        for start in 0..40 {
            let seed = (start..40 + WINDOW).find(|seed| seed % STEP == 0).unwrap();
            assert!(seed + SEED <= start + WINDOW, "{start}");
        }
    }
}

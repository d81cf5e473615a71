//! Random bytes that look like a file: a whole file with damage, or pieces of a format in any
//! order.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Bytes that a failure shows as text, with escapes.
#[derive(Clone, PartialEq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A change to the bytes of a file.
#[derive(Debug, Clone)]
enum Damage {
    Flip(Index, u8),
    Set(Index, u8),
    Remove(Index, u8),
    Repeat(Index, u8),
    Insert(Index, &'static [u8]),
    CutOff(Index),
    Append(Vec<u8>),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let run = |place: &Index, length: u8, bytes: &[u8]| {
            let start = place.index(bytes.len() + 1);
            start..(start + usize::from(length)).min(bytes.len())
        };
        match self {
            Damage::Flip(place, bit) if !bytes.is_empty() => {
                let place = place.index(bytes.len());
                bytes[place] ^= 1 << (bit % 8);
            }
            Damage::Set(place, byte) if !bytes.is_empty() => {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            Damage::Flip(..) | Damage::Set(..) => {}
            Damage::Remove(place, length) => drop(bytes.drain(run(place, *length, bytes))),
            Damage::Repeat(place, length) => {
                let piece = bytes[run(place, *length, bytes)].to_vec();
                let place = place.index(bytes.len() + 1);
                bytes.splice(place..place, piece);
            }
            Damage::Insert(place, piece) => {
                let place = place.index(bytes.len() + 1);
                bytes.splice(place..place, piece.iter().copied());
            }
            Damage::CutOff(place) => bytes.truncate(place.index(bytes.len() + 1)),
            Damage::Append(tail) => bytes.extend_from_slice(tail),
        }
    }
}

/// A whole file with up to six damages, which may insert `pieces` of its format.
pub fn damaged(whole: Vec<u8>, pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Bytes> {
    let damage = prop_oneof![
        3 => (any::<Index>(), any::<u8>()).prop_map(|(place, bit)| Damage::Flip(place, bit)),
        2 => (any::<Index>(), any::<u8>()).prop_map(|(place, byte)| Damage::Set(place, byte)),
        2 => (any::<Index>(), any::<u8>()).prop_map(|(place, length)| Damage::Remove(place, length)),
        1 => (any::<Index>(), any::<u8>()).prop_map(|(place, length)| Damage::Repeat(place, length)),
        4 => (any::<Index>(), prop::sample::select(pieces)).prop_map(|(place, piece)| Damage::Insert(place, piece)),
        1 => any::<Index>().prop_map(Damage::CutOff),
        1 => vec(any::<u8>(), 0..40).prop_map(Damage::Append),
    ];
    vec(damage, 0..6).prop_map(move |damages| {
        let mut bytes = whole.clone();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        Bytes(bytes)
    })
}

/// Pieces of a format in any order, or any bytes.
pub fn made_up(pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Bytes> {
    let some = vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| Bytes(pieces.concat()));
    prop_oneof![4 => some, 1 => vec(any::<u8>(), 0..200).prop_map(Bytes)]
}

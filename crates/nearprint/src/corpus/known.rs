//! The fingerprints of a corpus, stored so that another run over the same files need not make them
//! again.
//!
//! They do not depend on the least similarity, and neither do the numbers of features that decide
//! which documents are short. So a run that differs in nothing else loads them and only normalizes
//! its texts: it hashes no n-gram, cuts no word, and counts nothing for statistics. The file also
//! names the input files, each with the hash of its bytes.
//!
//! The file also records which documents are in a family, for later questions about the run.
//!
//! Size: 5 bytes and the fingerprint for each document, 37 at 256 bits.

use std::fmt;

use nearprint_core::fingerprint::Fingerprints;
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Corpus;
use crate::read::{Source, content};
use crate::sealed::Format;

/// The name of the file in an output folder.
pub const FINGERPRINTS: &str = "fingerprints.bin";

/// The format of the file. It changes with the types [`Known`] and [`KnownFile`].
pub(crate) const FINGERPRINTS_FORMAT: Format = *b"FPR1";

/// The fingerprints of a corpus, and their origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// The identity of the recipe.
    pub recipe: String,
    /// The files, those of reference documents first.
    pub files: Vec<KnownFile>,
    /// The number of files of reference documents.
    pub against: u32,
    /// The number of files that were left out.
    pub passed_over: u64,
    bits: u32,
    /// The words of the fingerprints, and the numbers of features.
    words: Bytes,
    features: Bytes,
    /// A byte for each document: 1 if it is in a family.
    families: Bytes,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownFile {
    /// The file as the user named or found it.
    pub label: String,
    /// Its name in the output.
    pub name: String,
    /// XXH3-128 of its bytes; 0 if it cannot be read.
    pub hash: u128,
}

impl Known {
    /// The stored form of a corpus with these fingerprints of all its documents. A file that cannot
    /// be read has the hash 0.
    pub fn new(
        corpus: &Corpus,
        fingerprints: &Fingerprints,
        families: &[bool],
        passed_over: u64,
    ) -> Known {
        let origins = &corpus.origins;
        let file = |(source, hash): (&Source, &u128)| {
            let hash =
                if *hash == 0 { content::hash_of(&source.path).unwrap_or_default() } else { *hash };
            KnownFile { label: source.label.clone(), name: source.name.clone(), hash }
        };
        let words = fingerprints.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let features = corpus.features.iter().flat_map(|features| features.to_le_bytes()).collect();
        Known {
            recipe: corpus.recipe.clone(),
            files: origins.sources.iter().zip(&origins.hashes).map(file).collect(),
            against: origins.against as u32,
            passed_over,
            bits: fingerprints.bits(),
            words: Bytes(words),
            features: Bytes(features),
            families: Bytes(families.iter().copied().map(u8::from).collect()),
        }
    }

    /// Returns true if texts of this fingerprint are in a family; `None` if no text has it. Texts
    /// of one fingerprint on one side have the same neighbors.
    pub(crate) fn in_family(&self, fingerprint: &[u64; 4]) -> Option<bool> {
        let of_it = (0..self.len()).filter(|document| self.of(*document).1 == *fingerprint);
        of_it
            .map(|document| self.families.0.get(document) == Some(&1))
            .reduce(|one, other| one || other)
    }

    /// The number of documents.
    pub(crate) fn len(&self) -> usize {
        self.features.0.len() / 4
    }

    /// The number of features of a document and its fingerprint, in the first bits of the words. If
    /// the files are not those that were read, these belong to another document, or are 0 beyond
    /// the last one.
    pub(crate) fn of(&self, document: usize) -> (u32, [u64; 4]) {
        let each = self.bits.div_ceil(64) as usize;
        let features = self.features.0.chunks_exact(4).nth(document).unwrap_or_default();
        let mut words = [0; 4];
        let own = self.words.0.chunks_exact(8).skip(document * each).take(each);
        words
            .iter_mut()
            .zip(own)
            .for_each(|(word, bytes)| *word = u64::from_le_bytes(number(bytes)));
        (u32::from_le_bytes(number(features)), words)
    }
}

/// The bytes of a number; 0 if they are missing.
fn number<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

/// Bytes that are serialized unchanged.
#[derive(Debug, Clone, PartialEq)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Bytes, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        input.deserialize_byte_buf(Whole).map_err(D::Error::custom)
    }
}

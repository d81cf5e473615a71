//! Some documents of a corpus -> their texts, read from the input again.

use std::collections::{BTreeMap, BTreeSet};

use super::Corpus;
use crate::config::Config;
use crate::read::{self, Options};

impl Corpus {
    /// The texts of some documents as read, each up to this number of bytes. `config` has the
    /// settings with which the corpus was read. Each file that holds some of the documents is read
    /// once, up to the last of them. A text that no longer exists is absent.
    pub(crate) fn texts_again(
        &self,
        config: &Config,
        documents: &BTreeSet<u32>,
        most_bytes: usize,
    ) -> BTreeMap<u32, String> {
        let origins = &self.origins;
        let options = [config.of_against(), config.clone()].map(|config| config.reading());
        let mut texts = BTreeMap::new();
        for (number, source) in origins.sources.iter().enumerate() {
            let wanted =
                documents.range(origins.starts[number] as u32..origins.starts[number + 1] as u32);
            let mut rows: BTreeMap<u64, u32> =
                wanted.map(|d| (origins.rows[*d as usize], *d)).collect();
            if rows.is_empty() {
                continue;
            }
            let of_input = number >= origins.against;
            let options =
                Options { names_first: !of_input, ..options[usize::from(of_input)].clone() };
            let Ok(read) = read::read(source, &options) else { continue };
            for document in read.flatten() {
                if let Some(number) = rows.remove(&document.row) {
                    let mut text = document.text;
                    text.truncate(text.floor_char_boundary(most_bytes));
                    text.shrink_to_fit();
                    texts.insert(number, text);
                }
                if rows.is_empty() {
                    break;
                }
            }
        }
        texts
    }
}

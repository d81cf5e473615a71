//! A file of corpus statistics -> its first features in an order, as they are shown.

use std::io::{self, Read};

use super::Saved;

/// The order in which features are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By the mean of the neighbor entropies.
    Entropy,
    /// By the number of documents.
    Frequency,
}

/// A feature of a file, with its numbers.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TopFeature {
    /// Its text; the terms of an n-gram are joined by blanks.
    pub feature: String,
    /// The number of its documents.
    pub document_frequency: u64,
    /// Entropy of its left neighbors, in bits.
    pub left_entropy: f64,
    /// Entropy of its right neighbors, in bits.
    pub right_entropy: f64,
    /// The mean of both.
    pub entropy: f64,
}

impl<R: Read> Saved<R> {
    /// The first `count` features of an order. Ties stay in the order of the file.
    ///
    /// # Errors
    /// The errors of [`Saved::entropies`].
    pub fn top(&mut self, count: usize, order: Order) -> io::Result<Vec<TopFeature>> {
        let entropies = self.entropies()?;
        let mut places: Vec<usize> = (0..self.features.len()).collect();
        match order {
            Order::Frequency => {
                places.sort_by_key(|place| std::cmp::Reverse(self.features[*place].frequency))
            }
            Order::Entropy => {
                places.sort_by(|a, b| entropies.mean(*b).total_cmp(&entropies.mean(*a)))
            }
        }
        places.truncate(count);
        let row = |place: usize| TopFeature {
            feature: self.features[place].text.clone(),
            document_frequency: self.features[place].frequency,
            left_entropy: entropies.left(place),
            right_entropy: entropies.right(place),
            entropy: entropies.mean(place),
        };
        Ok(places.into_iter().map(row).collect())
    }
}

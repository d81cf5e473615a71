//! A complete plan of search: tables of keys, and the pairs that they see.
//!
//! The general pigeonhole principle: cut the bits into m blocks with radii r_1 .. r_m where sum
//! (r_t + 1) = k + 1. If two fingerprints differed in more than r_t bits in every block t, they
//! would differ in sum (r_t + 1) = k + 1 bits or more. So two fingerprints within distance k differ
//! in at most r_t bits of some block t, and of every part of that block. A table may thus use the
//! first bits of a block alone as its key, and the plan stays complete. More blocks mean more
//! tables with smaller radii. `cost.rs` chooses the cheapest plan.
//!
//! Sources: Manku, Jain, Das Sarma (WWW 2007), section 3 (radii 0); Norouzi, Punjani, Fleet (CVPR
//! 2012), section 3, and Qin et al. (ICDE 2018), theorem 1 (any radii).

mod cost;

use std::fmt;

pub use cost::plan;

/// The most bits of a key: 2^24 buckets of four bytes are 64 MiB, and suit hundreds of millions of
/// fingerprints.
const MAX_KEY_BITS: u32 = 24;

/// One table of a plan: fingerprints meet if they differ in at most `radius` of the key's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// First bit of the key; bit 0 is the highest bit of a fingerprint's first word.
    pub first_bit: u32,
    /// The number of bits in the key.
    pub bits: u32,
    /// The most bits of the key in which two fingerprints that meet differ, inclusive.
    pub radius: u32,
}

impl Table {
    /// The key of a fingerprint, a number below 2^bits.
    pub(super) fn key<const W: usize>(&self, item: &[u64; W]) -> usize {
        let (word, offset) = ((self.first_bit / 64) as usize, self.first_bit % 64);
        let high = item[word] << offset;
        let low = if word + 1 < W { item[word + 1] >> 1 >> (63 - offset) } else { 0 };
        ((high | low) >> 1 >> (63 - self.bits)) as usize
    }

    /// Returns true if two fingerprints meet.
    fn sees(&self, left: &[u64], right: &[u64]) -> bool {
        let differs = |bit: u32| {
            (left[(bit / 64) as usize] ^ right[(bit / 64) as usize]) >> (63 - bit % 64) & 1 == 1
        };
        let differing =
            (self.first_bit..self.first_bit + self.bits).filter(|bit| differs(*bit)).count();
        differing as u32 <= self.radius
    }

    /// Ones at the bits of the key.
    pub(super) fn mask<const W: usize>(&self) -> [u64; W] {
        let mut mask = [0; W];
        for bit in self.first_bit..self.first_bit + self.bits {
            mask[(bit / 64) as usize] |= 1 << (63 - bit % 64);
        }
        mask
    }

    /// The number of keys within the radius of a key: a sum of binomial coefficients.
    pub(super) fn ball(&self) -> f64 {
        binomials(self.bits).zip(0..=self.radius).map(|(ways, _)| ways).sum()
    }

    /// The numbers of ways in which two keys can differ in 0, 1, 2 .. bits so that this table does
    /// not see the pair.
    fn unseen(&self) -> Vec<f64> {
        let unseen = |(differing, ways)| if differing > self.radius { ways } else { 0.0 };
        (0..).zip(binomials(self.bits)).map(unseen).collect()
    }
}

/// The binomial coefficients of `of`: the numbers of ways to choose 0, 1, 2 .. `of` things.
pub(super) fn binomials(of: u32) -> impl Iterator<Item = f64> {
    let next = move |&(chosen, ways): &(u32, f64)| {
        (chosen < of).then(|| (chosen + 1, ways * f64::from(of - chosen) / f64::from(chosen + 1)))
    };
    std::iter::successors(Some((0, 1.0)), next).map(|(_, ways)| ways)
}

/// The product of two polynomials, lowest powers first.
fn product(left: &[f64], right: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; left.len() + right.len() - 1];
    for (shift, left) in left.iter().enumerate() {
        product[shift..].iter_mut().zip(right).for_each(|(sum, right)| *sum += left * right);
    }
    product
}

/// The plan of a join: the tables that it searches, or brute force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    bits: u32,
    complete_distance: u32,
    /// The tables; brute force has none.
    tables: Vec<Table>,
}

impl Plan {
    /// A plan that compares every pair.
    pub fn brute_force(bits: u32, complete_distance: u32) -> Plan {
        Plan { bits, complete_distance, tables: Vec::new() }
    }

    /// A plan with a table for each of `blocks` even blocks. `choose` gets the table with the
    /// longest key of a block, and returns the table with a key of the same first bits.
    ///
    /// `blocks` is at least 1 and at most `complete_distance + 1` and `bits`.
    pub(super) fn with_keys(
        bits: u32,
        complete_distance: u32,
        blocks: u32,
        choose: impl Fn(Table) -> Table,
    ) -> Plan {
        let radii = complete_distance - (blocks - 1);
        let table = |block: u32| {
            let first_bit = block * bits / blocks;
            let width = (block + 1) * bits / blocks - first_bit;
            let radius = radii / blocks + u32::from(block < radii % blocks);
            choose(Table { first_bit, bits: width.min(MAX_KEY_BITS), radius })
        };
        Plan { bits, complete_distance, tables: (0..blocks).map(table).collect() }
    }

    /// A plan with a table for each of `blocks` even blocks with keys of at most `key_bits` bits.
    #[cfg(test)]
    pub fn with_blocks(bits: u32, complete_distance: u32, blocks: u32, key_bits: u32) -> Plan {
        let choose = |table: Table| Table { bits: table.bits.min(key_bits), ..table };
        Plan::with_keys(bits, complete_distance, blocks, choose)
    }

    /// The width of the fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The distance in bits, inclusive, within which every pair is found.
    pub fn complete_distance(&self) -> u32 {
        self.complete_distance
    }

    /// The tables, in the order in which they are searched; brute force has none.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns true if the join compares two fingerprints, given by their words. They are a
    /// candidate pair if they are also within `max_distance`.
    ///
    /// ```
    /// let plan = nearprint_core::near::plan(1_000_000, 64, 3);
    /// assert!(plan.sees(&[0b0111], &[0]) && !plan.sees(&[u64::MAX], &[0]));
    /// ```
    pub fn sees(&self, left: &[u64], right: &[u64]) -> bool {
        self.is_brute_force() || self.tables.iter().any(|table| table.sees(left, right))
    }

    /// The share of pairs that this plan [`sees`](Plan::sees) among those that differ in `distance`
    /// bits at random places, from 0 to 1: the expected recall beyond the complete distance. It is
    /// 1 within the complete distance, and with brute force. A `distance` of more bits than the
    /// width counts as all bits.
    ///
    /// The share is exact, except for rounding. No table sees a pair that differs in more than r_t
    /// of the b_t key bits of every table t. There are C(b_t, j) ways to differ in j of them. So
    /// the number of ways to differ in d bits unseen is the coefficient of x^d in
    ///
    /// ```text
    /// (1 + x)^f  prod_t  sum_{j > r_t} C(b_t, j) x^j          f: the bits in no key
    /// ```
    ///
    /// and there are C(bits, d) ways in all. Keys share no bits, so their polynomials are
    /// multiplied: Graham, Knuth, Patashnik, "Concrete Mathematics", section 5.4.
    ///
    /// ```
    /// let plan = nearprint_core::near::plan(1_000_000, 128, 10);
    /// assert_eq!(plan.share_seen(10), 1.0);
    /// assert!(plan.share_seen(20) > plan.share_seen(30));
    /// assert!(plan.share_seen(64) < 0.01);
    /// ```
    pub fn share_seen(&self, distance: u32) -> f64 {
        if self.is_brute_force() {
            return 1.0;
        }
        let distance = distance.min(self.bits) as usize;
        let free = self.bits - self.tables.iter().map(|table| table.bits).sum::<u32>();
        let free: Vec<f64> = binomials(free).collect();
        let unseen = self.tables.iter().fold(free, |ways, table| product(&ways, &table.unseen()));
        let all: Vec<f64> = binomials(self.bits).collect();
        (1.0 - unseen[distance] / all[distance]).max(0.0)
    }

    /// Returns true if every pair is compared.
    pub fn is_brute_force(&self) -> bool {
        self.tables.is_empty()
    }
}

/// For example `complete to 3: 16 bits from 0 within 0, 16 bits from 16 within 0`, or `complete to
/// 3: brute force`.
impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "complete to {}:", self.complete_distance)?;
        if self.is_brute_force() {
            return formatter.write_str(" brute force");
        }
        for (index, Table { first_bit, bits, radius }) in self.tables.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(formatter, "{comma} {bits} bits from {first_bit} within {radius}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

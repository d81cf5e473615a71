//! The number and the width of fingerprints, and a distance -> the cheapest complete plan of
//! search.
//!
//! The general pigeonhole principle: cut the bits into m blocks with radii r_1 .. r_m where sum
//! (r_t + 1) = k + 1. If two fingerprints differed in more than r_t bits in every block t, they
//! would differ in sum (r_t + 1) = k + 1 bits or more. So within distance k some block t differs in
//! at most r_t bits, and so does every part of that block: a table may use a block's first bits
//! alone as its key and stays complete. More blocks mean more tables with smaller radii.
//!
//! Sources: Manku, Jain, Das Sarma (WWW 2007), section 3 (radii 0); Norouzi, Punjani, Fleet (CVPR
//! 2012), section 3, and Qin et al. (ICDE 2018), theorem 1 (any radii).

use std::fmt;

/// Longest key in bits: 2^24 buckets of four bytes are 64 MiB, and suit hundreds of millions of
/// fingerprints.
const MAX_KEY_BITS: u32 = 24;

/// One table of a plan: fingerprints meet if they differ in at most `radius` of the key's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// First bit of the key; bit 0 is the highest bit of a fingerprint's first word.
    pub first_bit: u32,
    /// Bits in the key.
    pub bits: u32,
    /// Bits of the key in which two fingerprints may differ to be compared, inclusive.
    pub radius: u32,
}

impl Table {
    /// The key's bits of a fingerprint, as a number below 2^bits.
    pub(super) fn key<const W: usize>(&self, item: &[u64; W]) -> usize {
        let (word, offset) = ((self.first_bit / 64) as usize, self.first_bit % 64);
        let high = item[word] << offset;
        let low = if word + 1 < W { item[word + 1] >> 1 >> (63 - offset) } else { 0 };
        ((high | low) >> 1 >> (63 - self.bits)) as usize
    }

    /// Whether two fingerprints are compared.
    fn sees(&self, left: &[u64], right: &[u64]) -> bool {
        let differs = |bit: u32| {
            (left[(bit / 64) as usize] ^ right[(bit / 64) as usize]) >> (63 - bit % 64) & 1 == 1
        };
        let differing =
            (self.first_bit..self.first_bit + self.bits).filter(|bit| differs(*bit)).count();
        differing as u32 <= self.radius
    }

    /// One at the key's bits of a fingerprint.
    pub(super) fn mask<const W: usize>(&self) -> [u64; W] {
        let mut mask = [0; W];
        for bit in self.first_bit..self.first_bit + self.bits {
            mask[(bit / 64) as usize] |= 1 << (63 - bit % 64);
        }
        mask
    }

    /// How many keys differ from a given one in at most `radius` bits: the sum of the binomials.
    pub(super) fn ball(&self) -> f64 {
        binomials(self.bits).zip(0..=self.radius).map(|(ways, _)| ways).sum()
    }

    /// In how many ways the key can differ in 0, 1, 2 .. bits so that this table does not see the
    /// pair.
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

/// The plan of a join: the tables that it searches, or that it compares everything with everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    bits: u32,
    complete_distance: u32,
    /// None of them means brute force.
    tables: Vec<Table>,
}

impl Plan {
    /// Compares every pair.
    pub fn brute_force(bits: u32, complete_distance: u32) -> Plan {
        Plan { bits, complete_distance, tables: Vec::new() }
    }

    /// A table for each of `blocks` even blocks, its key chosen among the block's first bits by
    /// `choose`.
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

    /// A table for each of `blocks` even blocks with keys of at most `key_bits` bits.
    #[cfg(test)]
    pub fn with_blocks(bits: u32, complete_distance: u32, blocks: u32, key_bits: u32) -> Plan {
        let choose = |table: Table| Table { bits: table.bits.min(key_bits), ..table };
        Plan::with_keys(bits, complete_distance, blocks, choose)
    }

    /// Width of the fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Every pair within this distance, inclusive, is found.
    pub fn complete_distance(&self) -> u32 {
        self.complete_distance
    }

    /// The tables, in the order in which they are searched; none if the plan is brute force.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Whether the join compares two fingerprints, given by their words: then they are a candidate
    /// pair if they are within `max_distance`.
    ///
    /// ```
    /// let plan = nearprint_core::near::plan(1_000_000, 64, 3);
    /// assert!(plan.sees(&[0b0111], &[0]) && !plan.sees(&[u64::MAX], &[0]));
    /// ```
    pub fn sees(&self, left: &[u64], right: &[u64]) -> bool {
        self.is_brute_force() || self.tables.iter().any(|table| table.sees(left, right))
    }

    /// The share of pairs that this plan [`sees`](Plan::sees) among those that differ in `distance`
    /// bits at random places: the recall to expect beyond the complete distance. It is 1 within,
    /// and with brute force; a `distance` of more bits than there are counts as all bits.
    ///
    /// Exact but for rounding. No table sees a pair that differs in more than r_t of the b_t key
    /// bits of every table t. There are C(b_t, j) ways to differ in j of them, so the ways to
    /// differ in d bits unseen are the coefficient of x^d in
    ///
    /// ```text
    /// (1 + x)^f  prod_t  sum_{j > r_t} C(b_t, j) x^j          f: the bits in no key
    /// ```
    ///
    /// of C(bits, d) ways in all. Keys share no bits, so their polynomials are multiplied: Graham,
    /// Knuth, Patashnik, "Concrete Mathematics", section 5.4.
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

    /// Whether every pair is compared.
    pub fn is_brute_force(&self) -> bool {
        self.tables.is_empty()
    }

    /// The cost of this search among `items` fingerprints, by the model that plans are chosen with:
    /// nanoseconds of one thread of the machine it was measured on.
    ///
    /// ```
    /// use nearprint_core::near::plan;
    /// assert!(plan(1_000_000, 64, 3).nanoseconds(1_000_000) < plan(1_000_000, 64, 10).nanoseconds(1_000_000));
    /// ```
    pub fn nanoseconds(&self, items: usize) -> f64 {
        let cost = Cost { items: items as f64, words: f64::from(self.bits.div_ceil(64)) };
        match self.is_brute_force() {
            true => cost.brute_force(),
            false => self.tables.iter().map(|table| cost.table(table)).sum(),
        }
    }

    /// The number of pairs that this search among `items` fingerprints is expected to compare, one
    /// that several tables see each time: with tables twice what chance brings together, since real
    /// text is not uniform.
    ///
    /// ```
    /// use nearprint_core::near::plan;
    /// assert_eq!(plan(1_000, 64, 3).comparisons(1_000), 499_500.0);
    /// assert!(plan(1_000_000, 64, 3).comparisons(1_000_000) < 1e9);
    /// ```
    pub fn comparisons(&self, items: usize) -> f64 {
        let pairs = items as f64 * (items as f64 - 1.0).max(0.0) / 2.0;
        let share = |table: &Table| Cost::SKEW * table.ball() / (1u64 << table.bits) as f64;
        match self.is_brute_force() {
            true => pairs,
            false => pairs * self.tables.iter().map(share).sum::<f64>(),
        }
    }
}

/// As in `complete to 3: 16 bits from 0 within 0, 16 bits from 16 within 0`, or `complete to 3:
/// brute force`.
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

/// The cheapest plan that finds every pair within `complete_distance` among `items` fingerprints of
/// `bits` bits.
///
/// # Panics
///
/// If `bits` is not 32, 64, 128 or 256.
///
/// # Examples
///
/// ```
/// use nearprint_core::near::plan;
///
/// assert!(plan(1_000, 64, 3).is_brute_force());
/// let plan = plan(1_000_000, 64, 3);
/// let radii: u32 = plan.tables().iter().map(|table| table.radius + 1).sum();
/// assert_eq!(radii, 3 + 1);
/// assert!(plan.to_string().starts_with("complete to 3: 15 bits from 0 within 0, "));
/// ```
pub fn plan(items: usize, bits: u32, complete_distance: u32) -> Plan {
    assert!(
        matches!(bits, 32 | 64 | 128 | 256),
        "a fingerprint has 32, 64, 128 or 256 bits, not {bits}"
    );
    let cost = Cost { items: items as f64, words: f64::from(bits.div_ceil(64)) };
    let mut best = Plan::brute_force(bits, complete_distance);
    let mut best_cost = cost.brute_force();
    // Two fingerprints differ in all bits at most: a promise beyond needs no more blocks than bits.
    for blocks in 1..=complete_distance.saturating_add(1).min(bits) {
        let choose = |longest: Table| {
            let keys = (1..=longest.bits).map(|bits| Table { bits, ..longest });
            keys.min_by(|a, b| cost.table(a).total_cmp(&cost.table(b))).unwrap_or(longest)
        };
        let plan = Plan::with_keys(bits, complete_distance, blocks, choose);
        let plan_cost = plan.tables.iter().map(|table| cost.table(table)).sum();
        if plan_cost < best_cost {
            (best, best_cost) = (plan, plan_cost);
        }
    }
    best
}

/// Nanoseconds of one thread, measured with this code on servers with AVX-512 (Ice Lake, Zen 4): 1
/// and 10 million fingerprints, keys of 8 to 22 bits. Only the proportions matter. A plan decides
/// which pairs beyond the complete distance are seen, so it never depends on the machine at hand.
struct Cost {
    items: f64,
    words: f64,
}

impl Cost {
    /// Sorting one fingerprint into its bucket: keys and positions ...
    const SORT: f64 = 15.0;
    /// ... and each word; nearly every write misses the cache.
    const SORT_WORD: f64 = 5.0;
    /// Bringing two buckets together: their bounds, a call of the kernel, the first cache misses.
    const MEET: f64 = 40.0;
    /// Comparing one word of two fingerprints in short buckets.
    const COMPARE: f64 = 0.03;
    /// The kernel works in blocks of eight columns, of which the last is half empty on average.
    const PADDING: f64 = 4.0;
    /// Real text is not uniform: more pairs than chance would have fall in one bucket, or in near
    /// ones. How many more is the corpus's own affair; 2 lengthens a key by at most a bit.
    const SKEW: f64 = 2.0;

    fn brute_force(&self) -> f64 {
        self.items * self.items / 2.0 * Self::COMPARE * self.words
    }

    fn table(&self, table: &Table) -> f64 {
        let keys = (1u64 << table.bits) as f64;
        let bucket = self.items / keys;
        let meetings = keys * table.ball() / 2.0;
        let compared = bucket * (bucket + Self::PADDING) * Self::COMPARE * self.words;
        self.items * (Self::SORT + Self::SORT_WORD * self.words)
            + meetings * (Self::MEET + compared * Self::SKEW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const WIDTHS: [u32; 4] = [32, 64, 128, 256];

    fn check(plan: &Plan) {
        let radii: u64 = plan.tables().iter().map(|table| u64::from(table.radius) + 1).sum();
        assert!(
            plan.is_brute_force() || radii == u64::from(plan.complete_distance()) + 1,
            "not complete: {plan}"
        );
        let mut free = 0;
        for table in plan.tables() {
            assert!(table.first_bit >= free && (1..=MAX_KEY_BITS).contains(&table.bits), "{plan}");
            free = table.first_bit + table.bits;
        }
        assert!(free <= plan.bits(), "{plan}");
    }

    #[test]
    fn plans_are_complete_and_their_blocks_disjoint() {
        for bits in WIDTHS {
            for complete_distance in (0..=40).chain([bits - 1, bits, 2 * bits, u32::MAX]) {
                for items in [0, 1, 2, 100, 10_000, 1_000_000, 100_000_000, u32::MAX as usize] {
                    check(&plan(items, bits, complete_distance));
                }
                for blocks in 1..=complete_distance.min(bits - 1) + 1 {
                    check(&Plan::with_blocks(bits, complete_distance, blocks, 16));
                }
            }
        }
    }

    #[test]
    fn brute_force_where_tables_do_not_pay() {
        for bits in WIDTHS {
            assert!(plan(1_000, bits, 10).is_brute_force());
            assert!(plan(1_000_000, bits, bits).is_brute_force());
            assert!(plan(0, bits, 0).is_brute_force());
            assert!(!plan(1_000_000, bits, 3).is_brute_force());
        }
    }

    #[test]
    fn every_pair_within_the_complete_distance_is_expected() {
        for bits in WIDTHS {
            assert_eq!(Plan::brute_force(bits, 3).share_seen(bits), 1.0);
            for complete_distance in [0, 3, 10, 31] {
                for blocks in 1..=complete_distance + 1 {
                    let plan = Plan::with_blocks(bits, complete_distance, blocks, 16);
                    (0..=complete_distance)
                        .for_each(|distance| assert_eq!(plan.share_seen(distance), 1.0, "{plan}"));
                    assert_eq!(plan.share_seen(bits), plan.share_seen(u32::MAX));
                }
            }
        }
    }

    #[test]
    fn the_expected_share_counted_by_hand() {
        for (plan, distance, expected) in [
            // The one bit is outside of the key.
            (Plan::with_blocks(32, 0, 1, 8), 1, 24.0 / 32.0),
            // Unseen with one bit in each half.
            (Plan::with_blocks(32, 1, 2, 16), 2, 1.0 - 16.0 * 16.0 / (32.0 * 31.0 / 2.0)),
            (Plan::with_blocks(256, 10, 3, 24), 256, 0.0),
        ] {
            let share = plan.share_seen(distance);
            assert!((share - expected).abs() < 1e-12, "{plan}, {distance}: {share}");
        }
    }

    #[test]
    fn as_many_random_pairs_are_seen_as_expected() {
        const PAIRS: u32 = 4_000;
        let mut random = Random::new(1);
        for (bits, complete_distance, blocks, key_bits) in [
            (32, 3, 2, 9),
            (64, 3, 4, 16),
            (64, 6, 3, 20),
            (128, 16, 7, 18),
            (128, 10, 1, 24),
            (256, 32, 14, 17),
        ] {
            let plan = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
            for distance in (0..=bits).step_by(3) {
                let mut seen = 0;
                for _ in 0..PAIRS {
                    let mut words = [0u64; 4];
                    while words.iter().map(|word| word.count_ones()).sum::<u32>() < distance {
                        let bit = random.below(u64::from(bits));
                        words[(bit / 64) as usize] |= 1 << (63 - bit % 64);
                    }
                    seen += u32::from(plan.sees(&words, &[0; 4]));
                }
                let (share, expected) =
                    (f64::from(seen) / f64::from(PAIRS), plan.share_seen(distance));
                // Of some 200 shares none is expected five deviations off; a thousandth more where
                // there is hardly any.
                let deviation = (expected * (1.0 - expected) / f64::from(PAIRS)).sqrt();
                assert!(
                    (share - expected).abs() <= 5.0 * deviation + 1e-3,
                    "{plan}, {distance}: {share}, {expected}"
                );
            }
        }
    }

    #[test]
    fn a_plan_describes_itself() {
        assert_eq!(plan(10, 64, 3).to_string(), "complete to 3: brute force");
        assert_eq!(
            Plan::with_blocks(32, 2, 2, 12).to_string(),
            "complete to 2: 12 bits from 0 within 1, 12 bits from 16 within 0"
        );
    }

    #[test]
    fn key_and_mask_are_the_same_bits() {
        let item = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0, u64::MAX];
        for first_bit in 0..256 {
            for bits in 0..=MAX_KEY_BITS.min(256 - first_bit) {
                let table = Table { first_bit, bits, radius: 0 };
                let bit = |at: u32| (item[(at / 64) as usize] >> (63 - at % 64)) as usize & 1;
                let expected = (first_bit..first_bit + bits).fold(0, |key, at| key << 1 | bit(at));
                assert_eq!(table.key(&item), expected, "{table:?}");
                let mask: [u64; 4] = table.mask();
                assert_eq!(mask.iter().map(|word| word.count_ones()).sum::<u32>(), bits);
                let masked = std::array::from_fn(|word| item[word] & mask[word]);
                assert_eq!(table.key::<4>(&masked), expected, "{table:?}");
            }
        }
    }
}

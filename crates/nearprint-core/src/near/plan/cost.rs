//! The number and the width of fingerprints, and a distance -> the cheapest complete plan of
//! search.

use super::{Plan, Table};

/// The cheapest plan that finds every pair within `complete_distance` among `items` fingerprints of
/// `bits` bits. An eighth of the bits is a usual `complete_distance`. From about a fourth of them
/// on, or for few fingerprints, the plan compares all pairs.
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
    let cost = Cost::new(items, bits);
    let mut best = Plan::brute_force(bits, complete_distance);
    let mut best_cost = cost.brute_force();
    // Two fingerprints differ in `bits` bits at most, so a larger distance needs no more blocks.
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

impl Plan {
    /// The expected cost of this search among `items` fingerprints, in nanoseconds of one thread of
    /// the machine on which the model was measured.
    ///
    /// ```
    /// use nearprint_core::near::plan;
    /// assert!(plan(1_000_000, 64, 3).nanoseconds(1_000_000) < plan(1_000_000, 64, 10).nanoseconds(1_000_000));
    /// ```
    pub fn nanoseconds(&self, items: usize) -> f64 {
        let cost = Cost::new(items, self.bits);
        match self.is_brute_force() {
            true => cost.brute_force(),
            false => self.tables.iter().map(|table| cost.table(table)).sum(),
        }
    }

    /// The number of pairs that this search among `items` fingerprints is expected to compare. A
    /// pair that several tables see counts several times. Tables bring together twice as many pairs
    /// as chance, since real text is not uniform.
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

/// The model of costs, in nanoseconds of one thread. They were measured with this code on servers
/// with AVX-512 (Ice Lake, Zen 4): 1 and 10 million fingerprints, keys of 8 to 22 bits. Only the
/// proportions matter. A plan decides which pairs beyond the complete distance are seen, so it
/// never depends on the machine at hand.
struct Cost {
    /// The number of fingerprints.
    items: f64,
    /// The number of words of a fingerprint.
    words: f64,
}

impl Cost {
    /// Sorting one fingerprint into its bucket, without its words.
    const SORT: f64 = 15.0;
    /// Sorting one word of a fingerprint; nearly every write misses the cache.
    const SORT_WORD: f64 = 5.0;
    /// Bringing two buckets together: their bounds, a call of the kernel, the first cache misses.
    const MEET: f64 = 40.0;
    /// Comparing one word of two fingerprints in short buckets.
    const COMPARE: f64 = 0.03;
    /// The columns that the kernel compares in vain: its last block of eight is half empty on
    /// average.
    const PADDING: f64 = 4.0;
    /// The factor by which more pairs meet than by chance, since real text is not uniform. It
    /// differs from corpus to corpus; 2 makes a key at most one bit longer.
    const SKEW: f64 = 2.0;

    fn new(items: usize, bits: u32) -> Cost {
        Cost { items: items as f64, words: f64::from(bits.div_ceil(64)) }
    }

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

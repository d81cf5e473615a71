//! How many documents would be removed at other least similarities.

/// The documents that would be removed at each of several least similarities.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Bounds {
    /// Whether the numbers are estimates: below `min-similarity` by a sample of the kept documents,
    /// above it by the pairs that removed documents. That at `min-similarity` itself is never one.
    /// Else they are counted from all pairs, as they are where these are few.
    pub estimated: bool,
    /// Whether there is a family of one template so large that not all of its pairs are known. The
    /// numbers are estimates then, also where all pairs are listed.
    pub crowded: bool,
    /// Whether there are short documents, which were not compared below `min-similarity`: the
    /// numbers below it count none that would be removed as short.
    pub without_short: bool,
    /// Each `min-similarity` with the number of documents that it would remove, in order: every
    /// hundredth, the least one, and that of the run.
    pub removed: Vec<(f64, u64)>,
    /// Where the numbers below `min-similarity` come from a sample, each of these bounds with the
    /// ends of the 95 % interval of its number; else nothing.
    pub intervals: Vec<(f64, u64, u64)>,
}

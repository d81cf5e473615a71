//! The number of documents that would be removed at other least similarities.

/// The number of documents that would be removed at each of several least similarities.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Bounds {
    /// True if the numbers are estimates: below `min-similarity` from a sample of the kept
    /// documents, above it from the pairs that removed documents. The number at `min-similarity`
    /// itself is exact. False if the numbers are counted from all pairs, as they are if there are
    /// few.
    pub estimated: bool,
    /// True if a family of one template is so large that not all of its pairs are known. The
    /// numbers are estimates then, even if all pairs are listed.
    pub crowded: bool,
    /// True if there are short documents. They were not compared below `min-similarity`, so the
    /// numbers below it count no removals of short documents.
    pub without_short: bool,
    /// Each `min-similarity` with the number of documents that it would remove, in order: every
    /// hundredth, the least one, and that of the run.
    pub removed: Vec<(f64, u64)>,
    /// If the numbers below `min-similarity` come from a sample, each of these bounds with the ends
    /// of the 95 % interval of its number; else empty.
    pub intervals: Vec<(f64, u64, u64)>,
}

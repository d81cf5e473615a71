//! Two short texts -> their edit similarity: 1 less the cheapest way to turn one into the other by inserting, deleting and
//! replacing characters (Levenshtein 1966), as a share of the heavier text.
//!
//! A digit weighs five times as much as another character: two reports in the same words with other figures are no
//! duplicates. Replacing costs the weight of the heavier of the two characters.
//! Cost: a band around the diagonal, as wide as the least similarity asked for allows.

/// The weight of a character.
#[inline]
pub(crate) fn weight(c: char) -> u32 {
    if c.is_ascii_digit() { 5 } else { 1 }
}

/// The edit similarity of two texts, if it is `least` or more; of two empty ones 0.
///
/// ```
/// use nearprint::verify::edit_similarity;
/// let of = |left: &str, right: &str| {
///     let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
///     edit_similarity(&left, &right, 0.0).unwrap()
/// };
/// assert_eq!(of("今天天气很好", "今天天气真好"), 5.0 / 6.0);
/// assert_eq!(of("up 5%", "up 7%"), 4.0 / 9.0);
/// ```
pub fn edit_similarity(left: &[char], right: &[char], least: f64) -> Option<f64> {
    let total = |text: &[char]| text.iter().map(|c| weight(*c)).sum::<u32>();
    let heavier = total(left).max(total(right));
    if heavier == 0 {
        return (least <= 0.0).then_some(0.0);
    }
    // Rounding must not cut off what the bound includes.
    let most = ((1.0 - least) * f64::from(heavier) + 1e-9).min(f64::from(u32::MAX / 4)) as u32;
    // Replacing a digit and a letter by each other can cost more than either text weighs.
    let cost = cost(left, right, most).or_else(|| (least <= 0.0).then_some(heavier))?;
    let similarity = 1.0 - f64::from(cost) / f64::from(heavier);
    (similarity >= least - 1e-12).then_some(similarity)
}

/// The cost of the cheapest edits, if it is `most` or less.
fn cost(left: &[char], right: &[char], most: u32) -> Option<u32> {
    const FAR: u32 = u32::MAX / 2;
    // Every edit that leaves the diagonal costs 1 or more.
    let band = most as usize;
    if left.len().abs_diff(right.len()) > band {
        return None;
    }
    let mut above: Vec<u32> = Vec::with_capacity(right.len() + 1);
    above.push(0);
    for c in right {
        above.push(above[above.len() - 1] + weight(*c));
    }
    let mut row = vec![FAR; right.len() + 1];
    for (place, l) in left.iter().enumerate() {
        let (first, last) = ((place + 1).saturating_sub(band).max(1), (place + 1 + band).min(right.len()));
        row[first - 1] = if first == 1 { above[0] + weight(*l) } else { FAR };
        let mut least = row[first - 1];
        for column in first..=last {
            let r = right[column - 1];
            let replaced = above[column - 1] + if *l == r { 0 } else { weight(*l).max(weight(r)) };
            // Beyond the band of the row above nothing was computed.
            let deleted = if column <= place + band { above[column] + weight(*l) } else { FAR };
            let cheapest = replaced.min(deleted).min(row[column - 1] + weight(r));
            row[column] = cheapest;
            least = least.min(cheapest);
        }
        if least > most {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[right.len()]).filter(|cost| *cost <= most)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, without a band.
    pub(crate) fn plain(left: &[char], right: &[char]) -> f64 {
        let mut costs = vec![vec![0; right.len() + 1]; left.len() + 1];
        for l in 0..=left.len() {
            for r in 0..=right.len() {
                let deleted = (l > 0).then(|| costs[l - 1][r] + weight(left[l - 1]));
                let inserted = (r > 0).then(|| costs[l][r - 1] + weight(right[r - 1]));
                let replaced = (l > 0 && r > 0).then(|| {
                    let (a, b) = (left[l - 1], right[r - 1]);
                    costs[l - 1][r - 1] + if a == b { 0 } else { weight(a).max(weight(b)) }
                });
                costs[l][r] = [deleted, inserted, replaced].into_iter().flatten().min().unwrap_or(0);
            }
        }
        let total = |text: &[char]| text.iter().map(|c| weight(*c)).sum::<u32>();
        let heavier = total(left).max(total(right));
        if heavier == 0 { 0.0 } else { (1.0 - f64::from(costs[left.len()][right.len()]) / f64::from(heavier)).max(0.0) }
    }

    proptest! {
        #[test]
        fn the_band_loses_nothing(
            left in "[ab1天]{0,12}",
            right in "[ab1天]{0,12}",
            least in prop_oneof![Just(0.5), Just(0.8), Just(1.0), 0.0f64..1.0],
        ) {
            let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
            let expected = plain(&left, &right);
            prop_assert_eq!(edit_similarity(&left, &right, 0.0), Some(expected));
            let found = edit_similarity(&left, &right, least);
            prop_assert_eq!(found, (expected >= least - 1e-12).then_some(expected));
            prop_assert_eq!(found, edit_similarity(&right, &left, least));
        }
    }
}

//! A threshold -> the number of bands and their length.
//!
//! Of all numbers of bands b and lengths r with b · r permutations, those are best for which a
//! weighted sum of two areas is least: the probability of a meeting below the threshold, and that
//! of none above it. The package integrates by QUADPACK, to 1.5e-8 absolutely; here the same rule
//! is used, on halves where it is not exact enough.
//!
//! Source: `datasketch` 2.0.0, `lsh._optimal_param` and `lshensemble._optimal_param`; Piessens et
//! al., "QUADPACK" (1983), routine QK21.

use pyo3::prelude::*;

/// (b, r) for a Jaccard similarity.
#[pyfunction]
pub(crate) fn bands_for_jaccard(
    py: Python<'_>,
    threshold: f64,
    num_perm: u32,
    weights: (f64, f64),
) -> (u32, u32) {
    py.detach(|| {
        best(num_perm, num_perm, weights, |b, r| {
            let meets = |s: f64| 1.0 - (1.0 - s.powf(r)).powf(b);
            [area(meets, 0.0, threshold), area(|s| 1.0 - meets(s), threshold, 1.0)]
        })
    })
}

/// (b, r) for the share of a query that a set contains, `ratio` times as large as the query; r is at
/// most `max_r`.
#[pyfunction]
pub(crate) fn bands_for_containment(
    py: Python<'_>,
    threshold: f64,
    num_perm: u32,
    max_r: u32,
    ratio: f64,
    weights: (f64, f64),
) -> (u32, u32) {
    py.detach(|| {
        best(num_perm, max_r, weights, |b, r| {
            let meets = |t: f64| 1.0 - (1.0 - (t / (1.0 + ratio - t)).powf(r)).powf(b);
            // A set that is smaller than the query cannot contain more of it than its size.
            [
                area(meets, 0.0, threshold.min(ratio)),
                area(|t| 1.0 - meets(t), threshold, ratio.min(1.0)),
            ]
        })
    })
}

/// The pair with the least weighted sum of areas, the first of equal ones.
fn best(
    num_perm: u32,
    max_r: u32,
    weights: (f64, f64),
    areas: impl Fn(f64, f64) -> [f64; 2],
) -> (u32, u32) {
    let pairs = (1..=num_perm).flat_map(|b| (1..=max_r.min(num_perm / b)).map(move |r| (b, r)));
    let mut least = (f64::INFINITY, (0, 0));
    for (b, r) in pairs {
        let [false_positive, false_negative] = areas(f64::from(b), f64::from(r));
        let error = false_positive * weights.0 + false_negative * weights.1;
        if error < least.0 {
            least = (error, (b, r));
        }
    }
    least.1
}

/// The error at which QUADPACK stops, absolutely or relative to the result.
const EXACT: f64 = 1.49e-8;

/// The area below a function; 0 if the interval is empty.
fn area(function: impl Fn(f64) -> f64, start: f64, end: f64) -> f64 {
    if start >= end {
        return 0.0;
    }
    let mut parts = vec![rule(&function, start, end)];
    // The functions are polynomials or nearly so; 50 is the limit of the package.
    while parts.len() < 50 {
        let sum = |of: fn(&Part) -> f64| parts.iter().map(of).sum::<f64>();
        if sum(|part| part.error) <= EXACT.max(EXACT * sum(|part| part.area).abs()) {
            break;
        }
        let errors = parts.iter().map(|part| part.error).enumerate();
        let worst = errors.max_by(|left, right| left.1.total_cmp(&right.1)).expect("one part").0;
        let Part { start, end, .. } = parts.swap_remove(worst);
        let middle = 0.5 * (start + end);
        parts.extend([rule(&function, start, middle), rule(&function, middle, end)]);
    }
    parts.iter().map(|part| part.area).sum()
}

/// An interval with the area on it, and a bound on its error.
struct Part {
    start: f64,
    end: f64,
    area: f64,
    error: f64,
}

/// The nodes of Kronrod's rule of 21 points, of which those at odd places are also Gauss's.
const NODES: [f64; 11] = [
    0.995_657_163_025_808_1,
    0.973_906_528_517_171_7,
    0.930_157_491_355_708_2,
    0.865_063_366_688_984_5,
    0.780_817_726_586_416_9,
    0.679_409_568_299_024_4,
    0.562_757_134_668_604_7,
    0.433_395_394_129_247_2,
    0.294_392_862_701_460_2,
    0.148_874_338_981_631_22,
    0.0,
];

const KRONROD: [f64; 11] = [
    0.011_694_638_867_371_874,
    0.032_558_162_307_964_725,
    0.054_755_896_574_351_995,
    0.075_039_674_810_919_96,
    0.093_125_454_583_697_6,
    0.109_387_158_802_297_64,
    0.123_491_976_262_065_84,
    0.134_709_217_311_473_34,
    0.142_775_938_577_060_09,
    0.147_739_104_901_338_49,
    0.149_445_554_002_916_9,
];

const GAUSS: [f64; 5] = [
    0.066_671_344_308_688_14,
    0.149_451_349_150_580_6,
    0.219_086_362_515_982_04,
    0.269_266_719_309_996_35,
    0.295_524_224_714_752_87,
];

/// QK21.
fn rule(function: impl Fn(f64) -> f64, start: f64, end: f64) -> Part {
    let (center, half) = (0.5 * (start + end), 0.5 * (end - start));
    let middle = function(center);
    let pairs: [[f64; 2]; 10] = std::array::from_fn(|place| {
        let offset = half * NODES[place];
        [function(center - offset), function(center + offset)]
    });
    let weighted = |of: &dyn Fn(f64) -> f64| {
        let sums =
            pairs.iter().zip(KRONROD).map(|([low, high], weight)| weight * (of(*low) + of(*high)));
        sums.sum::<f64>() + KRONROD[10] * of(middle)
    };
    let kronrod = weighted(&|value| value);
    let gauss: f64 = GAUSS
        .iter()
        .enumerate()
        .map(|(place, weight)| weight * (pairs[2 * place + 1].iter().sum::<f64>()))
        .sum();
    let absolute = weighted(&f64::abs) * half;
    let mean = 0.5 * kronrod;
    let spread = weighted(&|value| (value - mean).abs()) * half;
    let mut error = ((kronrod - gauss) * half).abs();
    if spread != 0.0 && error != 0.0 {
        error = spread * (200.0 * error / spread).powf(1.5).min(1.0);
    }
    if absolute > f64::MIN_POSITIVE / (50.0 * f64::EPSILON) {
        error = error.max(50.0 * f64::EPSILON * absolute);
    }
    Part { start, end, area: kronrod * half, error }
}

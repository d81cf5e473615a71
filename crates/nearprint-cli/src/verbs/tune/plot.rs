//! The result of tuning -> an SVG plot of three charts: distances of unrelated pairs and of edited
//! copies, recall by distance and similarity, costs. It uses the viewer's own font and loads
//! nothing.

use nearprint::estimate::{AtSimilarity, Row};
use nearprint::search::Tuning;
use plotters::prelude::*;

use super::rounded;

const SIZE: (u32, u32) = (900, 1080);
const UNRELATED: RGBColor = RGBColor(0xc0, 0x4a, 0x2b);
const COPIES: RGBColor = RGBColor(0x1f, 0x6f, 0xb2);
/// Copies of other similarities, the least similar first.
const OTHERS: [RGBColor; 3] =
    [RGBColor(0x9c, 0x4f, 0x96), RGBColor(0x2a, 0x9d, 0x8f), RGBColor(0x7f, 0xb0, 0x3c)];
const FORMULA: RGBColor = RGBColor(0x6b, 0x6b, 0x6b);

/// The font of labels: the viewer's own sans-serif font.
const LABELS: (&str, u32) = ("sans-serif", 16);

/// The picture.
pub fn svg(tuning: &Tuning) -> String {
    let mut svg = String::new();
    draw(tuning, &mut svg).expect("drawing into memory cannot fail");
    svg
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(tuning: &Tuning, svg: &mut String) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let [above, middle, below] = &area.split_evenly((3, 1))[..] else { return Ok(()) };
    let rows = &tuning.distances;
    let copies: Vec<f64> = rows.iter().map(|row| row.copies_within.unwrap_or(0.0)).collect();
    let each = |within: Vec<f64>| -> Vec<f64> {
        let before = std::iter::once(0.0).chain(within.iter().copied());
        within.iter().zip(before).map(|(share, before)| share - before).collect()
    };
    let unrelated = each(rows.iter().map(|row| row.unrelated_within).collect());
    let formula: Vec<f64> = rows.iter().map(|row| row.formula_within).collect();
    let similarity = tuning.choice.similarity;
    let edited = format!("copies edited to similarity {similarity}");
    let by_formula = format!("similarity {similarity} by the angle formula");
    let mut shares = vec![("unrelated pairs", UNRELATED, unrelated)];
    let mut recalls = vec![];
    if tuning.choice.copies > 0 {
        shares.push((&edited, COPIES, each(copies.clone())));
        recalls.push((edited.as_str(), COPIES, copies));
    }
    shares.push((&by_formula, FORMULA, each(formula.clone())));
    recalls.push((&by_formula, FORMULA, formula));
    let others = tuning.other_similarities.iter().filter(|other| other.copies > 0);
    let others: Vec<(String, &AtSimilarity)> = others
        .map(|other| (format!("copies edited to similarity {}", other.similarity), other))
        .collect();
    for ((name, other), color) in others.iter().zip(OTHERS) {
        recalls.push((name, color, other.copies_within.clone()));
    }
    let logarithms =
        |number: fn(&Row) -> f64| rows.iter().map(|row| number(row).max(1.0).log10()).collect();
    let costs = [
        ("candidate pairs by chance", UNRELATED, logarithms(|row| row.expected_candidates)),
        (
            "pairs of fingerprints compared in a complete search",
            COPIES,
            logarithms(|row| row.compared_fingerprints),
        ),
    ];
    let number = |logarithm: &f64| rounded(10f64.powf(*logarithm));
    chart(above, "share of pairs at each distance", tuning, &shares, &|share| {
        format!("{:.0} %", share * 100.0)
    })?;
    let recall = "share of pairs within each distance (recall)";
    chart(middle, recall, tuning, &recalls, &|share| format!("{:.0} %", share * 100.0))?;
    chart(below, "pairs to compare", tuning, &costs, &number)?;
    area.present()?;
    Ok(())
}

/// One chart: lines over the distance, each with its name and color, and an upright line at the
/// chosen distance.
fn chart(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    tuning: &Tuning,
    lines: &[(&str, RGBColor, Vec<f64>)],
    label: &dyn Fn(&f64) -> String,
) -> Drawn {
    let most = lines.iter().flat_map(|line| &line.2).fold(0.01f64, |most, share| most.max(*share));
    let last = tuning.distances.last().map_or(1, |row| row.distance.max(1));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0..last, 0.0..most * 1.02)?;
    chart
        .configure_mesh()
        .x_desc(format!("distance in bits of {}", tuning.settings.fingerprint.bits))
        .y_label_formatter(&label)
        .label_style(LABELS)
        .light_line_style(WHITE)
        .draw()?;
    for (name, color, shares) in lines {
        let points = (0u32..).zip(shares.iter().copied());
        let drawn = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        let color = *color;
        drawn
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    let chosen = tuning.choice.max_distance;
    chart
        .draw_series(LineSeries::new([(chosen, 0.0), (chosen, most)], BLACK.stroke_width(1)))?
        .label(format!("chosen distance {chosen}"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK.stroke_width(1)));
    chart
        .configure_series_labels()
        .label_font(LABELS)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .position(SeriesLabelPosition::UpperLeft)
        .draw()?;
    Ok(())
}

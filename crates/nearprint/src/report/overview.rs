//! A run in memory -> a piece of HTML for a notebook: counts, the reasons of removals, the
//! similarities, the sizes of clusters, and some removed documents beside their keepers.
//!
//! The piece has no script and no style sheet, since a notebook may drop both. It takes its colors
//! from the page around it, so it can be read on light and on dark ground. The content of a
//! document is shown as text. Cost: a pass over the removals, and the view of a few pairs.

use std::fmt::Write;

use nearprint_core::compare::Measure;
use nearprint_core::judge::Reason;
use nearprint_core::normalize::Normalizer;

use super::plots::{Sizes, hundredth};
use super::texts::{Part, Room, basis};
use crate::shares::{Percent, Similarity};

/// The most bytes of HTML; pairs beyond it are shown without their texts.
const LONGEST: usize = 180_000;

/// The width and the height of a plot.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 130.0;

/// The space to the left of the bars and above them, and below them.
const LEFT: f64 = 40.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 20.0;

/// The reasons with their colors, which contrast with white and with black.
const COLORS: [(Reason, &str); 6] = [
    (Reason::Exact, "#4e86c4"),
    (Reason::Near, "#dd8033"),
    (Reason::Contained, "#4f9e5a"),
    (Reason::Short, "#a673b8"),
    (Reason::Contains, "#cf5560"),
    (Reason::Marked, "#6b8e23"),
];

/// The data of an overview.
pub struct Overview<'a> {
    /// The first line.
    pub headline: String,
    /// The similarity and the reason of each removed document.
    pub removed: Vec<(f64, Reason)>,
    /// The number of documents in each cluster.
    pub sizes: Vec<u32>,
    /// The removed documents to show.
    pub pairs: Vec<Pair>,
    /// The normalizer of the run.
    pub normalizer: &'a Normalizer,
    /// The measure of the run.
    pub measure: Measure,
}

/// A removed document and its keeper.
pub struct Pair {
    /// The two ids as JSON.
    pub ids: [String; 2],
    /// The reason of the removal.
    pub reason: Reason,
    /// The similarity of the document to its keeper.
    pub similarity: f64,
    /// The distance of the fingerprints in bits.
    pub distance: Option<u32>,
    /// The share of the document that stands nowhere in its keeper.
    pub lost: Option<f64>,
    /// Both texts, if they are known.
    pub texts: Option<[String; 2]>,
}

impl Overview<'_> {
    /// The HTML.
    pub fn html(&self) -> String {
        let mut html = String::from(
            "<div class=\"nearprint tex2jax_ignore mathjax_ignore\" style=\"text-align:left\">",
        );
        let _ = write!(html, "<div><b>{}</b></div>", escaped(&self.headline));
        if !self.removed.is_empty() {
            html += &self.reasons();
            let _ = write!(
                html,
                "<div style=\"display:flex;flex-wrap:wrap;gap:1.5em\">{}{}</div>",
                self.similarities(),
                self.cluster_sizes()
            );
        }
        if !self.pairs.is_empty() {
            html += "<div style=\"margin-top:.8em\"><b>The least similar removed documents, each beside its keeper</b></div>";
        }
        for pair in &self.pairs {
            let head = pair.head();
            let texts = pair.shown(self.normalizer, self.measure).unwrap_or_default();
            html += &head;
            if html.len() + texts.len() <= LONGEST {
                html += &texts;
            }
        }
        html + "</div>"
    }

    /// The removed documents by reason: a bar in parts, and a label for each part.
    fn reasons(&self) -> String {
        let count = |reason: Reason| self.removed.iter().filter(|(_, own)| *own == reason).count();
        let counts = COLORS.map(|(reason, color)| (reason, color, count(reason)));
        let (mut bar, mut key, mut x) = (String::new(), String::new(), 0.0);
        for (reason, color, count) in counts.into_iter().filter(|(_, _, count)| *count > 0) {
            let wide = 700.0 * count as f64 / self.removed.len() as f64;
            let name = reason.name();
            let _ = write!(
                bar,
                "<rect x=\"{x:.1}\" y=\"0\" width=\"{wide:.1}\" height=\"14\" fill=\"{color}\"><title>{name}: {count}</title></rect>"
            );
            let _ = write!(
                key,
                "<span style=\"margin-right:1em\"><span style=\"color:{color}\">\u{25a0}</span> {name} {count}</span>"
            );
            x += wide;
        }
        format!(
            "<svg viewBox=\"0 0 700 14\" width=\"700\" style=\"max-width:100%;display:block;margin:.4em 0\" role=\"img\" \
             aria-label=\"removed documents by reason\">{bar}</svg><div>{key}</div>"
        )
    }

    /// The removed documents by hundredths of their similarity.
    fn similarities(&self) -> String {
        let mut counts = [0u64; 101];
        self.removed.iter().for_each(|(similarity, _)| counts[hundredth(*similarity)] += 1);
        let first = counts.iter().position(|count| *count > 0).unwrap_or(100);
        let labels: Vec<String> =
            (first..=100).map(|at| format!("{:.2}", at as f64 / 100.0)).collect();
        plot(
            "Similarity of removed documents to their keepers",
            &labels,
            &counts[first..],
            COLORS[1].1,
        )
    }

    /// The clusters by their number of documents.
    fn cluster_sizes(&self) -> String {
        let Sizes { labels, clusters } = Sizes::of(self.sizes.iter().copied());
        plot("Clusters by number of documents", &labels, &clusters, COLORS[0].1)
    }
}

/// Bars with their labels below.
fn plot(title: &str, labels: &[String], counts: &[u64], color: &str) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let (wide, high) = ((WIDTH - LEFT) / labels.len().max(1) as f64, HEIGHT - TOP - BOTTOM);
    let every = labels.len().div_ceil(7).max(1);
    let mut drawing = String::new();
    for share in [0.0, 1.0] {
        let y = TOP + high * (1.0 - share);
        let value = if share > 0.0 { most } else { 0 };
        let _ = write!(
            drawing,
            "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 4.0,
            y + 4.0
        );
    }
    for (at, (label, count)) in labels.iter().zip(counts).enumerate() {
        let x = LEFT + at as f64 * wide;
        if *count > 0 {
            let tall = (high * *count as f64 / most as f64).max(1.0);
            let _ = write!(
                drawing,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{color}\"><title>{label}: {count}</title></rect>",
                x + 0.5,
                TOP + high - tall,
                (wide - 1.0).clamp(1.0, 60.0)
            );
        }
        if at % every == 0 {
            let middle = x + 0.5 + (wide - 1.0).clamp(1.0, 60.0) / 2.0;
            let _ = write!(
                drawing,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                HEIGHT - 6.0
            );
        }
    }
    format!(
        "<figure style=\"margin:.6em 0\"><figcaption>{title}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-size=\"10\" fill=\"currentColor\" role=\"img\" aria-label=\"{title}\">{drawing}</svg></figure>"
    )
}

impl Pair {
    /// The documents of a pair, the reason, and the similarity.
    fn head(&self) -> String {
        let [id, keeper] = self.ids.each_ref().map(|id| escaped(id));
        let mut said =
            format!("{}, similarity {}", self.reason.name(), Similarity(self.similarity));
        let _ = self.distance.map(|distance| write!(said, ", {distance} bits"));
        let _ = self.lost.map(|lost| write!(said, ", {} lost", Percent(lost)));
        format!(
            "<div style=\"margin-top:.6em\"><bdi>{id}</bdi> for <bdi>{keeper}</bdi>: {said}</div>"
        )
    }

    /// Both texts, if they are known: a colored ground marks text that only one has, a line
    /// underneath moved passages, bold type figures, and a pale color text that does not count.
    fn shown(&self, normalizer: &Normalizer, measure: Measure) -> Option<String> {
        let texts = self.texts.as_ref()?;
        let basis = basis(Some(self.reason), self.distance, measure);
        let shown = Room::of_few().take([&texts[0], &texts[1]], normalizer, basis);
        let cell = |parts: &[Part], more: usize, color: &str| {
            let more = if more > 0 { folded(more) } else { String::new() };
            let marked: String = parts.iter().map(|part| marked(part, color)).collect();
            format!(
                "<td style=\"vertical-align:top;text-align:left\"><div style=\"white-space:pre-wrap;unicode-bidi:isolate;\
                 overflow-wrap:anywhere\">{marked}{more}</div></td>"
            )
        };
        let (left, right) = (cell(&shown.l, shown.lm, "#fdd"), cell(&shown.r, shown.rm, "#dfd"));
        Some(format!(
            "<table><thead><tr><th>removed</th><th>its keeper</th></tr></thead><tbody><tr>{left}{right}</tr></tbody></table>"
        ))
    }
}

/// A part of a text, marked as `Comparison` of the Python package marks it.
fn marked(part: &Part, color: &str) -> String {
    let (kind, text) = match part {
        Part::Folded(_, count, _) => return folded(*count),
        Part::Text(kind, text, _) => (*kind, escaped(text)),
    };
    let ground = format!("background:{color};color:#111");
    let style = match kind {
        1 => ground + ";text-decoration:underline",
        2 => ground,
        3 => ground + ";font-weight:bold",
        4 => "background:none;color:inherit;opacity:.55".to_string(),
        _ => return text,
    };
    format!("<mark style=\"{style}\">{text}</mark>")
}

/// A number of characters that are not shown.
fn folded(count: usize) -> String {
    format!("<i style=\"opacity:.7\"> [{count} characters] </i>")
}

/// A text with its markup escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use nearprint_core::normalize::Options;

    use super::*;

    fn pair(texts: Option<[String; 2]>) -> Pair {
        let ids = ["\"<a>\"".to_string(), "7".to_string()];
        Pair {
            ids,
            reason: Reason::Near,
            similarity: 0.8,
            distance: Some(12),
            lost: Some(0.25),
            texts,
        }
    }

    fn html(removed: Vec<(f64, Reason)>, sizes: Vec<u32>, pairs: Vec<Pair>) -> String {
        let normalizer = &Normalizer::new(Options::default());
        let (headline, measure) = ("1 & 2".to_string(), Measure::Coverage);
        Overview { headline, removed, sizes, pairs, normalizer, measure }.html()
    }

    #[test]
    fn it_shows_reasons_plots_and_marked_texts() {
        let texts = [
            "The ferry returns on Monday after 11 weeks of <b>repairs</b>",
            "The ferry returns on Monday after 12 weeks of repairs",
        ];
        let html = html(
            vec![(0.8, Reason::Near), (1.0, Reason::Exact)],
            vec![3],
            vec![pair(Some(texts.map(String::from)))],
        );
        for part in [
            "<b>1 &amp; 2</b>",
            "near 1</span>",
            "exact 1</span>",
            "<title>0.80: 1</title>",
            "<title>3: 1</title>",
            "<bdi>&quot;&lt;a&gt;&quot;</bdi> for <bdi>7</bdi>: near, similarity 0.800, 12 bits, 25.0 % lost",
            "&lt;b&gt;",
            "font-weight:bold\">11</mark>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(
            !html.contains("<script") && !html.contains("<style") && !html.contains("<b>repairs")
        );
    }

    #[test]
    fn it_is_there_without_removals_and_without_texts() {
        assert!(html(vec![], vec![], vec![]).ends_with("<b>1 &amp; 2</b></div></div>"));
        let html = html(vec![(0.8, Reason::Near)], vec![2], vec![pair(None)]);
        assert!(html.contains("similarity 0.800") && !html.contains("<table>"));
    }

    #[test]
    fn it_stays_small_whatever_the_texts_are() {
        let texts = [0, 1].map(|from| {
            (0..200_000)
                .map(|n| {
                    if n % 3 == from {
                        '<'
                    } else {
                        char::from(b'a' + (n * 7 % 23 + from * n / 5 % 3) as u8)
                    }
                })
                .collect::<String>()
        });
        let html = html(
            vec![(0.8, Reason::Near); 9],
            vec![10],
            (0..5).map(|_| pair(Some(texts.clone()))).collect(),
        );
        assert!(html.len() < 200_000, "{}", html.len());
        assert_eq!(html.matches("similarity 0.800").count(), 5);
    }
}

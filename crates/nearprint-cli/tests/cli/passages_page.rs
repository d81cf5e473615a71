//! `nearprint passages --report`.

use serde_json::{Value, json};

use crate::common::Place;

const FOOTER: &str = "All rights reserved. No part of this page may be copied or sold without the \
    written consent of the publisher in Hamburg, whose office is open from nine to noon.";

const HOSTILE: &str = "Subscribe </script><img src=x onerror=\"window.hit = 1\"> to our letter, \
    which comes on Mondays, costs nothing <!-- at all --> and can be left at any time by a click.";

const STORIES: [&str; 3] = [
    "The ferry is back, and so are its nine cooks, their pans and a captain who never sleeps.",
    "Half of the bakeries in the old town close before noon now, says their guild in a report.",
    "In the hills above the lake a shepherd has counted his sheep and found one more than before.",
];

/// Three documents that share a passage, two of which share another.
fn place() -> Place {
    let row = |id: usize, text: String| format!("{}\n", json!({"id": id, "text": text}));
    let [ferry, bakeries, shepherd] = STORIES.map(|story| story.repeat(6));
    let rows = row(10, format!("{ferry}\n\n{HOSTILE}\n\n{ferry}\n\n{FOOTER}"))
        + &row(11, format!("{bakeries}\n\n{FOOTER}"))
        + &row(12, format!("{shepherd}\n\n{HOSTILE}\n\n{shepherd}\n\n{FOOTER}"));
    Place::with("news.jsonl", rows)
}

/// An element of the page with JSON.
fn element(place: &Place, folder: &str, id: &str) -> Value {
    let html = place.text(&format!("{folder}/report.html"));
    let beginning = format!("<script type=\"application/json\" id=\"{id}\">");
    let part = html.split_once(&beginning).unwrap().1;
    serde_json::from_str(part.split_once("</script>").unwrap().0).unwrap()
}

fn passages(place: &Place, folder: &str, arguments: &[&str]) {
    let run = ["passages", "news.jsonl", "--quiet", "--output", folder];
    place.run(&[&run, arguments].concat()).succeeds();
}

#[test]
fn the_page_has_passages_with_places_in_context() {
    let place = place();
    passages(&place, "shared", &["--report"]);
    let data = element(&place, "shared", "data");
    assert_eq!(data["summary"]["counts"]["passages"], 2);
    assert_eq!((&data["inputs"], &data["loss"]), (&json!(["news.jsonl"]), &Value::Null));
    let shown = element(&place, "shared", "pairs");
    let texts = place.rows("shared/passage_texts.jsonl");
    for (shown, text) in shown.as_array().unwrap().iter().zip(&texts) {
        for name in ["passage", "documents", "places", "edited", "letters", "text"] {
            assert_eq!(shown[name], text[name], "{name}");
        }
    }
    let [footer, hostile] = [&shown[0], &shown[1]];
    assert_eq!((&footer["documents"], &hostile["documents"]), (&json!(3), &json!(2)));
    assert_eq!((&footer["going"], &hostile["going"]), (&json!(2), &json!(1)));
    let places = footer["examples"].as_array().unwrap();
    let ids: Vec<_> = places.iter().map(|place| place["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["10", "11", "12"]);
    assert_eq!((&places[1]["file"], &places[1]["row"]), (&json!("news.jsonl"), &json!(2)));
    assert_eq!((&places[0]["stay"], &places[1]["stay"]), (&json!("copy"), &json!("goes")));
    assert!(places[1]["before"].as_str().unwrap().contains("says their guild in a report."));
    assert_eq!(places[1]["more"], json!([true, false]));
    // Nothing of a text is markup, and the page is written only if it is asked for.
    let html = place.text("shared/report.html");
    assert!(!html.contains("<img") && html.contains("\\u003cimg src=x"));
    assert!(html.contains("default-src 'none'"));
    passages(&place, "without", &[]);
    assert!(!place.path("without/report.html").exists());
}

#[test]
fn saved_verdicts_come_back_on_the_page_of_the_run_that_obeys_them() {
    let place = place();
    passages(&place, "shared", &["--report"]);
    let text = |at: usize| element(&place, "shared", "pairs")[at]["text"].clone();
    let gone = "A text that stood on an earlier page, and that no document of this input has.";
    let rows = [
        json!({"passage": 1, "documents": 3, "verdict": "right", "text": text(0)}),
        json!({"passage": 2, "documents": 2, "verdict": "later", "text": text(1)}),
        json!({"verdict": "wrong", "text": gone}),
    ];
    place.write("verdicts.jsonl", rows.map(|row| format!("{row}\n")).concat());
    passages(&place, "cut", &["--action", "cut", "--approved", "verdicts.jsonl", "--report"]);
    let kept = place.text("cut/kept/news.jsonl");
    assert_eq!((kept.matches("All rights").count(), kept.matches("Subscribe").count()), (0, 2));
    let shown = element(&place, "cut", "pairs");
    assert_eq!(shown.as_array().unwrap().len(), 1);
    assert_eq!((&shown[0]["verdict"], &shown[0]["documents"]), (&json!(true), &json!(3)));
    assert_eq!(shown[0]["examples"][2]["stay"], "goes");
    assert_eq!(element(&place, "cut", "data")["earlier"], json!([[gone, false]]));
}

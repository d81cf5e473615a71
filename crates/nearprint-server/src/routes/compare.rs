//! `POST /v1/compare`: two texts, or documents of the index -> the verdict and the marked view.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use nearprint::compare::{Comparison, ShownPiece};
use nearprint::document::Id;
use nearprint::index::Index;
use nearprint::shares::serialize_rounded;
use nearprint::{Error, Message, Reason};
use serde::{Deserialize, Serialize};

use super::object::object;
use crate::access::Asker;
use crate::collections::One;
use crate::problem::Problem;

/// The body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    left: Side,
    right: Side,
}

/// A text, or a document of the index.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Text(String),
    Id(Id),
}

/// The most bytes of a text that is compared: the time grows faster than the texts.
const BYTES: usize = 1 << 20;

/// The bytes of texts that count as a row.
const ROW: usize = 10_000;

const WANTED: &str =
    "{\"left\": SIDE, \"right\": SIDE}, where SIDE is {\"text\": \"…\"} or {\"id\": …}";

/// The answer.
#[derive(Serialize)]
pub(super) struct Compared {
    /// True if the two are duplicates.
    duplicates: bool,
    /// The similarity, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    similarity: f64,
    /// The reason why they are duplicates.
    reason: Option<Reason>,
    /// The distance of their fingerprints in bits; `None` if one of the two is short.
    distance: Option<u32>,
    /// True if one of the two is in a family: three other texts or more are near it.
    in_family: bool,
    /// The share of the left text and of the right text that the other one lacks.
    lost: Option<[f64; 2]>,
    /// The verdict in words, then details.
    why: Vec<Message>,
    /// The pieces of the left text, in order.
    left: Vec<ShownPiece>,
    /// The pieces of the right text, in order.
    right: Vec<ShownPiece>,
}

impl From<Comparison> for Compared {
    fn from(comparison: Comparison) -> Compared {
        let Comparison { judged, why, lost, view, in_family, .. } = comparison;
        Compared {
            duplicates: judged.duplicates,
            similarity: judged.similarity,
            reason: judged.duplicates.then_some(judged.reason),
            distance: judged.distance,
            in_family: in_family.unwrap_or_default(),
            lost,
            why,
            left: view.left,
            right: view.right,
        }
    }
}

pub(super) async fn compare(
    One(collection): One,
    Extension(asker): Extension<Arc<Asker>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Compared>, Problem> {
    let Asked { left, right } = object(&headers, &body, WANTED)?;
    asker.count(body.len() / ROW)?;
    let compared = collection.readers.read(|index| {
        let texts = [text(index, left)?, text(index, right)?];
        match texts {
            [Ok(left), Ok(right)] if left.len().max(right.len()) > BYTES => Ok(Ok(None)),
            [Ok(left), Ok(right)] => Ok(Ok(Some(index.compare([&left, &right], 0)?))),
            [Err(id), _] | [_, Err(id)] => Ok(Err(id)),
        }
    });
    match compared.await? {
        Ok(Some(comparison)) => Ok(Json(comparison.into())),
        Ok(None) => {
            let detail = "a text has more than 1 MB; compare parts of it";
            Err(Problem::of_request("body", detail).with(StatusCode::PAYLOAD_TOO_LARGE))
        }
        Err(id) => {
            let detail = format!("no document has the id {id}");
            Err(Problem::of_request("no-such-document", detail).with(StatusCode::NOT_FOUND))
        }
    }
}

/// The text of a side; its id if there is no such document.
fn text(index: &mut Index, side: Side) -> Result<Result<String, Id>, Error> {
    match side {
        Side::Text(text) => Ok(Ok(text)),
        Side::Id(id) => Ok(index.document(&id)?.map(|document| document.text).ok_or(id)),
    }
}

//! `/v1/documents`: rows added, documents found by words, a document shown or removed, its
//! duplicates.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use nearprint::Error;
use nearprint::document::Id;
use nearprint::index::{
    Added, Adding, Answer, Asked, Found, Index, IndexDocument, IndexMatch, Mode, Question, Seen,
    Ttl,
};
use serde::{Deserialize, Serialize};

use super::answers::{self, Failed, Row};
use super::check::{BYTES, bytes_of, too_large};
use super::parameters::{self, InPath, Parameters, filter};
use super::stories::limit;
use crate::Service;
use crate::access::Asker;
use crate::bodies::Share;
use crate::collections::One;
use crate::problem::Problem;
use crate::rows::{Before, Rows, rows};

/// The most documents that a search lists by default.
const LISTED: usize = 20;

/// The most documents, and as many copies, that a search looks at.
const SEARCHED: u64 = 200_000;

/// The most bytes of the words of a search.
const WORDS: usize = 256;

/// The parameters of an addition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfAdding {
    if_new: Option<bool>,
    mode: Option<Mode>,
    top: Option<usize>,
    within: Option<Ttl>,
    #[serde(default)]
    r#where: Vec<String>,
    #[serde(default)]
    same: Vec<String>,
    #[serde(default)]
    differ: Vec<String>,
}

impl OfAdding {
    fn adding(self) -> Result<Adding, Problem> {
        let mode = match (self.mode, self.if_new) {
            (Some(mode), None) => mode,
            (None, Some(true)) => Mode::Count,
            (None, _) => Mode::All,
            (Some(_), Some(_)) => {
                let detail = "if_new and mode exclude one another; name one of them";
                return Err(Problem::of_request("parameter", detail));
            }
        };
        let filter = filter(self.within, &self.r#where, self.same, self.differ)?;
        Ok(Adding { mode, filter, top: parameters::top(self.top)? })
    }
}

/// The answer to a row.
#[derive(Serialize)]
struct Offered {
    id: Id,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    story: Option<u32>,
    /// Duplicates without their texts: an addition cannot be refused because its answer is large.
    duplicates: Vec<IndexMatch>,
    /// Further duplicates.
    more: u64,
}

impl From<Added> for Offered {
    fn from(Added { id, outcome, duplicates, story }: Added) -> Offered {
        let Answer { mut matches, more } = duplicates;
        matches.iter_mut().for_each(|found| found.text = None);
        Offered { id, status: outcome.name(), story, duplicates: matches, more }
    }
}

pub(super) async fn add(
    State(service): State<Arc<Service>>,
    One(collection): One,
    Extension(asker): Extension<Arc<Asker>>,
    (share, before): (Option<Extension<Share>>, Before),
    Parameters(parameters): Parameters<OfAdding>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let adding = parameters.adding()?;
    let most = service.settings.max_rows;
    let Rows::Lines(lines) = rows(&headers, &body, false, most, (&asker, before))? else {
        return Err(Problem::of_request("body", "the body has no documents"));
    };
    let read = super::documents(&collection, lines, Some(&collection.kept), &[]);
    let (mut documents, mut failed) = (Vec::new(), Vec::new());
    for row in read {
        match row {
            Ok(document) => {
                failed.push(None);
                documents.push(document);
            }
            Err(rejection) => failed.push(Some(Failed::of(&rejection, before))),
        }
    }
    let added = collection.writer.add(documents, adding, share.map(|Extension(own)| own)).await?;
    let mut added = added.into_iter();
    let result = |failed: Option<Failed>| match failed {
        Some(failed) => Some(Row::Failed(failed)),
        None => added.next().map(|added| Row::Done(Offered::from(added))),
    };
    let results: Vec<_> = failed.into_iter().filter_map(result).collect();
    for row in &results {
        match row {
            Row::Done(row) => {
                let best = row.duplicates.first().map(|best| best.reason);
                service.metrics.row_added(row.status, best);
            }
            Row::Failed(_) => service.metrics.row_not_added(),
        }
    }
    answers::answer(&headers, &results)
}

/// The document that a name means.
fn named(index: &mut Index, name: &str) -> Result<Option<IndexDocument>, Error> {
    match index.id_named(name)? {
        Some(id) => index.document(&id),
        None => Ok(None),
    }
}

/// A document, and the documents of its story in numbers.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    document: IndexDocument,
    #[serde(flatten)]
    seen: Option<Seen>,
}

pub(super) async fn show(
    One(collection): One,
    InPath(name): InPath<String>,
) -> Result<Response, Problem> {
    let found = collection.readers.read(|index| {
        let Some(document) = named(index, &name)? else { return Ok(None) };
        let story = index.story(document.story)?;
        Ok(Some((document, story)))
    });
    let (document, story) = found.await?.ok_or_else(|| absent(&name))?;
    Ok(Json(Shown { document, seen: story.map(|story| story.seen) }).into_response())
}

/// The parameters of a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfSearch {
    q: String,
    limit: Option<usize>,
}

/// Documents with some words, and the number of all documents.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    found: Found,
    of: u64,
}

/// Documents with some words in their id or their fields.
pub(super) async fn search(
    One(collection): One,
    Parameters(OfSearch { q, limit: most }): Parameters<OfSearch>,
) -> Result<Response, Problem> {
    let most = limit(most, LISTED)?;
    if q.len() > WORDS {
        let detail = format!("q has more than {WORDS} bytes; give fewer words");
        return Err(Problem::of_request("parameter", detail));
    }
    let found = collection.readers.read(|index| {
        let found = index.search(&q, most, SEARCHED)?;
        Ok((found, index.len()?))
    });
    let (found, of) = found.await?;
    Ok(Json(Listed { found, of }).into_response())
}

/// The parameters of a question about a document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfNear {
    top: Option<usize>,
}

/// Duplicates, and the number of further ones.
#[derive(Serialize)]
struct Near {
    duplicates: Vec<IndexMatch>,
    more: u64,
}

/// The duplicates of a document among the others.
pub(super) async fn near(
    One(collection): One,
    InPath(name): InPath<String>,
    Parameters(OfNear { top }): Parameters<OfNear>,
) -> Result<Response, Problem> {
    let top = parameters::top(top)?;
    let found = collection.readers.ask(|index, until| {
        let Some(document) = named(index, &name)? else { return Ok(None) };
        let tokens = document.tokens();
        let asked = Asked { id: Some(&document.id), tokens, ..Asked::text(&document.text) };
        let question = Question { top: top.saturating_add(1), ..Question::default() };
        let mut found = Answer::default();
        index.ask([asked], &question, until, |_, answer| {
            found = answer;
            Ok(())
        })?;
        found.matches.retain(|other| other.id != document.id);
        found.more += found.matches.len().saturating_sub(top) as u64;
        found.matches.truncate(top);
        Ok(Some(found))
    });
    let found = found.await?.ok_or_else(|| absent(&name))?;
    if bytes_of(&found) > BYTES {
        return Err(too_large());
    }
    let Answer { matches, more } = found;
    Ok(Json(Near { duplicates: matches, more }).into_response())
}

pub(super) async fn remove(
    One(collection): One,
    InPath(name): InPath<String>,
) -> Result<StatusCode, Problem> {
    let id = collection.readers.read(|index| index.id_named(&name)).await?;
    let id = id.ok_or_else(|| absent(&name))?;
    let removed = collection.writer.change(move |index| index.remove(&[id])).await?;
    match removed.contains(&true) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(absent(&name)),
    }
}

fn absent(name: &str) -> Problem {
    let detail = format!("no document has the id {name}");
    Problem::of_request("no-such-document", detail).with(StatusCode::NOT_FOUND)
}

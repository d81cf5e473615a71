//! `/v1/stories`: documents that are duplicates of one another, and the stories that have changed.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::{self, Stream, StreamExt};
use nearprint::document::Id;
use nearprint::index::{Change, Cursor, Story};
use serde::{Deserialize, Serialize};

use super::events;
use super::object::object;
use super::parameters::{InPath, Parameters, seconds};
use crate::Service;
use crate::access::Asker;
use crate::collections::{Collection, One};
use crate::problem::Problem;

/// The most stories, and the most copies of a story, that an answer has by default.
const LIMIT: usize = 50;

/// The largest limit that a request may set.
pub(super) const MOST: usize = 1000;

/// The time between two looks for changes, for a reader of events.
const PAUSE: Duration = Duration::from_millis(500);

/// The parameters of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfList {
    since: Option<String>,
    after: Option<String>,
    before: Option<i64>,
    limit: Option<usize>,
}

/// The stories that have begun or changed, and the place behind them.
#[derive(Serialize)]
struct Changes {
    stories: Vec<Changed>,
    next: Cursor,
}

/// The stories that changed last, where the earlier ones begin, and the place behind all.
#[derive(Serialize)]
struct Latest {
    stories: Vec<Story>,
    before: Option<i64>,
    next: Cursor,
}

/// A story that has changed or ended.
#[derive(Serialize)]
#[serde(untagged)]
enum Changed {
    Story(Story),
    Ended { story: u32, ended: bool },
}

impl From<Change> for Changed {
    fn from(Change { number, story, .. }: Change) -> Changed {
        story.map_or(Changed::Ended { story: number, ended: true }, Changed::Story)
    }
}

/// The limit of a request.
///
/// # Errors
/// A problem for one that is too large.
pub(super) fn limit(limit: Option<usize>, most: usize) -> Result<usize, Problem> {
    match limit.unwrap_or(most) {
        limit if (1..=MOST).contains(&limit) => Ok(limit),
        limit => {
            let detail = format!("limit is {limit}; it must be from 1 to {MOST}");
            Err(Problem::of_request("parameter", detail))
        }
    }
}

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    Extension(asker): Extension<Arc<Asker>>,
    One(collection): One,
    Parameters(OfList { since, after, before, limit: most }): Parameters<OfList>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let most = limit(most, LIMIT)?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let wants_events = events::are_wanted(&headers);
    // A browser that connects again sends the same address, and how far it came.
    let last = last.filter(|_| wants_events);
    let since = since.filter(|_| last.is_none());
    let wrong = |detail: String| Problem::of_request("parameter", detail);
    let after = match (last.or(after.as_deref()), since, before) {
        (Some(after), None, None) => {
            let cursor = after.parse::<Cursor>().map_err(wrong)?;
            if !collection.readers.read(|index| index.has_come_to(cursor)).await? {
                return Err(wrong(format!(
                    "the index has not come to {after}: it is another one, or an earlier state; \
                     begin with since=TIME"
                )));
            }
            Some(cursor)
        }
        (None, Some(since), None) => {
            let since = seconds("since", &since)?;
            Some(collection.readers.read(|index| index.cursor_at(since)).await?)
        }
        (None, None, _) => None,
        _ => {
            let detail = "since, after and before exclude one another; name one of them";
            return Err(wrong(detail.to_string()));
        }
    };
    if wants_events {
        let after = match after {
            Some(after) => after,
            None => collection.readers.read(|index| index.cursor_at(i64::MAX)).await?,
        };
        return events::answer(service.clone(), story_events(collection, after, service, asker));
    }
    Ok(match after {
        Some(after) => {
            let changes = collection.readers.read(|index| index.changes(after, most)).await?;
            let next = changes.last().map_or(after, |change| change.cursor);
            let stories: Vec<Changed> = changes.into_iter().map(Changed::from).collect();
            Json(Changes { stories, next }).into_response()
        }
        None => {
            let found = collection.readers.read(|index| {
                Ok((index.latest_stories(before, most)?, index.cursor_at(i64::MAX)?))
            });
            let ((stories, before), next) = found.await?;
            Json(Latest { stories, before, next }).into_response()
        }
    })
}

/// The changes from a place on as events. They end when the index cannot be read, and with the
/// token.
fn story_events(
    collection: Arc<Collection>,
    after: Cursor,
    service: Arc<Service>,
    asker: Arc<Asker>,
) -> impl Stream<Item = Event> {
    let client = (service, asker);
    let batches = stream::unfold(
        (collection, after, client),
        |(collection, after, client)| async move {
            loop {
                let (service, asker) = &client;
                if !asker.is_still_admitted(service) {
                    return None;
                }
                let changes = collection.readers.read(|index| index.changes(after, LIMIT)).await;
                let changes = changes.inspect_err(|error| {
                    tracing::warn!(collection.name, %error, "the changes of stories cannot be read");
                });
                let changes = changes.ok()?;
                if let Some(last) = changes.last() {
                    let next = last.cursor;
                    return Some((changes, (collection, next, client)));
                }
                tokio::time::sleep(PAUSE).await;
            }
        },
    );
    batches.flat_map(|changes| {
        stream::iter(changes.into_iter().filter_map(|change| {
            let id = change.cursor.to_string();
            let event = Event::default().event("story").id(id);
            event.json_data(Changed::from(change)).ok()
        }))
    })
}

/// The parameters of a story.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfStory {
    limit: Option<usize>,
}

pub(super) async fn show(
    One(collection): One,
    InPath(story): InPath<u32>,
    Parameters(OfStory { limit: most }): Parameters<OfStory>,
) -> Result<Response, Problem> {
    let most = limit(most, LIMIT)?;
    match collection.readers.read(|index| index.story_documents(story, most)).await? {
        Some(story) => Ok(Json(story).into_response()),
        None => {
            let problem =
                Problem::of_request("no-such-story", format!("there is no story {story}"));
            Err(problem.with(StatusCode::NOT_FOUND))
        }
    }
}

/// The document that is to be the keeper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keeper {
    id: Id,
}

pub(super) async fn set_keeper(
    One(collection): One,
    InPath(story): InPath<u32>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Keeper { id } = object(&headers, &body, "{\"id\": …}")?;
    let own = id.clone();
    if !collection.writer.change(move |index| index.set_keeper(story, &own)).await? {
        let detail = format!("the story {story} has no copy with the id {id}");
        let problem = Problem::of_request("no-such-document", detail);
        return Err(problem.with(StatusCode::NOT_FOUND));
    }
    show(One(collection), InPath(story), Parameters(OfStory { limit: None })).await
}

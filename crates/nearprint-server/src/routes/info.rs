//! `/v1/info` and `/readyz`: the version, the collections and the number of documents; whether all
//! indexes can be read.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use nearprint::index::Index;
use serde::Serialize;
use tokio::time::timeout;

use crate::Service;
use crate::access::Asker;
use crate::collections::One;
use crate::problem::Problem;

/// The service in numbers.
#[derive(Serialize)]
struct Info {
    /// The version of the program.
    nearprint: &'static str,
    /// The collection that the other members are about.
    collection: String,
    /// The names of all collections that the asker may use.
    collections: Vec<String>,
    /// The number of documents that have not expired.
    documents: u64,
    /// The fields that answers show.
    store_fields: Vec<String>,
    /// True if answers show texts.
    store_text: bool,
    /// The smallest similarity of duplicates.
    min_similarity: f64,
}

pub(super) async fn info(
    State(service): State<Arc<Service>>,
    Extension(asker): Extension<Arc<Asker>>,
    One(collection): One,
) -> Result<Response, Problem> {
    let info = collection.readers.read(|index| {
        Ok(Info {
            nearprint: env!("CARGO_PKG_VERSION"),
            collection: collection.name.clone(),
            collections: service.collections.names(&asker),
            documents: index.len()?,
            store_fields: index.options().store_fields.clone(),
            store_text: index.options().store_text,
            min_similarity: index.config().decide.min_similarity,
        })
    });
    Ok(Json(info.await?).into_response())
}

/// The longest wait for a reader.
const READY: Duration = Duration::from_secs(1);

/// Ready means that all indexes can be read.
pub(super) async fn ready(State(service): State<Arc<Service>>) -> Result<&'static str, Problem> {
    for collection in service.collections.all() {
        let read = collection.readers.read(Index::refresh);
        let Ok(read) = timeout(READY, read).await else {
            let detail = "all readers are busy; try again in a second";
            return Err(Problem::of_request("busy", detail).with(StatusCode::SERVICE_UNAVAILABLE));
        };
        read?;
    }
    Ok("ready")
}

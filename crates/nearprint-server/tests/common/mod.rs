//! A served index in a temporary folder, and requests to it, without a network. Each answer must be
//! as the OpenAPI document describes it.

// Each file of tests uses some of this.
#![allow(dead_code)]

pub mod described;

use std::path::Path;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use nearprint::index::IndexOptions;
use nearprint::{Config, Error};
use nearprint_server::{Server, Settings};
use serde_json::{Value, json};
use tower::ServiceExt;

pub const FERRY: &str = "The night ferry to Cobble Island sails again from Friday. The crew has replaced both engines, \
    painted the railings green and hired a cook who bakes cardamom buns before the first crossing at dawn.";
pub const LIBRARY: &str = "Our village library lends garden tools now. Spades, shears and a cider press can be borrowed \
    for two weeks with any reader's card, and whoever returns them muddy must sharpen ten pencils as a fine.";

/// An index and its server.
pub struct Place {
    pub server: Server,
    _folder: tempfile::TempDir,
}

/// A server of an index in a folder that keeps titles.
pub fn open(folder: &Path, settings: Settings) -> Result<Server, Error> {
    let kept = IndexOptions { store_fields: vec!["title".into()], ..IndexOptions::default() };
    Server::open(&folder.join("seen"), &Config::default(), &kept, settings)
}

impl Place {
    pub fn with(settings: Settings) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let server = open(folder.path(), settings).unwrap();
        Place { _folder: folder, server }
    }

    /// A server in a folder.
    pub fn of(folder: tempfile::TempDir, server: Server) -> Place {
        Place { server, _folder: folder }
    }

    pub fn new() -> Place {
        Place::with(Settings::default())
    }

    /// A server whose answers show texts.
    pub fn with_texts(settings: Settings) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let kept = IndexOptions { store_text: true, ..IndexOptions::default() };
        let path = folder.path().join("seen");
        let server = Server::open(&path, &Config::default(), &kept, settings).unwrap();
        Place::of(folder, server)
    }

    /// The status, the media type and the body of an answer.
    pub async fn ask(&self, request: Request<Body>) -> (StatusCode, String, String) {
        let (method, path) = (request.method().clone(), request.uri().path().to_string());
        let answer = self.server.router().oneshot(request).await.unwrap();
        let media = answer.headers().get(header::CONTENT_TYPE);
        let media = media.map_or("", |media| media.to_str().unwrap()).to_string();
        let status = answer.status();
        let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        described::assert_described(&method, &path, status, &media, &body);
        (status, media, body)
    }

    pub async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
        let (status, _, body) = self.ask(request.body(Body::from(body.to_string())).unwrap()).await;
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}")))
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        let (status, _, body) = self.ask(Request::get(path).body(Body::empty()).unwrap()).await;
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    pub async fn delete(&self, path: &str) -> StatusCode {
        self.ask(Request::delete(path).body(Body::empty()).unwrap()).await.0
    }
}

/// A row with a title.
pub fn row(id: &str, text: &str) -> Value {
    json!({"id": id, "text": text, "title": format!("about {id}")})
}

//! Named indexes, each in a folder of its own, and those that a request names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::http::uri::{PathAndQuery, Uri};
use nearprint::index::{Index, IndexOptions};
use nearprint::{Config, Deduplicator, Error};

use crate::Service;
use crate::access::{Asker, Scope};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::readers::Readers;
use crate::settings::Settings;
use crate::writer::Writer;

/// The collection that a request means if it names none.
pub const DEFAULT: &str = "default";

/// The most characters of a name.
const LONGEST: usize = 64;

/// The parameter that names collections.
const PARAMETER: &str = "collection";

/// An index with all that a request needs of it.
pub(crate) struct Collection {
    pub name: String,
    /// The folder of the index.
    pub folder: PathBuf,
    pub readers: Readers,
    pub writer: Writer,
    /// Reads rows by the settings of the index.
    pub reading: Deduplicator,
    /// The fields that the index keeps.
    pub kept: IndexOptions,
    /// True if the index was made at the start.
    pub is_new: bool,
}

impl Collection {
    /// Opens the index of a folder, or makes one with these settings. The settings of an existing
    /// index stay; only the default collection is read by `config`.
    fn open(
        name: &str,
        folder: &Path,
        config: &Config,
        kept: &IndexOptions,
        settings: &Settings,
        metrics: &Metrics,
    ) -> Result<Collection, Error> {
        let is_new = !Index::is_there(folder);
        let mut index = match is_new {
            true => Index::create(folder, config, kept)?,
            false => Index::open(folder)?,
        };
        if name == DEFAULT {
            index.read_by(config.clone())?;
        }
        let reading = Deduplicator::new(index.config().clone())?;
        let kept = index.options().clone();
        let readers = Readers::open(folder, settings.readers, settings.timeout)?;
        let writer = Writer::start(index, metrics.waiting.clone(), settings.timeout)?;
        let (name, folder) = (name.to_string(), folder.to_path_buf());
        Ok(Collection { name, folder, readers, writer, reading, kept, is_new })
    }
}

/// All collections. The first one is the default.
pub(crate) struct Collections(Vec<Arc<Collection>>);

impl Collections {
    /// Opens the index of a folder as the default collection, and those of the settings.
    ///
    /// # Errors
    /// [`Error::Usage`] for a name that cannot be used or is there twice, and for a folder that is
    /// there twice; as [`Index::open`] and [`Index::create`].
    pub fn open(
        folder: &Path,
        config: &Config,
        kept: &IndexOptions,
        settings: &Settings,
        metrics: &Metrics,
    ) -> Result<Collections, Error> {
        let mut folders = Vec::new();
        let mut all: Vec<Arc<Collection>> = Vec::new();
        let others = settings.collections.iter();
        let others = others.map(|(name, folder)| (name.as_str(), folder.as_path()));
        for (name, folder) in std::iter::once((DEFAULT, folder)).chain(others) {
            let refuse = |problem: String| Err(Error::usage(PARAMETER, problem));
            if !is_name(name) {
                return refuse(format!(
                    "{name:?} is not a name of a collection; use 1 to {LONGEST} letters, digits, \
                     - and _"
                ));
            }
            if all.iter().any(|own| own.name == name) {
                return refuse(format!("there are two collections {name}; name them differently"));
            }
            let collection = Collection::open(name, folder, config, kept, settings, metrics)?;
            let whole = folder.canonicalize().map_err(Error::io("find", folder))?;
            if folders.contains(&whole) {
                return refuse(format!(
                    "two collections have the folder {}; give each its own",
                    folder.display()
                ));
            }
            folders.push(whole);
            all.push(Arc::new(collection));
        }
        Ok(Collections(all))
    }

    /// All of them.
    pub fn all(&self) -> &[Arc<Collection>] {
        &self.0
    }

    /// The names of those that somebody may use.
    pub fn names(&self, asker: &Asker) -> Vec<String> {
        let own = self.0.iter().filter(|own| asker.may_use(&own.name));
        own.map(|own| own.name.clone()).collect()
    }

    /// The collections of these names, separated by commas.
    fn named(&self, names: &str) -> Result<Vec<Arc<Collection>>, Problem> {
        let mut named: Vec<Arc<Collection>> = Vec::new();
        for name in names.split(',') {
            let Some(own) = self.0.iter().find(|own| own.name == name) else {
                let detail = format!("there is no collection {name:?}; GET /v1/info lists all");
                let problem = Problem::of_request("no-such-collection", detail);
                return Err(problem.with(StatusCode::NOT_FOUND));
            };
            if named.iter().any(|before| before.name == name) {
                let detail = format!("the collection {name} is named twice; name it once");
                return Err(Problem::of_request("parameter", detail));
            }
            named.push(own.clone());
        }
        Ok(named)
    }

    /// Waits until all changes that were asked for are on disk. Later ones are refused.
    pub fn stop(&self) {
        self.0.iter().for_each(|collection| collection.writer.stop());
    }
}

/// True for a name: 1 to 64 letters, digits, - and _.
pub(crate) fn is_name(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(is_known)
}

/// The collections that a request names: one or several.
#[derive(Clone)]
pub(crate) struct Several(pub Vec<Arc<Collection>>);

/// The collection that a request names.
pub(crate) struct One(pub Arc<Collection>);

/// Finds the collections that a request names, and takes the parameter out of its query.
///
/// # Errors
/// A problem for a collection that is not there, that the asker may not use, or that the call does
/// not take.
pub(crate) fn named(
    collections: &Collections,
    scope: Scope,
    asker: &Asker,
    request: &mut Request,
) -> Result<Vec<Arc<Collection>>, Problem> {
    match scope {
        Scope::Asker => return Ok(Vec::new()),
        Scope::Server if collections.names(asker).len() < collections.all().len() => {
            let detail = format!(
                "this call is about all collections; the token {} may use only: {}",
                asker.name,
                collections.names(asker).join(", ")
            );
            return Err(Problem::of_request("collection", detail).with(StatusCode::FORBIDDEN));
        }
        Scope::Server => return Ok(Vec::new()),
        Scope::One | Scope::Several => {}
    }
    let (names, rest) = parameter(request.uri().query().unwrap_or_default())?;
    if names.is_some() {
        *request.uri_mut() = with_query(request.uri(), &rest);
    }
    let names = names.as_deref().unwrap_or(DEFAULT);
    if let Some(other) = names.split(',').find(|name| !asker.may_use(name)) {
        let detail = format!(
            "the token {} may not use the collection {other:?}; name one of its own with \
             collection=NAME: {}",
            asker.name,
            collections.names(asker).join(", ")
        );
        return Err(Problem::of_request("collection", detail).with(StatusCode::FORBIDDEN));
    }
    let named = collections.named(names)?;
    if scope == Scope::One && named.len() > 1 {
        let detail = "this call takes one collection; ask once for each";
        return Err(Problem::of_request("parameter", detail));
    }
    Ok(named)
}

/// The value of the parameter in a query, and the query without it.
fn parameter(query: &str) -> Result<(Option<String>, String), Problem> {
    let mut name = None;
    let mut rest = Vec::new();
    for part in query.split('&') {
        match form_urlencoded::parse(part.as_bytes()).next() {
            Some((key, value)) if key == PARAMETER => {
                if name.replace(value.into_owned()).is_some() {
                    let detail = "collection is there twice; name several as collection=a,b";
                    return Err(Problem::of_request("parameter", detail));
                }
            }
            _ => rest.push(part),
        }
    }
    Ok((name, rest.join("&")))
}

/// A URI with another query.
fn with_query(uri: &Uri, query: &str) -> Uri {
    let path = uri.path();
    let whole = if query.is_empty() { path.to_string() } else { format!("{path}?{query}") };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(whole).expect("parts of a URI are one"));
    Uri::from_parts(parts).expect("the other parts are unchanged")
}

impl FromRequestParts<Arc<Service>> for Several {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Service>) -> Result<Several, Problem> {
        let named = parts.extensions.get::<Several>();
        Ok(named.expect("every call is admitted, with its collections").clone())
    }
}

impl FromRequestParts<Arc<Service>> for One {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<One, Problem> {
        let Several(named) = Several::from_request_parts(parts, service).await?;
        Ok(One(named.into_iter().next().expect("the call takes one collection")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_is_taken_out_of_a_query_however_it_is_spelled() {
        let cases = [
            ("", None, ""),
            ("top=3", None, "top=3"),
            ("collection=a", Some("a"), ""),
            ("top=3&collection=a,b&where=x%26y", Some("a,b"), "top=3&where=x%26y"),
            ("c%6fllection=a%2Cb&top=3", Some("a,b"), "top=3"),
            ("Collection=a", None, "Collection=a"),
        ];
        for (query, name, rest) in cases {
            let found = parameter(query).unwrap();
            assert_eq!((found.0.as_deref(), found.1.as_str()), (name, rest), "{query}");
        }
        assert!(parameter("collection=a&collectio%6E=b").is_err());
    }

    #[test]
    fn names_are_letters_digits_and_two_signs() {
        let long = "a".repeat(64);
        for name in ["a", "News_2-b", &long] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a b", "a,b", "../a", "é", "a/b", &format!("{long}a")] {
            assert!(!is_name(name), "{name}");
        }
    }
}

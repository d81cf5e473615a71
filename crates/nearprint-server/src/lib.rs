//! Indexes behind HTTP: programs ask whether a text was seen before, and add documents.
//!
//! ```text
//! connections -> requests, with bounds on slow clients         connections.rs
//! the body of a request -> its bytes                           bodies.rs
//! a request -> who asks, and whether it is admitted            access/
//! the indexes, and those that a request names                  collections.rs
//! rows in JSON Lines -> parts -> answers, while they come      lines.rs, stream.rs
//! bytes of a request -> rows -> documents                      rows.rs
//! texts -> their duplicates, by one of several readers         readers.rs
//! documents -> added, by one writer, many requests at a time   writer.rs
//! an error of the library -> problem JSON [RFC 9457]           problem.rs
//! jobs over files and folders, one at a time                   jobs/
//! a request and its answer -> metrics, and a line of the log   record.rs
//! each minute -> numbers of the index, the series of a day     background.rs
//! file, environment, flags -> settings                         layers.rs
//! calls                                                        routes/
//! the calls, described for programs                            openapi.rs
//! the page for people, and that of the calls                   page.rs, page/
//! ```
//!
//! The server decides nothing about texts. Every answer comes from
//! [`Index`](nearprint::index::Index), and an answer to an addition is sent when the documents are
//! on disk.

mod access;
mod attempt;
mod background;
mod bodies;
mod collections;
mod connections;
mod jobs;
mod layers;
mod lines;
mod lock;
mod logs;
mod metrics;
mod openapi;
mod page;
mod problem;
mod readers;
mod record;
mod routes;
mod rows;
mod series;
mod settings;
mod stream;
mod writer;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use nearprint::index::IndexOptions;
use nearprint::{Config, Error};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

pub use access::{CALLS, Call, NewToken, Rate, Role, Scope, make_token};
use access::{Hosts, Peers, Sessions, Tokens};
use collections::Collections;
use jobs::Jobs;
pub use layers::{SETTINGS, Setting, Takes, Told};
pub use logs::{Log, LogFormat};
use metrics::Metrics;
pub use settings::Settings;

/// The folder with the records of jobs, in that of the index.
const JOBS: &str = "jobs";

/// The most clients that read events at a time. Others are refused at once.
const EVENT_CLIENTS: usize = 256;

/// All that a request needs.
pub(crate) struct Service {
    pub collections: Collections,
    pub jobs: Jobs,
    /// The tokens, if there are any. Without them everybody may do everything.
    pub tokens: Option<Tokens>,
    pub sessions: Sessions,
    pub peers: Option<Peers>,
    pub hosts: Hosts,
    pub settings: Settings,
    /// The permits of clients that read events.
    pub event_permits: Arc<Semaphore>,
    /// The bytes that bodies may still have together.
    pub free_bytes: Arc<Semaphore>,
    pub metrics: Metrics,
    /// True when the server stops.
    pub stop: watch::Sender<bool>,
}

/// The calls as an OpenAPI document in JSON, as `/openapi.json` answers it.
pub fn openapi() -> &'static str {
    &openapi::OPENAPI
}

/// Indexes that are ready to be served.
pub struct Server(Arc<Service>);

impl Server {
    /// Opens the index of a folder, and those of [`Settings::collections`]. A folder that has none
    /// gets one with the settings `config` and the options `kept`; those of an existing index stay.
    /// The index of `folder` reads documents by `config`.
    ///
    /// # Errors
    /// [`Error::Usage`] for collections of one name or folder, if the file of tokens is not a file
    /// of tokens, and if the index of `folder` has other settings that decide about pairs; as
    /// [`Index::open`](nearprint::index::Index::open) and
    /// [`Index::create`](nearprint::index::Index::create).
    pub fn open(
        folder: &Path,
        config: &Config,
        kept: &IndexOptions,
        settings: Settings,
    ) -> Result<Server, Error> {
        let metrics = Metrics::new();
        let collections = Collections::open(folder, config, kept, &settings, &metrics)?;
        let event_permits = Arc::new(Semaphore::new(EVENT_CLIENTS));
        let free_bytes = settings.max_bodies.min(Semaphore::MAX_PERMITS);
        let free_bytes = Arc::new(Semaphore::new(free_bytes));
        let stop = watch::Sender::new(false);
        let jobs = Jobs::start(&folder.join(JOBS), &settings.jobs_folders)?;
        let Settings { rate, max_token_requests: requests, .. } = settings;
        let tokens = settings.tokens.as_deref();
        let tokens = tokens.map(|file| Tokens::open(file, rate, requests)).transpose()?;
        let peers = rate.map(Peers::new);
        let hosts = Hosts::new(&settings.hosts, settings.listen, tokens.is_some());
        let sessions = Sessions::default();
        Ok(Server(Arc::new(Service {
            collections,
            jobs,
            tokens,
            sessions,
            peers,
            hosts,
            settings,
            event_permits,
            free_bytes,
            metrics,
            stop,
        })))
    }

    /// The calls as a router, for tests and other servers.
    pub fn router(&self) -> axum::Router {
        routes::router(self.0.clone())
    }

    /// Serves on an address until `stop` ends. Requests that have begun are answered if that takes
    /// no longer than [`Settings::stop_timeout`], and what they added is on disk. `ready` is called
    /// with the address that is listened to.
    ///
    /// # Errors
    /// [`Error::Io`] if the address cannot be listened to.
    pub fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
        ready: impl FnOnce(std::net::SocketAddr),
    ) -> Result<(), Error> {
        let listen = self.0.settings.listen;
        let failed = |doing: &'static str| Error::io(doing, listen.to_string());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(failed("start threads for"))?;
        runtime.block_on(async {
            let listener = TcpListener::bind(listen).await.map_err(failed("listen to"))?;
            let address = listener.local_addr().map_err(failed("listen to"))?;
            if self.0.settings.log_format == LogFormat::Json {
                tracing::info!(%address, "listening");
            }
            ready(address);
            // A wrong path begins with nothing.
            for made in self.0.collections.all().iter().filter(|own| own.is_new) {
                tracing::warn!(made.name, folder = %made.folder.display(), "made a new index");
            }
            let watching = tokio::spawn(background::watch(self.0.clone()));
            let Service { settings, metrics, .. } = &*self.0;
            let stop = async {
                stop.await;
                self.0.jobs.stop();
                self.0.stop.send_replace(true);
            };
            connections::serve(listener, self.router(), settings, metrics, stop).await;
            watching.abort();
            Ok::<(), Error>(())
        })?;
        // Requests beyond their time are left behind.
        runtime.shutdown_background();
        self.0.collections.stop();
        self.0.jobs.wait();
        Ok(())
    }
}

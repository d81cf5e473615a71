//! One index behind HTTP: programs ask whether a text was seen before, and add documents.
//!
//! ```text
//! connections -> requests, with bounds on slow clients         connections.rs
//! the body of a request -> its bytes                           bodies.rs
//! bytes of a request -> rows -> documents                      rows.rs
//! texts -> their duplicates, by one of several readers         readers.rs
//! documents -> added, by one writer, many requests at a time   writer.rs
//! an error of the library -> problem JSON [RFC 9457]           problem.rs
//! calls                                                        routes/
//! ```
//!
//! The server decides nothing about texts. Every answer comes from [`Index`], and an answer to an
//! addition is sent when the documents are on disk.

mod bodies;
mod connections;
mod problem;
mod readers;
mod routes;
mod rows;
mod settings;
mod writer;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use nearprint::index::{Index, IndexOptions};
use nearprint::{Config, Deduplicator, Error};
use tokio::net::TcpListener;

use readers::Readers;
pub use settings::Settings;
use writer::Writer;

/// All that a request needs.
pub(crate) struct Service {
    pub readers: Readers,
    pub writer: Writer,
    /// Reads rows by the settings of the index.
    pub reading: Deduplicator,
    /// The fields that the index keeps.
    pub kept: IndexOptions,
    pub settings: Settings,
}

/// An index that is ready to be served.
pub struct Server(Arc<Service>);

impl Server {
    /// Opens the index of a folder. A folder that has none gets one with the settings `config` and
    /// the options `kept`; those of an existing index stay.
    ///
    /// # Errors
    /// As [`Index::open`] and [`Index::create`].
    pub fn open(
        folder: &Path,
        config: &Config,
        kept: &IndexOptions,
        settings: Settings,
    ) -> Result<Server, Error> {
        let index = match Index::is_there(folder) {
            true => Index::open(folder)?,
            false => Index::create(folder, config, kept)?,
        };
        let reading = Deduplicator::new(index.config().clone())?;
        let kept = index.options().clone();
        let readers = Readers::open(folder, settings.readers)?;
        let writer = Writer::start(index)?;
        Ok(Server(Arc::new(Service { readers, writer, reading, kept, settings })))
    }

    /// The calls as a router, for tests and other servers.
    pub fn router(&self) -> axum::Router {
        routes::router(self.0.clone())
    }

    /// Serves on an address until `stop` ends. Requests that have begun are answered if that takes no
    /// longer than [`Settings::stop_timeout`], and what they added is on disk. `ready` is called with
    /// the address that is listened to.
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
            ready(listener.local_addr().map_err(failed("listen to"))?);
            connections::serve(listener, self.router(), &self.0.settings, stop).await;
            Ok::<(), Error>(())
        })?;
        // Requests beyond their time are left behind.
        runtime.shutdown_background();
        self.0.writer.stop();
        Ok(())
    }
}

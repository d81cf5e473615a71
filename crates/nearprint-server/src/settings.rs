//! The address of the server, and its limits.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tracing::level_filters::LevelFilter;

use crate::access::Rate;
use crate::logs::LogFormat;

/// The address of a server, and its limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address that is listened to.
    pub listen: SocketAddr,
    /// The number of requests that read the index at a time. Each reader has a connection of its
    /// own.
    pub readers: usize,
    /// The largest body of a request in bytes, inclusive.
    pub max_body: usize,
    /// The most bytes of bodies that are held at a time, inclusive. A request beyond is refused.
    pub max_bodies: usize,
    /// The most rows of a request, inclusive.
    pub max_rows: usize,
    /// The longest time of a request after its body was read.
    pub timeout: Duration,
    /// The longest time in which a client sends a body, and in which it takes an answer.
    pub client_timeout: Duration,
    /// The longest wait for the head of a request, on a new connection and on an idle one.
    pub idle_timeout: Duration,
    /// The longest time for requests that have begun when the server is stopped.
    pub stop_timeout: Duration,
    /// The most requests that wait or are answered at a time. Others are refused at once.
    pub max_requests: usize,
    /// The most connections. Others are refused at once.
    pub max_connections: usize,
    /// The collections beside the default one: their names and the folders of their indexes.
    pub collections: Vec<(String, PathBuf)>,
    /// The folders that jobs may read and write, by their names.
    pub jobs_folders: Vec<(String, PathBuf)>,
    /// The least important lines that are logged.
    pub log: LevelFilter,
    /// The form of the lines of the log.
    pub log_format: LogFormat,
    /// The file of the tokens that may ask. Without one everybody may do everything.
    pub tokens: Option<PathBuf>,
    /// The names of hosts that requests may give beside those of this machine, while the
    /// server has no tokens.
    pub hosts: Vec<String>,
    /// The rows that may come from each token that has no bound of its own, or from each address
    /// without tokens; `None`: no bound.
    pub rate: Option<Rate>,
    /// The most requests of one token that are answered at a time. Others are refused at once.
    pub max_token_requests: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            readers: std::thread::available_parallelism().map_or(2, usize::from),
            max_body: 16 << 20,
            max_bodies: 256 << 20,
            max_rows: 10_000,
            timeout: Duration::from_secs(30),
            client_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(75),
            stop_timeout: Duration::from_secs(30),
            max_requests: 256,
            max_connections: 4096,
            collections: Vec::new(),
            jobs_folders: Vec::new(),
            log: LevelFilter::INFO,
            log_format: LogFormat::Text,
            tokens: None,
            hosts: Vec::new(),
            rate: None,
            max_token_requests: 64,
        }
    }
}

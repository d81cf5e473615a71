//! The address of the server, and its limits.

use std::net::SocketAddr;
use std::time::Duration;

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
    /// The most rows of a request, inclusive.
    pub max_rows: usize,
    /// The longest time of a request.
    pub timeout: Duration,
    /// The most requests that wait or are answered at a time. Others are refused at once.
    pub max_requests: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            readers: std::thread::available_parallelism().map_or(2, usize::from),
            max_body: 16 << 20,
            max_rows: 10_000,
            timeout: Duration::from_secs(30),
            max_requests: 256,
        }
    }
}

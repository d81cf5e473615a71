//! A server that listens, for tests with real connections.

use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use nearprint::index::IndexOptions;
use nearprint::{Config, Error};
use nearprint_server::{Server, Settings};
use tokio::sync::oneshot;

/// Longer than anything here takes, so that a test that fails ends.
pub const ENOUGH: Duration = Duration::from_secs(60);

/// A server that runs on a thread.
#[allow(dead_code, reason = "not every test looks at every part")]
pub struct Running {
    pub address: SocketAddr,
    pub stop: oneshot::Sender<()>,
    pub thread: JoinHandle<Result<(), Error>>,
    pub folder: tempfile::TempDir,
}

impl Running {
    pub fn with(settings: Settings) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let kept = IndexOptions { store_text: true, ..IndexOptions::default() };
        let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), ..settings };
        let seen = folder.path().join("seen");
        let server = Server::open(&seen, &Config::default(), &kept, settings).unwrap();
        let (stop, stopped) = oneshot::channel();
        let (sender, address) = channel();
        let thread = std::thread::spawn(move || {
            server.serve(async { drop(stopped.await) }, |address| sender.send(address).unwrap())
        });
        let address = address.recv_timeout(ENOUGH).unwrap();
        Running { address, stop, thread, folder }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(ENOUGH)).unwrap();
        stream.set_write_timeout(Some(ENOUGH)).unwrap();
        stream
    }

    /// Ends the server in order.
    pub fn end(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
    }
}

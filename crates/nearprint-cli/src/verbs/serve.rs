//! `nearprint serve`

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use nearprint::Error;
use nearprint::index::{IndexOptions, Ttl};
use nearprint_server::Server;

use crate::settings::Settings;

/// The pause between two looks whether a signal has come.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Serves an index over HTTP: programs ask whether a text was seen before, and add documents.
///
/// A folder without an index gets one. The settings that decide about duplicates are then fixed for
/// the index.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint serve seen
  nearprint serve seen --listen 127.0.0.1:9000 --store-field title --store-field url --ttl 365d")]
pub struct Arguments {
    /// Folder of the index.
    #[arg(value_name = "DIR")]
    index: PathBuf,
    /// Address to listen to; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Listen beyond this machine, although anybody who reaches the address may read and change the
    /// index.
    #[arg(long)]
    insecure: bool,
    /// Further collection: its name and the folder of its index; repeat it for more. The index of DIR
    /// is the collection default.
    #[arg(long, value_name = "NAME=DIR", value_parser = named_folder)]
    collection: Vec<(String, PathBuf)>,
    /// Folder that jobs may read and write, with the name that requests call it by; repeat it for
    /// more. Without one there are no jobs.
    #[arg(long, value_name = "NAME=DIR", value_parser = named_folder)]
    jobs_folder: Vec<(String, PathBuf)>,
    /// Field to store and to show in answers, of a new index; repeat it for more.
    #[arg(long, value_name = "FIELD")]
    store_field: Vec<String>,
    /// Store texts as read, and show them in answers, of a new index.
    #[arg(long)]
    store_text: bool,
    /// Lifetime of a document, of a new index: 90s, 30m, 12h, 365d, 2w.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    ttl: Option<Ttl>,
    /// Field with the date at which the lifetime begins, of a new index.
    #[arg(long, value_name = "FIELD")]
    date_field: Option<String>,
    #[command(flatten)]
    settings: Box<Settings>,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let Arguments {
        index,
        listen,
        insecure,
        collection,
        jobs_folder,
        store_field,
        store_text,
        ttl,
        date_field,
        settings,
    } = arguments;
    if !listen.ip().is_loopback() && !insecure {
        let problem = format!(
            "{listen} can be reached from other machines, and anybody there could change the \
             index; listen to 127.0.0.1 behind a proxy that checks who asks, or add --insecure"
        );
        return Err(Error::usage("listen", problem));
    }
    let kept = IndexOptions { store_fields: store_field, store_text, ttl, date_field };
    let limits = nearprint_server::Settings {
        listen,
        collections: collection,
        jobs_folders: jobs_folder,
        ..nearprint_server::Settings::default()
    };
    let server = Server::open(&index, &settings.config()?, &kept, limits)?;
    server.serve(stopped(), |address| {
        crate::tell(&format!("nearprint: {} is served at http://{address}", index.display()));
    })?;
    Ok(0)
}

/// A folder with its name.
fn named_folder(value: &str) -> Result<(String, PathBuf), String> {
    let parts =
        value.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    let (name, folder) = parts.ok_or("write NAME=DIR, as in news=/data/news")?;
    Ok((name.to_string(), folder.into()))
}

/// Ends when a signal asks the program to stop.
async fn stopped() {
    while !crate::stopped() {
        tokio::time::sleep(LOOK_UP).await;
    }
}

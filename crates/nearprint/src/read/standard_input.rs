//! Standard input -> a file, since a run reads its input twice.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::compression::START;
use super::{Compression, Format, Options, Source, columns, detect};
use crate::error::Error;
use crate::watch::Watch;

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The longest silence of standard input before a check whether the user wants to stop.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Saves standard input to a file. It has no name, so its first bytes tell its compression.
pub(super) fn spool(
    input: impl Read + Send + 'static,
    options: &Options,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<Source, Error> {
    let format = options.format.unwrap_or(Format::JsonLines);
    if format == Format::Parquet {
        columns::check_readable("standard input")?;
    }
    let part = folder.join("stdin");
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let mut file = File::create(&part).map_err(Error::io("create", &part))?;
    let mut start: Vec<u8> = Vec::new();
    let chunks = read_aside(input)?;
    loop {
        let chunk = match chunks.recv_timeout(LOOK_UP) {
            Ok(chunk) => chunk.map_err(Error::io("read", "standard input"))?,
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if watch.stopped() {
            return Err(Error::Interrupted);
        }
        file.write_all(&chunk).map_err(Error::io("write", &part))?;
        start.extend(chunk.iter().take((START as usize).saturating_sub(start.len())));
    }
    let compression =
        if format == Format::Parquet { Compression::None } else { Compression::of_bytes(&start) };
    let name = format!("stdin.{}{}", format.ending(), compression.ending());
    let path = folder.join(&name);
    fs::rename(&part, &path).map_err(Error::io("create", &path))?;
    let metadata = file.metadata().map_err(Error::io("read", &path))?;
    let modified = metadata.modified().map_err(Error::io("read", &path))?;
    let encoding = detect::encoding_of(&path, format, compression, options.encoding);
    Ok(Source {
        path,
        name,
        label: STANDARD_INPUT.to_string(),
        format,
        delimiter: options.delimiter,
        quote: options.quote,
        escape: options.escape,
        encoding,
        compression,
        bytes: metadata.len(),
        modified,
        memory: None,
    })
}

/// Reads on a thread of its own, since nothing ends a read that waits for a writer. A run that
/// stops leaves the thread behind.
fn read_aside(
    mut input: impl Read + Send + 'static,
) -> Result<mpsc::Receiver<io::Result<Vec<u8>>>, Error> {
    let (sender, receiver) = mpsc::sync_channel(4);
    let read = move || {
        let mut buffer = vec![0; 256 << 10];
        loop {
            let chunk = match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => Ok(buffer[..count].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = chunk.is_err();
            if sender.send(chunk).is_err() || failed {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .spawn(read)
        .map_err(Error::io("start a thread to read", "standard input"))?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Silent;

    #[test]
    fn standard_input_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let source =
            spool(&b"{\"text\":\"a\"}\n"[..], &Options::default(), folder.path(), &Silent).unwrap();
        assert_eq!(
            (source.name.as_str(), source.label.as_str(), source.bytes),
            ("stdin.jsonl", "-", 13)
        );
        assert_eq!(fs::read(&source.path).unwrap(), b"{\"text\":\"a\"}\n");
        let csv = Options { format: Some(Format::Csv), ..Options::default() };
        let source =
            spool(&b"\x1f\x8brest"[..], &csv, &folder.path().join("new"), &Silent).unwrap();
        assert_eq!((source.name.as_str(), source.compression), ("stdin.csv.gz", Compression::Gzip));
        assert_eq!(spool(io::empty(), &csv, folder.path(), &Silent).unwrap().bytes, 0);
    }

    #[test]
    fn a_silent_standard_input_can_be_left() {
        struct Stopped;
        impl Watch for Stopped {
            fn stopped(&self) -> bool {
                true
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let (input, _writer) = io::pipe().unwrap();
        let error = spool(input, &Options::default(), folder.path(), &Stopped).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error}");
    }
}

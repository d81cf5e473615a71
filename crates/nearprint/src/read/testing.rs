//! Help for the tests of this room and of the write room.

use std::io::{Read, Write};
use std::path::Path;

use super::{Compression, Options, Source, format, read};
use crate::document::Document;
use crate::error::{Problem, Rejection};

/// The default options.
pub(crate) fn options() -> Options {
    Options::default()
}

/// Writes a file and returns it as a source.
pub(crate) fn source(folder: &Path, name: &str, bytes: &[u8], options: &Options) -> Source {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    let inputs = [path.to_string_lossy().into_owned()];
    let mut source =
        super::find(&inputs, options, folder, &crate::watch::Silent).unwrap().remove(0);
    source.label = name.to_string();
    source
}

/// All documents and rejections of a file with this name and these bytes.
pub(crate) fn documents(
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> Vec<Result<Document, Rejection>> {
    let folder = tempfile::tempdir().unwrap();
    match read(&source(folder.path(), name, bytes, options), options) {
        Ok(documents) => documents.collect(),
        Err(rejection) => vec![Err(rejection)],
    }
}

/// The names whose files this build can read.
pub(crate) fn readable<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let can_read =
        |name: &&str| !name.ends_with(".parquet") || super::columns::check_readable(name).is_ok();
    names.iter().copied().filter(can_read).collect()
}

/// The rejection of a file.
pub(crate) fn rejection(
    file: &str,
    row: Option<u64>,
    problem: Problem,
) -> Result<Document, Rejection> {
    Err(Rejection { file: file.to_string(), row, problem })
}

/// The messages of the rejections.
pub(crate) fn messages(found: &[Result<Document, Rejection>]) -> Vec<String> {
    found.iter().filter_map(|item| item.as_ref().err()).map(ToString::to_string).collect()
}

/// The bytes of a file with this name, compressed as its ending says.
pub(crate) fn compress(name: &str, bytes: &[u8]) -> Vec<u8> {
    match format::of_name(name).1 {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => zstd::encode_all(bytes, 1).unwrap(),
        Compression::Bzip2 => {
            let level = bzip2::Compression::fast();
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// The reverse of [`compress`].
pub(crate) fn decompress(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let compressed = std::io::Cursor::new(bytes.to_vec());
    let compression = format::of_name(name).1;
    let mut input = super::compression::decompressed(compressed, compression).unwrap();
    input.read_to_end(&mut plain).unwrap();
    plain
}

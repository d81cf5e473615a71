//! The first uncompressed bytes of a file -> the binary format that they show. Such a file is no
//! text, whatever its name.

use super::Compression;
use crate::error::Problem;

const UNPACK: &str = "unpack it first";
const AS_TEXT: &str = "save it as plain text";
const AS_CSV: &str = "save it as CSV";
const CONVERT: &str = "convert it to JSON Lines, CSV or Parquet";

/// The first bytes of formats, their names and remedies. The first line that fits holds.
const FORMATS: [(&[u8], &str, &str); 25] = [
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"PK\x05\x06", "a zip archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a rar archive", UNPACK),
    (b"\x04\x22\x4d\x18", "lz4 data", UNPACK),
    (b"\xff\x06\0\0sNaPpY", "snappy data", UNPACK),
    (b"\x1f\x9d", "compressed data (.Z)", UNPACK),
    (b"LZIP\x01", "lzip data", UNPACK),
    (b"\x89LZO\0", "lzop data", UNPACK),
    (b"%PDF-", "a PDF", AS_TEXT),
    (b"{\\rtf1", "an RTF document", AS_TEXT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file", "save it as CSV or plain text"),
    (b"SQLite format 3\0", "an SQLite database", "export its table as CSV"),
    (PARQUET, "a Parquet file", "give it, uncompressed, a name that ends in .parquet"),
    (b"ARROW1\0\0", "an Arrow file", CONVERT),
    (b"Obj\x01", "an Avro file", CONVERT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", CONVERT),
    (b"\x93NUMPY", "a NumPy array", CONVERT),
    (b"\x80\x04\x95", "a Python pickle", CONVERT),
    (b"\x80\x05\x95", "a Python pickle", CONVERT),
    (b"\x89PNG\r\n", "an image", "leave it out"),
    (b"\xff\xd8\xff", "an image", "leave it out"),
    (b"GIF89a", "an image", "leave it out"),
    (b"\x7fELF", "a program", "leave it out"),
    (b"OggS\0", "a sound", "leave it out"),
];

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1\x15";

/// Files in zip archives whose presence at the start tells a format of its own.
const IN_ZIP: [(&[u8], &str, &str); 4] = [
    (b"[Content_Types].xml", "an Office file", "save it as CSV or plain text"),
    (b"mimetypeapplication/epub", "an EPUB book", AS_TEXT),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a spreadsheet", AS_CSV),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file", AS_TEXT),
];

/// The place of the mark of a tar archive, and the mark.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Returns true if a file that starts with these bytes is Parquet.
pub(super) fn is_parquet(start: &[u8]) -> bool {
    start.starts_with(PARQUET)
}

/// The problem of a file that starts with these bytes, if they show a binary format.
pub(super) fn recognized(start: &[u8]) -> Option<Problem> {
    let is_tar = start.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1));
    let named = FORMATS.iter().find(|(mark, _, _)| start.starts_with(mark));
    let (found, remedy) = match named {
        Some((mark, found, remedy)) if mark.starts_with(b"PK") => {
            let holds = |file: &[u8]| start.windows(file.len()).any(|bytes| bytes == file);
            let in_zip = IN_ZIP.iter().find(|(file, _, _)| holds(file));
            in_zip.map_or((*found, *remedy), |(_, found, remedy)| (*found, *remedy))
        }
        Some((_, found, remedy)) => (*found, *remedy),
        None if is_tar => ("a tar archive", UNPACK),
        None => match Compression::of_bytes(start) {
            Compression::None => return None,
            Compression::Gzip => ("gzip data inside of compressed data", UNPACK),
            Compression::Zstd => ("zstd data inside of compressed data", UNPACK),
            Compression::Bzip2 => ("bzip2 data inside of compressed data", UNPACK),
            Compression::Xz => ("xz data inside of compressed data", UNPACK),
        },
    };
    Some(Problem::NotText { found: found.into(), remedy: remedy.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::testing::{compress, documents, messages, options};

    #[test]
    fn a_binary_file_is_named_with_its_remedy_whatever_its_name() {
        let mut tar = vec![b'a'; 600];
        tar[TAR.0..][..5].copy_from_slice(TAR.1);
        let workbook = b"PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml";
        for (bytes, says) in [
            (&b"PK\x03\x04\x14\0news.txt"[..], "this is a zip archive: unpack it first"),
            (&workbook[..], "this is an Office file: save it as CSV or plain text"),
            (b"%PDF-1.7\n%\xe2\xe3", "this is a PDF: save it as plain text"),
            (b"\x04\x22\x4d\x18d@", "this is lz4 data: unpack it first"),
            (&tar, "this is a tar archive: unpack it first"),
        ] {
            for name in ["a.jsonl", "a.csv.gz", "a.txt"] {
                let found = documents(name, &compress(name, bytes), &options());
                assert_eq!(messages(&found), [format!("{name}: {says}")]);
            }
        }
        let twice = compress("a.jsonl.gz", &compress("a.jsonl.xz", b"x"));
        let found = documents("a.jsonl.gz", &twice, &options());
        assert!(messages(&found)[0].contains("xz data inside of compressed data"));
        let text = documents("a.txt", b"PAR1 is a gene", &options());
        assert_eq!(text[0].as_ref().unwrap().text, "PAR1 is a gene");
    }
}

//! The name of a file without a known format -> whether it may hold data.
//!
//! Beside data lie descriptions, checksums, marks of finished jobs, programs and pictures. Nobody
//! misses them. Any other file may be data that a run should have read.

/// The beginnings of the names of files without data, in lower case.
const BEGINNINGS: [&str; 9] =
    ["_", "authors", "changelog", "checksum", "license", "licence", "manifest", "notice", "readme"];

/// The endings of the names of files without data, in lower case.
const ENDINGS: [&str; 38] = [
    "asc", "bat", "bib", "c", "cfg", "conf", "cpp", "crc", "css", "gif", "go", "h", "ico", "ini",
    "ipynb", "java", "jpeg", "jpg", "js", "lock", "md", "md5", "png", "py", "r", "rs", "rst", "sh",
    "sha1", "sha256", "sha512", "sig", "stats", "svg", "toml", "webp", "yaml", "yml",
];

/// Returns true if a file of this name may hold data.
pub(super) fn may_be_data(name: &str) -> bool {
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && !ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_of_data_are_told_from_data() {
        for name in ["README", "notes.md", "a.jsonl.md5", "_SUCCESS", "LICENSE.txt2", "x.stats"] {
            assert!(!may_be_data(name), "{name}");
        }
        for name in ["a.jsonl.lz4", "a.warc", "part-00000", "a.xml", "新闻.dat", "a.parquet.gz"] {
            assert!(may_be_data(name), "{name}");
        }
    }
}

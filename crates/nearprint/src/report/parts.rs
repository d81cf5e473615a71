//! The texts of all pairs -> parts of the page's data, each with some hundred pairs in order. The
//! parts stand in the page, or beyond some megabytes in files beside it, which the page loads where
//! it shows their pairs.
//!
//! A browser refuses to read a file beside a page that comes from a disk, but it runs a script from
//! there. So each file is a script that hands its part to the page.

use std::fs;
use std::path::{Path, PathBuf};

use nearprint_core::judge::Basis;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::Material;
use super::census::Census;
use super::rows::{Line, ReportRows, Row, known};
use super::texts::{Room, basis};
use crate::error::Error;
use crate::temporary::{self, Temporary};
use crate::watch::{Watch, stop_if_asked};

/// The most bytes of texts that stand in the page.
const IN_PAGE: usize = 20 << 20;

/// The least bytes of a part, if pairs follow it.
const PART: usize = 1 << 20;

/// The number of pairs whose texts are marked at once, in several threads.
const AT_ONCE: usize = 256;

/// The most bytes of their texts.
const BYTES_AT_ONCE: usize = 16 << 20;

/// All parts.
pub(super) struct Parts {
    /// The number of the first pair of each part.
    pub firsts: Vec<usize>,
    /// The parts as JSON, if they stand in the page.
    pub in_page: Vec<String>,
    /// The files, if they do not.
    pub files: Option<PartFiles>,
}

/// The files of parts, in a folder that is not in its place yet.
pub(super) struct PartFiles {
    folder: Temporary,
    /// The name of the folder in the folder of the data, by the content of the files.
    name: String,
}

/// A pair whose texts are to be marked.
struct Pair {
    texts: Option<[String; 2]>,
    basis: Basis,
}

impl Parts {
    /// The parts of all pairs, in the order of `rows`. Files are written beside `page`.
    pub fn new(
        material: &Material<'_>,
        rows: [&ReportRows; 3],
        census: &Census,
        page: &Path,
        watch: &dyn Watch,
    ) -> Result<Parts, Error> {
        let room = Room::of(rows.iter().map(|rows| rows.rows.len()).sum());
        let mut making = Making::new(page);
        let (mut pairs, mut bytes) = (Vec::new(), 0);
        let mut mark = |pairs: &mut Vec<Pair>| -> Result<(), Error> {
            stop_if_asked(watch)?;
            let views: Vec<String> =
                pairs.par_iter().map(|pair| pair.view(material, room)).collect();
            pairs.clear();
            views.iter().try_for_each(|view| making.push(view))
        };
        for rows in rows {
            rows.lines(|row, line| {
                let texts = texts(census, row)?;
                bytes += texts.iter().flatten().map(String::len).sum::<usize>();
                pairs.push(Pair { texts, basis: basis_of(material, &line) });
                if pairs.len() == AT_ONCE || bytes >= BYTES_AT_ONCE {
                    mark(&mut pairs)?;
                    bytes = 0;
                }
                Ok(())
            })?;
        }
        mark(&mut pairs)?;
        making.finish()
    }
}

/// The two texts of a pair. A text of another length shows that the file has changed since the run.
fn texts(census: &Census, row: &Row) -> Result<Option<[String; 2]>, Error> {
    let [own, keeper] = [(row.place, row.lengths[0]), (row.keeper, row.lengths[1])].map(
        |(place, length)| -> Result<Option<String>, Error> {
            let text = census.record(place)?.map(|record| record.text);
            Ok(text.filter(|text| text.chars().count() == length as usize))
        },
    );
    Ok(own?.zip(keeper?).map(Into::into))
}

fn basis_of(material: &Material<'_>, line: &Line<'_>) -> Basis {
    basis(line.reason.as_deref().and_then(known), line.distance, material.measure)
}

impl Pair {
    /// The marked texts as JSON.
    fn view(&self, material: &Material<'_>, room: Room) -> String {
        let shown = self.texts.as_ref().map(|texts| {
            room.take(texts.each_ref().map(String::as_str), material.normalizer, self.basis)
        });
        serde_json::to_string(&shown).expect("texts are JSON")
    }
}

/// Parts in the making.
struct Making<'p> {
    page: &'p Path,
    firsts: Vec<usize>,
    pairs: usize,
    /// The part in the making, without its last bracket.
    part: String,
    /// The finished parts, as long as they fit into the page.
    held: Vec<String>,
    bytes: usize,
    files: Option<(Temporary, Xxh3)>,
}

impl Making<'_> {
    fn new(page: &Path) -> Making<'_> {
        Making {
            page,
            firsts: Vec::new(),
            pairs: 0,
            part: String::new(),
            held: Vec::new(),
            bytes: 0,
            files: None,
        }
    }

    /// Appends the texts of a pair.
    fn push(&mut self, view: &str) -> Result<(), Error> {
        if self.part.is_empty() {
            self.firsts.push(self.pairs);
        }
        self.part.push(if self.part.is_empty() { '[' } else { ',' });
        self.part.push_str(view);
        self.pairs += 1;
        if self.part.len() >= PART { self.end_part() } else { Ok(()) }
    }

    fn end_part(&mut self) -> Result<(), Error> {
        if self.part.is_empty() {
            return Ok(());
        }
        let part = std::mem::take(&mut self.part) + "]";
        self.bytes += part.len();
        self.held.push(part);
        if self.bytes <= IN_PAGE {
            return Ok(());
        }
        if self.files.is_none() {
            let (parent, prefix) = (parent(self.page), prefix(self.page));
            temporary::remove_abandoned(&parent, &prefix);
            let folder = Temporary::create(&parent, &prefix, false)
                .map_err(Error::io("create a folder in", &parent))?;
            self.files = Some((folder, Xxh3::new()));
        }
        let Some((folder, hash)) = &mut self.files else { return Ok(()) };
        let first = self.firsts.len() - self.held.len();
        for (number, part) in (first..).zip(self.held.drain(..)) {
            let path = folder.path().join(format!("{}.js", number + 1));
            let script = format!("part({number},{part});\n");
            hash.update(script.as_bytes());
            fs::write(&path, script).map_err(Error::io("write", &path))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Parts, Error> {
        self.end_part()?;
        let Making { firsts, held, files, .. } = self;
        let files = files
            .map(|(folder, hash)| PartFiles { folder, name: format!("{:016x}", hash.digest()) });
        Ok(Parts { firsts, in_page: held, files })
    }
}

impl PartFiles {
    /// The folder of the files as the page names it.
    pub fn address(&self, page: &Path) -> String {
        format!("{}/{}", data_name(page), self.name)
    }

    /// Puts the files into their place, and returns the name of their folder. An earlier page keeps
    /// its files.
    pub fn place(self, page: &Path) -> Result<String, Error> {
        let PartFiles { folder, name } = self;
        let (data, place) = (data_folder(page), data_folder(page).join(&name));
        if !place.is_dir() {
            fs::create_dir_all(&data).map_err(Error::io("create", &data))?;
            fs::rename(folder.path(), &place).map_err(Error::io("create", &place))?;
            folder.forget();
        }
        Ok(name)
    }
}

/// Removes the files of earlier pages, all but those in the folder of this name.
pub(super) fn remove_earlier(page: &Path, name: Option<&str>) {
    let folder = data_folder(page);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let own = entry.file_name();
        let is_ours =
            own.len() == 16 && own.to_string_lossy().bytes().all(|b| b.is_ascii_hexdigit());
        if is_ours && own.to_str() != name {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    // A folder that holds something else stays.
    let _ = fs::remove_dir(folder);
}

/// The name of the folder of a page's data: `report-data` for `report.html`.
fn data_name(page: &Path) -> String {
    format!("{}-data", page.file_stem().unwrap_or_default().to_string_lossy())
}

fn data_folder(page: &Path) -> PathBuf {
    page.with_file_name(data_name(page))
}

fn parent(page: &Path) -> PathBuf {
    let parent = page.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_path_buf()
}

/// The beginning of the name of a folder in the making.
fn prefix(page: &Path) -> String {
    format!(".{}.", data_name(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_the_page_or_in_files() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("news.html");
        let view = format!("{{\"l\":\"{}\"}}", "x".repeat(400_000));
        for (count, in_files) in [(0, false), (7, false), (60, true)] {
            let mut making = Making::new(&page);
            (0..count).for_each(|_| making.push(&view).unwrap());
            let parts = making.finish().unwrap();
            assert_eq!(parts.files.is_some(), in_files);
            assert_eq!(parts.firsts, (0..count).step_by(3).collect::<Vec<usize>>());
            let all: Vec<String> = match parts.files {
                None => parts.in_page,
                Some(files) => {
                    assert!(parts.in_page.is_empty());
                    let place = folder.path().join(files.address(&page));
                    files.place(&page).unwrap();
                    let script = |number: usize| {
                        let path = place.join(format!("{}.js", number + 1));
                        let script = fs::read_to_string(path).unwrap();
                        let part = script.strip_prefix(&format!("part({number},")).unwrap();
                        part.strip_suffix(");\n").unwrap().to_string()
                    };
                    (0..parts.firsts.len()).map(script).collect()
                }
            };
            let pairs = all.iter().map(|part| serde_json::from_str::<Vec<serde_json::Value>>(part));
            assert_eq!(pairs.map(|pairs| pairs.unwrap().len()).sum::<usize>(), count);
        }
    }

    #[test]
    fn the_files_of_earlier_pages_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("news.html");
        let data = folder.path().join("news-data");
        for name in ["0123456789abcdef", "fedcba9876543210", "mine"] {
            fs::create_dir_all(data.join(name)).unwrap();
        }
        remove_earlier(&page, Some("fedcba9876543210"));
        assert!(!data.join("0123456789abcdef").exists() && data.join("mine").exists());
        assert!(data.join("fedcba9876543210").exists());
        fs::remove_dir(data.join("mine")).unwrap();
        remove_earlier(&page, None);
        assert!(!data.exists());
    }
}

//! Checks that the `use` lines of `nearprint-core` and `nearprint` follow the order of the rooms,
//! and that the links of all pages lead to files and headings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with rooms.
const CRATES: [&str; 2] = ["nearprint-core", "nearprint"];

/// The rooms that the code names after `crate::`, including rooms in braces.
fn named_rooms(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    let mut name = |text: &str| {
        let name: String =
            text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        rooms.extend(Some(name).filter(|name| !name.is_empty()));
    };
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(list) = rest.strip_prefix('{') else {
            name(rest);
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (place, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    name(list[start..place].trim_start());
                    start = place + 1;
                }
                '}' => depth -= 1,
                _ => {}
            }
            if c == '}' && start == place + 1 {
                break;
            }
        }
    }
    rooms
}

/// The rooms of `nearprint` that never open a file, print, or read a clock or the environment. All
/// rooms of `nearprint-core` are such rooms.
const PURE: &[&str] = &[
    "config",
    "document",
    "date",
    "shown_fields",
    "message",
    "size",
    "shares",
    "cluster",
    "keep",
    "estimate",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The source files of a room of a crate, without the tests at their ends.
fn sources(of: &str, room: &str) -> Vec<(PathBuf, String)> {
    let src = repository().join("crates").join(of).join("src");
    let mut paths = vec![src.join(format!("{room}.rs"))];
    let mut folders = vec![src.join(room)];
    while let Some(entries) = folders.pop().and_then(|folder| fs::read_dir(folder).ok()) {
        let inside: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.extend(inside.iter().filter(|path| path.is_dir()).cloned());
        paths.extend(inside);
    }
    paths.retain(|path| {
        path.is_file() && !path.ends_with("tests.rs") && !path.ends_with("testing.rs")
    });
    assert!(!paths.is_empty(), "there is no room {room}");
    let code = |path: &PathBuf| {
        fs::read_to_string(path).unwrap().split("\nmod tests").next().unwrap().to_string()
    };
    paths.into_iter().map(|path| (path.clone(), code(&path))).collect()
}

/// The lines that are no comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The rooms of a crate in the order of its `lib.rs`.
fn declared(of: &str) -> Vec<String> {
    let lib = sources(of, "lib").remove(0).1;
    let name = |line: &str| {
        let name = line.strip_prefix("pub mod ").or(line.strip_prefix("mod "));
        name.and_then(|name| name.strip_suffix(';')).map(str::to_string)
    };
    lib.lines().filter_map(name).filter(|room| room != "testing").collect()
}

#[test]
fn no_import_runs_back_up() {
    for of in CRATES {
        let order = declared(of);
        let place = |room: &str| order.iter().position(|other| other == room);
        for room in &order {
            for (path, text) in sources(of, room) {
                let code: Vec<&str> = code_lines(&text).collect();
                for other in named_rooms(&code.join("\n")) {
                    let above = place(&other).is_none_or(|other| Some(other) <= place(room));
                    assert!(above, "{} names {other}, which is below it", path.display());
                }
            }
        }
    }
}

/// The files of a room that a file of it names after `super::`, without its own head and tests.
fn named_siblings(code: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let as_rooms = named_rooms(&code.replace("crate::", "").replace("super::", "crate::"));
    as_rooms.into_iter().filter(|name| files.contains(name)).collect()
}

#[test]
fn no_two_files_of_a_room_on_the_road_import_each_other() {
    // Only rooms from the settings on; the order of the crate suffices for the rooms before them.
    for room in declared("nearprint").into_iter().skip_while(|room| room != "config") {
        let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        let files: Vec<(PathBuf, String)> = sources("nearprint", &room)
            .into_iter()
            .filter(|(path, _)| {
                path.parent().is_some_and(|folder| folder.ends_with(&room)) && stem(path) != "mod"
            })
            .collect();
        let names: BTreeSet<String> = files.iter().map(|(path, _)| stem(path)).collect();
        let mut imports: BTreeMap<String, BTreeSet<String>> = files
            .iter()
            .map(|(path, text)| {
                let code: Vec<&str> = code_lines(text).collect();
                let mut siblings = named_siblings(&code.join("\n"), &names);
                siblings.remove(&stem(path));
                (stem(path), siblings)
            })
            .collect();
        // Files without imports are removed one by one, until no file is left.
        while let Some(free) =
            imports.iter().find(|(_, others)| others.is_empty()).map(|(name, _)| name.clone())
        {
            imports.remove(&free);
            imports.values_mut().for_each(|others| _ = others.remove(&free));
        }
        assert!(imports.is_empty(), "{room}: files import each other in a circle: {imports:?}");
    }
}

#[test]
fn names_in_braces_are_seen() {
    let code = "use crate::{cluster, keep::{self, Policy}, read};\nlet x = crate::verify::jaccard(crate::Error);";
    assert_eq!(
        named_rooms(code).into_iter().collect::<Vec<_>>(),
        ["cluster", "keep", "read", "verify"]
    );
}

#[test]
fn pure_rooms_touch_nothing_outside() {
    let core = declared("nearprint-core").into_iter().map(|room| ("nearprint-core", room));
    for (of, room) in core.chain(PURE.iter().map(|room| ("nearprint", room.to_string()))) {
        for (path, text) in sources(of, &room) {
            for line in code_lines(&text) {
                for outside in [
                    "std::fs",
                    "File::",
                    "std::env",
                    "std::time",
                    "Instant::",
                    "println!",
                    "std::process",
                    "std::net",
                    "std::thread",
                    "ThreadPool",
                ] {
                    assert!(!line.contains(outside), "{}: {line}", path.display());
                }
            }
        }
    }
}

/// The files of all crates in which unsafe code is allowed.
const UNSAFE: &[&str] = &[
    "nearprint-cli/src/no_memory.rs",
    "nearprint-core/src/compare/table/lanes.rs",
    "nearprint-core/src/features/character_ngrams/choose.rs",
    "nearprint-core/src/fingerprint/bit_sliced.rs",
    "nearprint-core/src/fingerprint/character_ngrams/count.rs",
    "nearprint-core/src/fingerprint/minhash.rs",
    "nearprint-core/src/fingerprint/simhash/md5.rs",
    "nearprint-core/src/fingerprint/tally.rs",
    "nearprint-core/src/near/entries.rs",
    "nearprint-core/src/near/hamming.rs",
    "nearprint-core/src/near/tables.rs",
    "nearprint-core/src/normalize/beginning.rs",
    "nearprint-core/src/segment/words.rs",
    "nearprint/src/index/file.rs",
    "nearprint/src/index/pages.rs",
];

#[test]
fn unsafe_code_is_where_it_is_known_to_be() {
    let crates = repository().join("crates");
    let (mut folders, mut found) = (vec![crates.clone()], BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|end| end == "rs")
                && code_lines(&fs::read_to_string(&path).unwrap())
                    .any(|line| line.contains(&["allow(", "unsafe_code"].concat()))
            {
                found.insert(path.strip_prefix(&crates).unwrap().display().to_string());
            }
        }
    }
    let known: BTreeSet<String> = UNSAFE.iter().map(|file| file.to_string()).collect();
    assert_eq!(found, known);
}

#[test]
fn the_page_of_the_architecture_stays_short() {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    assert!(page.split_whitespace().count() <= 2_500);
}

/// Folders of built or downloaded files.
const NO_PAGES: [&str; 2] = ["target", "work"];

/// All pages in Markdown below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.starts_with('.') && !NO_PAGES.contains(&name) {
            pages.extend(self::pages(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
    pages
}

/// The lines of a page without its blocks of code.
fn prose(page: &str) -> Vec<&str> {
    let mut in_code = false;
    page.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            !in_code && !fence
        })
        .collect()
}

/// The anchor of a heading: small letters, digits, `-` and `_`, blanks as `-`.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
            _ => None,
        })
        .collect()
}

/// The anchors of all headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).into_iter().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_in_pages_lead_somewhere() {
    let pages = pages(&repository());
    assert!(pages.len() >= 20, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in
            prose(&text).join("\n").split("](").skip(1).filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") {
                continue;
            }
            let (target, heading) = link.split_once('#').unwrap_or((link, ""));
            let path =
                if target.is_empty() { page.clone() } else { page.parent().unwrap().join(target) };
            let Ok(path) = path.canonicalize() else { panic!("{}: {link}", page.display()) };
            if !heading.is_empty() {
                let there = anchors(&fs::read_to_string(&path).unwrap());
                assert!(there.contains(heading), "{}: {link}; there are {there:?}", page.display());
            }
        }
    }
}

#[test]
fn every_page_is_in_the_index() {
    let docs = repository().join("docs");
    for (folder, index) in [("", "README.md"), ("zh-CN", "zh-CN/README.md")] {
        let index = fs::read_to_string(docs.join(index)).unwrap();
        for entry in fs::read_dir(docs.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") && name != "README.md" {
                assert!(
                    index.contains(&format!("({name})")),
                    "the index of docs/{folder} lacks {name}"
                );
            }
        }
    }
}

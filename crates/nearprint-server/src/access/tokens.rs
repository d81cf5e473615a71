//! A file of tokens -> the tokens, with their roles.
//!
//! The file has the hash of each token, never the token. It is read again within a second after it
//! has changed. A file that cannot be read then changes nothing, and the log says so.

use std::fs::Metadata;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use nearprint::Error;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use super::rate::{Bucket, Rate};
use super::secret::{Hash, hash, secret};
use super::{Asker, Role};
use crate::collections::is_name;
use crate::lock::lock;

/// The hash of each token, and who asks by it.
type Askers = Vec<(Hash, Arc<Asker>)>;

/// The pause between two looks whether the file has changed.
const LOOK: Duration = Duration::from_secs(1);

/// The first letters of every token. Programs that look for secrets know it by them.
const PREFIX: &str = "np_";

/// The file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    token: Vec<Row>,
}

/// A token as it stands in the file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The SHA-256 of the token in hexadecimal digits.
    sha256: String,
    role: Role,
    /// The collections that it may use; all if there is no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    collections: Option<Vec<String>>,
    /// The rows that it may send in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<u32>,
    /// The rows that it may send at once after a pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<u32>,
}

/// The bounds of tokens that have none of their own.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    rate: Option<Rate>,
    /// The most requests of a token at a time.
    requests: usize,
}

/// A token that is to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Its name: 1 to 64 letters, digits, - and _.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// The collections that it may use; all if the list is empty.
    pub collections: Vec<String>,
    /// The rows that it may send; the bound of the server if it has none.
    pub rate: Option<Rate>,
}

/// Makes a token, appends its row to a file, and returns the token. A file that is not there is
/// made.
///
/// # Errors
/// [`Error::Usage`] for a name that cannot be used or is there already, and if the file is not a
/// file of tokens; [`Error::Io`] if the file cannot be read or written.
pub fn make_token(file: &Path, new: NewToken) -> Result<String, Error> {
    let NewToken { name, role, collections, rate } = new;
    let token = secret(PREFIX)?;
    let sha256 = hash(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let collections = Some(collections).filter(|names| !names.is_empty());
    let (rate, burst) = (rate.map(|rate| rate.rows), rate.map(|rate| rate.burst));
    let row = Row { name, sha256, role, collections, rate, burst };
    let written = toml::to_string(&File { token: vec![row] })
        .map_err(|error| Error::usage("tokens", error.to_string()))?;
    let before = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(Error::io("read", file))?,
    };
    let blank = if before.is_empty() { "" } else { "\n" };
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let added = format!("{end}{blank}{written}");
    let bounds = Bounds { rate: None, requests: 1 };
    parse(file, &format!("{before}{added}"), bounds)?;
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let append = || {
        let mut out = options.open(file)?;
        out.write_all(added.as_bytes())?;
        out.sync_all()
    };
    append().map_err(Error::io("write", file))?;
    Ok(token)
}

/// The tokens of a file as it is now.
pub(crate) struct Tokens {
    file: PathBuf,
    bounds: Bounds,
    latest: Mutex<Latest>,
}

/// The tokens that were read last.
struct Latest {
    all: Arc<Askers>,
    stamp: Option<Stamp>,
    looked: Instant,
}

impl Tokens {
    /// Reads a file of tokens. Those without a rate of their own have `rate`, and each may make so
    /// many requests at a time.
    ///
    /// # Errors
    /// [`Error::Usage`] if the file is not a file of tokens or everybody may write it;
    /// [`Error::Io`] if it cannot be read.
    pub fn open(file: &Path, rate: Option<Rate>, requests: usize) -> Result<Tokens, Error> {
        let bounds = Bounds { rate, requests };
        let (stamp, all) = read(file, bounds)?;
        let latest = Latest { all: Arc::new(all), stamp: Some(stamp), looked: Instant::now() };
        Ok(Tokens { file: file.to_path_buf(), bounds, latest: Mutex::new(latest) })
    }

    /// The holder of a token.
    pub fn of(&self, token: &[u8]) -> Option<Arc<Asker>> {
        self.of_hash(&hash(token))
    }

    /// The holder of the token with this hash. The time says nothing about the hashes of others.
    pub fn of_hash(&self, wanted: &Hash) -> Option<Arc<Asker>> {
        let mut found = None;
        for (own, asker) in self.latest().iter() {
            if bool::from(own.ct_eq(wanted)) {
                found = Some(asker.clone());
            }
        }
        found
    }

    /// The tokens, read again if the file has changed.
    fn latest(&self) -> Arc<Askers> {
        let mut latest = lock(&self.latest);
        if latest.looked.elapsed() >= LOOK {
            latest.looked = Instant::now();
            let stamp = std::fs::metadata(&self.file).ok().map(|about| Stamp::of(&about));
            if stamp != latest.stamp {
                // The stamp that was seen is kept, so that a broken file is read and told once.
                latest.stamp = stamp;
                match read(&self.file, self.bounds) {
                    Ok((stamp, all)) => (latest.stamp, latest.all) = (Some(stamp), Arc::new(all)),
                    Err(error) => tracing::warn!(
                        %error,
                        "the changed file of tokens cannot be read; the tokens before still count"
                    ),
                }
            }
        }
        latest.all.clone()
    }
}

/// What changes with a file.
#[derive(PartialEq, Eq)]
struct Stamp {
    #[cfg(unix)]
    mode: u32,
    modified: Option<SystemTime>,
    bytes: u64,
    /// The number of the file, which is another one after a rename.
    number: u64,
}

impl Stamp {
    fn of(about: &Metadata) -> Stamp {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(about);
        #[cfg(not(unix))]
        let number = 0;
        Stamp {
            #[cfg(unix)]
            mode: std::os::unix::fs::MetadataExt::mode(about),
            modified: about.modified().ok(),
            bytes: about.len(),
            number,
        }
    }
}

fn read(file: &Path, bounds: Bounds) -> Result<(Stamp, Askers), Error> {
    let failed = || Error::io("read", file);
    let about = std::fs::metadata(file).map_err(failed())?;
    // A named pipe would be waited for.
    if !about.is_file() {
        return Err(Error::usage("tokens", format!("{} is not a file", file.display())));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o002 != 0 {
        let problem = format!(
            "everybody on this machine may write {0}, and so give themselves a token; chmod o-w {0}",
            file.display()
        );
        return Err(Error::usage("tokens", problem));
    }
    let text = std::fs::read_to_string(file).map_err(failed())?;
    Ok((Stamp::of(&about), parse(file, &text, bounds)?))
}

/// The tokens of a text, each with its hash.
fn parse(file: &Path, text: &str, bounds: Bounds) -> Result<Askers, Error> {
    let refuse = |problem: String| {
        let problem = format!("{} is not a file of tokens: {problem}", file.display());
        Error::usage("tokens", problem)
    };
    let File { token } = toml::from_str(text).map_err(|error| refuse(error.to_string()))?;
    let mut all: Askers = Vec::with_capacity(token.len());
    for Row { name, sha256, role, collections, rate, burst } in token {
        let refuse = |problem: &str| Err(refuse(format!("the token {name:?} {problem}")));
        if !is_name(&name) {
            return refuse("needs a name of 1 to 64 letters, digits, - and _");
        }
        let Some(hash) = hash_of(&sha256) else {
            return refuse("has no sha256 of 64 hexadecimal digits");
        };
        if hash == super::secret::hash(b"") {
            return refuse("is the empty text");
        }
        if all.iter().any(|(own, asker)| *own == hash || asker.name == name) {
            return refuse("is there twice, by its name or its sha256");
        }
        if rate.is_none() && burst.is_some() {
            return refuse("has a burst without a rate");
        }
        if rate == Some(0) || burst == Some(0) {
            return refuse("has a rate or burst of 0; give 1 or more, or remove the token");
        }
        let rate = rate.map(|rows| Rate::new(rows, burst)).or(bounds.rate);
        let bucket = rate.map(|rate| Arc::new(Bucket::new(rate, Instant::now())));
        let permits = Some(Arc::new(Semaphore::new(bounds.requests)));
        let token = Some(hash);
        all.push((hash, Arc::new(Asker { name, token, role, collections, bucket, permits })));
    }
    Ok(all)
}

/// The bytes of 64 hexadecimal digits.
fn hash_of(digits: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str, role: Role) -> NewToken {
        NewToken { name: name.into(), role, collections: vec!["news".into()], rate: None }
    }

    fn open(file: &Path) -> Result<Tokens, Error> {
        Tokens::open(file, None, 1)
    }

    #[test]
    fn a_token_that_was_made_is_known_and_is_not_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.toml");
        let one = make_token(&file, new("one", Role::Write)).unwrap();
        let two = make_token(&file, new("two", Role::Read)).unwrap();
        assert_ne!(one, two);
        assert_eq!(one.len(), PREFIX.len() + 43);
        assert!(!std::fs::read_to_string(&file).unwrap().contains(&one));
        let tokens = open(&file).unwrap();
        let asker = tokens.of(one.as_bytes()).unwrap();
        assert_eq!((asker.name.as_str(), asker.role), ("one", Role::Write));
        assert!(asker.may_use("news") && !asker.may_use("default"));
        assert!(tokens.of(&one.as_bytes()[1..]).is_none());
        assert!(tokens.of(b"").is_none());
        let error = make_token(&file, new("one", Role::Read)).unwrap_err().to_string();
        assert!(error.contains("there twice"), "{error}");
        assert!(make_token(&file, new("a b", Role::Read)).is_err());
    }

    #[test]
    fn a_file_that_is_wrong_is_refused() {
        let of_none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let file = |row: &str| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("tokens.toml");
            std::fs::write(&file, row).unwrap();
            open(&file).err().expect(row).to_string()
        };
        for (row, says) in [
            ("[[token]]\nname = \"a\"\nsha256 = \"00\"\nrole = \"read\"".to_string(), "64"),
            (format!("[[token]]\nname = \"a\"\nsha256 = \"{of_none}\"\nrole = \"read\""), "empty"),
            (format!("[[token]]\nname = \"a\"\nsha256 = \"{of_none}\"\nrole = \"all\""), "admin"),
            (format!("[[token]]\nname = \"a\"\nhash = \"{of_none}\"\nrole = \"read\""), "sha256"),
            (format!("[[tokens]]\nname = \"a\"\nsha256 = \"{of_none}\""), "token"),
            ("name,role".to_string(), "not a file of tokens"),
        ] {
            let error = file(&row);
            assert!(error.contains(says), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_everybody_may_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.toml");
        make_token(&file, new("one", Role::Write)).unwrap();
        let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        mode(0o644);
        assert!(open(&file).is_ok());
        mode(0o646);
        assert!(open(&file).err().unwrap().to_string().contains("chmod o-w"));
    }

    #[test]
    fn a_file_that_breaks_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.toml");
        let one = make_token(&file, new("one", Role::Write)).unwrap();
        let tokens = open(&file).unwrap();
        std::fs::write(&file, "[[token]]\nname").unwrap();
        std::thread::sleep(LOOK);
        assert!(tokens.of(one.as_bytes()).is_some());
    }
}

//! Ids as they are typed -> documents to remove: an integer, or else a string.

use std::io::BufRead;

use nearprint::Error;
use nearprint::index::Index;

use super::super::counted;

/// The number of ids that the summary names of those that are not there.
const NAMED: usize = 10;

/// Removes documents by their ids, and prints their number and the ids that are not there.
pub fn remove(index: &mut Index, given: Vec<String>, quiet: bool) -> Result<(), Error> {
    let mut named = Vec::new();
    for id in given {
        match id.as_str() {
            "-" => {
                for line in std::io::stdin().lock().lines() {
                    let line = line.map_err(Error::io("read", "standard input"))?;
                    named.extend(Some(line.trim().to_string()).filter(|id| !id.is_empty()));
                }
            }
            _ => named.push(id),
        }
    }
    let mut ids = Vec::new();
    let mut absent = Vec::new();
    for name in named {
        match index.id_named(&name)? {
            Some(id) => ids.push(id),
            None => absent.push(name),
        }
    }
    let removed = index.remove(&ids)?.into_iter().filter(|removed| *removed).count();
    if !quiet {
        let absent = match absent.len() {
            0 => String::new(),
            1 => format!("; no document has the id {}", absent[0]),
            count if count <= NAMED => format!("; no document has the ids {}", absent.join(", ")),
            count => {
                let named = absent[..NAMED].join(", ");
                format!("; no document has the ids {named} and {} more", count - NAMED)
            }
        };
        let documents = counted(index.len()?, "document", "documents");
        crate::tell(&format!("{removed} removed{absent}; {documents} in all"));
    }
    Ok(())
}

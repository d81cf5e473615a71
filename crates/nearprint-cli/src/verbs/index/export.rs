//! An index -> its documents as JSON Lines, on standard output or in a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use nearprint::Error;

/// Writes the documents of an index.
pub fn export(index: &Path, output: Option<&Path>) -> Result<(), Error> {
    let write = |out: &mut dyn Write, name: &Path| -> Result<(), Error> {
        nearprint::index::export(index, |document| {
            writeln!(out, "{}", document.to_json()).map_err(Error::io("write", name))
        })?;
        out.flush().map_err(Error::io("write", name))
    };
    match output {
        None => write(&mut BufWriter::new(std::io::stdout()), Path::new("standard output")),
        Some(path) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let [folder, own] = [folder, index].map(std::fs::canonicalize);
            if folder.is_ok_and(|folder| own.is_ok_and(|own| folder.starts_with(own))) {
                let problem = format!(
                    "{} is in the folder of the index; name a file elsewhere",
                    path.display()
                );
                return Err(Error::usage("output", problem));
            }
            let part = path.with_extension("part");
            let mut file = BufWriter::new(File::create(&part).map_err(Error::io("create", &part))?);
            let written = write(&mut file, path);
            let written = written
                .and_then(|()| std::fs::rename(&part, path).map_err(Error::io("write", path)));
            if written.is_err() {
                let _ = std::fs::remove_file(&part);
            }
            written
        }
    }
}

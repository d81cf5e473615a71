//! An index -> its documents as JSON Lines, on standard output or in a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use nearprint::Error;

use crate::progress::Progress;
use crate::verbs::output_file::{OutputFile, folder_of};

/// Writes the documents of an index.
pub fn export(index: &Path, output: Option<&Path>, force: bool) -> Result<(), Error> {
    let write = |out: &mut dyn Write, name: &Path| -> Result<(), Error> {
        nearprint::index::export(index, |document| {
            writeln!(out, "{}", document.to_json()).map_err(Error::io("write", name))
        })?;
        out.flush().map_err(Error::io("write", name))
    };
    match output.filter(|path| path.as_os_str() != "-") {
        None => write(&mut BufWriter::new(std::io::stdout()), Path::new("standard output")),
        Some(path) => {
            let [folder, own] = [folder_of(path), index].map(std::fs::canonicalize);
            if folder.is_ok_and(|folder| own.is_ok_and(|own| folder.starts_with(own))) {
                let problem = format!(
                    "{} is in the folder of the index; name a file elsewhere",
                    path.display()
                );
                return Err(Error::usage("output", problem));
            }
            let file = OutputFile { setting: "output", path, force };
            file.check(&[])?;
            file.write(&Progress::new(true), |part| {
                let create = File::create(part).map_err(Error::io("create", path));
                write(&mut BufWriter::new(create?), path)
            })
        }
    }
}

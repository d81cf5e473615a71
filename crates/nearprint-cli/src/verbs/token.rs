//! `nearprint token`

use std::path::PathBuf;

use clap::Args;
use nearprint::Error;
use nearprint_server::{NewToken, Rate, Role, make_token};

/// Makes a token for nearprint serve, and shows it once.
///
/// The file gets the hash of the token, never the token. To revoke a token, remove its lines: a server
/// that runs reads the file again within a second.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint token crawler --role write --tokens tokens.toml
  nearprint token ann --role review --collection news --tokens tokens.toml")]
pub struct Arguments {
    /// Name of the token: letters, digits, - and _.
    name: String,
    /// File of tokens, which is made if it is not there.
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
    /// What its holder may do. read: check texts and see documents; write: also add and remove
    /// documents; review: read and give verdicts; admin: everything.
    #[arg(long, value_name = "read|write|review|admin")]
    role: Role,
    /// Collection that it may use; repeat it for more [default: all].
    #[arg(long, value_name = "NAME")]
    collection: Vec<String>,
    /// Rows that it may send in a second [default: as the server's --rate].
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Rows that it may send at once after a pause [default: as --rate].
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..), requires = "rate")]
    burst: Option<u32>,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    let Arguments { name, tokens, role, collection, rate, burst } = arguments;
    let rate = rate.map(|rows| Rate::new(rows, burst));
    let token = make_token(&tokens, NewToken { name, role, collections: collection, rate })?;
    super::show(&format!("{token}\n"))?;
    crate::tell("nearprint: this is the only time that the token is shown");
    Ok(())
}

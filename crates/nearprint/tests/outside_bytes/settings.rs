//! TOML with settings: refused by name, or settings that come back from their own TOML.

use nearprint::{Config, Deduplicator};
use proptest::prelude::*;

use crate::bytes::{Bytes, damaged, made_up};
use crate::target;

const PIECES: &[&[u8]] = &[
    b"bits = 64\n",
    b"bits",
    b" = ",
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"\"auto\"",
    b"'skip'\n",
    b"[",
    b"]",
    b"\n",
    b"\"",
    b"memory = '4G'\n",
    b"preset = 'paper'\n",
    b"features = 'words'\n",
    b"weights = 'entropy'\n",
    b"text-field = ['a', 'b']\n",
    b"keep = 'newest:day'\n",
    b"recall = 0.9\n",
    b"min-similarity = 0.5\n",
    b"max-distance = 'off'\n",
    b"ngram = 3\n",
    b"same = 'x'\n",
    b"\xff",
    "字".as_bytes(),
    b"99999999999999999999",
];

#[test]
fn settings_in_toml() {
    let whole = Config::from_layers(&["preset = 'paper'\nkeep = 'longest'\n".parse().unwrap()]).unwrap().to_toml();
    target(prop_oneof![damaged(whole.into(), PIECES), made_up(PIECES)], |Bytes(bytes)| {
        let Ok(table) = String::from_utf8_lossy(&bytes).parse::<toml::Table>() else { return Ok(()) };
        match Config::from_layers(&[table]) {
            Ok(config) => {
                let again = Config::from_layers(&[config.to_toml().parse().unwrap()]).unwrap();
                prop_assert_eq!(&again, &config);
                // Whatever cannot be carried out is refused before anything is read.
                let _ = Deduplicator::new(Config { threads: 1, memory: None, ..config });
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        Ok(())
    });
}

//! Random bits -> a secret that is shown once, and the hash that is kept of it.
//!
//! A secret has 256 random bits, so its hash needs no salt and no slow function: nobody finds it by
//! trying.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nearprint::Error;
use sha2::{Digest, Sha256};

/// The SHA-256 of a secret.
pub(crate) type Hash = [u8; 32];

/// A new secret: the prefix, then 43 letters, digits, - and _.
///
/// # Errors
/// [`Error::Io`] if the system gives no random bits.
pub(crate) fn secret(prefix: &str) -> Result<String, Error> {
    let mut bits = [0; 32];
    let failed = Error::io("read", "random bits of the system");
    getrandom::fill(&mut bits).map_err(|error| failed(std::io::Error::other(error.to_string())))?;
    Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bits)))
}

/// The hash of a secret.
pub(crate) fn hash(secret: &[u8]) -> Hash {
    Sha256::digest(secret).into()
}

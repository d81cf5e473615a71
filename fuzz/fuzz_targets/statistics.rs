//! A file of corpus statistics: refused, or usable.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nearprint::statistics::Saved;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(statistics) = Saved::open(bytes).and_then(Saved::into_statistics) {
        assert!(statistics.of(1).entropy >= 0.0);
    }
});

//! A TOML file of settings: refused by name, or a configuration that comes back from its own TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nearprint::Config;

fuzz_target!(|text: &str| {
    let Ok(table) = text.parse::<toml::Table>() else { return };
    if let Ok(config) = Config::from_layers(&[table]) {
        let again = Config::from_layers(&[config.to_toml().parse().unwrap()]).unwrap();
        assert_eq!(again, config);
    }
});

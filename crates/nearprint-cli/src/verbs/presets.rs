//! `nearprint presets`

use clap::Args;
use nearprint::Error;
use nearprint::config::{Config, PRESETS};

use super::print;

/// Shows the settings of each preset: all settings of the default, and the changes of the others.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint presets
  nearprint presets paper > paper.toml    # all settings in force of one preset, for --config")]
pub struct Arguments {
    /// Preset to show with all settings, as TOML.
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    if let Some(name) = &arguments.name {
        return print(&Config::preset(name)?.to_toml());
    }
    let mut out = String::new();
    for (name, purpose, changes) in PRESETS {
        out += &format!("# {name}: {purpose}\n");
        match changes {
            "" => out += &Config::default().to_toml(),
            _ => out += &format!("preset = \"{name}\"    # changes to the default:\n{changes}\n"),
        }
        out.push('\n');
    }
    print(&out)
}

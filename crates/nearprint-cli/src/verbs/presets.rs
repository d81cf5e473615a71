//! `nearprint presets`

use clap::Args;
use nearprint::Error;
use nearprint::config::{Config, PRESETS};

use super::print;

/// Shows what each preset sets: the whole default, and how the others differ from it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint presets
  nearprint presets paper > paper.toml    # all settings in force of one preset, for --config")]
pub struct Arguments {
    /// Preset to show whole, as TOML.
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
            _ => {
                out +=
                    &format!("preset = \"{name}\"    # sets, other than the default:\n{changes}\n")
            }
        }
        out.push('\n');
    }
    print(&out)
}

//! `nearprint completions`

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use nearprint::Error;

use super::print_bytes;
use crate::values::with_values;

/// Writes a script for shell completion of verbs, options and values to standard output.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint completions bash > ~/.local/share/bash-completion/completions/nearprint
  nearprint completions zsh > ~/.zfunc/_nearprint    # a folder of $fpath
  nearprint completions fish > ~/.config/fish/completions/nearprint.fish
  nearprint completions powershell >> $PROFILE")]
pub struct Arguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Writes the script for this command.
pub fn run(arguments: &Arguments, command: &Command) -> Result<(), Error> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut completed(command), command.get_name(), &mut script);
    print_bytes(&script)
}

/// The command without hidden options, which the generator would list, and with the values of the
/// shown ones.
fn completed(command: &Command) -> Command {
    let shown =
        command.get_arguments().filter(|flag| !flag.is_hide_set()).cloned().map(with_values);
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(completed);
    let mut like = Command::new(command.get_name().to_string()).args(shown).subcommands(verbs);
    like = like.disable_help_flag(command.is_disable_help_flag_set());
    if let Some(about) = command.get_about() {
        like = like.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        like = like.version(version.to_string());
    }
    like
}

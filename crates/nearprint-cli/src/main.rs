//! The command `nearprint`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: nearprint_cli::Allocator = nearprint_cli::Allocator;

fn main() -> ExitCode {
    ExitCode::from(nearprint_cli::run(std::env::args_os()))
}

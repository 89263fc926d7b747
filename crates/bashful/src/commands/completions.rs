//! `bashful completions`: what makes a person's shell complete our verbs and options.

use clap::CommandFactory as _;
use clap_complete::{Generator, generate, shells};

use crate::cli::{Cli, CompletedShell, CompletionsArguments};
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn completions(
    arguments: &CompletionsArguments,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    // Each is named, as a choice among all that the crate knows would link those as well.
    let script = match arguments.shell {
        CompletedShell::Bash => script(shells::Bash),
        CompletedShell::Zsh => script(shells::Zsh),
        CompletedShell::Fish => script(shells::Fish),
    };
    printer.data(&script)?;
    Ok(Exit::Success)
}

fn script(shell: impl Generator) -> Vec<u8> {
    let mut script = Vec::new();
    let mut whole = Cli::command();
    let name = whole.get_name().to_owned();
    generate(shell, &mut whole, name, &mut script);
    script
}

//! Showing a change, and having a person agree to it.

use crate::cli::InstallArguments;
use crate::errors::UsageError;
use crate::printer::Printer;
use crate::prompt::{Terminal, Waiting, confirm};
use crate::view::{Difference, show_diff};

use super::draft::Part;

/// How a person agrees, if one does.
pub(super) enum Consent<'a> {
    /// No person is asked: the change is only shown.
    DryRun(&'a Printer),
    /// The person who typed `--yes`.
    Given(&'a Printer),
    /// The person at the terminal.
    Asked(Terminal),
    /// There is no terminal to ask at.
    Missing(&'a Printer),
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Yes,
    No,
    /// Ctrl-C, or the terminal is gone.
    Stop,
}

impl<'a> Consent<'a> {
    pub(super) fn of(arguments: &InstallArguments, printer: &'a Printer) -> Self {
        if arguments.dry_run {
            return Self::DryRun(printer);
        }
        if arguments.yes {
            return Self::Given(printer);
        }
        match Terminal::open(printer.manner()) {
            Some(terminal) => Self::Asked(terminal),
            None => Self::Missing(printer),
        }
    }

    /// Shows changes under a heading of ours.
    pub(super) fn show(&self, heading: &str, parts: &[Part]) -> anyhow::Result<()> {
        let style = match self {
            Self::Asked(terminal) => terminal.style(),
            Self::DryRun(printer) | Self::Given(printer) | Self::Missing(printer) => {
                printer.data_style()
            }
        };
        let mut out = format!("{heading}\n\n").into_bytes();
        for part in parts {
            let difference = Difference {
                path: &part.path,
                before: part.before.as_deref(),
                after: part.after.as_deref(),
            };
            show_diff(&difference, style, &mut out);
            out.push(b'\n');
        }
        match self {
            Self::Asked(terminal) => terminal.write(&out),
            Self::DryRun(printer) | Self::Given(printer) | Self::Missing(printer) => {
                printer.data(&out)?;
            }
        }
        Ok(())
    }

    /// Asks. The question is ours and holds nothing from outside.
    pub(super) fn ask(&self, question: &str) -> Result<Word, UsageError> {
        match self {
            Self::DryRun(_) | Self::Given(_) => Ok(Word::Yes),
            Self::Asked(terminal) => {
                let waiting = Waiting::new(terminal, None, None);
                Ok(match confirm(question, &waiting) {
                    Some(true) => Word::Yes,
                    Some(false) => Word::No,
                    None => Word::Stop,
                })
            }
            Self::Missing(_) => Err(UsageError(
                "nothing was written: there is no terminal to ask at, and no --yes".to_owned(),
            )),
        }
    }
}

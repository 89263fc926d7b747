//! `bashful policy`: asks the policy about a command, and looks at its rules.

use crate::cli::{PolicyArguments, PolicyCommand};
use crate::exit::Exit;
use crate::printer::Printer;

mod check;
mod explain;
mod facts;
mod import;
mod learn;
mod lint;
mod replay;
mod rules;
mod show;
mod test;

/// A file whose rules do not hold what their examples promise, or that deserve a second look.
const NOT_WELL: Exit = Exit::Command(1);

pub(crate) fn policy(arguments: &PolicyArguments, printer: &Printer) -> anyhow::Result<Exit> {
    match &arguments.what {
        PolicyCommand::Check(arguments) => check::check(arguments, printer),
        PolicyCommand::Show { profile, json } => show::show(profile.as_deref(), *json, printer),
        PolicyCommand::Test { file, json } => test::test(file, *json, printer),
        PolicyCommand::Explain { rule, json } => explain::explain(rule, *json, printer),
        PolicyCommand::Lint { file, json } => lint::lint(file.as_deref(), *json, printer),
        PolicyCommand::Replay(arguments) => replay::replay(arguments, printer),
        PolicyCommand::Learn(arguments) => learn::learn(arguments, printer),
        PolicyCommand::Import { from, file, output } => {
            import::import(*from, file, output.as_deref(), printer)
        }
    }
}

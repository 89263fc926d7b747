//! Which program is executed for a request, with which arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::programs::{is_executable, on_path};
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::shell_state::ShellState;
use crate::request::invocation::{Action, Invocation};
use crate::request::settings::Settings;
use crate::shells::{Arms, FLAGS, arm};

/// The kernel takes no single argument of 128 KiB or more.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// Joins its arguments into one text and runs that, leaving no trace of the joining.
const JOINER: &str = r#"__bashful_text=; for __bashful_part; do __bashful_text+=$__bashful_part; done; set --; eval "unset __bashful_text __bashful_part
$__bashful_text""#;

/// What stands before the text of a command.
const BEFORE_TEXT: [&str; 4] = ["bash", "--noprofile", "--norc", "-c"];

/// The program and its arguments, argument zero included.
pub(super) fn command_line(
    settings: &Settings,
    action: &Action,
    cwd: &Path,
    path: Option<&str>,
) -> Result<(PathBuf, Vec<String>), EngineError> {
    match action {
        Action::Bash(text) => {
            let bash = settings.bash()?;
            let mut arguments: Vec<String> = BEFORE_TEXT.map(str::to_owned).to_vec();
            if text.len() <= LONGEST_ARGUMENT {
                arguments.push(text.clone());
            } else {
                arguments.extend([JOINER.to_owned(), "bash".to_owned()]);
                arguments.extend(pieces(text));
            }
            Ok((bash, arguments))
        }
        Action::Program { program, arguments } => {
            let found = if program.contains('/') {
                Some(cwd.join(program)).filter(|path| path.exists())
            } else {
                on_path(program, path)
                    .into_iter()
                    .find(|candidate| is_executable(candidate))
            };
            let found = found.ok_or_else(|| InvalidInvocation::ProgramNotFound {
                program: program.clone(),
                elsewhere: settings.outside().elsewhere(program).map(|hint| hint.note),
            })?;
            Ok((
                found,
                std::iter::once(program).chain(arguments).cloned().collect(),
            ))
        }
    }
}

/// The text in pieces that fit an argument each, cut between characters.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let most = rest.len().min(LONGEST_ARGUMENT);
        let cut = (0..=most)
            .rev()
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        let (piece, later) = rest.split_at(cut);
        pieces.push(piece.to_owned());
        rest = later;
    }
    pieces
}

/// Puts a call into its shell: another text runs, with that of the call as its arguments.
pub(super) fn enter_shell(
    state: &Arc<ShellState>,
    invocation: &Invocation,
    environment: &BTreeMap<String, String>,
    arguments: &mut Vec<String>,
) -> Result<Option<Arms>, EngineError> {
    let Action::Bash(text) = &invocation.action else {
        return Ok(None);
    };
    let injected = invocation.variables.iter().map(|(name, _)| name.clone());
    let arms = arm(state, environment, injected.collect())?;
    let (last, before) = BEFORE_TEXT.split_last().unwrap_or((&"-c", &[]));
    arguments.truncate(before.len());
    arguments.extend(FLAGS.map(str::to_owned));
    arguments.extend([*last, &arms.wrapper, "bash"].map(str::to_owned));
    arguments.extend(pieces(text));
    Ok(Some(arms))
}

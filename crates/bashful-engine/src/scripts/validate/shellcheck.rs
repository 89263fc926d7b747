//! What shellcheck finds in a script, where it is installed.

use bashful_sandbox::{ExitStatus, Launch};
use serde::Deserialize;

use crate::model::error::script::ScriptError;
use crate::model::script::finding::{FindingSource, ScriptFinding, Severity};
use crate::model::script::variable::Variable;
use crate::request::settings::Settings;
use crate::scripts::check::look as look_with;
use crate::scripts::programs::find_own;

/// What shellcheck prints with `--format json1`.
#[derive(Deserialize)]
struct Printed {
    comments: Vec<Comment>,
}

#[derive(Deserialize)]
struct Comment {
    line: usize,
    column: usize,
    level: String,
    code: u32,
    message: String,
}

/// The most findings that are taken over.
const MOST: usize = 1000;

/// What shellcheck finds; none if it is not installed.
pub(super) fn look(
    settings: &Settings,
    text: &str,
    variables: &[Variable],
) -> Result<Option<Vec<ScriptFinding>>, ScriptError> {
    let Some(program) = find_own("shellcheck", settings) else {
        return Ok(None);
    };
    let words = ["--norc", "--shell=bash", "--format=json1", "-"];
    let launch = words
        .iter()
        .fold(Launch::new(program, "shellcheck"), |launch, word| {
            launch.argument(word)
        });
    let told = look_with(launch, text.as_bytes(), "shellcheck")?;
    let failed = |detail: String| ScriptError::Tool {
        program: "shellcheck",
        detail,
    };
    // It exits with 1 if it has findings.
    if !matches!(told.status, ExitStatus::Code(0 | 1)) {
        let said = String::from_utf8_lossy(&told.errors);
        return Err(failed(said.chars().take(300).collect()));
    }
    let printed: Printed =
        serde_json::from_slice(&told.output).map_err(|error| failed(error.to_string()))?;
    let found = printed.comments.into_iter().take(MOST);
    let found = found.filter(|comment| !is_ours(comment, variables));
    Ok(Some(found.map(finding).collect()))
}

/// Whether it is about what Bashful puts in the place of templates, or sets before the script.
fn is_ours(comment: &Comment, variables: &[Variable]) -> bool {
    const NOT_ASSIGNED: u32 = 2154;
    // A bare template with a list is several words, also where it looks like one in quotes.
    const ONE_ROUND: u32 = 2066;
    let declared = |variable: &Variable| {
        let first = comment.message.split_whitespace().next();
        first == Some(variable.name.as_str())
    };
    comment.message.contains("__bashful_")
        || comment.code == ONE_ROUND
        || comment.code == NOT_ASSIGNED && variables.iter().any(declared)
}

fn finding(comment: Comment) -> ScriptFinding {
    ScriptFinding {
        line: Some(comment.line),
        column: Some(comment.column),
        severity: match comment.level.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Info,
        },
        source: FindingSource::Shellcheck,
        code: format!("SC{}", comment.code),
        message: comment.message,
    }
}

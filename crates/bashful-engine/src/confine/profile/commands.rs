//! The allow-list of programs: from names to files.

use std::path::PathBuf;

use bashful_sandbox::resolve_program;

use super::ConfineRequest;
use super::paths::check_text;
use crate::model::error::confine::ConfineError;

/// The files of the allowed programs: each with the links that lead to it, and what runs it if
/// it is a script.
pub(super) fn resolve(
    request: &ConfineRequest<'_>,
    path_variable: &str,
) -> Result<Option<Vec<PathBuf>>, ConfineError> {
    let Some(names) = &request.capabilities.commands else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for name in names {
        let program = resolve_program(name, path_variable, request.directory);
        let program = program.map_err(|source| ConfineError::CommandNotFound {
            name: name.clone(),
            source,
        })?;
        files.extend(program.steps);
        files.push(program.file);
        files.extend(program.interpreter_steps);
        files.extend(program.interpreter);
    }
    for file in &files {
        check_text(file)?;
    }
    files.sort();
    files.dedup();
    Ok(Some(files))
}

//! Starting other programs, with errors that name the command.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository::Repository;

/// How much of a command a message shows.
const LONGEST: usize = 80;

/// The cargo that started us, to be run in the repository.
pub(crate) fn cargo(repository: &Repository) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(repository.root());
    if let Some(target) = repository.own_target() {
        command.env("CARGO_TARGET_DIR", target);
    }
    command
}

/// Runs to the end with our own streams; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", describe(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", describe(command));
    }
    Ok(())
}

/// Runs to the end and returns what was written to stdout.
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", describe(command)))?;
    if !output.status.success() {
        bail!("`{}` ended with {}", describe(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` did not print UTF-8", describe(command)))
}

/// Whether the command can be started and succeeds; it prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The executable that a shell would find under this name.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The command for a message, cut where it gets too long for one line.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let text = words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_command_and_its_status() {
        let error = run(Command::new("sh").args(["-c", "exit 7"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sh -c exit 7` ended with exit status: 7"
        );
    }

    #[test]
    fn finds_what_a_shell_would_find() {
        assert!(on_path("sh").is_some());
        assert!(on_path("no-such-program-here").is_none());
    }
}

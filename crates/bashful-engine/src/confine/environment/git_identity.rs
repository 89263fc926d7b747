//! Git knows the user's name and mail, and nothing else of the real home.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::model::places::make_private;

/// It may stand where git looks for the settings of the system, which count as before.
const SYSTEM: &str = "[include]\n\tpath = /etc/gitconfig\n";

/// Writes a git configuration with only the user's name and mail into the state
/// directory and returns its path; none if git does not know the user either.
pub(crate) fn write_git_identity(
    home: &Path,
    config_home: Option<&Path>,
    state: &Path,
) -> Option<PathBuf> {
    let usual = config_home.map_or_else(|| home.join(".config"), Path::to_owned);
    let mut identity = Identity::default();
    // Git reads both, the one in the home last.
    for path in [usual.join("git/config"), home.join(".gitconfig")] {
        if let Ok(text) = fs::read_to_string(path) {
            identity.read(&text);
        }
    }
    let text = identity.as_config()?;
    let path = state.join("git-identity");
    if fs::read_to_string(&path).is_ok_and(|present| present == text) {
        return Some(path);
    }
    replace(&path, &text).ok().map(|()| path)
}

/// Several processes may do this at once: each writes its own file and renames it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        make_private(parent)?;
    }
    let fresh = path.with_extension(std::process::id().to_string());
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Identity {
    name: Option<String>,
    email: Option<String>,
}

impl Identity {
    /// Takes `name` and `email` from the `[user]` section. Includes are not
    /// followed: a name is a convenience, not worth reading foreign files for.
    fn read(&mut self, text: &str) {
        let mut in_user = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                in_user = line
                    .trim_end_matches(']')
                    .trim_start_matches('[')
                    .trim()
                    .eq_ignore_ascii_case("user");
            } else if let (true, Some((key, value))) = (in_user, line.split_once('=')) {
                let value = value.trim().trim_matches('"').to_owned();
                match key.trim().to_ascii_lowercase().as_str() {
                    "name" => self.name = Some(value),
                    "email" => self.email = Some(value),
                    _ => {}
                }
            }
        }
    }

    fn as_config(&self) -> Option<String> {
        let quoted = |key: &str, value: &Option<String>| {
            let value = value.as_ref()?;
            let plain: String = value.chars().filter(|c| !c.is_control()).collect();
            let escaped = plain.replace('\\', "\\\\").replace('"', "\\\"");
            Some(format!("\t{key} = \"{escaped}\"\n"))
        };
        let lines: String = [quoted("name", &self.name), quoted("email", &self.email)]
            .into_iter()
            .flatten()
            .collect();
        (!lines.is_empty()).then(|| format!("{SYSTEM}[user]\n{lines}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_section_is_taken() {
        let mut identity = Identity::default();
        identity.read("[core]\n\tname = no\n[User]\n\tname = \"Ann Example\"\n\temail=ann@example.org\n[alias]\nx = !evil\n");
        assert_eq!(
            identity.as_config().unwrap(),
            format!("{SYSTEM}[user]\n\tname = \"Ann Example\"\n\temail = \"ann@example.org\"\n")
        );
    }
}

//! Programs that the host has and a run did not find. Looked for only after a failure.

use std::fs;
use std::path::{Path, PathBuf};

use bashful_policy::{Context, escape_arg, read};
use bashful_sandbox::Hint;

use crate::base::programs::{is_executable, on_path};

/// Calls of one command that are looked at.
const MOST_CALLS: usize = 32;
/// Names that a `*` stands for.
const MOST_NAMES: usize = 64;

/// Directories of programs in a home, a `*` standing for any name.
const IN_HOME: [&str; 21] = [
    ".cargo/bin",
    ".local/bin",
    "bin",
    "go/bin",
    ".deno/bin",
    ".bun/bin",
    ".pyenv/shims",
    ".rbenv/shims",
    ".asdf/shims",
    ".volta/bin",
    ".nvm/versions/node/*/bin",
    ".local/share/mise/shims",
    ".local/share/pnpm",
    ".sdkman/candidates/*/current/bin",
    ".npm-global/bin",
    ".yarn/bin",
    ".dotnet",
    ".dotnet/tools",
    ".ghcup/bin",
    ".linuxbrew/bin",
    "miniconda3/bin",
];

/// Directories of programs of the host.
const ON_HOST: [&str; 11] = [
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/usr/games",
    "/snap/bin",
    "/usr/local/go/bin",
    "/usr/local/*/bin",
    "/opt/*/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/lib/postgresql/*/bin",
    "/usr/local/bin",
];

/// The host as its user has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outside {
    /// The caller's home.
    pub(crate) home: Option<PathBuf>,
    /// The caller's `PATH`.
    path: Option<String>,
}

impl Outside {
    pub(crate) fn new(home: Option<PathBuf>, path: Option<&str>) -> Self {
        Self {
            home,
            path: path.map(str::to_owned),
        }
    }

    /// The first program of a command that is on no directory of `PATH`, and that the host has.
    pub(crate) fn missing_program(&self, command: &str) -> Option<Hint> {
        let facts = read(command, &Context::default());
        let mut names: Vec<&str> = Vec::new();
        for call in facts.calls.iter().take(MOST_CALLS) {
            let name = call.program();
            if !name.is_empty() && !name.contains('/') && !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().find_map(|name| self.elsewhere(name))
    }

    /// What a command names by `~` that the caller's home has: the run's is another one. What begins
    /// with a dot is often a secret, and nobody is led to it.
    pub(crate) fn in_real_home(&self, command: &str) -> Option<Hint> {
        let home = self.home.as_deref()?;
        let ends = |c: char| c.is_whitespace() || "'\"=:;|&()<>,".contains(c);
        let named = command
            .split(ends)
            .filter_map(|word| word.strip_prefix("~/"));
        let is_plain = |rest: &&str| {
            let hidden = rest.split('/').any(|name| name.starts_with('.'));
            !rest.is_empty() && !hidden && !rest.contains(['*', '?', '$', '[', '{', '`', '\\'])
        };
        let mut there = named.filter(is_plain).take(MOST_CALLS);
        let rest = there.find(|rest| home.join(rest).symlink_metadata().is_ok())?;
        let path = home.join(rest);
        let note = format!(
            "`~` is a home of the run's own; `{}` is there on the host: name it so, and add `--read {}`",
            path.display(),
            word(path.to_str()?)
        );
        Some(Hint {
            kind: "read".to_owned(),
            ..hint(note, "paths_read", None)
        })
    }

    /// Where the host has a program of this name that a run did not find.
    pub(crate) fn elsewhere(&self, name: &str) -> Option<Hint> {
        let on_path = on_path(name, self.path.as_deref());
        if let Some(there) = on_path.into_iter().find(|path| is_executable(path)) {
            let directory = there.parent()?;
            // What every run sees is not what was missed.
            let is_seen = ["/usr", "/bin", "/sbin"]
                .iter()
                .any(|one| directory.starts_with(one));
            let note = format!(
                "`{name}` is `{}` on the host, and is not visible in this run",
                there.display()
            );
            return (!is_seen).then(|| hint(note, "paths_read", Some(directory)));
        }
        let home = self.home.as_deref();
        let own = IN_HOME.iter().filter_map(|place| Some(home?.join(place)));
        let places = own.chain(ON_HOST.iter().map(PathBuf::from));
        let mut there = places
            .flat_map(|place| directories(&place))
            .map(|place| place.join(name));
        let there = there.find(|path| is_executable(path))?;
        let directory = there.parent()?;
        let note = if ["/usr", "/sbin", "/opt"]
            .iter()
            .any(|one| directory.starts_with(one))
        {
            format!(
                "`{name}` is not on the run's PATH; call it as `{}`",
                there.display()
            )
        } else {
            format!(
                "`{name}` is `{}` on the host, outside of PATH; runs see what is on the PATH that \
                 Bashful is started with: put `{}` there",
                there.display(),
                directory.display()
            )
        };
        Some(hint(note, "", None))
    }
}

fn hint(note: String, missing: &str, opens: Option<&Path>) -> Hint {
    let flag = opens.and_then(Path::to_str);
    Hint {
        kind: "program".to_owned(),
        missing: missing.to_owned(),
        source: "exit_code".to_owned(),
        note,
        path: None,
        limit: None,
        flag: flag.map(|path| format!("--read {}", word(path))),
    }
}

/// A path as one word of a command line.
fn word(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        escape_arg(path)
    }
}

/// The directories that a pattern with at most one `*` stands for.
fn directories(pattern: &Path) -> Vec<PathBuf> {
    let text = pattern.to_string_lossy();
    let Some((before, after)) = text.split_once("/*") else {
        return vec![pattern.to_owned()];
    };
    let entries = fs::read_dir(before).into_iter().flatten().flatten();
    let found = entries.take(MOST_NAMES).map(|entry| entry.path());
    found
        .map(|path| path.join(after.trim_start_matches('/')))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_the_real_home_has_is_named_but_for_what_is_private() {
        let home = tempfile::tempdir().unwrap();
        for place in ["notes", ".ssh"] {
            fs::create_dir(home.path().join(place)).unwrap();
            fs::write(home.path().join(place).join("file"), "x").unwrap();
        }
        let outside = Outside {
            home: Some(home.path().to_owned()),
            path: None,
        };
        let told = |command: &str| outside.in_real_home(command).map(|hint| hint.note);
        let there = told("cat ~/nothing; cat ~/notes/file").unwrap();
        assert!(there.contains(&format!("--read {}/notes/file", home.path().display())));
        for command in [
            "cat ~/.ssh/file",
            "ls ~",
            "cat ~/notes/*",
            "cat ~/notes/../.ssh/file",
        ] {
            assert_eq!(told(command), None, "{command}");
        }
    }

    #[test]
    fn a_program_that_the_host_has_is_found() {
        let home = tempfile::tempdir().unwrap();
        let add = |place: &str| {
            let path = home.path().join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path.display().to_string()
        };
        let tool = add(".cargo/bin/surely-a-tool");
        let node = add(".nvm/versions/node/v99/bin/surely-a-node");
        let listed = add("tools/surely-listed");
        let outside = Outside {
            home: Some(home.path().to_owned()),
            path: Some(format!("/usr/bin:/bin:{}/tools", home.path().display())),
        };
        let told = |command: &str| outside.missing_program(command).map(|hint| hint.note);
        for (command, expected) in [
            ("cd sub && surely-a-tool build | tail", Some(tool.clone())),
            ("surely-a-node x", Some(node)),
            ("surely-listed", Some(listed)),
            ("surely-nowhere; ls", None),
            ("true", None),
            ("if", None),
        ] {
            let note = told(command);
            assert_eq!(note.is_some(), expected.is_some(), "{command}: {note:?}");
            let note = note.unwrap_or_default();
            assert!(note.contains(&expected.unwrap_or_default()), "{note}");
        }
        let listed = outside.missing_program("surely-listed").unwrap();
        let flag = format!("--read {}/tools", home.path().display());
        assert_eq!(listed.flag, Some(flag));
    }
}

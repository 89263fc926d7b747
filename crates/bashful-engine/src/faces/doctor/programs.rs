//! Programs of others that Bashful uses, or can use.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bashful_sandbox::{Backend, Host, WrapperError, WrapperProgram, find_wrapper};

use super::trial::Trials;
use super::{Finding, State, mend};

/// What is missing where a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Nothing runs without it.
    Always,
    /// Bashful does one of its jobs better with it.
    Better,
    /// It confines runs where we cannot.
    Backend(Backend),
}

/// One of them.
struct Program {
    name: &'static str,
    package: &'static str,
    need: Need,
    /// What it is for.
    purpose: &'static str,
}

const PROGRAMS: [Program; 5] = [
    Program {
        name: "bash",
        package: "bash",
        need: Need::Always,
        purpose: "runs every command",
    },
    Program {
        name: "git",
        package: "git",
        need: Need::Better,
        purpose: "finds out what belongs to a project",
    },
    Program {
        name: "shellcheck",
        package: "shellcheck",
        need: Need::Better,
        purpose: "finds mistakes in scripts",
    },
    Program {
        name: "bwrap",
        package: "bubblewrap",
        need: Need::Backend(Backend::Bubblewrap),
        purpose: "can confine runs where Bashful alone cannot",
    },
    Program {
        name: "firejail",
        package: "firejail",
        need: Need::Backend(Backend::Firejail),
        purpose: "can confine runs where Bashful alone cannot",
    },
];

/// What a program that confines would be good for here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// We can do without.
    NotNeeded,
    /// It may build where we cannot.
    Welcome,
    /// It could not build either.
    InVain,
}

/// How packages are installed, by the program that does it.
const INSTALLERS: [(&str, &str); 6] = [
    ("/usr/bin/apt-get", "sudo apt-get install"),
    ("/usr/bin/dnf", "sudo dnf install"),
    ("/usr/bin/pacman", "sudo pacman -S"),
    ("/usr/bin/zypper", "sudo zypper install"),
    ("/sbin/apk", "sudo apk add"),
    ("/run/current-system/sw/bin/nix-env", "nix-env -iA nixos."),
];

/// Looks for them: those that confine in trusted places only, the others as a shell does.
pub(super) fn look(search: &str, trials: &Trials, host: &Host) -> Vec<Finding> {
    let use_of = |backend| match (trials.own(), backend) {
        (Ok(()), _) => Use::NotNeeded,
        (Err(_), Backend::Bubblewrap) if !mend::bubblewrap_could_help(host) => Use::InVain,
        (Err(_), _) => Use::Welcome,
    };
    PROGRAMS
        .iter()
        .map(|program| match program.need {
            Need::Backend(backend) => confining(program, find_wrapper(backend), use_of(backend)),
            Need::Always | Need::Better => {
                let places: Vec<PathBuf> = std::env::split_paths(search).collect();
                tell(program, find(program.name, &places))
            }
        })
        .collect()
}

/// A program that confines others: there, trusted, new enough, or why not.
fn confining(
    program: &Program,
    found: Result<WrapperProgram, WrapperError>,
    wanted: Use,
) -> Finding {
    let Program { name, purpose, .. } = program;
    match found {
        Ok(found) => {
            let rights = if found.is_setuid {
                ", and starts with the rights of its owner"
            } else {
                ""
            };
            let (path, version) = (found.path.display(), &found.version);
            let words = format!("{path} ({version}) {purpose}{rights}");
            Finding::new(name, State::Ok, words)
        }
        Err(WrapperError::Missing { .. }) => {
            let why = match wanted {
                Use::NotNeeded => "it is not needed here",
                Use::InVain => "what stops Bashful from building a sandbox stops it too",
                Use::Welcome => return absent(program, State::Weak),
            };
            let words = format!("{name}, which {purpose}, is not installed; {why}");
            Finding::new(name, State::Ok, words)
        }
        Err(error @ WrapperError::Unwilling { .. }) => {
            Finding::new(name, State::Weak, error.to_string()).mended_by([format!(
                "make sure that `{name} --version` works for you; the administrator of this \
                 machine may have to let you use it"
            )])
        }
        Err(error @ WrapperError::TooOld { .. }) => {
            Finding::new(name, State::Weak, error.to_string()).mended_by([install(program.package)])
        }
        Err(error) => Finding::new(name, State::Weak, error.to_string()).mended_by([format!(
            "make sure that {name} belongs to root, that no other user can change it or the \
             directories above it, and that it works; or reinstall it: {}",
            install(program.package)
        )]),
    }
}

fn absent(program: &Program, state: State) -> Finding {
    let Program { name, purpose, .. } = program;
    let words = format!("{name}, which {purpose}, is not installed");
    Finding::new(name, state, words).mended_by([install(program.package)])
}

/// The first of this name that can be executed.
fn find(name: &str, places: &[PathBuf]) -> Option<(PathBuf, Metadata)> {
    let absolute = places.iter().filter(|place| place.is_absolute());
    absolute.map(|place| place.join(name)).find_map(|path| {
        let about = fs::metadata(&path).ok()?;
        (about.is_file() && about.mode() & 0o111 != 0).then_some((path, about))
    })
}

fn tell(program: &Program, found: Option<(PathBuf, Metadata)>) -> Finding {
    let Some((path, _)) = found else {
        return match program.need {
            Need::Always => absent(program, State::Failed),
            Need::Better | Need::Backend(_) => absent(program, State::Weak),
        };
    };
    let words = format!("{} {}", path.display(), program.purpose);
    Finding::new(program.name, State::Ok, words)
}

/// The command that installs a package here.
pub(super) fn install(package: &str) -> String {
    let known = INSTALLERS.iter().find(|(path, _)| Path::new(path).exists());
    match known {
        Some((_, command)) if command.ends_with('.') => format!("{command}{package}"),
        Some((_, command)) => format!("{command} {package}"),
        None => format!("install the package {package}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(name: &str) -> &'static Program {
        PROGRAMS
            .iter()
            .find(|program| program.name == name)
            .unwrap()
    }

    #[test]
    fn what_is_missing_can_be_installed() {
        let told = |finding: Finding| (finding.state, finding.mend.len());
        assert_eq!(told(tell(program("bash"), None)), (State::Failed, 1));
        assert_eq!(told(tell(program("git"), None)), (State::Weak, 1));
        let missing = || Err(WrapperError::Missing { name: "bwrap" });
        let bwrap = |wanted| told(confining(program("bwrap"), missing(), wanted));
        assert_eq!(bwrap(Use::NotNeeded), (State::Ok, 0));
        assert_eq!(bwrap(Use::InVain), (State::Ok, 0));
        assert_eq!(bwrap(Use::Welcome), (State::Weak, 1));
    }

    #[test]
    fn what_cannot_be_trusted_is_told_with_the_reason() {
        let untrusted = WrapperError::Untrusted {
            path: "/usr/bin/bwrap".into(),
            problem: "users other than root can write to `/usr/bin`".to_owned(),
        };
        let finding = confining(program("bwrap"), Err(untrusted), Use::NotNeeded);
        assert_eq!((finding.state, finding.mend.len()), (State::Weak, 1));
        assert!(
            finding.words.contains("users other than root"),
            "{finding:?}"
        );
    }

    #[test]
    fn what_cannot_be_executed_is_not_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("git");
        fs::write(&path, "").unwrap();
        let places = [directory.path().to_owned()];
        assert!(find("git", &places).is_none(), "it cannot be executed");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(find("git", &places).is_some());
        assert!(find("git", &[PathBuf::from(".")]).is_none());
    }
}

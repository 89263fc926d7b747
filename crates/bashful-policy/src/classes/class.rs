//! The names of the classes, with why each is refused and what to do instead.

use std::fmt;
use std::str::FromStr;

use crate::capabilities::nearest;

/// What is refused by default; each is opened by a capability of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Becoming another user.
    Sudo,
    /// Deleting the system, a home directory, or what lies above the workspace.
    DeleteRoot,
    /// Writing disks and other devices, or reading them past their file systems.
    DeviceWrite,
    /// Starting processes without end.
    ForkBomb,
    /// Running what comes from the network, unseen.
    PipeToShell,
    /// Running what was decoded or generated, unseen.
    DecodeToShell,
    /// Giving a shell to the other end of a connection.
    ReverseShell,
    /// Opening files to every user, or changing the owners of the system.
    PermissionsWide,
    /// Writing where nothing may be written.
    WriteOutsideRoots,
    /// Losing commits, branches or changes.
    GitDestructive,
    /// Waiting for a person at a terminal.
    Interactive,
    /// Reading keys, passwords and histories.
    SecretRead,
    /// Writing without end, or more than a disk is for.
    DiskFill,
}

/// A word that names no class.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a class{}", .word.escape_debug(),
    .suggestion.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
)]
pub struct UnknownClass {
    /// What was given.
    pub word: String,
    /// The nearest name that exists.
    pub suggestion: Option<&'static str>,
}

impl Class {
    /// Every class, in the order of their definition.
    pub const ALL: [Self; 13] = [
        Self::Sudo,
        Self::DeleteRoot,
        Self::DeviceWrite,
        Self::ForkBomb,
        Self::PipeToShell,
        Self::DecodeToShell,
        Self::ReverseShell,
        Self::PermissionsWide,
        Self::WriteOutsideRoots,
        Self::GitDestructive,
        Self::Interactive,
        Self::SecretRead,
        Self::DiskFill,
    ];

    /// Its name, which is also that of the capability that opens it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sudo => "sudo",
            Self::DeleteRoot => "delete-root",
            Self::DeviceWrite => "device-write",
            Self::ForkBomb => "fork-bomb",
            Self::PipeToShell => "pipe-to-shell",
            Self::DecodeToShell => "decode-to-shell",
            Self::ReverseShell => "reverse-shell",
            Self::PermissionsWide => "permissions-wide",
            Self::WriteOutsideRoots => "write-outside-roots",
            Self::GitDestructive => "git-destructive",
            Self::Interactive => "interactive",
            Self::SecretRead => "secret-read",
            Self::DiskFill => "disk-fill",
        }
    }

    /// Why it is refused; fits after the command.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Sudo => "runs with the rights of another user",
            Self::DeleteRoot => "deletes the system, a home directory or what holds the workspace",
            Self::DeviceWrite => "reaches a disk or another device directly",
            Self::ForkBomb => "starts processes without end",
            Self::PipeToShell => "runs what comes from the network, unseen",
            Self::DecodeToShell => "runs what was decoded or generated, unseen",
            Self::ReverseShell => "gives a shell to the other end of a connection",
            Self::PermissionsWide => "opens files to everybody or changes who owns the system",
            Self::WriteOutsideRoots => "writes outside of what may be written",
            Self::GitDestructive => "can lose commits, branches or changes for good",
            Self::Interactive => "waits for a person at a terminal",
            Self::SecretRead => "reads keys, passwords or histories",
            Self::DiskFill => "writes without end, or more than a disk has room for",
        }
    }

    /// What to do instead.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Sudo => "run it as yourself, or tell the person which command needs more rights",
            Self::DeleteRoot => "delete only named files inside the workspace",
            Self::DeviceWrite => "write to a file inside the workspace",
            Self::ForkBomb => "start a fixed number of processes, for example with `xargs -P 4`",
            Self::PipeToShell => "download it to a file, read it, then run the file",
            Self::DecodeToShell => "write it to a file, read it, then run the file",
            Self::ReverseShell => "run the command here, without a connection to its input",
            Self::PermissionsWide => {
                "change only the files that need it, inside the workspace, as with `chmod u+w`"
            }
            Self::WriteOutsideRoots => "write inside the workspace",
            Self::GitDestructive => {
                "keep what is there: commit or stash it, make a new branch, or use `git revert`"
            }
            Self::Interactive => {
                "use a form that needs no person: arguments, a script, or input from a file"
            }
            Self::SecretRead => "let the program that owns the secret use it, without reading it",
            Self::DiskFill => "write a bounded amount, for example with `head -c 10M`",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|class| class.as_str() == word);
        found.ok_or_else(|| UnknownClass {
            word: word.to_owned(),
            suggestion: nearest(word, &Self::ALL.map(Self::as_str)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_a_near_miss_is_helped() {
        for class in Class::ALL {
            assert_eq!(class.as_str().parse(), Ok(class));
            assert!(!class.reason().ends_with('.') && !class.advice().ends_with('.'));
        }
        let error = "delete-rot".parse::<Class>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`delete-rot` is not a class: did you mean `delete-root`?"
        );
        assert_eq!("x".parse::<Class>().unwrap_err().suggestion, None);
    }
}

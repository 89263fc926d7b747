//! Why a run cannot be confined as asked.

use std::io;
use std::path::PathBuf;

/// Why a run cannot be confined as asked. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfineError {
    /// A path has no characters.
    #[error("a path in `{key}` is empty")]
    EmptyPath {
        /// The capability that holds it.
        key: &'static str,
    },
    /// A path holds a newline, a NUL byte or the like.
    #[error("the path `{}` holds a control character", path.escape_debug())]
    ControlCharacter {
        /// The path as written, which may hold control characters.
        path: String,
    },
    /// A path is not UTF-8.
    #[error("the path `{}` is not valid UTF-8", path.display())]
    PathNotUtf8 {
        /// The path as the system has it.
        path: PathBuf,
    },
    /// A path begins with `~`, and there is no home.
    #[error("cannot tell what `{written}` in `{key}` means: there is no home directory")]
    NoHome {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
    },
    /// A path begins with the home of another user.
    #[error("`{written}` in `{key}` names the home of another user")]
    OtherHome {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
    },
    /// The real home was asked for, and there is none.
    #[error("the real home was asked for, and there is none")]
    NoRealHome,
    /// A path does not exist.
    #[error("`{written}` in `{key}` does not exist: looked for `{}`", resolved.display())]
    MissingPath {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// Where it was looked for.
        resolved: PathBuf,
    },
    /// A path that a person said yes to leads to another place now.
    #[error("`{written}` in `{key}` was granted under this name, and now leads to `{}` now", resolved.display())]
    LeadsElsewhere {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// Where it leads.
        resolved: PathBuf,
    },
    /// A path in the workspace that leads out of it: a run could have put that link there.
    #[error("`{written}` in `{key}` lies in the workspace, and leads out of it to `{}`", resolved.display())]
    LeadsOut {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// Where it leads.
        resolved: PathBuf,
    },
    /// A path cannot be looked at.
    #[error("cannot look at `{written}` in `{key}`, which is `{}`", resolved.display())]
    UnreadablePath {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// Where it was looked for.
        resolved: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A pattern matches nothing.
    #[error("the pattern `{written}` in `{key}` matches nothing")]
    NoMatch {
        /// The capability that holds the pattern.
        key: &'static str,
        /// The pattern as written.
        written: String,
    },
    /// A pattern has `**` in it, or an unfinished bracket.
    #[error("cannot read the pattern `{written}` in `{key}`: {problem}")]
    BadPattern {
        /// The capability that holds the pattern.
        key: &'static str,
        /// The pattern as written.
        written: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There are more paths than a sandbox should have.
    #[error("there are too many {what}: the limit is {limit}")]
    TooMany {
        /// What there are too many of, in words.
        what: &'static str,
        /// The most there may be.
        limit: usize,
    },
    /// Everything would be readable or writable.
    #[error("`{written}` in `{key}` is the whole file system")]
    WholeFileSystem {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
    },
    /// A system directory would be writable.
    #[error("`{written}` in `{key}` is a system directory: `{}`", resolved.display())]
    SystemDirectory {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// The system directory that it leads to.
        resolved: PathBuf,
    },
    /// A directory of Bashful's own would be writable.
    #[error("`{written}` in `{key}` belongs to Bashful itself: `{}`", resolved.display())]
    OwnDirectory {
        /// The capability that names the path.
        key: &'static str,
        /// The path as written.
        written: String,
        /// The directory of Bashful that it leads to.
        resolved: PathBuf,
    },
    /// The same path is granted and denied.
    #[error("`{granted}` is granted, and `{denied}` is denied: both are or hold `{}`", path.display())]
    Contradiction {
        /// What was granted, as written.
        granted: String,
        /// What was denied, as written.
        denied: String,
        /// What the two have in common.
        path: PathBuf,
    },
    /// The workspace or what holds it is denied.
    #[error("`{written}` is denied, and it is or holds the workspace `{}`", workspace.display())]
    DeniesWorkspace {
        /// What was denied, as written.
        written: String,
        /// The workspace, or the directory in it that the run starts in.
        workspace: PathBuf,
    },
    /// What every program needs is denied.
    #[error("`{written}` is denied, and no program can run without `{}`", resolved.display())]
    DeniesSystem {
        /// What was denied, as written.
        written: String,
        /// The system directory that would be hidden.
        resolved: PathBuf,
    },
    /// A granted path lies in a secret that another granted path shows.
    #[error(
        "`{}` is granted, and it lies in `{}`, which is hidden below another granted path",
        path.display(), secret.display()
    )]
    InsideSecret {
        /// What was granted.
        path: PathBuf,
        /// The secret that it lies in.
        secret: PathBuf,
    },
    /// A directory is too big to be searched for what must not be seen.
    #[error("`{}` has more than {limit} entries: too many to search for {what}", root.display())]
    TooBigToSearch {
        /// The directory at which the search began.
        root: PathBuf,
        /// What was searched for.
        what: &'static str,
        /// How many entries are looked at.
        limit: usize,
    },
    /// A directory could not be searched for what must not be seen.
    #[error("cannot search `{}`", path.display())]
    Search {
        /// The directory that could not be read.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// An allowed command does not exist, or is no program.
    #[error("the allowed command `{}` cannot be used", name.escape_debug())]
    CommandNotFound {
        /// Its name as given.
        name: String,
        /// What was found instead.
        #[source]
        source: bashful_sandbox::ProgramError,
    },
    /// A host of the network cannot be read as one.
    #[error("cannot open the network to a host")]
    Host(#[from] bashful_policy::HostError),
    /// A limit is zero.
    #[error("the limit `resources.{name}` is zero")]
    ZeroLimit {
        /// The name of the limit within `resources`.
        name: &'static str,
    },
    /// A limit is more than this host has.
    #[error("the limit `resources.{name}` is {given}, and this host has {most}")]
    BeyondHost {
        /// The name of the limit within `resources`.
        name: &'static str,
        /// What was asked for.
        given: u64,
        /// The most there can be.
        most: u64,
    },
}

impl ConfineError {
    /// What to do about it, in one sentence.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::LeadsElsewhere { .. } => {
                "it has been replaced by a link since: look at it, then revoke the grant or give another"
            }
            Self::LeadsOut { .. } => {
                "a command in the workspace could have made that link: name the place itself"
            }
            Self::EmptyPath { .. } => "name a file or directory; `.` is the workspace",
            Self::ControlCharacter { .. } | Self::PathNotUtf8 { .. } => {
                "name a directory above it, or rename it"
            }
            Self::NoHome { .. } | Self::NoRealHome => {
                "set HOME, or give a path that begins with `/`"
            }
            Self::OtherHome { .. } => "give the path in full",
            Self::MissingPath { .. } | Self::NoMatch { .. } => {
                "make it first, or leave it out; paths are relative to the workspace"
            }
            Self::UnreadablePath { .. } => "check the rights of the directories above it",
            Self::BadPattern { .. } => "name the directory: that includes everything below it",
            Self::TooMany { .. } => "name directories instead of single files",
            Self::WholeFileSystem { .. } => {
                "name the directories that are needed, or use the preset `full`"
            }
            Self::SystemDirectory { .. } => "name another directory, or use the preset `full`",
            Self::OwnDirectory { .. } => {
                "name another directory: a run must not change its own bounds"
            }
            Self::Contradiction { .. } => "drop one of the two",
            Self::DeniesWorkspace { .. } => "deny what is inside the workspace, or choose another",
            Self::DeniesSystem { .. } => "deny single programs, or list the allowed ones",
            Self::InsideSecret { .. } => {
                "grant the secret itself if that is intended, or a smaller directory than the one above it"
            }
            Self::TooBigToSearch { .. } => "name a smaller directory",
            Self::CommandNotFound { .. } => "check the name, or give the full path",
            Self::Host(_) => "name hosts as in `api.example.com:443`",
            Self::ZeroLimit { .. } => "give a positive number, or leave it out",
            Self::BeyondHost { .. } => "ask for less, or leave it out",
            Self::Search { .. } => return None,
        })
    }

    /// A short name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::EmptyPath { .. } => "empty_path",
            Self::ControlCharacter { .. } => "control_character",
            Self::PathNotUtf8 { .. } => "path_not_utf8",
            Self::NoHome { .. } | Self::NoRealHome => "no_home",
            Self::OtherHome { .. } => "other_home",
            Self::LeadsElsewhere { .. } | Self::LeadsOut { .. } => "leads_elsewhere",
            Self::MissingPath { .. } => "missing_path",
            Self::UnreadablePath { .. } => "unreadable_path",
            Self::NoMatch { .. } => "no_match",
            Self::BadPattern { .. } => "bad_pattern",
            Self::TooMany { .. } => "too_many_paths",
            Self::WholeFileSystem { .. } => "whole_file_system",
            Self::SystemDirectory { .. } => "system_directory",
            Self::OwnDirectory { .. } => "own_directory",
            Self::Contradiction { .. } => "contradiction",
            Self::DeniesWorkspace { .. } => "denies_workspace",
            Self::DeniesSystem { .. } => "denies_system",
            Self::InsideSecret { .. } => "inside_secret",
            Self::TooBigToSearch { .. } => "too_big_to_search",
            Self::Search { .. } => "search",
            Self::CommandNotFound { .. } => "command_not_found",
            Self::Host(_) => "host",
            Self::ZeroLimit { .. } => "zero_limit",
            Self::BeyondHost { .. } => "beyond_host",
        }
    }
}

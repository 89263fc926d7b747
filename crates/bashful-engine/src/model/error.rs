//! What can go wrong before a command runs. Each names the thing and the way out.

pub(crate) mod ask;
pub(crate) mod body;
pub(crate) mod confine;
pub(crate) mod folder;
pub(crate) mod record;
pub(crate) mod script;
pub(crate) mod shell;
pub(crate) mod store;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::error::ask::ApprovalError;
use crate::model::error::record::AuditError;
use crate::model::error::shell::ShellError;
use crate::model::error::store::StoreError;

/// A request that makes no sense as it stands. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidInvocation {
    /// There is no command.
    #[error("the command is empty")]
    Empty,
    /// The command holds a NUL byte.
    #[error("the command holds a NUL byte")]
    NulByte,
    /// The command is too long.
    #[error("the command is too long: {length} bytes, the limit is {limit}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The most bytes that it may have.
        limit: usize,
    },
    /// A task cannot have this name.
    #[error("a task cannot be called `{}`: {reason}", name.escape_debug())]
    TaskName {
        /// The name, shortened.
        name: String,
        /// What is wrong with it, in words.
        reason: &'static str,
    },
    /// Another running task of the agent has this name.
    #[error("the task `{task}` is already running and is called `{name}`")]
    NameTaken {
        /// The name that the caller wanted.
        name: String,
        /// The task that has it.
        task: String,
    },
    /// The agent has as many background tasks as it may have.
    #[error("{most} background tasks of the agent `{}` are already running, and no more may run", agent.escape_debug())]
    TooManyTasks {
        /// The agent whose tasks are already running.
        agent: String,
        /// How many may run.
        most: usize,
    },
    /// A shell has a strange name.
    #[error(
        "`{name}` cannot be the name of a shell: give letters, digits, `.`, `_` and `-`, 64 at most, a letter or digit first"
    )]
    ShellName {
        /// The name as the caller gave it.
        name: String,
    },
    /// The caller wanted to run a program, not bash text, in a shell.
    #[error("only bash text runs in a shell, not a program without one")]
    ShellWithoutBash,
    /// A description is required and there is none.
    #[error("a description is required")]
    NoDescription,
    /// A directory does not exist.
    #[error("the {role} `{}` does not exist", path.display())]
    MissingDirectory {
        /// Which directory it was to be.
        role: &'static str,
        /// The path as given.
        path: PathBuf,
    },
    /// A path that should lead to a directory leads to a file or the like.
    #[error("the {role} `{}` is not a directory", path.display())]
    NotADirectory {
        /// Which directory it was to be.
        role: &'static str,
        /// The path as given.
        path: PathBuf,
    },
    /// A directory cannot be entered.
    #[error("the {role} `{}` cannot be entered", path.display())]
    UnreadableDirectory {
        /// Which directory it was to be.
        role: &'static str,
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The working directory lies outside what is allowed.
    #[error("the working directory `{}` lies outside the workspace `{}`", path.display(), workspace.display())]
    OutsideWorkspace {
        /// Where it really is.
        path: PathBuf,
        /// The workspace that it should lie in.
        workspace: PathBuf,
    },
    /// `/` or the home directory as a workspace that the caller did not name.
    #[error("`{}` would be the workspace, and the caller did not name it", path.display())]
    WorkspaceTooWide {
        /// The directory that the engine would have taken.
        path: PathBuf,
    },
    /// A path is not UTF-8.
    #[error("the path `{}` is not valid UTF-8", path.display())]
    PathNotUtf8 {
        /// The path, which a message can only show in part.
        path: PathBuf,
    },
    /// A variable's name is not a name.
    #[error("`{}` is not a variable name", name.escape_debug())]
    VariableName {
        /// The name as given.
        name: String,
    },
    /// A variable's value holds a NUL byte.
    #[error("the value of the variable `{name}` holds a NUL byte")]
    VariableValue {
        /// The name of the variable; its value is not repeated.
        name: String,
    },
    /// A variable is longer than the kernel takes.
    #[error("the variable `{name}` is too long: {length} bytes, the limit is {limit}")]
    VariableTooLong {
        /// Its name, or the beginning of it.
        name: String,
        /// The length of name and value in bytes.
        length: usize,
        /// The most bytes that they may have together.
        limit: usize,
    },
    /// A variable changes how programs load or start.
    #[error("the variable `{name}` changes how programs load or start, so it is refused")]
    StartupVariable {
        /// The name of the variable that the caller wanted to set.
        name: String,
    },
    /// The timeout is zero.
    #[error("the timeout is zero")]
    ZeroTimeout,
    /// The timeout is longer than allowed.
    #[error("the timeout of {}s is over the limit of {}s", asked.as_secs_f64(), limit.as_secs_f64())]
    TimeoutTooLong {
        /// What was asked.
        asked: Duration,
        /// The longest that the configuration allows.
        limit: Duration,
    },
    /// The output limit is zero.
    #[error("the output limit is zero")]
    ZeroOutput,
    /// Its input comes from a descriptor, and can also be sent.
    #[error("standard input is given twice: from a descriptor, and to be sent while it runs")]
    TwoInputs,
    /// What it is to read first is more than its keeper keeps.
    #[error("the input has {length} bytes, and no more than {limit} can be sent at once")]
    InputTooLong {
        /// How many bytes the caller wanted to send.
        length: usize,
        /// The most bytes that one call may send.
        limit: usize,
    },
    /// The copy of the log cannot be written.
    #[error("the log `{}` cannot be written", path.display())]
    UnwritableLog {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The profile that was asked for does not exist.
    #[error(transparent)]
    UnknownProfile(crate::config::UnknownProfile),
    /// A class that was to be opened does not exist.
    #[error(transparent)]
    UnknownClass(crate::config::UnknownClass),
    /// The program is nowhere to be found.
    #[error("the program `{}` was not found on PATH", program.escape_debug())]
    ProgramNotFound {
        /// Its name as given.
        program: String,
        /// Where the host has it, in one sentence.
        elsewhere: Option<String>,
    },
}

/// Words that bash knows itself, and that are no programs.
const OF_THE_SHELL: [&str; 20] = [
    ".", "[[", "{", "alias", "cd", "declare", "eval", "exec", "export", "for", "if", "popd",
    "pushd", "set", "shopt", "source", "time", "ulimit", "unset", "while",
];

/// Why a run did not happen, or has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The request makes no sense as it stands.
    #[error(transparent)]
    Invalid(#[from] InvalidInvocation),
    /// What happens cannot be put on record, so nothing happens.
    #[error("nothing runs that cannot be recorded")]
    Audit(#[source] AuditError),
    /// The approval queue failed, so that no person can be asked.
    #[error("cannot ask a person")]
    ApprovalQueue(#[source] ApprovalError),
    /// The script of the request was changed while a person was asked about it.
    #[error("the script `{name}` was changed in the meantime; look at it and try again")]
    ScriptChanged {
        /// The name of the script that was changed.
        name: String,
    },
    /// The caller of the request is gone, so nothing was started.
    #[error("the request was given up before it was answered")]
    Abandoned,
    /// There is no bash.
    #[error("cannot find `bash` on PATH (`{path}`)")]
    NoBash {
        /// The PATH that was searched.
        path: String,
    },
    /// No executable can serve as keeper.
    #[error("cannot find a keeper: looked for {}", looked.join(", "))]
    NoHelper {
        /// Where it was looked for.
        looked: Vec<String>,
    },
    /// The keeper is of another version.
    #[error("the keeper `{}` is version {found}, this is version {expected}", path.display())]
    HelperVersion {
        /// The executable or socket.
        path: PathBuf,
        /// The version that the keeper says it has.
        found: String,
        /// The version of this engine, which the keeper must have too.
        expected: String,
    },
    /// The helper is no keeper.
    #[error("`{}` did not answer as a keeper", path.display())]
    HelperMute {
        /// The executable that should have answered as a keeper.
        path: PathBuf,
        /// What happened instead.
        #[source]
        source: io::Error,
    },
    /// The helper could not be started.
    #[error("cannot start the keeper `{}`", path.display())]
    HelperStart {
        /// The executable that the engine tried to start.
        path: PathBuf,
        /// What went wrong at the start.
        #[source]
        source: bashful_sandbox::LaunchError,
    },
    /// Neither `HOME` nor the XDG variables say where state belongs.
    #[error("cannot tell where to keep state: neither HOME nor XDG_STATE_HOME is set")]
    NoHome,
    /// The state directory cannot be written.
    #[error("cannot write to `{}`", path.display())]
    StateDirectory {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The disk is full.
    #[error("no space is left for `{}`", path.display())]
    DiskFull {
        /// The file or directory.
        path: PathBuf,
    },
    /// A directory that must be private is not.
    #[error("`{}` is not a private directory of this user", path.display())]
    NotPrivate {
        /// The directory that is not private.
        path: PathBuf,
    },
    /// The program could not be executed.
    #[error("cannot execute `{}`", program.display())]
    Execute {
        /// The program that the kernel would not execute.
        program: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// The system had no process, descriptor or memory to give.
    #[error("the system could not provide {what}")]
    Resources {
        /// What was missing.
        what: String,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Too much is to be done at once: nothing was started.
    #[error("the machine is busy, and the command was not started: {what}")]
    Busy {
        /// What took too long.
        what: String,
    },
    /// The keeper went away in the middle of a conversation.
    #[error("the keeper went away")]
    KeeperGone,
    /// The log of a run cannot be read.
    #[error("cannot read the log of `{task}`")]
    Log {
        /// The id of the task whose log it is.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A permission profile was malformed.
    #[error(transparent)]
    Profile(#[from] bashful_policy::ProfileError),
    /// The shell that it was to run in cannot be used.
    #[error(transparent)]
    Shell(#[from] crate::model::error::shell::ShellError),
    /// The run cannot be confined as asked.
    #[error(transparent)]
    Confine(#[from] crate::model::error::confine::ConfineError),
    /// The administrator does not give what was asked for.
    #[error(transparent)]
    PassesAdmin(#[from] crate::config::PassesAdmin),
    /// This host cannot enforce what must be.
    #[error("{what}")]
    Unenforceable {
        /// What, and why.
        what: String,
        /// The protections that fall short of what the profile demands.
        short: Vec<bashful_sandbox::Protection>,
    },
    /// The sandbox could not be built or entered.
    #[error("{what}")]
    Sandbox {
        /// The step that failed.
        what: String,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
}

impl EngineError {
    /// What to do about it, in one sentence.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Invalid(invalid) => return invalid.hint(),
            Self::NoBash { .. } => "install bash, or set PATH so that it can be found",
            Self::NoHelper { .. } => {
                "call `bashful_engine::init()` first in `main`, or put the `bashful` executable beside this one or on PATH"
            }
            Self::HelperVersion { .. } => {
                "install the same version of `bashful`, or name another with `EngineBuilder::helper`"
            }
            Self::HelperMute { .. } => "check that this is the `bashful` executable",
            Self::HelperStart { .. } => "check that the file exists and may be executed",
            Self::NoHome => "set HOME",
            Self::Audit(AuditError::Damaged { .. }) => {
                "`bashful audit verify` says more; to go on, move the trail aside and keep it: the next record will say that it is missing"
            }
            Self::Audit(_) => {
                "make sure that only you can write to the state directory; `bashful audit verify` says what is wrong with the trail"
            }
            Self::ApprovalQueue(ApprovalError::Store(StoreError::Locked { .. })) => {
                "another process is using it; try again when that process is done"
            }
            Self::DiskFull { .. }
            | Self::ApprovalQueue(ApprovalError::Store(StoreError::Full { .. })) => {
                "free some space, or set XDG_STATE_HOME to another disk"
            }
            Self::ApprovalQueue(_) => {
                "`bashful doctor` says what is wrong with the database; `bashful doctor --repair` rebuilds it"
            }
            Self::StateDirectory { .. } => {
                "make the directory writable for this user, or set XDG_STATE_HOME to another place"
            }
            Self::NotPrivate { .. } => "remove it, or set XDG_RUNTIME_DIR to a private directory",
            Self::Confine(error) => return error.hint().map(str::to_owned),
            Self::PassesAdmin(_) => "ask for less, or talk to the administrator of this machine",
            Self::Unenforceable { short, .. } => return Some(without(short)),
            Self::Sandbox { .. } => {
                "run `bashful doctor` to see what this host offers; if all is well there, a new room may help (`--fresh`, or another session)"
            }
            Self::Execute { .. } => {
                "check that it is there and may be executed; in the sandbox, that it lies in a readable root (`--read`)"
            }
            Self::Shell(error) => return error.hint().map(str::to_owned),
            Self::Busy { .. } => "start fewer commands at once, or try again later",
            Self::Resources { .. } => {
                "end some processes, or raise the limits on processes and open files"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A short name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Invalid(invalid) => invalid.kind(),
            Self::NoBash { .. } => "no_bash",
            Self::NoHelper { .. } => "no_helper",
            Self::HelperVersion { .. } => "helper_version",
            Self::HelperMute { .. } => "helper_mute",
            Self::HelperStart { .. } => "helper_start",
            Self::NoHome => "no_home",
            Self::Audit(_) => "audit",
            Self::ApprovalQueue(_) => "approvals",
            Self::ScriptChanged { .. } => "changed",
            Self::Abandoned => "abandoned",
            Self::StateDirectory { .. } => "state_directory",
            Self::DiskFull { .. } => "disk_full",
            Self::NotPrivate { .. } => "not_private",
            Self::Execute { .. } => "execute",
            Self::Resources { .. } => "resources",
            Self::Busy { .. } => "busy",
            Self::KeeperGone => "keeper_gone",
            Self::Log { .. } => "log",
            Self::Profile(_) => "profile",
            Self::Shell(error) => error.kind(),
            Self::Confine(error) => error.kind(),
            Self::PassesAdmin(_) => "passes_admin",
            Self::Unenforceable { .. } => "unenforceable",
            Self::Sandbox { .. } => "sandbox",
        }
    }

    /// Whether the caller can mend it by asking differently.
    pub fn is_invalid_input(&self) -> bool {
        matches!(
            self,
            Self::Invalid(_)
                | Self::Profile(_)
                | Self::Confine(_)
                | Self::PassesAdmin(_)
                | Self::ScriptChanged { .. }
                | Self::Shell(ShellError::NoSession | ShellError::Unknown { .. })
        )
    }
}

/// What to do about protections that fall short.
fn without(short: &[bashful_sandbox::Protection]) -> String {
    let look = "run `bashful doctor` to see what this host offers and what lets a stronger \
                backend work";
    match going_without(short) {
        None => look.to_owned(),
        Some(advice) => format!("{look}; {advice}"),
    }
}

/// How to do without these protections; none where there are none to do without.
pub(crate) fn going_without(short: &[bashful_sandbox::Protection]) -> Option<String> {
    let words: Vec<String> = short
        .iter()
        .map(|one| format!("`{}`", one.as_str()))
        .collect();
    let kept = if short.contains(&bashful_sandbox::Protection::Resources) {
        ""
    } else {
        " (`resources` is, unless you set another list)"
    };
    (!words.is_empty()).then(|| {
        format!(
            "to go without, add {} to `optional` in the profile, next to what is already there{kept}: \
             `[profile.default]` in `~/.config/bashful/config.toml`, unless you use another",
            words.join(", ")
        )
    })
}

impl From<AuditError> for EngineError {
    /// Where the place is at fault, it is told as everywhere.
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Failed { path, source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    Self::DiskFull { path }
                }
                _ => Self::StateDirectory { path, source },
            },
            other => Self::Audit(other),
        }
    }
}

impl From<ApprovalError> for EngineError {
    /// What cannot be put on record is told as everywhere.
    fn from(error: ApprovalError) -> Self {
        match error {
            ApprovalError::Audit(error) | ApprovalError::Store(StoreError::Unrecorded(error)) => {
                error.into()
            }
            other => Self::ApprovalQueue(other),
        }
    }
}

impl InvalidInvocation {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Empty => "give a command to run",
            Self::NulByte | Self::VariableValue { .. } => {
                "no program can receive a NUL byte: write it to a file or use printf '\\0'"
            }
            Self::TooLong { .. } => "write the text to a file in the workspace and run that",
            Self::VariableTooLong { .. } => "write the value to a file in the workspace",
            Self::TaskName { .. } => "choose a name such as `dev-server`",
            Self::NameTaken { name, task } => {
                return Some(format!(
                    "use it (`bashful logs {name}`), end it (`bashful kill {task}`), or choose another name"
                ));
            }
            Self::TooManyTasks { .. } => {
                "`bashful tasks` lists them: end some with `bashful kill`, or raise `tasks.per_agent` in the configuration"
            }
            Self::NoDescription => "say in a few words what the command is for",
            Self::MissingDirectory { .. } => "make it first, or name another",
            Self::OutsideWorkspace { .. } => {
                "use a directory inside the workspace, or name another workspace"
            }
            Self::WorkspaceTooWide { .. } => {
                "go to a project directory, or name the workspace if you really mean this one"
            }
            Self::VariableName { .. } => {
                "a name has letters, digits and underscores, and does not begin with a digit"
            }
            Self::StartupVariable { .. } => {
                "opt in explicitly if you really mean this (on the command line: --allow-startup-env)"
            }
            Self::ZeroTimeout => "give a positive time, such as 90s",
            Self::TimeoutTooLong { .. } => {
                "ask for less, or raise `limits.max_timeout` in the configuration"
            }
            Self::ZeroOutput => "give a positive number of characters",
            Self::TwoInputs => "give one of the two",
            Self::InputTooLong { .. } => "give it as a file, or send it in pieces",
            Self::ProgramNotFound {
                elsewhere: Some(there),
                ..
            } => return Some(there.clone()),
            Self::ProgramNotFound { program, .. } if OF_THE_SHELL.contains(&program.as_str()) => {
                "that is the shell's: give the whole as one text, in quotes"
            }
            Self::ProgramNotFound { .. } => "check the name, or give the full path",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A short name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "empty_command",
            Self::ShellName { .. } => "shell_name",
            Self::ShellWithoutBash => "shell_without_bash",
            Self::NulByte => "nul_byte",
            Self::TooLong { .. } => "command_too_long",
            Self::TaskName { .. } => "task_name",
            Self::NameTaken { .. } => "name_taken",
            Self::TooManyTasks { .. } => "too_many_tasks",
            Self::NoDescription => "description_required",
            Self::MissingDirectory { .. } => "missing_directory",
            Self::NotADirectory { .. } => "not_a_directory",
            Self::UnreadableDirectory { .. } => "unreadable_directory",
            Self::OutsideWorkspace { .. } => "outside_workspace",
            Self::WorkspaceTooWide { .. } => "workspace_too_wide",
            Self::PathNotUtf8 { .. } => "path_not_utf8",
            Self::VariableName { .. } => "variable_name",
            Self::VariableValue { .. } => "variable_value",
            Self::VariableTooLong { .. } => "variable_too_long",
            Self::StartupVariable { .. } => "startup_variable",
            Self::ZeroTimeout => "zero_timeout",
            Self::TimeoutTooLong { .. } => "timeout_too_long",
            Self::ZeroOutput => "zero_output",
            Self::TwoInputs => "two_inputs",
            Self::InputTooLong { .. } => "input_too_long",
            Self::UnwritableLog { .. } => "unwritable_log",
            Self::UnknownProfile(_) => "unknown_profile",
            Self::UnknownClass(_) => "unknown_class",
            Self::ProgramNotFound { .. } => "program_not_found",
        }
    }
}

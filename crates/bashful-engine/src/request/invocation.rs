//! An invocation: one request to run a command or a script.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bashful_keeper::TerminalSize;
use bashful_policy::PermissionProfile;
use bashful_sandbox::Reporting;

use crate::config::{HomeMode, OnLogFull, Survivors, Wish};
use crate::model::error::InvalidInvocation;
use crate::model::output::OutputLimit;
use crate::request::script::call::ScriptCall;

/// The longest command that is run, in bytes.
pub const MAX_COMMAND_BYTES: usize = bashful_policy::MAX_COMMAND_BYTES;

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Text for `bash --noprofile --norc`.
    Bash(String),
    /// A program with its arguments, without a shell.
    Program {
        /// A name to be found on `PATH`, or a path.
        program: String,
        /// Its arguments, without the program's own name.
        arguments: Vec<String>,
    },
}

impl Action {
    /// The action as a person would type it.
    pub fn as_command(&self) -> String {
        match self {
            Self::Bash(text) => text.clone(),
            Self::Program { program, arguments } => {
                let words = std::iter::once(program).chain(arguments);
                let plain = |word: &String| {
                    !word.is_empty()
                        && word
                            .chars()
                            .all(|c| c.is_alphanumeric() || "-_./=:,@%+".contains(c))
                };
                let shown = words.map(|word| {
                    if plain(word) {
                        word.clone()
                    } else {
                        bashful_policy::escape_arg(word)
                    }
                });
                shown.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The text that is judged: a program without a shell as the command line that would start it.
    pub(crate) fn judged_text(&self) -> String {
        match self {
            Self::Bash(text) => text.clone(),
            Self::Program { program, arguments } => {
                bashful_policy::build_safe_command(program, arguments)
            }
        }
    }

    /// Whether it is judged so fast that the caller's thread can wait for it.
    pub(crate) fn is_short(&self) -> bool {
        const SHORT: usize = 16 << 10;
        match self {
            Self::Bash(text) => text.len() <= SHORT,
            Self::Program { arguments, .. } => {
                arguments.iter().map(String::len).sum::<usize>() <= SHORT
            }
        }
    }

    /// What it begins with: enough to tell what was asked.
    pub(crate) fn beginning(&self) -> String {
        const ENOUGH: usize = 2_000;
        let text = match self {
            Self::Bash(text) => text,
            Self::Program { program, .. } => program,
        };
        text.chars().take(ENOUGH).collect()
    }

    /// What runs, as the first part of a task's id.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Bash(_) | Self::Program { .. } => "bash",
        }
    }

    pub(crate) fn check(&self) -> Result<(), InvalidInvocation> {
        let (words, blank): (Vec<&str>, bool) = match self {
            Self::Bash(text) => (vec![text], text.trim().is_empty()),
            Self::Program { program, arguments } => {
                let words = std::iter::once(program)
                    .chain(arguments)
                    .map(String::as_str);
                (words.collect(), program.trim().is_empty())
            }
        };
        if blank {
            return Err(InvalidInvocation::Empty);
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(InvalidInvocation::NulByte);
        }
        let length = words.iter().map(|word| word.len()).sum();
        if length > MAX_COMMAND_BYTES {
            return Err(InvalidInvocation::TooLong {
                length,
                limit: MAX_COMMAND_BYTES,
            });
        }
        Ok(())
    }
}

/// What a run reads on its standard input.
#[derive(Debug, Default)]
pub enum Stdin {
    /// Nothing: it is at its end from the start.
    #[default]
    Closed,
    /// These bytes, and then the end.
    Bytes(Vec<u8>),
    /// What this descriptor gives.
    Descriptor(std::os::fd::OwnedFd),
}

/// How long a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// As long as the engine's limits say.
    Default,
    /// This long, if the engine's limits allow it.
    After(Duration),
    /// The engine sets it no limit of time.
    Never,
}

/// What happens to a run at its timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnTimeout {
    /// It is ended.
    #[default]
    Kill,
    /// It goes on in the background: see [`Run::wait_or_let_go`](crate::run::running::Run::wait_or_let_go).
    Background,
}

/// What a run gets from the caller's environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherit {
    /// The short list of harmless variables.
    AllowList,
    /// Nothing at all; only what was injected.
    Nothing,
}

/// One request to run a command or a script. Who asks is set on the engine, not here.
#[derive(Debug)]
pub struct Invocation {
    pub(crate) action: Action,
    pub(crate) description: Option<String>,
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) inherit: Inherit,
    pub(crate) startup_variables: bool,
    pub(crate) timeout: Timeout,
    pub(crate) warn_after: Option<Duration>,
    pub(crate) stdin: Stdin,
    pub(crate) output: Option<OutputLimit>,
    pub(crate) log_quota: Option<u64>,
    pub(crate) on_log_full: Option<OnLogFull>,
    pub(crate) log_copy: Option<PathBuf>,
    pub(crate) survivors: Option<Survivors>,
    pub(crate) operation_id: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) profile: Option<PermissionProfile>,
    pub(crate) attachment: Attachment,
    pub(crate) on_timeout: OnTimeout,
    pub(crate) name: Option<String>,
    pub(crate) wish: Option<Wish>,
    /// What its home is unless a profile or the wish says something else.
    pub(crate) usual_home: Option<HomeMode>,
    pub(crate) fresh: bool,
    pub(crate) reporting: Reporting,
    pub(crate) input_mode: InputMode,
    pub(crate) shell: Option<String>,
    /// The managed script that it runs; its action is then the text that is judged.
    pub(crate) script: Option<Arc<ScriptCall>>,
}

/// How long a caller waits for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// To its end.
    ToTheEnd,
    /// For as long as the caller likes; then it goes on.
    ForAWhile,
    /// No caller does: it is detached.
    Nobody,
}

/// How a run can be talked to while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputMode {
    /// Not at all.
    Apart,
    /// Its standard input stays open.
    OpenInput,
    /// It sits at a terminal.
    Terminal(TerminalSize),
}

impl InputMode {
    /// Its terminal, if it has one.
    pub(crate) fn terminal(self) -> Option<TerminalSize> {
        match self {
            Self::Terminal(size) => Some(size),
            Self::Apart | Self::OpenInput => None,
        }
    }
}

impl Invocation {
    /// A request to run this action with the engine's defaults.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            description: None,
            workspace: None,
            roots: Vec::new(),
            cwd: None,
            variables: Vec::new(),
            inherit: Inherit::AllowList,
            startup_variables: false,
            timeout: Timeout::Default,
            warn_after: None,
            stdin: Stdin::Closed,
            output: None,
            log_quota: None,
            on_log_full: None,
            log_copy: None,
            survivors: None,
            operation_id: None,
            agent: None,
            profile: None,
            attachment: Attachment::ToTheEnd,
            on_timeout: OnTimeout::Kill,
            name: None,
            wish: None,
            usual_home: None,
            fresh: false,
            reporting: Reporting::default(),
            input_mode: InputMode::Apart,
            shell: None,
            script: None,
        }
    }

    /// A request to run this bash text.
    pub fn bash(command: impl Into<String>) -> Self {
        Self::new(Action::Bash(command.into()))
    }

    /// A request to run this program without a shell.
    pub fn program<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self::new(Action::Program {
            program: program.into(),
            arguments,
        })
    }

    /// What it is for, in the caller's words.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// What is reported of what it runs into.
    #[must_use]
    pub fn reporting(mut self, reporting: Reporting) -> Self {
        self.reporting = reporting;
        self
    }

    /// The writable root, instead of the engine's.
    #[must_use]
    pub fn workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// Another root that the working directory may lie in.
    #[must_use]
    pub fn allowed_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// The working directory; it must lie inside the workspace.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Injects a variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// What comes from the caller's environment.
    #[must_use]
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        self.inherit = inherit;
        self
    }

    /// Accepts injected variables that change how programs load or start, such as
    /// `LD_PRELOAD` or `BASH_ENV`.
    #[must_use]
    pub fn allow_startup_variables(mut self) -> Self {
        self.startup_variables = true;
        self
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = timeout;
        self
    }

    /// When an event says that it takes long; it goes on.
    #[must_use]
    pub fn warn_after(mut self, delay: Duration) -> Self {
        self.warn_after = Some(delay);
        self
    }

    /// What it reads.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// How much of its output the result holds.
    #[must_use]
    pub fn output(mut self, limit: OutputLimit) -> Self {
        self.output = Some(limit);
        self
    }

    /// How many bytes of output go to disk, and what happens then.
    #[must_use]
    pub fn log_quota(mut self, bytes: u64, on_full: OnLogFull) -> Self {
        self.log_quota = Some(bytes);
        self.on_log_full = Some(on_full);
        self
    }

    /// Writes a second copy of the log to this file.
    #[must_use]
    pub fn log_copy(mut self, path: impl Into<PathBuf>) -> Self {
        self.log_copy = Some(path.into());
        self
    }

    /// What happens to processes it leaves behind.
    #[must_use]
    pub fn survivors(mut self, policy: Survivors) -> Self {
        self.survivors = Some(policy);
        self
    }

    /// The caller's name for this operation.
    #[must_use]
    pub fn operation_id(mut self, id: impl Into<String>) -> Self {
        self.operation_id = Some(id.into());
        self
    }

    /// Who asks, when one engine serves several agents. Set it from who is
    /// connected, never from what a model says.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// The permission profile that is asked before it runs.
    #[must_use]
    pub fn profile(mut self, profile: PermissionProfile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// What it asks for on top of its agent's profile, instead of the engine's wish.
    #[must_use]
    pub fn wish(mut self, wish: Wish) -> Self {
        self.wish = Some(wish);
        self
    }

    /// What its home is where neither the wish nor a file says so.
    pub(crate) fn usual_home(mut self, home: HomeMode) -> Self {
        self.usual_home = Some(home);
        self
    }

    /// Runs it in a room of its own, which goes with it.
    #[must_use]
    pub fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// Gives it a terminal of this size: its input, its output and its errors. Everything it
    /// prints is then standard output, and input can be sent to it while it runs, see
    /// [`crate::Task::send`]. What was set as [`Stdin::Bytes`] is typed first.
    #[must_use]
    pub fn terminal(mut self, size: TerminalSize) -> Self {
        self.input_mode = InputMode::Terminal(size);
        self
    }

    /// Keeps its standard input open, so that input can be sent to it while it runs; instead of
    /// a terminal. What was set as [`Stdin::Bytes`] is sent first.
    #[must_use]
    pub fn keep_input(mut self) -> Self {
        self.input_mode = InputMode::OpenInput;
        self
    }

    /// What happens at its timeout.
    #[must_use]
    pub fn on_timeout(mut self, what: OnTimeout) -> Self {
        self.on_timeout = what;
        self
    }

    /// A name that may be used instead of the task's id. No other running task of the agent may
    /// have it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The caller that waits for it may stop doing so.
    pub(crate) fn may_be_let_go(mut self) -> Self {
        if self.attachment == Attachment::ToTheEnd {
            self.attachment = Attachment::ForAWhile;
        }
        self
    }

    /// Whether it needs a place among the background tasks from the start: because it is one, or
    /// because it may be let go at a question, which no caller answers that waits for its end.
    pub(crate) fn needs_place(&self) -> bool {
        let in_background = match self.attachment {
            Attachment::ToTheEnd => false,
            Attachment::ForAWhile => matches!(self.input_mode, InputMode::Terminal(_)),
            Attachment::Nobody => true,
        };
        in_background || self.on_timeout == OnTimeout::Background || self.name.is_some()
    }

    /// Whether it may go on when no caller waits for it any more.
    pub(crate) fn may_be_left(&self) -> bool {
        self.needs_place() || self.attachment == Attachment::ForAWhile
    }

    /// Runs it in the shell of this name, which lasts from call to call as long as the session:
    /// its directory, variables, functions, aliases, options and mask. Calls in one shell wait
    /// for each other. A call that is detached loads the state and saves none.
    #[must_use]
    pub fn shell(mut self, name: impl Into<String>) -> Self {
        self.shell = Some(name.into());
        self
    }

    /// Lets it outlive the engine and this process.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.attachment = Attachment::Nobody;
        self
    }
}

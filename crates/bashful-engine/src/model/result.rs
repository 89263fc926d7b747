//! The result of a run: the same object for every front end.
//!
//! The names in JSON are a contract; a field that does not apply is absent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::{Ending, Fate, LogEnd, State, TaskDirectory};
use bashful_policy::{Decision, Effect};
use bashful_sandbox::{Hint, Level, Lookout, Violation};
use serde::{Serialize, Serializer};

use crate::model::approval::Approval;
use crate::model::connections::{Connected, NetworkUse, joined, together};
use crate::model::grant::remembered;
use crate::model::output::Captured;
use crate::model::remedy::{hints_with_flags, with_flags};
use crate::model::shell_state::ShellOutcome;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran and exited with 0.
    Success,
    /// It ran and exited with 1 to 127.
    SoftFailure,
    /// It ran and exited with 128 or more, or a signal ended it.
    HardFailure,
    /// It was ended at its limit.
    TimedOut,
    /// It was ended because a caller or a person asked for it, or no caller waited any more.
    Cancelled,
    /// It was refused and did not run.
    Denied,
    /// It waits for a person's answer and did not run.
    NeedsApproval,
    /// It ran, and a check on it failed.
    RequirementFailed,
    /// Bashful itself failed.
    Broken,
}

impl Status {
    /// How a task with this last record ended.
    pub(crate) fn of(state: &State) -> Self {
        match state.ending {
            Some(Ending::TimedOut) => Self::TimedOut,
            Some(
                Ending::Cancelled
                | Ending::CallerGone
                | Ending::KeeperStopped
                | Ending::DirectoryRemoved,
            ) => Self::Cancelled,
            _ => match classify(state) {
                ExitClass::Success => Self::Success,
                ExitClass::SoftFailure => Self::SoftFailure,
                ExitClass::HardFailure => Self::HardFailure,
            },
        }
    }

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::SoftFailure => "soft_failure",
            Self::HardFailure => "hard_failure",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
            Self::NeedsApproval => "needs_approval",
            Self::RequirementFailed => "requirement_failed",
            Self::Broken => "broken",
        }
    }
}

/// What an exit code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitClass {
    /// Exit code 0.
    Success,
    /// 1 to 127: a list of actions goes on.
    SoftFailure,
    /// 128 and above, a signal, a timeout, a cancel: a list of actions stops.
    HardFailure,
}

/// What the kernel really enforced for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Enforcement {
    /// What enforced it.
    pub backend: &'static str,
    /// Reading and writing files.
    pub filesystem: Level,
    /// Reaching the network.
    pub network: Level,
    /// Which programs run.
    pub commands: Level,
    /// Seeing and touching other processes.
    pub processes: Level,
    /// Memory, processor and the like.
    pub resources: Level,
    /// Who the run is.
    pub identity: Level,
}

impl Enforcement {
    /// Nothing is enforced.
    pub const NONE: Self = Self {
        backend: "none",
        filesystem: Level::None,
        network: Level::None,
        commands: Level::None,
        processes: Level::None,
        resources: Level::None,
        identity: Level::None,
    };

    /// What a sandbox enforced, or nothing without one.
    pub(crate) fn of(applied: Option<bashful_sandbox::Enforcement>) -> Self {
        applied.map_or(Self::NONE, |applied| Self {
            backend: applied.backend.as_str(),
            filesystem: applied.filesystem,
            network: applied.network,
            commands: applied.commands,
            processes: applied.processes,
            resources: applied.resources,
            identity: applied.identity,
        })
    }
}

/// A process that outlived the command that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its command line, shortened.
    pub command: String,
    /// `killed`, `adopted`, or `unreachable`.
    pub fate: &'static str,
    /// The task that has it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RunUsage {
    /// User and system time of all its processes that were waited for.
    pub cpu_ms: u64,
    /// The peak of the largest of its processes.
    pub max_rss_kib: u64,
}

/// How a request to run a command or a script ended.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of its own in a shape that others read"
)]
pub struct ExecutionResult {
    /// The version of this shape.
    pub v: u32,
    /// How it ended.
    pub status: Status,
    /// Whether that is success.
    pub success: bool,
    /// The command as asked.
    pub command: String,
    /// What it was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its exit code; absent when a signal ended it or it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// What the ending means for a list of actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<ExitClass>,
    /// What it printed, within the limit.
    pub stdout: String,
    /// What it printed on standard error, within the limit.
    pub stderr: String,
    /// Whether one of the two was cut.
    pub truncated: bool,
    /// How many bytes it printed in all.
    pub stdout_bytes: u64,
    /// How many bytes it printed on standard error in all.
    pub stderr_bytes: u64,
    /// The complete log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<PathBuf>,
    /// Why the log has less than was printed: `quota` or `write_failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_end: Option<&'static str>,
    /// It ran, and its end could not be recorded, or not yet: only this result says how it ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
    /// How long it ran.
    #[serde(rename = "duration_ms", serialize_with = "as_millis")]
    pub duration: Duration,
    /// Whether it was ended at its limit.
    pub timed_out: bool,
    /// It took longer than was thought: `timeout_seconds` of a script, `--warn-after`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub slow: bool,
    /// The managed script that it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Box<RanScript>>,
    /// The id of the task; absent where no task was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The caller's name for this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The agent that asked for the run.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// In which shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// What became of the shell's state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_state: Option<ShellOutcome>,
    /// Why the state was kept, or the shell began elsewhere than it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_note: Option<String>,
    /// How long other calls had the shell before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_waited_ms: Option<u64>,
    /// What the policy said about it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_decision"
    )]
    pub decision: Option<Decision>,
    /// The ask that a person was put, and how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// What the kernel enforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// What the sandbox stopped or held back, as the kernel or the keeper saw it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandbox_violations: Vec<Violation>,
    /// The same of a script of which nothing was stopped: who runs scripts finds the list in every
    /// result, also an empty one.
    #[serde(rename = "sandbox_violations", skip_serializing_if = "Option::is_none")]
    pub(crate) nothing_stopped: Option<[(); 0]>,
    /// What it may have run into, guessed from how it ended: no violations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandbox_hints: Vec<Hint>,
    /// The hosts that it reached by name, or wanted to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkUse>,
    /// Each of these connections, for the record.
    #[serde(skip)]
    pub(crate) connections: Vec<Connected>,
    /// What this run does without, because the backend that holds it has no means for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandbox_notes: Vec<String>,
    /// What was looked at to find violations; absent without a sandbox.
    #[serde(skip)]
    pub watched: Option<Lookout>,
    /// Processes that outlived it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<Survivor>,
    /// What it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<RunUsage>,
    /// What went wrong on our side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of the signal that ended it.
    #[serde(skip)]
    pub signal_number: Option<i32>,
    /// The bytes of standard output where they are not UTF-8.
    #[serde(skip)]
    pub(crate) stdout_raw: Option<Vec<u8>>,
    /// The bytes of standard error where they are not UTF-8.
    #[serde(skip)]
    pub(crate) stderr_raw: Option<Vec<u8>>,
}

/// Which managed script a run was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RanScript {
    /// Its id, which stays when the script is renamed.
    pub id: String,
    /// Its name when it was run.
    pub name: String,
    /// SHA-256 of its text.
    pub content_hash: String,
}

/// Who asked for what: the part of a result that is known from the start.
#[derive(Debug, Clone)]
pub(crate) struct RequestInfo {
    pub(crate) command: String,
    pub(crate) description: Option<String>,
    pub(crate) operation_id: Option<String>,
    pub(crate) agent: String,
    pub(crate) session: String,
    /// What the policy said, once it was asked.
    pub(crate) decision: Option<Decision>,
    /// What a person was asked.
    pub(crate) approval: Option<Approval>,
    /// What is not enforced, once it is known who enforces.
    pub(crate) sandbox_notes: Vec<String>,
    /// After which time it counts as slow.
    pub(crate) warn_after: Option<Duration>,
    /// The managed script that it is.
    pub(crate) script: Option<Box<RanScript>>,
}

impl RequestInfo {
    /// The request info of a run of which nothing else is known.
    pub(crate) fn bare(agent: String, session: String) -> Self {
        Self {
            command: String::new(),
            description: None,
            operation_id: None,
            agent,
            session,
            decision: None,
            approval: None,
            sandbox_notes: Vec::new(),
            warn_after: None,
            script: None,
        }
    }
}

impl ExecutionResult {
    fn blank(info: RequestInfo, status: Status) -> Self {
        Self {
            slow: false,
            nothing_stopped: info.script.is_some().then_some([]),
            script: info.script,
            v: 1,
            status,
            success: status == Status::Success,
            command: info.command,
            description: info.description,
            exit_code: None,
            signal: None,
            exit_status: None,
            stdout: String::new(),
            stderr: String::new(),
            truncated: false,
            stdout_bytes: 0,
            stderr_bytes: 0,
            output_file: None,
            log_end: None,
            unrecorded: false,
            duration: Duration::ZERO,
            timed_out: false,
            task_id: None,
            operation_id: info.operation_id,
            agent: info.agent,
            session: info.session,
            shell: None,
            shell_state: None,
            shell_note: None,
            shell_waited_ms: None,
            decision: info.decision,
            approval: info.approval,
            enforcement: None,
            sandbox_violations: Vec::new(),
            sandbox_hints: Vec::new(),
            network: Vec::new(),
            connections: Vec::new(),
            sandbox_notes: info.sandbox_notes,
            watched: None,
            survivors: Vec::new(),
            usage: None,
            error: None,
            signal_number: None,
            stdout_raw: None,
            stderr_raw: None,
        }
    }

    /// A request that the policy did not allow.
    pub(crate) fn not_allowed(info: RequestInfo) -> Self {
        let status = match info.decision.as_ref().map(|decision| decision.effect) {
            Some(Effect::Ask) => Status::NeedsApproval,
            _ => Status::Denied,
        };
        Self::blank(info, status)
    }

    /// A run whose keeper died: what is known of it.
    pub(crate) fn lost(info: RequestInfo, task_id: String, output_file: PathBuf) -> Self {
        let error = "the keeper of this run died, and the run with it; how far it got is not known";
        Self {
            task_id: Some(task_id),
            output_file: Some(output_file),
            exit_status: Some(ExitClass::HardFailure),
            error: Some(error.to_owned()),
            ..Self::blank(info, Status::Broken)
        }
    }

    /// A run that has ended.
    pub(crate) fn finished(
        info: RequestInfo,
        state: &State,
        output_file: PathBuf,
        home: Option<&Path>,
    ) -> Self {
        let class = classify(state);
        let status = Status::of(state);
        let duration = Duration::from_micros(state.duration_us.unwrap_or(0));
        let slow = info.warn_after.is_some_and(|after| duration >= after);
        let blank = Self::blank(info, status);
        let nothing_stopped = blank.nothing_stopped;
        let connections = connections_of(state, &output_file);
        Self {
            slow,
            nothing_stopped: nothing_stopped.filter(|_| state.violations.is_empty()),
            // A code that our own signal provoked says nothing about the command.
            exit_code: state.exit_code,
            signal: state.signal.map(signal_name),
            signal_number: state.signal,
            exit_status: Some(class),
            stdout_bytes: state.output.stdout_bytes,
            stderr_bytes: state.output.stderr_bytes,
            output_file: Some(output_file),
            log_end: log_end(state).or_else(|| state.output.copy_failed.then_some("write_failed")),
            unrecorded: state.unrecorded,
            duration,
            timed_out: status == Status::TimedOut,
            task_id: Some(state.id.to_string()),
            enforcement: Some(Enforcement::of(state.enforcement)),
            sandbox_violations: with_flags(&state.violations, home),
            sandbox_hints: hints_with_flags(&state.hints, home),
            network: together(&connections),
            connections,
            watched: state.watched,
            survivors: state.survivors.iter().map(survivor).collect(),
            usage: Some(RunUsage {
                cpu_ms: state.usage.cpu_us / 1000,
                max_rss_kib: state.usage.max_rss_kib,
            }),
            error: (state.ending == Some(Ending::LogFull))
                .then(|| "the log reached its quota, and the run was set to stop then".to_owned()),
            ..blank
        }
    }

    pub(crate) fn with_output(mut self, stdout: Captured, stderr: Captured) -> Self {
        self.truncated = stdout.truncated || stderr.truncated;
        self.stdout = stdout.text;
        self.stderr = stderr.text;
        self.stdout_raw = stdout.raw;
        self.stderr_raw = stderr.raw;
        self
    }

    /// The bytes of standard output, within the limit, as they were printed.
    pub fn stdout_as_bytes(&self) -> &[u8] {
        self.stdout_raw.as_deref().unwrap_or(self.stdout.as_bytes())
    }

    /// The bytes of standard error, within the limit, as they were printed.
    pub fn stderr_as_bytes(&self) -> &[u8] {
        self.stderr_raw.as_deref().unwrap_or(self.stderr.as_bytes())
    }
}

/// What is on record beside the log of its connections, if it had any.
fn connections_of(state: &State, log: &Path) -> Vec<Connected> {
    let directory = log.parent().filter(|_| state.connections > 0);
    directory.map_or_else(Vec::new, |directory| {
        joined(&TaskDirectory::at(directory).connections())
    })
}

fn classify(state: &State) -> ExitClass {
    let ended_by_us = !matches!(state.ending, Some(Ending::Exited) | None);
    match state.exit_code {
        Some(0) if !ended_by_us => ExitClass::Success,
        Some(1..=127) if !ended_by_us => ExitClass::SoftFailure,
        _ => ExitClass::HardFailure,
    }
}

/// Why the log has less than was printed, in a word.
pub(crate) fn log_end(state: &State) -> Option<&'static str> {
    state.output.log_end.map(|end| match end {
        LogEnd::Quota => "quota",
        LogEnd::WriteFailed => "write_failed",
    })
}

pub(crate) fn survivor(survivor: &bashful_keeper::Survivor) -> Survivor {
    Survivor {
        pid: survivor.pid,
        command: survivor.command.clone(),
        fate: match survivor.fate {
            Fate::Killed => "killed",
            Fate::Adopted => "adopted",
            Fate::Unreachable => "unreachable",
        },
        task_id: survivor.task_id.as_ref().map(ToString::to_string),
    }
}

/// The name of a signal, such as `SIGKILL`.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
        "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    let name = usize::try_from(signal - 1)
        .ok()
        .and_then(|index| NAMES.get(index));
    name.map_or_else(|| format!("SIG{signal}"), |name| format!("SIG{name}"))
}

fn as_millis<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn as_decision<S: Serializer>(
    decision: &Option<Decision>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Wire<'a> {
        effect: &'static str,
        rule: &'a str,
        layer: &'static str,
        reason: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        span: Option<(usize, usize)>,
        #[serde(skip_serializing_if = "Option::is_none")]
        fact: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        capability: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suggestion: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        remember: Option<String>,
    }
    let wire = decision.as_ref().map(|decision| Wire {
        effect: decision.effect.as_str(),
        rule: &decision.rule,
        layer: decision.layer.as_str(),
        reason: &decision.reason,
        span: decision.span,
        fact: decision.fact.as_deref(),
        capability: decision.capability.as_deref(),
        suggestion: decision.suggestion.as_deref(),
        remember: decision.remember.as_ref().map(remembered),
    });
    wire.serialize(serializer)
}

//! From an invocation to what the keeper starts: everything checked, nothing run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::{Bytes, Spec, Start, TASK_FORMAT, TaskId};
use bashful_sandbox::Backend;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use crate::base::clock::{millis, now_ms};
use crate::base::programs::is_executable;
use crate::base::programs::on_path;
use crate::config::{Keep, OnLogFull, Survivors};
use crate::confine::bounds::{Bounds, bounds};
use crate::confine::environment::{self, Sources};
use crate::launch::release::Release;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::output::OutputLimit;
use crate::model::result::RequestInfo;
use crate::request::context::RunContext;
use crate::request::invocation::{
    Action, Attachment, Inherit, InputMode, Invocation, OnTimeout, Stdin, Timeout,
};
use crate::request::script::call::ScriptCall;
use crate::request::settings::Settings;
use crate::shells::{Armed, Arms, FLAGS, arm};

/// A start that only needs to be sent.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) start: Start,
    pub(crate) descriptors: Vec<OwnedFd>,
    pub(crate) workspace: String,
    pub(crate) log_copy: Option<PathBuf>,
    pub(crate) limit: OutputLimit,
    /// When it is to go on in the background.
    pub(crate) let_go_after: Option<Duration>,
    /// What a shell saves its state with.
    pub(crate) shell: Option<Armed>,
}

impl Prepared {
    /// Has the command wait for a word of ours before it executes.
    pub(crate) fn hold(&mut self) -> Result<Release, EngineError> {
        let (release, theirs) = Release::pair()?;
        self.start.held = true;
        self.descriptors.push(theirs);
        Ok(release)
    }
}

/// How much of the end of the output is kept ready.
fn kept_tail(limit: &OutputLimit) -> u64 {
    match limit.keep {
        Keep::Head => 0,
        Keep::Tail | Keep::HeadTail => limit.most_bytes() as u64,
    }
}

pub(crate) fn prepare(
    settings: &Settings,
    invocation: Invocation,
    heading: &RequestInfo,
    ground: RunContext<'_>,
    task: TaskId,
) -> Result<Prepared, EngineError> {
    let limits = &settings.config.limits;
    let limit = invocation
        .output
        .unwrap_or(OutputLimit::characters(limits.keep, limits.max_output));
    if limit.amount == 0 {
        return Err(InvalidInvocation::ZeroOutput.into());
    }
    let timeout = time_limit(settings, &invocation)?;
    let let_go_after = timeout.filter(|_| invocation.on_timeout == OnTimeout::Background);
    let cache = invocation.cache(settings, &ground.workspace);
    let bounds = bounds(settings, &invocation, &ground, &cache)?;
    let RunContext { workspace, cwd, .. } = ground;
    let mut environment = surroundings(
        settings,
        &invocation,
        (&workspace, &cache),
        bounds.as_deref(),
    )?;
    if matches!(invocation.seat, InputMode::Terminal(_)) {
        environment::for_terminal(&mut environment);
    }
    let path = environment.get("PATH").map(String::as_str);
    let (program, mut arguments) = match &invocation.script {
        Some(script) => (script.bash.clone(), ScriptCall::arguments()),
        None => command_line(settings, &invocation.action, &cwd, path)?,
    };
    let shell = enter_shell(&invocation, &environment, &mut arguments)?;
    let sealed = sealed_script(&invocation)?;
    let room = bounds.map(|bounds| bounds.room(&program, &invocation, settings));
    let survivors = survivors(&invocation, limits.survivors);
    let on_full = on_log_full(&invocation, limits.on_log_full);
    let spec = Spec {
        v: TASK_FORMAT,
        id: task,
        command: heading.command.clone(),
        description: heading.description.clone(),
        name: invocation.name,
        agent: heading.agent.clone(),
        session: heading.session.clone(),
        operation_id: heading.operation_id.clone(),
        workspace: workspace.clone(),
        cwd,
        variables: environment.keys().cloned().collect(),
        // One that goes on in the background then has no limit of its own.
        timeout_ms: timeout.filter(|_| let_go_after.is_none()).map(millis),
        warn_after_ms: invocation.warn_after.map(millis),
        term_grace_ms: millis(limits.term_grace),
        log_quota: invocation.log_quota.unwrap_or(limits.log_quota),
        on_log_full: on_full,
        keep_tail: kept_tail(&limit),
        adopt_survivors: survivors == Survivors::Adopt,
        adopted_from: None,
        created_at_ms: now_ms(),
        terminal: invocation.seat.terminal(),
        keep_input: invocation.seat == InputMode::OpenInput,
    };
    let (stdin, input) = input(invocation.stdin, invocation.seat)?;
    let log = invocation.log_copy.as_deref();
    let log = log.map(|path| open_log(path, &workspace)).transpose()?;
    let (inherited, armed) = shell.map_or_else(Default::default, |arms| {
        environment.extend(arms.functions);
        (arms.descriptors, Some(arms.armed))
    });
    let start = Start {
        spec,
        program,
        arguments,
        environment: environment.into_iter().collect(),
        mask: settings.mask.clone(),
        stdin: stdin.is_some(),
        input: Bytes(input),
        log_copy: log.is_some(),
        inherited: inherited.len() + usize::from(sealed.is_some()),
        held: false,
        detached: invocation.company == Attachment::Nobody,
        room,
    };
    Ok(Prepared {
        start,
        descriptors: stdin
            .into_iter()
            .chain(log.map(OwnedFd::from))
            .chain(inherited)
            .chain(sealed)
            .collect(),
        shell: armed,
        workspace: keeper_of(invocation.script.as_deref(), &workspace),
        log_copy: invocation
            .log_copy
            .map(|path| path.canonicalize().unwrap_or(path)),
        limit,
        let_go_after,
    })
}

/// The variables of a run.
fn surroundings(
    settings: &Settings,
    invocation: &Invocation,
    (workspace, cache): (&PathBuf, &Path),
    bounds: Option<&Bounds>,
) -> Result<BTreeMap<String, String>, EngineError> {
    let home = match &invocation.script {
        // What it declares in the home is there, under the same name as for its author.
        Some(_) => settings.home(),
        None => bounds.map(|bounds| bounds.home.clone()),
    };
    let mut environment = environment::build(
        invocation,
        &Sources {
            caller: &settings.environment,
            pass: &settings.config.environment.pass,
            home: home.as_ref().unwrap_or(workspace),
            cache,
            git_identity: environment::git_identity(settings),
        },
    )?;
    if let Some(script) = &invocation.script {
        environment.insert("PATH".to_owned(), script.path.clone());
    }
    if let (Some(bounds), Inherit::AllowList) = (bounds, invocation.inherit) {
        bounds.adapt(&mut environment, &invocation.variables);
        if let Some(Backend::Firejail | Backend::Landlock) = settings.enforcer() {
            bounds.shorten_path(&mut environment, &invocation.variables);
        }
    }
    Ok(environment)
}

/// How long a request may take.
pub(crate) fn time_limit(
    settings: &Settings,
    invocation: &Invocation,
) -> Result<Option<Duration>, InvalidInvocation> {
    let limits = &settings.config.limits;
    let longest = match invocation.script {
        Some(_) => settings.config.scripts.max_timeout,
        None => limits.max_timeout,
    };
    timeout(invocation.timeout, limits.timeout, longest)
}

fn timeout(
    asked: Timeout,
    usual: Duration,
    limit: Duration,
) -> Result<Option<Duration>, InvalidInvocation> {
    match asked {
        Timeout::Default => Ok(Some(usual)),
        Timeout::Never => Ok(None),
        Timeout::After(asked) if asked.is_zero() => Err(InvalidInvocation::ZeroTimeout),
        Timeout::After(asked) if asked > limit => {
            Err(InvalidInvocation::TimeoutTooLong { asked, limit })
        }
        Timeout::After(asked) => Ok(Some(asked)),
    }
}

/// A keeper keeps no more for a command to read.
const MOST_INPUT: usize = 1 << 20;

/// The keeper's word for what happens to a run whose log is full.
fn on_log_full(invocation: &Invocation, usual: OnLogFull) -> bashful_keeper::OnLogFull {
    match invocation.on_log_full.unwrap_or(usual) {
        // No caller would see that it prints for ever.
        OnLogFull::Auto if invocation.may_be_left() => bashful_keeper::OnLogFull::Stop,
        OnLogFull::Auto | OnLogFull::Continue => bashful_keeper::OnLogFull::Continue,
        OnLogFull::Stop => bashful_keeper::OnLogFull::Stop,
    }
}

/// What happens to what a run leaves behind. Jobs of a shell go on, as in any shell.
pub(crate) fn survivors(invocation: &Invocation, usual: Survivors) -> Survivors {
    let usual = match invocation.remembered {
        Some(_) => Survivors::Adopt,
        None => usual,
    };
    invocation.survivors.unwrap_or(usual)
}

/// Puts a call into its shell, if it has one: another text runs, with that of the call as its
/// arguments.
fn enter_shell(
    invocation: &Invocation,
    environment: &BTreeMap<String, String>,
    arguments: &mut Vec<String>,
) -> Result<Option<Arms>, EngineError> {
    let (Some(state), Action::Bash(text)) = (&invocation.remembered, &invocation.action) else {
        return Ok(None);
    };
    let injected = invocation.variables.iter().map(|(name, _)| name.clone());
    let arms = arm(state, environment, injected.collect())?;
    let (last, before) = BEFORE_TEXT.split_last().unwrap_or((&"-c", &[]));
    arguments.truncate(before.len());
    arguments.extend(FLAGS.map(str::to_owned));
    arguments.extend([*last, &arms.wrapper, "bash"].map(str::to_owned));
    arguments.extend(pieces(text));
    Ok(Some(arms))
}

/// The text of a managed script, which bash opens.
fn sealed_script(invocation: &Invocation) -> Result<Option<OwnedFd>, EngineError> {
    let failed = |source: io::Error| EngineError::Resources {
        what: "a descriptor for a script".to_owned(),
        source,
    };
    let script = invocation.script.as_ref();
    let sealed = script.map(|script| script.descriptor()).transpose();
    sealed.map_err(failed)
}

/// What the keeper of a run is called by. One serves the scripts of a session, wherever they run.
fn keeper_of(script: Option<&ScriptCall>, workspace: &Path) -> String {
    match script {
        Some(_) => "managed scripts".to_owned(),
        None => workspace.to_string_lossy().into_owned(),
    }
}

/// The kernel takes no single argument of 128 KiB or more.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// Joins its arguments into one text and runs that, leaving no trace of the joining.
const JOINER: &str = r#"__bashful_text=; for __bashful_part; do __bashful_text+=$__bashful_part; done; set --; eval "unset __bashful_text __bashful_part
$__bashful_text""#;

/// What stands before the text of a command.
const BEFORE_TEXT: [&str; 4] = ["bash", "--noprofile", "--norc", "-c"];

/// The program and its arguments, argument zero included.
fn command_line(
    settings: &Settings,
    action: &Action,
    cwd: &Path,
    path: Option<&str>,
) -> Result<(PathBuf, Vec<String>), EngineError> {
    match action {
        Action::Bash(text) => {
            let bash = settings.bash()?;
            let mut arguments: Vec<String> = BEFORE_TEXT.map(str::to_owned).to_vec();
            if text.len() <= LONGEST_ARGUMENT {
                arguments.push(text.clone());
            } else {
                arguments.extend([JOINER.to_owned(), "bash".to_owned()]);
                arguments.extend(pieces(text));
            }
            Ok((bash, arguments))
        }
        Action::Program { program, arguments } => {
            let found = if program.contains('/') {
                Some(cwd.join(program)).filter(|path| path.exists())
            } else {
                on_path(program, path)
                    .into_iter()
                    .find(|candidate| is_executable(candidate))
            };
            let found = found.ok_or_else(|| InvalidInvocation::ProgramNotFound {
                program: program.clone(),
            })?;
            Ok((
                found,
                std::iter::once(program).chain(arguments).cloned().collect(),
            ))
        }
    }
}

/// The text in pieces that fit an argument each, cut between characters.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let most = rest.len().min(LONGEST_ARGUMENT);
        let cut = (0..=most)
            .rev()
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        let (piece, later) = rest.split_at(cut);
        pieces.push(piece.to_owned());
        rest = later;
    }
    pieces
}

/// What it reads from, and what is sent to it first.
fn input(given: Stdin, seat: InputMode) -> Result<(Option<OwnedFd>, Vec<u8>), EngineError> {
    match given {
        given if seat == InputMode::Apart => Ok((stdin(given)?, Vec::new())),
        Stdin::Closed => Ok((None, Vec::new())),
        Stdin::Bytes(bytes) if bytes.len() <= MOST_INPUT => Ok((None, bytes)),
        Stdin::Bytes(bytes) => Err(InvalidInvocation::InputTooLong {
            length: bytes.len(),
            limit: MOST_INPUT,
        }
        .into()),
        Stdin::Descriptor(_) => Err(InvalidInvocation::TwoInputs.into()),
    }
}

fn stdin(stdin: Stdin) -> Result<Option<OwnedFd>, EngineError> {
    match stdin {
        Stdin::Closed => Ok(None),
        Stdin::Descriptor(fd) if fd.is_terminal() => {
            // To read from, and not to draw on past our frame and over our questions.
            let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
            let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
            let opened = rustix::fs::open(path, flags, Mode::empty());
            let failed = |errno: rustix::io::Errno| EngineError::Resources {
                what: "the terminal as standard input".to_owned(),
                source: errno.into(),
            };
            opened.map(Some).map_err(failed)
        }
        Stdin::Descriptor(fd) => Ok(Some(fd)),
        Stdin::Bytes(bytes) => {
            let failed = |source| EngineError::Resources {
                what: "memory for standard input".to_owned(),
                source,
            };
            let flags = rustix::fs::MemfdFlags::CLOEXEC;
            let memory =
                rustix::fs::memfd_create("stdin", flags).map_err(|errno| failed(errno.into()))?;
            let mut file = File::from(memory);
            file.write_all(&bytes)
                .and_then(|()| file.rewind())
                .map_err(failed)?;
            Ok(Some(file.into()))
        }
    }
}

/// Opens the second log. Where it lies in the workspace, links are not followed: an earlier
/// run may have made them.
fn open_log(path: &Path, workspace: &Path) -> Result<File, InvalidInvocation> {
    let unwritable = |source: io::Error| InvalidInvocation::UnwritableLog {
        path: path.to_owned(),
        source,
    };
    // A pipe that no process reads must be an error, not a wait.
    let flags = OFlags::WRONLY
        | OFlags::CREATE
        | OFlags::NONBLOCK
        | OFlags::NOFOLLOW
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    let resolve = if path.starts_with(workspace) {
        ResolveFlags::NO_SYMLINKS
    } else {
        ResolveFlags::empty()
    };
    let opened =
        openat2(CWD, path, flags, mode, resolve).map_err(|errno| unwritable(errno.into()))?;
    let file = File::from(opened);
    let about = file.metadata().map_err(unwritable)?;
    if about.is_file() {
        if about.nlink() > 1 && path.starts_with(workspace) {
            return Err(unwritable(io::Error::other("it has other names")));
        }
        file.set_len(0).map_err(unwritable)?;
    }
    Ok(file)
}

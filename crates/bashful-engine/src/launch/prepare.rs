//! From an invocation to what the keeper starts: everything checked, nothing run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bashful_keeper::{Bytes, Spec, Start, TASK_FORMAT, TaskId};
use bashful_policy::NetworkCapability;
use bashful_sandbox::{Backend, Protection};

use super::program::{command_line, enter_shell};
use super::streams::{input, open_log};
use crate::base::clock::{millis, now_ms};
use crate::config::{Keep, OnLogFull, Sandbox, Survivors};
use crate::confine::bounds::{Bounds, bounds, own_home};
use crate::confine::environment::{self, Sources};
use crate::launch::carried::Carried;
use crate::launch::release::Release;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::output::OutputLimit;
use crate::request::context::RunContext;
use crate::request::invocation::{Attachment, Inherit, InputMode, Invocation, OnTimeout, Timeout};
use crate::request::resolved::ResolvedRequest;
use crate::request::settings::Settings;
use crate::shells::Armed;

/// A start that only needs to be sent.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) start: Start,
    pub(crate) descriptors: Vec<OwnedFd>,
    /// What its keeper is called by.
    pub(crate) keeper: String,
    pub(crate) log_copy: Option<PathBuf>,
    pub(crate) limit: OutputLimit,
    /// When it is to go on in the background.
    pub(crate) let_go_after: Option<Duration>,
    /// What a shell saves its state with.
    pub(crate) shell: Option<Armed>,
    /// Directories that come first on the caller's `PATH`, and that runs can write: in the run they
    /// come last, or not at all.
    pub(crate) put_last: Vec<PathBuf>,
    /// The home that the run has alone, and the one that keeps what is installed there.
    pub(crate) homes: Option<[PathBuf; 2]>,
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

/// How much of its output the result holds.
fn output_limit(
    settings: &Settings,
    invocation: &Invocation,
) -> Result<OutputLimit, InvalidInvocation> {
    let limits = &settings.config.limits;
    let usual = OutputLimit::characters(limits.keep, limits.max_output);
    match invocation.output.unwrap_or(usual) {
        OutputLimit { amount: 0, .. } => Err(InvalidInvocation::ZeroOutput),
        limit => Ok(limit),
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
    request: ResolvedRequest<'_>,
    task: TaskId,
) -> Result<Prepared, EngineError> {
    let survivors = request.survivors(settings);
    let ResolvedRequest {
        invocation,
        info,
        mut context,
        remembered,
    } = request;
    let carried = Carried::of(settings, &context)?;
    if let Some(carried) = &carried {
        carried.show(&mut context);
    }
    let state = remembered.map(|one| one.state);
    let limits = &settings.config.limits;
    let limit = output_limit(settings, &invocation)?;
    let timeout = time_limit(settings, &invocation)?;
    let let_go_after = timeout.filter(|_| invocation.on_timeout == OnTimeout::Background);
    let homes = homes(settings, &context, &task);
    let (bounds, mut environment) = ground(settings, &invocation, &context, &task)?;
    let (workspace, cwd) = (context.workspace.clone(), context.cwd.clone());
    let path = environment.get("PATH").map(String::as_str);
    let (program, mut arguments) = match invocation.sealed() {
        Some(sealed) => sealed,
        None => command_line(settings, &invocation.action, &cwd, path)?,
    };
    let shell = match &state {
        Some(state) => enter_shell(state, &invocation, &environment, &mut arguments)?,
        None => None,
    };
    let sealed = sealed_script(&invocation)?;
    let put_last = put_last(bounds.as_deref(), &invocation);
    let room = bounds.map(|bounds| bounds.room(&program, &invocation, settings));
    let on_full = on_log_full(&invocation, limits.on_log_full);
    let of_shell = shell.as_ref().map_or(0, |arms| arms.descriptors.len());
    let own = of_shell + usize::from(sealed.is_some());
    let channel = carried.map(|carried| carried.arm(&context, own, &mut environment));
    let channel = channel.transpose()?;
    let keeper = invocation.keeper(&workspace);
    let spec = Spec {
        v: TASK_FORMAT,
        id: task,
        command: info.command,
        description: info.description,
        name: invocation.name,
        agent: info.agent,
        session: info.session,
        operation_id: info.operation_id,
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
        terminal: invocation.input_mode.terminal(),
        keep_input: invocation.input_mode == InputMode::OpenInput,
    };
    let (stdin, input) = input(invocation.stdin, invocation.input_mode)?;
    let log = log_copy(invocation.log_copy.as_deref(), &workspace)?;
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
        inherited: own + usize::from(channel.is_some()),
        held: false,
        detached: invocation.attachment == Attachment::Nobody,
        room,
    };
    Ok(Prepared {
        start,
        descriptors: stdin
            .into_iter()
            .chain(log.map(OwnedFd::from))
            .chain(inherited)
            .chain(sealed)
            .chain(channel)
            .collect(),
        shell: armed,
        put_last,
        homes,
        keeper,
        log_copy: invocation
            .log_copy
            .map(|path| path.canonicalize().unwrap_or(path)),
        limit,
        let_go_after,
    })
}

/// The file that gets a copy of the log.
fn log_copy(path: Option<&Path>, workspace: &Path) -> Result<Option<File>, EngineError> {
    let log = path.map(|path| open_log(path, workspace));
    Ok(log.transpose()?)
}

/// What comes last on the `PATH` of a run; a script has its own.
fn put_last(bounds: Option<&Bounds>, invocation: &Invocation) -> Vec<PathBuf> {
    let bounds = bounds.filter(|_| !invocation.has_own_rights());
    bounds.map_or_else(Vec::new, |bounds| bounds.put_last.clone())
}

/// The home that a run has alone, if it has one, and the one that keeps what it installs there.
fn homes(settings: &Settings, context: &RunContext<'_>, task: &TaskId) -> Option<[PathBuf; 2]> {
    let own = own_home(settings, context, task.as_str()).filter(|_| context.is_widened)?;
    Some([own, context.own_home.clone()])
}

/// The bounds of a run, none without a sandbox, and its variables.
fn ground(
    settings: &Settings,
    invocation: &Invocation,
    context: &RunContext<'_>,
    task: &TaskId,
) -> Result<(Option<Arc<Bounds>>, Environment), EngineError> {
    let own_home = own_home(settings, context, task.as_str());
    let bounds = bounds(settings, invocation, context, own_home.as_deref())?;
    let is_open = context.granted.capabilities.network == NetworkCapability::On;
    let mut environment = variables(&Variables {
        settings,
        invocation,
        home: own_home.as_ref().unwrap_or(&context.workspace),
        has_own_home: own_home.is_some() && !invocation.has_own_rights(),
        cache: &context.cache,
        is_online: is_open || settings.sandbox == Sandbox::None,
        bounds: bounds.as_deref(),
    })?;
    let granted = &context.granted;
    if matches!(granted.capabilities.network, NetworkCapability::Hosts(_))
        && granted.optional.contains(&Protection::Network)
    {
        environment::for_proxy(&mut environment);
    }
    if matches!(invocation.input_mode, InputMode::Terminal(_)) {
        environment::for_terminal(&mut environment);
    }
    Ok((bounds, environment))
}

/// The variables of a run by their names.
type Environment = BTreeMap<String, String>;

/// What the variables of a run come from.
struct Variables<'a> {
    settings: &'a Settings,
    invocation: &'a Invocation,
    /// The home without a sandbox.
    home: &'a PathBuf,
    has_own_home: bool,
    cache: &'a Path,
    is_online: bool,
    bounds: Option<&'a Bounds>,
}

/// The variables of a run.
fn variables(from: &Variables<'_>) -> Result<BTreeMap<String, String>, EngineError> {
    let Variables {
        settings,
        invocation,
        bounds,
        ..
    } = *from;
    let home = invocation.home(settings, bounds.map(|bounds| bounds.home.as_path()));
    let mut environment = environment::build(
        invocation,
        &Sources {
            caller: &settings.environment,
            pass: &settings.config.environment.pass,
            home: home.as_ref().unwrap_or(from.home),
            has_own_home: from.has_own_home,
            is_online: from.is_online,
            cache: from.cache,
            git_identity: environment::git_identity(settings),
        },
    )?;
    if let Some(path) = invocation.search_path() {
        environment.insert("PATH".to_owned(), path.to_owned());
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
    let longest = invocation.longest_time(settings);
    timeout(invocation.timeout, settings.config.limits.timeout, longest)
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

/// The keeper's word for what happens to a run whose log is full.
fn on_log_full(invocation: &Invocation, usual: OnLogFull) -> bashful_keeper::OnLogFull {
    match invocation.on_log_full.unwrap_or(usual) {
        // No caller would see that it prints for ever.
        OnLogFull::Auto if invocation.may_be_left() => bashful_keeper::OnLogFull::Stop,
        OnLogFull::Auto | OnLogFull::Continue => bashful_keeper::OnLogFull::Continue,
        OnLogFull::Stop => bashful_keeper::OnLogFull::Stop,
    }
}

/// The text of a managed script, which bash opens.
fn sealed_script(invocation: &Invocation) -> Result<Option<OwnedFd>, EngineError> {
    let failed = |source: io::Error| EngineError::Resources {
        what: "a descriptor for a script".to_owned(),
        source,
    };
    invocation.descriptor().map_err(failed)
}

//! Shells that last, as an engine's callers see them.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};

use super::Engine;
use crate::ask::asking::Abandoned;
use crate::base::real::real;
use crate::launch::prepare::time_limit;
use crate::model::error::shell::ShellError;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::shell_state::ShellState;
use crate::request::context::{is_inside, workspace_of};
use crate::request::invocation::{Action, Invocation};
use crate::request::resolved::{Remembered, check, info_of};
use crate::request::settings::Reach;
use crate::shells::{
    Held, Key, Shell, ShellCall, Values, check_name, directory_of, list, peek, remove_expired,
    workspace_text,
};

/// How long `reset` and `end` wait for a call that has the shell.
const PATIENCE: Duration = Duration::from_secs(2);

/// A call that has its shell, and what that remembers.
pub(super) type Entered = (ShellCall, Remembered);

impl Engine {
    /// The shell of a request, if no other call has it now. What is wrong with it is told by
    /// [`Engine::enter_shell`].
    pub(super) fn enter_free_shell(&self, invocation: &Invocation) -> Option<Entered> {
        check(self.settings(), invocation).ok()?;
        let gives_up = Abandoned(Arc::new(AtomicBool::new(true)));
        self.enter_shell(invocation, &gives_up).ok().flatten()
    }

    /// Waits for the shell of a request: the call in it, and what it remembers. Where the caller
    /// has given up, it does not wait.
    pub(super) fn enter_shell(
        &self,
        invocation: &Invocation,
        abandoned: &Abandoned,
    ) -> Result<Option<Entered>, EngineError> {
        let Some(key) = self.shell_of(invocation)? else {
            return Ok(None);
        };
        let settings = &self.inner.settings;
        let limit = time_limit(settings, invocation)?;
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        let state = &settings.places.state;
        std::fs::create_dir_all(state).map_err(|source| EngineError::StateDirectory {
            path: state.clone(),
            source,
        })?;
        let gives_up = || abandoned.is_set();
        let mut call = ShellCall::open(state, &key, settings.shell_idle, until, gives_up)?;
        let (remembered, note) = self.remembered(invocation, call.state())?;
        if let Some(note) = note {
            call.note(note);
        }
        Ok(Some((call, remembered)))
    }

    /// What the shell of a request remembers, without waiting for it.
    pub(crate) fn look_into_shell(
        &self,
        invocation: &Invocation,
    ) -> Result<Option<Remembered>, EngineError> {
        let Some(key) = self.shell_of(invocation)? else {
            return Ok(None);
        };
        let settings = &self.inner.settings;
        let record = peek(&settings.places.state, &key)?;
        let record = record.filter(|record| !record.is_expired(settings.shell_idle));
        let state = record.map(|record| record.state).unwrap_or_default();
        let (remembered, _) = self.remembered(invocation, Arc::new(state))?;
        Ok(Some(remembered))
    }

    /// Which shell a request is for.
    fn shell_of(&self, invocation: &Invocation) -> Result<Option<Key>, EngineError> {
        let Some(name) = &invocation.shell else {
            return Ok(None);
        };
        check_name(name)?;
        if !matches!(invocation.action, Action::Bash(_)) {
            return Err(InvalidInvocation::ShellWithoutBash.into());
        }
        let settings = &self.inner.settings;
        if settings.session.reach == Reach::OneCall {
            return Err(ShellError::NoSession.into());
        }
        let workspace = workspace_of(settings, invocation)?;
        let info = info_of(settings, invocation);
        Ok(Some(Key {
            agent: info.agent,
            session: info.session,
            workspace: workspace_text(&workspace),
            name: name.clone(),
        }))
    }

    /// A shell's state as a request gets it, and what should be said about that.
    fn remembered(
        &self,
        invocation: &Invocation,
        state: Arc<ShellState>,
    ) -> Result<(Remembered, Option<String>), EngineError> {
        let mut directory = None;
        let mut note = None;
        if invocation.cwd.is_none() {
            let workspace = workspace_of(&self.inner.settings, invocation)?;
            let found = directory_of(&state).map(|path| path.map(|path| real(&path)));
            let why = match found {
                None => None,
                Some(Ok(Ok(real))) if !is_open(&real) => {
                    Some("its directory cannot be entered".to_owned())
                }
                Some(Ok(Ok(real))) if is_inside(&real, &workspace, invocation) => {
                    directory = Some(real);
                    None
                }
                Some(Ok(Ok(_))) => Some("its directory lies outside the workspace".to_owned()),
                Some(Ok(Err(_))) => Some("its directory is gone".to_owned()),
                Some(Err(why)) => Some(why.clone()),
            };
            note = why.map(|why| format!("{why}; it begins in the workspace instead"));
        }
        Ok((Remembered { state, directory }, note))
    }

    /// The shells on this machine, of all agents and sessions; values are not told.
    pub fn shells(&self) -> Result<Vec<Shell>, ShellError> {
        let settings = &self.inner.settings;
        remove_expired(&settings.places.state, settings.shell_idle);
        let all = list(&settings.places.state)?;
        let shell = |(record, busy)| Shell::of(&record, busy, Values::Hidden);
        Ok(all.into_iter().map(shell).collect())
    }

    /// One of them, with the values of its variables; what is secret is masked.
    pub fn shell_values(&self, shell: &Shell) -> Result<Shell, ShellError> {
        let settings = &self.inner.settings;
        let record = peek(&settings.places.state, &key_of(shell))?;
        let record = record.ok_or_else(|| ShellError::Unknown {
            name: shell.name.clone(),
        })?;
        Ok(Shell::of(
            &record,
            shell.busy,
            Values::Masked(&settings.mask),
        ))
    }

    /// Makes a shell forget everything. A call that has it goes first, for a moment.
    pub fn reset_shell(&self, shell: &Shell) -> Result<(), ShellError> {
        self.held(shell)?.forget(&key_of(shell))
    }

    /// Ends a shell: nothing of it is left.
    pub fn end_shell(&self, shell: &Shell) -> Result<(), ShellError> {
        self.held(shell)?.remove()
    }

    fn held(&self, shell: &Shell) -> Result<Held, ShellError> {
        let until = Instant::now().checked_add(PATIENCE);
        let state = &self.inner.settings.places.state;
        Held::wait(state, &key_of(shell), until, || false)
    }
}

fn key_of(shell: &Shell) -> Key {
    Key {
        agent: shell.agent.clone(),
        session: shell.session.clone(),
        workspace: shell.workspace.clone(),
        name: shell.name.clone(),
    }
}

/// Whether a run could be in this directory: a run that root starts has no more rights there than
/// any other user's.
fn is_open(directory: &Path) -> bool {
    let Ok(about) = std::fs::metadata(directory) else {
        return false;
    };
    let own = about.uid() == rustix::process::geteuid().as_raw();
    let search = if own { 0o100 } else { 0o001 };
    about.mode() & search != 0 || (!own && access(directory, Access::EXEC_OK).is_ok())
}

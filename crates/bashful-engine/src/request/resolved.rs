//! A request with everything found out that a decision about it needs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::Survivors;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::result::RequestInfo;
use crate::model::shell_state::ShellState;
use crate::model::task_name::check_name;
use crate::request::context::RunContext;
use crate::request::invocation::{Action, Invocation};
use crate::request::settings::Settings;

/// A request that was checked: who asks for what, where it stands, and what its shell remembers. The
/// invocation in it stays as the caller made it.
#[derive(Debug)]
pub(crate) struct ResolvedRequest<'a> {
    pub(crate) invocation: Invocation,
    pub(crate) info: RequestInfo,
    pub(crate) context: RunContext<'a>,
    /// What the shell remembers that the request is for.
    pub(crate) remembered: Option<Remembered>,
}

/// What a shell hands to a request.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    pub(crate) state: Arc<ShellState>,
    /// The directory that it is in, real, if a request may start there.
    pub(crate) directory: Option<PathBuf>,
}

impl<'a> ResolvedRequest<'a> {
    /// Resolves a request that comes in, with what its shell remembers.
    pub(crate) fn of(
        settings: &'a Settings,
        invocation: Invocation,
        remembered: Option<Remembered>,
    ) -> Result<Self, EngineError> {
        let info = info_of(settings, &invocation);
        let directory = remembered.as_ref().and_then(|one| one.directory.as_deref());
        let context = RunContext::of(settings, &invocation, &info.agent, directory)?;
        Ok(Self {
            invocation,
            info,
            context,
            remembered,
        })
    }

    /// Resolves it once more: after a question, its directories may lead elsewhere.
    pub(crate) fn again(self, settings: &'a Settings) -> Result<Self, EngineError> {
        let Self {
            invocation,
            info,
            remembered,
            ..
        } = self;
        let again = Self::of(settings, invocation, remembered)?;
        Ok(Self { info, ..again })
    }

    /// Resolves it with another command, which a person wrote instead.
    pub(crate) fn edited(
        mut self,
        settings: &'a Settings,
        command: String,
    ) -> Result<Self, EngineError> {
        self.invocation.action = Action::Bash(command);
        self.invocation.action.check()?;
        self.info.command = self.invocation.as_command();
        self.again(settings)
    }

    /// What happens to what its run leaves behind. Jobs of a shell go on, as in any shell.
    pub(crate) fn survivors(&self, settings: &Settings) -> Survivors {
        let usual = match self.remembered {
            Some(_) => Survivors::Adopt,
            None => settings.config.limits.survivors,
        };
        self.invocation.survivors.unwrap_or(usual)
    }

    /// What the shell remembers that it is for.
    pub(crate) fn shell_state(&self) -> Option<&Arc<ShellState>> {
        self.remembered.as_ref().map(|one| &one.state)
    }
}

/// Checks what can be wrong with a request before anything is looked at for it.
pub(crate) fn check(settings: &Settings, invocation: &Invocation) -> Result<(), InvalidInvocation> {
    invocation.action.check()?;
    if let Some(name) = &invocation.name {
        check_name(name)?;
    }
    let is_blank = |text: &str| text.trim().is_empty();
    let described = invocation.description.as_deref();
    if settings.config.require_description && described.is_none_or(is_blank) {
        return Err(InvalidInvocation::NoDescription);
    }
    Ok(())
}

/// Who asks for what.
pub(crate) fn info_of(settings: &Settings, invocation: &Invocation) -> RequestInfo {
    let agent = invocation.agent.as_ref().unwrap_or(&settings.agent);
    RequestInfo {
        command: invocation.as_command(),
        description: invocation.description.clone(),
        operation_id: invocation.operation_id.clone(),
        warn_after: invocation.warn_after,
        script: invocation.script.as_ref().map(|call| Box::new(call.ran())),
        ..RequestInfo::bare(agent.clone(), settings.session.name.clone())
    }
}

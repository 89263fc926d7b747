//! The life of one request, as it is put on record.

use crate::base::secrets::masked;
use crate::base::secrets::shown_variables;
use crate::record::asks::recorded;
use crate::record::asks::recorded_variables;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use bashful_keeper::TaskId;
use bashful_policy::Decision;

use super::end_record::EndRecord;
use crate::ask::approvals::{Binding, rights};
use crate::model::ask::Ask;
use crate::model::error::record::AuditError;
use crate::model::grant::Grant;
use crate::model::places::make_private;
use crate::model::result::ExecutionResult;
use crate::record::audit::{
    Asked, Caller, Decided, Event, GrantChange, GrantChanged, PolicyLoaded, Refused, Requested,
    ScriptChange, Starting, Trail, Unsynced,
};
use crate::request::resolved::ResolvedRequest;
use crate::request::script::call::ScriptCall;
use crate::request::settings::Settings;

/// Puts one request on record, step by step.
#[derive(Debug)]
pub(crate) struct Journal {
    trail: Trail,
    task: TaskId,
    agent: String,
    session: String,
    mask: Vec<String>,
    /// The script that it is about.
    script: Option<Arc<ScriptCall>>,
    /// What was not written yet, and goes with the next step in one write; after the start, what that
    /// wrote.
    held: Vec<Event>,
}

impl Journal {
    /// A journal for the task that a request would be.
    pub(crate) fn new(settings: &Settings, task: TaskId, request: &ResolvedRequest<'_>) -> Self {
        Self {
            trail: settings.trail.clone(),
            task,
            agent: request.info.agent.clone(),
            session: request.info.session.clone(),
            mask: settings.mask.clone(),
            script: request.invocation.script.clone(),
            held: Vec::new(),
        }
    }

    /// What happens to the script that the request is about. Written with the next step.
    fn script(&mut self, change: ScriptChange, detail: Option<String>) {
        if let Some(script) = &self.script {
            let by = Caller {
                agent: &self.agent,
                session: &self.session,
            };
            let mut event = script.record(change, by, self.task.as_str());
            event.detail = detail;
            self.held.push(Event::Script(Box::new(event)));
        }
    }

    /// The task that the request would be.
    pub(crate) fn task(&self) -> &TaskId {
        &self.task
    }

    /// An agent or a person wants to run a command. Written with the next step.
    pub(crate) fn request(
        &mut self,
        settings: &Settings,
        request: &ResolvedRequest<'_>,
        binding: &Binding,
    ) {
        let ResolvedRequest { info, context, .. } = request;
        if is_new_policy(&settings.places.state, &binding.policy) {
            let rules = context.profile.rules.iter();
            self.held.push(Event::Policy(PolicyLoaded {
                policy: binding.policy.clone(),
                profile: context.profile_name.to_owned(),
                agent: self.agent.clone(),
                rules: rules.map(|rule| rule.rule.id.clone()).collect(),
            }));
        }
        self.mask.clone_from(&binding.mask);
        let mask = |text: &str| masked(text, &binding.mask);
        self.held.push(Event::Request(Box::new(Requested {
            task: self.task.to_string(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            operation_id: info.operation_id.clone(),
            workspace: context.workspace.clone(),
            cwd: context.cwd.clone(),
            project: binding.project.clone(),
            command: mask(&info.command),
            variables: recorded_variables(&shown_variables(&binding.variables, &binding.mask)),
            digest: binding.digest.clone(),
            description: info.description.as_deref().map(mask),
            profile: context.profile_name.to_owned(),
            policy: binding.policy.clone(),
            rights: rights(&context.granted),
            sandbox: settings.known_sandbox_word().to_owned(),
        })));
    }

    /// What the policy said. Written with the next step.
    pub(crate) fn decision(&mut self, decision: &Decision, grants: &[Grant]) {
        self.held.push(Event::Decision(Decided {
            task: self.task.to_string(),
            effect: decision.effect.as_str().to_owned(),
            rule: masked(&decision.rule, &self.mask),
            layer: decision.layer.as_str().to_owned(),
            reason: masked(&decision.reason, &self.mask),
            capability: decision.capability.clone(),
            grants: grants.iter().map(|grant| grant.id.clone()).collect(),
        }));
    }

    /// A person is asked.
    pub(crate) fn ask(&mut self, ask: &Ask, joined: bool) -> Result<(), AuditError> {
        self.held.push(Event::Ask(Box::new(Asked {
            task: self.task.to_string(),
            joined,
            ask: recorded(ask),
        })));
        self.write()
    }

    /// The request came to nothing.
    pub(crate) fn refusal(&mut self, result: &ExecutionResult) -> Result<(), AuditError> {
        let mask = &self.mask;
        let decision = result.decision.as_ref();
        self.held.push(Event::Refusal(Refused {
            task: self.task.to_string(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            action: format!("tool:bash:{}", masked(&result.command, mask)),
            status: result.status.as_str().to_owned(),
            effect: decision
                .map_or("deny", |one| one.effect.as_str())
                .to_owned(),
            rule: decision
                .map(|one| masked(&one.rule, mask))
                .unwrap_or_default(),
            reason: decision
                .map(|one| masked(&one.reason, mask))
                .unwrap_or_default(),
            ask: result.approval.as_ref().map(|approval| approval.id.clone()),
        }));
        let reason = decision.map(|one| masked(&one.reason, &self.mask));
        self.script(ScriptChange::Refused, reason);
        self.write()
    }

    /// The run is about to start, as soon as this is on disk.
    pub(crate) fn start(&mut self, claimed: Option<&Grant>) -> Result<Unsynced, AuditError> {
        if let Some(grant) = claimed {
            let grant = Grant {
                claimed_by: Some(self.task.to_string()),
                ..grant.clone()
            };
            let change = GrantChange::Claimed;
            let changed = GrantChanged { change, grant };
            self.held.push(Event::Grant(Box::new(changed)));
        }
        self.script(ScriptChange::Run, None);
        self.held.push(Event::Start(Starting {
            task: self.task.to_string(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            claimed: claimed.map(|grant| grant.id.clone()),
        }));
        let events = std::mem::take(&mut self.held);
        let unsynced = self.trail.append(&events)?;
        self.held = events;
        Ok(unsynced)
    }

    /// The start is on disk, and with it the policy if that came before it.
    pub(crate) fn note_start(&mut self) {
        let events = std::mem::take(&mut self.held);
        self.note_policy(&events);
    }

    /// The rest of the journal: for the run that sees the end of the command.
    pub(crate) fn end_record(&self, claimed: Option<&Grant>) -> EndRecord {
        EndRecord::new(self.trail.clone(), claimed)
    }

    fn write(&mut self) -> Result<(), AuditError> {
        let events = std::mem::take(&mut self.held);
        // Nothing runs because of these, so they may reach the disk when they do.
        drop(self.trail.append(&events)?);
        self.note_policy(&events);
        Ok(())
    }

    /// Remembers that a policy is on record.
    fn note_policy(&self, events: &[Event]) {
        for event in events {
            if let Event::Policy(loaded) = event {
                let state = self.trail.state();
                let noted = make_private(&state.join(POLICIES)).and_then(|()| {
                    let mut options = File::options();
                    options.write(true).create(true).truncate(false).mode(0o600);
                    options.open(policy_note(state, &loaded.policy))
                });
                // Without the note, it is recorded once more.
                drop(noted);
            }
        }
    }
}

/// Where versions of the policy are noted that are on record.
const POLICIES: &str = "policies";

fn policy_note(state: &Path, version: &str) -> std::path::PathBuf {
    state.join(POLICIES).join(version)
}

fn is_new_policy(state: &Path, version: &str) -> bool {
    fs::symlink_metadata(policy_note(state, version)).is_err()
}

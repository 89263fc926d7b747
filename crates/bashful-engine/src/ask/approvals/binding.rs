//! What an answer is bound to: who, where, which text, under which policy, with which rights.

use crate::base::digest::digest;
use crate::judge::policy::Policies;
use crate::judge::policy::policy_version;
use std::path::PathBuf;

use crate::config::{Choice as _, Config, Granted, UnknownProfile};
use crate::model::ask::Memory;
use crate::model::grant::{Grant, Subject};
use crate::request::invocation::{InputMode, Stdin};
use crate::request::resolved::ResolvedRequest;
use crate::request::settings::Settings;

/// What an answer to a request is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) project: PathBuf,
    pub(crate) cwd: PathBuf,
    /// SHA-256 of the text.
    pub(crate) digest: String,
    pub(crate) policy: String,
    /// What the run may do without an answer, and what it is given.
    given: serde_json::Value,
    /// The first of both alone.
    may: serde_json::Value,
    /// Variables that the caller injects.
    pub(crate) variables: Vec<(String, String)>,
    /// Whether it reads what the caller gives it.
    pub(crate) reads_input: bool,
    /// What that is, if it is short enough to be shown.
    pub(crate) input: Option<String>,
    /// A digest of what its shell remembers and could change what it does.
    pub(crate) shell: Option<String>,
    /// The same for the person who is asked: the name of the shell and what it remembers.
    pub(crate) memory: Option<Memory>,
    /// What must not be shown or recorded: what the engine masks. Nothing that the caller gives is
    /// in here, or an agent could hide a part of its command by calling it a secret.
    pub(crate) mask: Vec<String>,
}

impl Binding {
    /// What an answer to this request would be bound to.
    pub(crate) fn of(settings: &Settings, request: &ResolvedRequest<'_>) -> Self {
        let ResolvedRequest {
            invocation,
            info,
            context,
            ..
        } = request;
        let judged = invocation.action.judged_text();
        let variables = invocation.variables.clone();
        // What the caller may send to it later cannot be shown to a person now.
        let later = invocation.input_mode != InputMode::Apart;
        let reads_input = !matches!(invocation.stdin, Stdin::Closed) || later;
        let remembered = request.shell_state();
        let shell = remembered.and_then(|state| state.digest(&judged));
        let optional = context.granted.optional.iter();
        let may = rights(&context.granted);
        let given = serde_json::json!([
            may,
            variables,
            (input_read(&invocation.stdin), later),
            optional.map(|one| one.as_str()).collect::<Vec<_>>(),
        ]);
        let memory = remembered.filter(|_| shell.is_some());
        let memory = memory.map(|state| Memory {
            shell: invocation.shell.clone().unwrap_or_default(),
            text: state.shown(&judged, &settings.mask),
        });
        // A shell that remembers nothing of the kind is like no shell.
        let given = match &shell {
            Some(shell) => serde_json::json!([given, shell]),
            None => given,
        };
        let policies = settings.kept.of::<Policies>();
        Self {
            agent: info.agent.clone(),
            session: info.session.clone(),
            project: context.project.clone(),
            cwd: invocation.bound_directory(&context.cwd),
            digest: invocation
                .own_digest()
                .unwrap_or_else(|| digest(&[judged.as_bytes()])),
            policy: policies.version(&settings.config, context),
            given,
            may,
            mask: settings.mask.clone(),
            variables,
            reads_input,
            input: shown_input(&invocation.stdin).filter(|_| !later),
            shell,
            memory,
        }
    }

    /// A digest of what the run may do without an answer, of what it is given, and of who enforces
    /// that. The last may have to be found out by building a sandbox, so this is asked only where an
    /// answer is at stake: judging runs nothing.
    pub(crate) fn rights(&self, settings: &Settings) -> String {
        enforced(&self.given, settings)
    }

    /// The same for what is about directories alone: that is for all that the agent does, so what
    /// one run is given besides does not count.
    pub(crate) fn rights_to_places(&self, settings: &Settings) -> String {
        enforced(&self.may, settings)
    }

    /// Whether a grant is for this request, its rights left out: given to this agent, for here, for
    /// this policy and, if it is about one text, for this one.
    pub(crate) fn fits(&self, grant: &Grant) -> bool {
        fn bound<T: PartialEq>(to: Option<&T>, value: &T) -> bool {
            to.is_none_or(|to| to == value)
        }
        let text = match &grant.subject {
            Subject::Command { digest, .. } => *digest == self.digest,
            Subject::Shapes(_) | Subject::Any => true,
        };
        // A variable can change what a command does, and who gave this grant saw none.
        let plain = self.variables.is_empty() && !self.reads_input && self.shell.is_none();
        let seen = plain || grant.rights.is_some() || grant.subject == Subject::Any;
        text && seen
            && grant.agent == self.agent
            && bound(grant.session.as_ref(), &self.session)
            && bound(grant.project.as_ref(), &self.project)
            && bound(grant.directory.as_ref(), &self.cwd)
            && bound(grant.policy.as_ref(), &self.policy)
    }

    /// Whether a grant that fits was given for these rights.
    pub(crate) fn has_rights_of(&self, settings: &Settings, grant: &Grant) -> bool {
        let rights = grant.rights.as_ref();
        rights.is_none_or(|rights| match grant.subject {
            Subject::Any => *rights == self.rights_to_places(settings),
            _ => *rights == self.rights(settings),
        })
    }
}

fn enforced(given: &serde_json::Value, settings: &Settings) -> String {
    let enforced = serde_json::json!([given, settings.sandbox_word()]);
    digest(&[enforced.to_string().as_bytes()])
}

/// What a run reads: a yes for one input is none for another.
fn input_read(stdin: &Stdin) -> Option<String> {
    match stdin {
        Stdin::Closed => None,
        Stdin::Bytes(bytes) => Some(digest(&[bytes])),
        // What comes there is not known before it is read.
        Stdin::Descriptor(_) => Some("a descriptor".to_owned()),
    }
}

/// The most characters of input that a person is shown.
const MOST_INPUT: usize = 4_000;

fn shown_input(stdin: &Stdin) -> Option<String> {
    let Stdin::Bytes(bytes) = stdin else {
        return None;
    };
    let text = std::str::from_utf8(bytes).ok()?;
    (text.chars().count() <= MOST_INPUT).then(|| text.to_owned())
}

/// What a run may do, as it is put on record.
pub(crate) fn rights(granted: &Granted) -> serde_json::Value {
    serde_json::json!({
        "preset": granted.preset.as_str(),
        "home": granted.home.as_str(),
        "capabilities": granted.capabilities,
    })
}

/// The version of the policy that an agent is judged by, or that of another profile.
pub fn version_of_policy(
    config: &Config,
    agent: &str,
    profile: Option<&str>,
) -> Result<String, UnknownProfile> {
    let name = profile.unwrap_or_else(|| config.profile_name(agent));
    Ok(policy_version(config, name, config.profile_named(name)?))
}

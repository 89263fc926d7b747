//! A script on its way through the engine: what the steps of a run have to know about it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bashful_policy::{Capabilities, Decision, Effect, Layer};
use bashful_sandbox::FIRST_INHERITED;

use super::advice::way_out;
use super::destinations::{as_they_lead, led_astray};
use super::scratch::Scratch;
use super::sealed::Sealed;
use crate::base::clock::now_ms;
use crate::base::digest::digest;
use crate::base::secrets::masked;
use crate::model::ask::{ApprovedBefore, Ask, AskScript};
use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::error::store::StoreError;
use crate::model::result::RanScript;
use crate::model::script::Destinations;
use crate::model::script::finding::{ScriptFinding, Severity};
use crate::model::script::{INTERPRETER, Script};
use crate::record::audit::{Caller, ScriptChange, ScriptChanged};
use crate::request::settings::Settings;
use crate::store::{HeldStore, ScriptStore as _};

/// A script that is to run.
#[derive(Debug)]
pub(crate) struct ScriptCall {
    /// The script as it was read, its text with it.
    pub(crate) script: Script,
    /// Its text: what was hashed, and what a person is shown.
    pub(crate) text: String,
    /// What bash reads: the text itself, or the text with its values in their places.
    pub(crate) runs: Sealed,
    /// Variables of the text whose values are known.
    pub(crate) known: Vec<(String, String)>,
    /// What it may do in this call.
    pub(crate) capabilities: Capabilities,
    /// Where the paths that it declares lead: this is compared, and nothing else is opened.
    pub(crate) reach: Destinations,
    /// Where its programs are looked for.
    pub(crate) path: String,
    /// What reads it.
    pub(crate) bash: PathBuf,
    /// Where it runs: a directory of its own, or the one that it was told.
    pub(crate) place: RunsIn,
    /// Where its row is.
    pub(crate) store: Arc<HeldStore>,
    /// What is worth telling about it before a person is asked; not looked for where a yes to it
    /// was on record when the request was made.
    pub(crate) findings: Option<Vec<ScriptFinding>>,
}

/// Where a script runs.
#[derive(Debug)]
pub(crate) enum RunsIn {
    /// In a directory of its own, which goes with the run.
    Scratch(Scratch),
    /// Where it was told to, which it declares; real.
    Told(PathBuf),
    /// Where it was told to, which it does not declare: there is nothing to be seen but what it
    /// declares, and it has a directory of its own elsewhere.
    Closed(Scratch, PathBuf),
}

/// Why a script does not run without a question.
const NOT_APPROVED: &str = "script-not-approved";

impl ScriptCall {
    /// What is called a command in results and records.
    pub(crate) fn command(&self) -> String {
        format!("script {}", self.script.name)
    }

    /// What its cache is called by.
    pub(super) fn command_id(&self) -> String {
        format!("script {}", self.script.id)
    }

    /// Which script it is, for results.
    pub(crate) fn ran(&self) -> RanScript {
        RanScript {
            id: self.script.id.to_string(),
            name: self.script.name.to_string(),
            content_hash: self.script.content_hash.clone(),
        }
    }

    /// What an answer is bound to.
    pub(crate) fn digest(&self) -> String {
        self.script.digest()
    }

    /// The directory that an answer is bound to: scratch is another one in every run.
    pub(crate) fn bound_directory(&self, directory: &Path) -> PathBuf {
        match &self.place {
            RunsIn::Told(_) | RunsIn::Closed(..) => directory.to_owned(),
            RunsIn::Scratch(scratch) => scratch.root().to_owned(),
        }
    }

    /// What is its workspace, and where it starts.
    pub(crate) fn directories(&self) -> [PathBuf; 2] {
        match &self.place {
            RunsIn::Told(directory) => [directory.clone(), directory.clone()],
            RunsIn::Scratch(scratch) => [scratch.work(), scratch.work()],
            RunsIn::Closed(scratch, directory) => [scratch.work(), directory.clone()],
        }
    }

    /// The directory that is its own, if it has one.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        match &self.place {
            RunsIn::Told(_) => None,
            RunsIn::Scratch(scratch) | RunsIn::Closed(scratch, _) => Some(scratch.work()),
        }
    }

    /// What it is given in this call: its paths as they lead, and its scratch.
    pub(crate) fn grants(&self) -> Capabilities {
        let mut granted = as_they_lead(&self.capabilities, &self.reach);
        let written = &mut granted.paths_write;
        // Its scratch is its own, and so is a directory in what it may write.
        let own = match &self.place {
            RunsIn::Told(directory) => {
                let mut around = self.capabilities.paths_write.iter();
                around.any(|path| {
                    self.reach
                        .get(path)
                        .is_some_and(|at| directory.starts_with(at))
                })
            }
            RunsIn::Scratch(_) | RunsIn::Closed(..) => true,
        };
        if own && !written.iter().any(|path| path == ".") {
            written.push(".".to_owned());
        }
        granted
    }

    /// How bash is called: it opens what was sealed by itself.
    pub(crate) fn arguments() -> Vec<String> {
        let file = format!("/proc/self/fd/{FIRST_INHERITED}");
        [INTERPRETER, "--noprofile", "--norc", &file]
            .map(str::to_owned)
            .to_vec()
    }

    /// What bash opens.
    pub(crate) fn descriptor(&self) -> std::io::Result<OwnedFd> {
        self.runs.descriptor()
    }

    /// What becomes of a decision of the policy. What it refuses is refused; whatever it would ask
    /// about or allow, the yes to the whole script stands in its place, and nothing else does. The
    /// row is read anew, so an answer counts as soon as it is given.
    pub(crate) fn decide(
        &self,
        settings: &Settings,
        policy: &Decision,
    ) -> Result<Decision, EngineError> {
        if policy.effect == Effect::Deny {
            return Ok(Decision {
                suggestion: way_out(&self.script, policy),
                ..policy.clone()
            });
        }
        let now = self
            .store
            .get()
            .and_then(|store| store.script(self.script.id));
        let now = now.map_err(unread)?;
        let as_read = |script: &Script| script.digest() == self.digest();
        let still = |script: &Script| script.deleted_at_ms.is_none() && as_read(script);
        // No person is asked about a text that is not the script's any more.
        let Some(now) = now.filter(still) else {
            return Err(EngineError::ScriptChanged {
                name: self.script.name.to_string(),
            });
        };
        let same = now.is_approved_at(now_ms());
        let before = now.approval.as_ref();
        let astray = before.and_then(|before| {
            let both = [&before.reach, &self.reach];
            led_astray(settings, &self.script.capabilities, both)
        });
        let approved = same && astray.is_none();
        let reason = match (before, astray) {
            _ if approved => "was approved as it is".to_owned(),
            (Some(_), Some(path)) if same => {
                let path = path.escape_debug();
                format!("was approved when `{path}`, which it declares, led elsewhere")
            }
            (Some(_), _) => "is not what was approved".to_owned(),
            (None, _) => "was not approved yet".to_owned(),
        };
        Ok(Decision {
            effect: if approved { Effect::Allow } else { Effect::Ask },
            rule: if approved {
                "script-approved"
            } else {
                NOT_APPROVED
            }
            .to_owned(),
            layer: Layer::User,
            reason: format!("the script `{}` {reason}", self.script.name),
            span: None,
            fact: Some(format!("SHA-256 {}", self.script.content_hash)),
            capability: None,
            suggestion: (!approved).then(|| {
                format!(
                    "a person has to look at it: `bashful scripts approve {}`",
                    self.script.id
                )
            }),
            remember: None,
        })
    }

    /// Puts into an ask what a person has to know about the script.
    pub(crate) fn describe(&self, settings: &Settings, ask: &mut Ask) -> Result<(), EngineError> {
        ask.command = masked(&self.text, &settings.mask);
        ask.cwd = self.bound_directory(&ask.cwd);
        if !matches!(self.place, RunsIn::Told(_)) {
            ask.workspace = ask.cwd.clone();
        }
        // Another script may have the same text, and is another question.
        ask.rights = digest(&[ask.rights.as_bytes(), self.script.id.to_string().as_bytes()]);
        let shown = |text: String| masked(&text, &settings.mask);
        let findings = self
            .findings
            .clone()
            .unwrap_or_else(|| vec![not_looked_at()]);
        let findings = findings.into_iter().map(|mut finding| {
            finding.message = shown(finding.message);
            finding
        });
        ask.script = Some(Box::new(AskScript {
            id: self.script.id,
            name: self.script.name.clone(),
            content_hash: self.script.content_hash.clone(),
            capabilities: self.script.capabilities.clone(),
            reach: self.reach.clone(),
            variables: self.script.variables.clone(),
            findings: findings.collect(),
            approved_before: self.approved_before(settings)?,
        }));
        Ok(())
    }

    fn approved_before(&self, settings: &Settings) -> Result<Option<ApprovedBefore>, EngineError> {
        let Some(approval) = &self.script.approval else {
            return Ok(None);
        };
        let content = if approval.approved_hash == self.script.content_hash {
            None
        } else {
            let store = self.store.get().map_err(unread)?;
            let text = store.script_text(self.script.id, &approval.approved_hash);
            text.map_err(unread)?
        };
        Ok(Some(ApprovedBefore {
            content_hash: approval.approved_hash.clone(),
            content: content.map(|content| masked(&content, &settings.mask)),
            capabilities: approval.capabilities.clone(),
            variables: approval.variables.clone(),
            approved_at_ms: approval.approved_at_ms,
        }))
    }

    /// What is put on record about it.
    pub(crate) fn record(&self, change: ScriptChange, by: Caller<'_>, task: &str) -> ScriptChanged {
        let mut event = ScriptChanged::of(change, &self.script, by);
        event.task = Some(task.to_owned());
        event
    }
}

/// The yes was taken back while the request was on its way.
fn not_looked_at() -> ScriptFinding {
    let message = "was not looked at, because its yes was taken back just now; `bashful scripts validate` does";
    ScriptFinding::own(Severity::Warning, "not-validated", message.to_owned())
}

fn unread(error: StoreError) -> EngineError {
    ApprovalError::from(error).into()
}

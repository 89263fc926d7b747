//! Running scripts: one action, a list of them, or only what would be done.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::{Capabilities, Value as Bindable};

use super::Scripts;
use super::action::BashRun;
use super::check::missing as missing_tool;
use super::place::Told;
use super::programs::{SYSTEM, find, trusted_path};
use super::running::ScriptRun;
use super::templates::BoundScript;
use super::validate;
use super::values::{Given, MissingValues, ShownBinding, shown};
use crate::base::clock::now_ms;
use crate::config::Keep;
use crate::engine::Started;
use crate::explain::Explanation;
use crate::model::error::script::ScriptError;
use crate::model::output::OutputLimit;
use crate::model::result::ExecutionResult;
use crate::model::script::Destinations;
use crate::model::script::content_hash;
use crate::model::script::id::ScriptName;
use crate::model::script::{INTERPRETER, Script};
use crate::request::invocation::{Invocation, Timeout};
use crate::request::script::call::{RunsIn, ScriptCall};
use crate::request::script::destinations::destinations;
use crate::request::script::scratch::Scratch;
use crate::request::script::sealed::Sealed;
use crate::scripts::library::ScriptLibrary;

/// How much of each stream the result of a script holds.
const OUTPUT_BYTES: usize = 10_240;

/// A longer value of a variable is not looked into before a run.
const LONGEST_KNOWN: usize = 4096;

/// What became of a request to run a script.
#[derive(Debug)]
pub enum StartedScript {
    /// It was allowed, and its keeper has the order.
    Running(Box<ScriptRun>),
    /// It was not allowed, or a person has to say yes first; nothing was started.
    NotAllowed(Box<ExecutionResult>),
}

/// What a request would do.
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct DryRun {
    /// The version of this shape.
    pub v: u32,
    /// The script as the library has it.
    pub script: Script,
    /// Its text as it is kept.
    pub content: String,
    /// The whole text that bash would read, values and all.
    pub resolved: String,
    /// What is bound where.
    pub bindings: Vec<ShownBinding>,
    /// What it may do in this call.
    pub capabilities: Capabilities,
    /// The decision, and the plan of the sandbox.
    pub plan: Explanation,
}

/// A request that is ready to be made.
struct Prepared {
    call: Arc<ScriptCall>,
    bound: BoundScript,
    invocation: Invocation,
}

impl Scripts<'_> {
    /// Starts a script. If no person has approved it as it is, the engine asks, and waits for the
    /// answer as long as it was told to.
    pub fn start(
        &self,
        action: &BashRun,
        missing: MissingValues,
    ) -> Result<StartedScript, ScriptError> {
        let prepared = self.prepare_recorded(action, missing)?;
        let started = self.engine.start(prepared.invocation)?;
        Ok(Self::started(started, prepared.call))
    }

    /// Runs a script and waits for its end. Dropping the future ends it, and nothing is started
    /// after that.
    pub async fn run(
        &self,
        action: BashRun,
        missing: MissingValues,
    ) -> Result<ExecutionResult, ScriptError> {
        match self.begin(&action, missing).await? {
            StartedScript::Running(run) => run.wait().await,
            StartedScript::NotAllowed(result) => Ok(*result),
        }
    }

    /// The same up to its beginning.
    pub(crate) async fn begin(
        &self,
        action: &BashRun,
        missing: MissingValues,
    ) -> Result<StartedScript, ScriptError> {
        let prepared = self.prepare_recorded(action, missing)?;
        let started = self.engine.start_on_thread(prepared.invocation).await?;
        Ok(Self::started(started, prepared.call))
    }

    fn started(started: Started, call: Arc<ScriptCall>) -> StartedScript {
        let run = match started {
            Started::Running(run) => run,
            Started::NotAllowed(result) => return StartedScript::NotAllowed(result),
        };
        let run = ScriptRun::begun(run, call);
        StartedScript::Running(Box::new(run))
    }

    /// Tells what a request would do: the text that would run, the plan and the decision. Nothing
    /// runs, and no person is asked.
    pub fn dry_run(&self, action: &BashRun, missing: MissingValues) -> Result<DryRun, ScriptError> {
        let Prepared {
            call,
            bound,
            invocation,
        } = self.prepare(action, missing)?;
        let plan = self.engine.explain(invocation)?;
        Ok(DryRun {
            v: 1,
            script: call.script.clone(),
            content: call.text.clone(),
            bindings: shown(&bound),
            resolved: bound.text,
            capabilities: call.capabilities.clone(),
            plan,
        })
    }

    /// A request to run a script, for a caller that wants to know what it would come to.
    pub(super) fn invocation(
        &self,
        action: &BashRun,
        missing: MissingValues,
    ) -> Result<Invocation, ScriptError> {
        Ok(self.prepare(action, missing)?.invocation)
    }

    /// The same for a run: what keeps it from being tried at all is on record too.
    fn prepare_recorded(
        &self,
        action: &BashRun,
        missing: MissingValues,
    ) -> Result<Prepared, ScriptError> {
        let prepared = self.prepare(action, missing);
        prepared.inspect_err(|error| self.record_not_run(action, &error.for_record()))
    }

    fn prepare(&self, action: &BashRun, missing: MissingValues) -> Result<Prepared, ScriptError> {
        action.check()?;
        let settings = self.settings();
        let library = self.library()?;
        let (script, text) = library.look(meant(&library, action)?)?.usable()?;
        // From here on there is one text, which no process can change: it is hashed, shown,
        // judged and run from there.
        let sealed = Sealed::of(&text)?;
        let text = sealed.text()?;
        if content_hash(text.as_bytes()) != script.content_hash {
            return Err(ScriptError::ChangedMeanwhile {
                name: script.name.to_string(),
            });
        }
        let capabilities = action.capabilities.within(&script.capabilities)?;
        let given = Given {
            script: &script,
            variables: &action.variables,
            exact: &action.exact,
        };
        let bound = given.bind(&text, missing)?;
        let runs = if bound.text == text {
            sealed
        } else {
            Sealed::of(&bound.text)?
        };
        let reach = destinations(settings, &script.capabilities);
        self.check_apart(&reach)?;
        let directory = self.directory(action, &script, &reach)?;
        let scratch = || Scratch::new(&settings.places, &reach);
        let place = match directory {
            None => RunsIn::Scratch(scratch()?),
            Some(Told::Declared(directory)) => RunsIn::Told(directory),
            Some(Told::Closed(directory)) => RunsIn::Closed(scratch()?, directory),
        };
        let writable = writable(&script, &reach, &place);
        let path = trusted_path(settings, &writable);
        let bash = find(INTERPRETER, SYSTEM, &writable)
            .or_else(|| find(INTERPRETER, &path, &writable))
            .ok_or_else(|| missing_tool(INTERPRETER))?;
        let description = match script.description.trim() {
            "" => format!("the script {}", script.name),
            description => description.to_owned(),
        };
        // Who is not going to be asked need not be told, and looking takes long.
        let approval = script.approval.as_ref();
        let holds =
            script.is_approved_at(now_ms()) && approval.is_some_and(|yes| yes.reach == reach);
        let findings = (!holds).then(|| validate::for_ask(settings, &script, &text));
        let call = Arc::new(ScriptCall {
            text,
            runs,
            known: known(&bound),
            capabilities,
            reach,
            path,
            bash,
            place,
            store: Arc::clone(&settings.store),
            findings,
            script,
        });
        let [workspace, start] = call.directories();
        let mut invocation = Invocation::bash(bound.judged.clone())
            .workspace(workspace)
            .description(description)
            .timeout(Timeout::After(
                action.hard_limit(settings.config.scripts.max_timeout),
            ))
            .warn_after(Duration::from_secs(action.timeout_seconds))
            .output(OutputLimit::bytes(Keep::HeadTail, OUTPUT_BYTES));
        invocation.roots.push(start.clone());
        invocation.cwd = Some(start);
        if !matches!(call.place, RunsIn::Told(_)) {
            invocation = invocation.fresh();
        }
        invocation.script = Some(Arc::clone(&call));
        Ok(Prepared {
            call,
            bound,
            invocation,
        })
    }
}

/// Where the script itself, or the agent that told it where to run, could put a program.
fn writable(script: &Script, reach: &Destinations, place: &RunsIn) -> Vec<PathBuf> {
    let declared = script.capabilities.paths_write.iter();
    let declared = declared.filter_map(|path| reach.get(path).cloned());
    let told = match place {
        RunsIn::Told(directory) | RunsIn::Closed(_, directory) => Some(directory.clone()),
        RunsIn::Scratch(_) => None,
    };
    declared.chain(told).collect()
}

/// The script that an action names.
pub(super) fn meant(library: &ScriptLibrary<'_>, action: &BashRun) -> Result<Script, ScriptError> {
    let by_name = |name: &String| -> Result<Script, ScriptError> {
        let name: ScriptName = name.parse()?;
        library.find(name.as_str())
    };
    match (action.script_id, &action.script_name) {
        (Some(id), None) => library.find(&id.to_string()),
        (None, Some(name)) => by_name(name),
        (None, None) => Err(ScriptError::Action {
            detail: "it names no script".to_owned(),
        }),
        (Some(id), Some(name)) => {
            let script = library.find(&id.to_string())?;
            if script.name.as_str() == name {
                return Ok(script);
            }
            Err(ScriptError::Action {
                detail: format!("`{id}` is called `{}`, and not as it says", script.name),
            })
        }
    }
}

/// Variables that the policy can look into.
fn known(bound: &BoundScript) -> Vec<(String, String)> {
    let short = bound.set.iter().filter_map(|(name, value)| match value {
        Bindable::Text(text) if text.len() <= LONGEST_KNOWN => Some((name.clone(), text.clone())),
        _ => None,
    });
    short.collect()
}

//! Asking about a request: putting the ask, and waiting for an answer.

use crate::model::asking::Asking;
use crate::model::asking::GiveUp;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bashful_keeper::TaskId;
use bashful_policy::Decision;

use crate::ask::approvals::{
    Answer, ApprovalQueue, Ask, AskGround, AskState, Binding, Cause, Memory, Offer, Pending,
    Reachable, Settled, Watch,
};
use crate::base::clock::{millis, now_ms};
use crate::base::secrets::masked;
use crate::base::secrets::shown_variables;
use crate::model::error::ask::ApprovalError;
use crate::model::result::RequestInfo;
use crate::request::context::RunContext;
use crate::request::settings::Settings;
use crate::store::AskLimits;

/// How often a caller that waits looks again without a hint.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Whether the caller of a request is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abandoned(pub(crate) Arc<AtomicBool>);

impl Abandoned {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Asking {
    /// Whether this engine waits for answers at all.
    pub(crate) fn may_block(&self, settings: &Settings) -> bool {
        self.approver.is_some() || !self.wait(settings).is_zero()
    }

    fn wait(&self, settings: &Settings) -> Duration {
        self.wait.unwrap_or(settings.config.approvals.wait)
    }
}

/// What a person is asked about.
#[derive(Debug, Clone)]
pub(crate) struct Question<'q> {
    pub(crate) decision: &'q Decision,
    pub(crate) offer: Offer,
    pub(crate) cause: Cause,
}

/// An ask as it is put. `context` is where the request stands with what was opened for it.
pub(crate) fn compose(
    settings: &Settings,
    info: &RequestInfo,
    context: &RunContext<'_>,
    binding: &Binding,
    question: Question<'_>,
) -> Ask {
    let Question {
        decision,
        offer,
        cause,
    } = question;
    let now = now_ms();
    let mask = |text: &str| masked(text, &binding.mask);
    let command = mask(&info.command);
    Ask {
        id: TaskId::fresh("ask").to_string(),
        created_at_ms: now,
        expires_at_ms: now.saturating_add(millis(settings.config.approvals.expire)),
        agent: binding.agent.clone(),
        session: binding.session.clone(),
        project: binding.project.clone(),
        workspace: context.workspace.clone(),
        cwd: context.cwd.clone(),
        description: info.description.as_deref().map(mask),
        variables: shown_variables(&binding.variables, &binding.mask),
        reads_input: binding.reads_input,
        input: binding.input.as_deref().map(mask),
        memory: binding.memory.as_ref().map(|memory| Memory {
            shell: memory.shell.clone(),
            text: mask(&memory.text),
        }),
        script: None,
        digest: binding.digest.clone(),
        ground: AskGround {
            rule: mask(&decision.rule),
            layer: decision.layer.as_str().to_owned(),
            reason: mask(&decision.reason),
            // Bytes of a text that was masked are others.
            span: decision.span.filter(|_| command == info.command),
            fact: decision.fact.as_deref().map(mask),
            capability: decision.capability.clone(),
        },
        command,
        cause,
        asking: offer.asking,
        // A shape with a secret in it would be shown and recorded: then it is this exact command.
        shapes: if offer
            .shapes
            .iter()
            .flatten()
            .all(|word| mask(word) == *word)
        {
            offer.shapes
        } else {
            Vec::new()
        },
        reach: reach(settings, context, &offer.opens),
        rights: binding.rights(settings),
        directories: offer
            .directories
            .then(|| binding.rights_to_places(settings)),
        opens: offer.opens,
        policy: binding.policy.clone(),
        count: 1,
        state: AskState::Pending,
        heard: false,
    }
}

/// What a command would be able to reach after a yes.
pub(crate) fn reach(
    settings: &Settings,
    context: &RunContext<'_>,
    opens: &crate::ask::approvals::Opening,
) -> Reachable {
    let widened = context.widened(opens);
    let granted = widened
        .as_ref()
        .map_or(&context.granted, |wider| &wider.granted);
    let capabilities = &granted.capabilities;
    let named = |paths: &[String]| {
        let elsewhere = paths.iter().filter(|path| *path != ".");
        elsewhere.cloned().collect::<Vec<String>>()
    };
    let workspace = context.workspace.to_string_lossy().into_owned();
    let writes = capabilities.paths_write.iter().any(|path| path == ".");
    let mut read = named(&capabilities.paths_read);
    let mut write = named(&capabilities.paths_write);
    if writes {
        write.insert(0, workspace.clone());
    }
    read.insert(0, workspace);
    write.extend(opens.makes.iter().cloned());
    let links = widened
        .as_ref()
        .map_or(&context.links, |wider| &wider.links);
    Reachable {
        links: links.keys().cloned().collect(),
        read,
        write,
        network: capabilities.network.to_string(),
        sandbox: settings.sandbox_word().to_owned(),
    }
}

/// How many asks one agent may have.
pub(crate) fn limits(settings: &Settings) -> AskLimits {
    let most = u64::try_from(settings.config.approvals.most_pending).unwrap_or(u64::MAX);
    AskLimits {
        pending: most,
        // Answered ones do not wait any more; but who is asked all day says yes to everything.
        recent: most.saturating_mul(4),
        window_ms: 60_000,
    }
}

/// Puts an ask to a person who can answer, and waits as long as it was said. The row is the truth:
/// what comes back is how the ask stands there.
pub(crate) fn wait_for_answer(
    settings: &Settings,
    queue: &ApprovalQueue,
    ask: &Ask,
    abandoned: &Abandoned,
) -> Result<(AskState, Option<String>), ApprovalError> {
    let asking = &settings.asking;
    let expires = Duration::from_millis(ask.expires_at_ms.saturating_sub(now_ms()));
    let now = Instant::now();
    let waiting = Waiting {
        queue,
        ask: &ask.id,
        watch: queue.watch(),
        until: now + expires,
        give_up: asking.give_up.as_ref(),
        abandoned,
    };
    if let Some(approver) = &asking.approver
        && let Some((answer, by)) = approver.ask(ask, &waiting)
    {
        let settled = queue.answer_in(&ask.session, &ask.id, &answer, &by)?;
        return Ok(match (settled, answer) {
            (Settled::Counts { ask, .. }, Answer::Edit { command }) => (ask.state, Some(command)),
            (Settled::Counts { ask, .. } | Settled::TooLate { ask }, _) => (ask.state, None),
        });
    }
    let until = waiting.until.min(now + asking.wait(settings));
    Waiting { until, ..waiting }.wait();
    Ok((queue.ask(&ask.id)?.state, None))
}

/// Waits this long for an answer from elsewhere, and says how the ask stands then.
pub(crate) fn settled_within(
    queue: &ApprovalQueue,
    ask: &str,
    wait: Duration,
    abandoned: &Abandoned,
) -> Result<AskState, ApprovalError> {
    let ask = queue.ask(ask)?;
    let left = Duration::from_millis(ask.expires_at_ms.saturating_sub(now_ms()));
    let waiting = Waiting {
        queue,
        ask: &ask.id,
        watch: queue.watch(),
        until: Instant::now() + left.min(wait),
        give_up: None,
        abandoned,
    };
    waiting.wait();
    Ok(queue.ask(&ask.id)?.state)
}

/// An ask that a caller waits for.
struct Waiting<'a> {
    queue: &'a ApprovalQueue,
    ask: &'a str,
    watch: Watch,
    until: Instant,
    give_up: Option<&'a GiveUp>,
    abandoned: &'a Abandoned,
}

impl Waiting<'_> {
    fn wait(&self) {
        while self.is_open() && Instant::now() < self.until {
            let left = self.until.saturating_duration_since(Instant::now());
            self.watch.wait(left.min(LOOK_AGAIN));
        }
    }
}

impl Pending for Waiting<'_> {
    fn is_open(&self) -> bool {
        let given_up = self.give_up.is_some_and(|give_up| (give_up.0)());
        // A database that cannot be read for a moment has not answered either.
        let state = || {
            self.queue
                .state_of(self.ask)
                .unwrap_or(Some(AskState::Pending))
        };
        !given_up
            && !self.abandoned.is_set()
            && Instant::now() < self.until
            && state() == Some(AskState::Pending)
    }

    fn hint(&self) -> Option<BorrowedFd<'_>> {
        self.watch.hint()
    }

    fn take_hint(&self) {
        self.watch.take_hint();
    }
}

//! Asking a person about a call: in the client's own dialogue, or elsewhere.

use std::convert::Infallible;
use std::time::Duration;

use bashful_engine::approvals::{Answer, AnsweredBy, Ask, AskState, Channel, Scope};
use bashful_engine::{Engine, EngineError};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequest, ElicitResult, InputRequest, InputRequests, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::McpServer;
use super::client::{Asks, Client};
use super::dialogue::{self, Place};
use super::form::{Reply, form, reply};
use super::progress::Reporter;
use super::state::Bound;

/// The name of our one question in a result.
const QUESTION: &str = "approval";
/// Longer than any ask can be answered.
const FOR_EVER: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What asking came to.
pub(super) enum Asked {
    /// It was answered, here or elsewhere: the call is made again, and finds what was said.
    Answered,
    /// The client takes the question with it, and calls again.
    Carried(Box<InputRequiredResult>),
    /// No answer came; why.
    Nobody(String),
}

/// A call that a person has to say yes to.
pub(super) struct Question<'a> {
    pub(super) server: &'a McpServer,
    pub(super) client: &'a Client,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) bound: Bound<'a>,
}

impl Question<'_> {
    /// Puts an ask to the client's user if it can, or waits for an answer from elsewhere.
    pub(super) async fn put(&self, id: &str) -> Result<Asked, EngineError> {
        let engine = self.server.engine();
        let ask = engine.ask_with_id(id)?;
        let asks = self.client.asks;
        let why = match self.reason_not_to_ask(&ask) {
            Some(why) => why,
            None => match asks {
                Asks::No => "the client cannot ask a person".to_owned(),
                Asks::BetweenCalls => match self.carried(&ask) {
                    Some(result) => return Ok(Asked::Carried(Box::new(result))),
                    None => TOO_LONG.to_owned(),
                },
                Asks::WithinTheCall { titles } => match self.within(&ask, titles).await? {
                    Some(asked) => asked,
                    None => return Ok(Asked::Answered),
                },
            },
        };
        self.elsewhere(id, why).await
    }

    /// Takes the answer that came back with the second call.
    pub(super) async fn take(&self, id: &str, responses: &Value) -> Result<Asked, EngineError> {
        let result = responses.get(QUESTION).cloned().unwrap_or_default();
        let why = match serde_json::from_value::<ElicitResult>(result) {
            Ok(result) => match self.settle(id, reply(&result))? {
                None => return Ok(Asked::Answered),
                Some(why) => why,
            },
            Err(_) => "the client's reply does not answer the question".to_owned(),
        };
        self.elsewhere(id, why).await
    }

    /// Why this ask is not put to the client's user, if there is a reason.
    fn reason_not_to_ask(&self, ask: &Ask) -> Option<String> {
        let outside = &self.server.inner.options.out_of_band;
        let ground = &ask.ground;
        let decided = [Some(&ground.rule), ground.capability.as_ref()];
        let decided = decided.into_iter().flatten();
        let network = ask.opens.network.iter().map(|_| "network");
        let mut named = decided
            .chain(&ask.asking)
            .chain(&ask.opens.classes)
            .map(String::as_str)
            .chain(network);
        let class = named.find(|name| outside.iter().any(|outside| outside == name))?;
        Some(format!(
            "`{class}` is set to need an answer outside the client"
        ))
    }

    /// The question for a client that takes it with it.
    fn carried(&self, ask: &Ask) -> Option<InputRequiredResult> {
        let form = form(ask, true, self.server.inner.options.session_yes)?;
        let state = self.server.inner.states.seal(&ask.id, self.bound).ok()?;
        let request = InputRequest::Elicitation(ElicitRequest::new(form));
        let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
        Some(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Puts the question while the call goes on. None: it is answered, here or elsewhere.
    async fn within(&self, ask: &Ask, titles: bool) -> Result<Option<String>, EngineError> {
        let Some(form) = form(ask, titles, self.server.inner.options.session_yes) else {
            return Ok(Some(TOO_LONG.to_owned()));
        };
        let here = async {
            // An equal call may ask already: a person gets one question at a time.
            let held = match self.server.inner.dialogues.take(&ask.id) {
                // It may have been answered since it was read.
                Place::Free(held) => match self.server.engine().ask_with_id(&ask.id)?.state {
                    AskState::Pending => held,
                    _ => return Ok(None),
                },
                Place::Taken(mut end) => {
                    // An error is the end.
                    let _ = end.changed().await;
                    return Ok(Some(
                        match self.server.engine().ask_with_id(&ask.id)?.state {
                            AskState::Pending => ANOTHER_CALL.to_owned(),
                            _ => return Ok(None),
                        },
                    ));
                }
            };
            let result = dialogue::put(&self.context.peer, form).await;
            let settled = match result {
                Ok(Some(result)) => self.settle(&ask.id, reply(&result)),
                Ok(None) => Ok(Some(
                    "the client's reply does not answer the question".to_owned(),
                )),
                Err(error) => Ok(Some(could_not_ask(&error.to_string()))),
            };
            drop(held);
            settled
        };
        tokio::select! {
            never = self.sign_of_life() => match never {},
            outcome = here => outcome,
            state = self.server.engine().settled_within(&ask.id, FOR_EVER) => match state? {
                AskState::Pending => Ok(Some("no answer came in time".to_owned())),
                _ => Ok(None),
            },
        }
    }

    /// Tells the client that the call goes on: some end one that is silent for a minute.
    async fn sign_of_life(&self) -> Infallible {
        match Reporter::of(self.context) {
            Some(reporter) => reporter.report("waiting for a person").await,
            None => std::future::pending().await,
        }
    }

    /// Notes what a person said; why not, if it does not count.
    fn settle(&self, id: &str, reply: Reply) -> Result<Option<String>, EngineError> {
        let answer = match reply {
            Reply::Answered(answer) => self.within_bounds(answer),
            Reply::Nobody(why) => return Ok(Some(why)),
        };
        // The agent could have started this server as a command of its own.
        let witness = match AnsweredBy::outside(Channel::Client) {
            Ok(witness) => witness.client(&self.client.name),
            Err(error) => return Ok(Some(error.to_string())),
        };
        // One that came too late changes nothing: what counts is found when the call is made again.
        self.server.engine().answer(id, &answer, &witness)?;
        Ok(None)
    }

    /// A yes for a session that has no end of its own ends after a while.
    fn within_bounds(&self, answer: Answer) -> Answer {
        match (answer, self.server.inner.options.session_yes) {
            (
                Answer::Allow {
                    scope,
                    expires: None,
                },
                expires,
            ) if scope == Scope::Session => Answer::Allow { scope, expires },
            (answer, _) => answer,
        }
    }

    /// Waits for an answer from elsewhere, if the server is told to.
    async fn elsewhere(&self, id: &str, why: String) -> Result<Asked, EngineError> {
        let wait = self.server.inner.options.wait;
        if wait.is_zero() {
            return Ok(Asked::Nobody(why));
        }
        let engine: &Engine = self.server.engine();
        let state = tokio::select! {
            never = self.sign_of_life() => match never {},
            state = engine.settled_within(id, wait) => state?,
        };
        match state {
            AskState::Pending => {
                let seconds = wait.as_secs();
                Ok(Asked::Nobody(format!(
                    "{why}, and no answer came from elsewhere within {seconds} s"
                )))
            }
            _ => Ok(Asked::Answered),
        }
    }
}

/// Why the client's dialogue came to nothing, in the words of the client.
fn could_not_ask(why: &str) -> String {
    let why: String = why.chars().take(200).flat_map(char::escape_debug).collect();
    format!("the client could not ask: {why}")
}

const ANOTHER_CALL: &str =
    "no person said yes in the client: an equal call asked there, and no person was available";
const TOO_LONG: &str = "the command is too long to be shown in the client";

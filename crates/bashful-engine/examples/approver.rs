//! An approver of your own: your program asks its user, and Bashful does the rest.
//!
//! ```text
//! cargo run -p bashful-engine --example approver -- 'git push origin main'
//! ```
//!
//! A real one shows `ask` in a dialogue. This one says yes to what opens nothing, and no to the
//! rest with a word to the agent.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;
use std::time::Duration;

use bashful_engine::approvals::{Answer, AnsweredBy, Approver, Ask, Channel, Pending, Scope};
use bashful_engine::{Engine, Invocation, Places};

#[derive(Debug)]
struct Cautious;

impl Approver for Cautious {
    fn ask(&self, ask: &Ask, pending: &dyn Pending) -> Option<(Answer, AnsweredBy)> {
        // A person may have answered elsewhere while this approver waited for its turn.
        if !pending.is_open() {
            return None;
        }
        // What an agent wrote may hold anything: `{:?}` makes it harmless to print.
        println!("{} asks to run {:?}", ask.agent, ask.command);
        println!(
            "because it {}; a yes opens {:?}",
            ask.ground.reason, ask.opens
        );
        let answer = if ask.opens.is_empty() {
            Answer::Allow {
                scope: Scope::Session,
                expires: Some(Duration::from_secs(3600)),
            }
        } else {
            Answer::Deny {
                message: Some("work without the network".to_owned()),
            }
        };
        // Goes on record with the answer. A process that Bashful started gets none.
        let witness = AnsweredBy::outside(Channel::Callback).ok()?;
        Some((answer, witness))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bashful_engine::init();
    let usual = "git push origin main";
    let command = std::env::args().nth(1).unwrap_or_else(|| usual.to_owned());

    let directory = tempfile::tempdir()?;
    let engine = Engine::builder()
        .agent("approver")
        .workspace(directory.path())
        .places(Places::under(directory.path()))
        .approver(Arc::new(Cautious))
        // Where the approver has no answer, a person may give one with `bashful approvals` in
        // this time.
        .wait_for_answers(Duration::from_secs(5))
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let result = runtime.block_on(engine.run(Invocation::bash(command)))?;
    println!("{:?}", result.status);
    if let Some(approval) = result.approval {
        println!(
            "{} is {}: {:?}",
            approval.id, approval.state, approval.message
        );
    }
    Ok(())
}

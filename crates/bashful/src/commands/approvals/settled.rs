//! What became of an answer, for people and as JSON.

use bashful_engine::approvals::{Ask, AskState, Settled};
use serde_json::{Value, json};

use crate::prompt::now_ms;
use crate::view::{Style, grant_entries, said_state, show_block};

pub(super) fn json(settled: &Settled) -> Value {
    match settled {
        Settled::Counts { ask, grant, also } => {
            json!({ "v": 1, "counts": true, "ask": ask, "grant": grant, "also": also })
        }
        Settled::TooLate { ask } => json!({ "v": 1, "counts": false, "ask": ask }),
        _ => json!({ "v": 1, "counts": false }),
    }
}

pub(super) fn show(settled: &Settled, style: Style, out: &mut Vec<u8>) {
    let (title, entries) = match settled {
        Settled::Counts { ask, grant, also } => {
            let title = match ask.state {
                AskState::Allowed { .. } if ask.script.is_some() => {
                    "Approved: it runs without a question until it or what it declares changes"
                }
                AskState::Allowed { .. } => "Allowed; this is remembered",
                AskState::Denied { .. } => "Denied",
                _ => "Answered",
            };
            let about = match &ask.script {
                Some(script) => ("Script", script.name.to_string()),
                None => ("Command", ask.command.clone()),
            };
            let mut entries = vec![("Ask", ask.id.clone()), about];
            if let AskState::Denied {
                message: Some(message),
                ..
            } = &ask.state
            {
                entries.push(("Message", message.clone()));
            }
            if let Some(grant) = grant {
                let about = grant_entries(grant, now_ms()).into_iter();
                // The ask is named above.
                entries.extend(about.filter(|(name, _)| *name != "Ask"));
            }
            if !also.is_empty() {
                let ids: Vec<&str> = also.iter().map(|ask: &Ask| ask.id.as_str()).collect();
                entries.push(("Answers too", ids.join(", ")));
            }
            (title, entries)
        }
        Settled::TooLate { ask } => {
            let state = said_state(&ask.state, now_ms());
            let mut entries = vec![("Ask", ask.id.clone()), ("State", state)];
            if let (Some(script), AskState::Overtaken { .. }) = (&ask.script, &ask.state) {
                entries.push(("Script", script.name.to_string()));
                let next = format!(
                    "it has changed since; look at it: bashful scripts approve {}",
                    script.id
                );
                entries.push(("Next", next));
            }
            ("Too late; this answer had no effect", entries)
        }
        _ => ("Answered", Vec::new()),
    };
    show_block(title, &entries, style, out);
}

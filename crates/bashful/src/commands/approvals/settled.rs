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
                AskState::Allowed { .. } => "Allowed; this is remembered",
                AskState::Denied { .. } => "Denied",
                _ => "Answered",
            };
            let mut entries = vec![("Ask", ask.id.clone()), ("Command", ask.command.clone())];
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
            let entries = vec![("Ask", ask.id.clone()), ("State", state)];
            ("Too late; this answer left nothing behind", entries)
        }
        _ => ("Answered", Vec::new()),
    };
    show_block(title, &entries, style, out);
}

//! Words for what a yes covers, opens and comes from.

use std::time::Duration;

use bashful_engine::approvals::{AnsweredBy, AskState, Channel, Opening, Subject};
use bashful_engine::config::format_size;
use bashful_engine::policy::{Suggestion, remembered};
use bashful_engine::{ServerKey, Transfer};

use super::super::text;

/// A shape as it is written, with quotes where words need them.
pub(crate) fn shape(words: &[String]) -> String {
    remembered(&Suggestion {
        shape: words.to_vec(),
        exact: false,
    })
}

/// What a grant is about, a line for each part of it. They may hold what an agent wrote.
pub(crate) fn subject(subject: &Subject) -> Vec<String> {
    match subject {
        Subject::Shapes(shapes) => shapes.iter().map(|words| shape(words)).collect(),
        Subject::Command { text, .. } => vec![format!("exactly: {text}")],
        Subject::Any => vec!["any command".to_owned()],
        _ => vec!["a kind of grant that this version does not know".to_owned()],
    }
}

/// What a yes opens, a phrase for each part of it.
pub(crate) fn opening(opens: &Opening) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(opens.network.iter().map(|to| format!("network {to}")));
    words.extend(opens.git.iter().map(Transfer::in_words));
    words.extend(opens.server_keys.iter().map(ServerKey::in_words));
    words.extend(opens.classes.iter().map(|class| format!("class {class}")));
    words.extend(opens.paths_read.iter().map(|path| format!("read {path}")));
    words.extend(opens.paths_write.iter().map(|path| format!("write {path}")));
    words.extend(opens.resources.iter().map(|(name, value)| {
        let is_size = matches!(
            name.as_str(),
            "memory" | "file_size" | "tmp_size" | "disk_size"
        );
        let value = if is_size {
            format_size(*value)
        } else {
            value.to_string()
        };
        format!("{} {value}", name.replace('_', " "))
    }));
    words
}

/// Who answered: the user, the way and the terminal.
pub(crate) fn witness(by: &AnsweredBy) -> String {
    let way = match by.channel {
        Channel::Prompt => "at the prompt",
        Channel::Terminal => "on a terminal",
        Channel::Callback => "by the embedding program",
        Channel::CommandLine => "on the command line, with --yes",
        Channel::Client => "in an MCP client",
        _ => "in another way",
    };
    let terminal = by.terminal.as_ref();
    let terminal = terminal.map_or(String::new(), |name| format!(" {name}"));
    format!("user {} {way}{terminal}", by.uid)
}

/// How an ask stands, in one sentence.
pub(crate) fn state(state: &AskState, now_ms: u64) -> String {
    let ago = |at_ms: &u64| text::whole_seconds(between(*at_ms, now_ms));
    match state {
        AskState::Pending => "waits for an answer".to_owned(),
        AskState::Allowed {
            grant,
            scope,
            at_ms,
            by,
        } => format!(
            "allowed {} ago by {}, scope {scope}, {grant}",
            ago(at_ms),
            witness(by)
        ),
        AskState::Denied { message, at_ms, by } => {
            let message = message.as_ref();
            let message = message.map_or(String::new(), |text| format!(": {text}"));
            format!("denied {} ago by {}{message}", ago(at_ms), witness(by))
        }
        AskState::Edited { at_ms, by } => {
            format!("changed {} ago by {}", ago(at_ms), witness(by))
        }
        AskState::Expired { at_ms } => format!("expired {} ago, unanswered", ago(at_ms)),
        AskState::Overtaken { at_ms } => format!(
            "the script was changed or deleted {} ago, before an answer came",
            ago(at_ms)
        ),
    }
}

/// The time from one moment to another; none if the clock went back.
pub(crate) fn between(from_ms: u64, to_ms: u64) -> Duration {
    Duration::from_millis(to_ms.saturating_sub(from_ms))
}

//! An ask as it goes on record: without the values of secrets.

use crate::base::secrets::is_key_like;
use crate::model::ask::Ask;

/// An ask as it goes on record.
pub(crate) fn recorded(ask: &Ask) -> Ask {
    let mut recorded = Ask {
        variables: recorded_variables(&ask.variables),
        ..ask.clone()
    };
    // A text is kept with its script, and is on record by its hash.
    if let Some(script) = &mut recorded.script {
        recorded.command = format!("script {}, SHA-256 {}", script.name, script.content_hash);
        if let Some(before) = &mut script.approved_before {
            before.content = None;
        }
    }
    recorded
}

/// Variables as they go on record: without the value of anything that is called like a key. What
/// the answer was about is bound by its digest all the same.
pub(crate) fn recorded_variables(shown: &[String]) -> Vec<String> {
    let recorded = shown.iter().map(|shown| match shown.split_once('=') {
        Some((name, _)) if is_key_like(name) => format!("{name}={LEFT_OUT}"),
        _ => shown.clone(),
    });
    recorded.collect()
}

/// Whether a part of an ask on record is not there, so that no person can say yes to it.
pub(crate) fn is_cut(ask: &Ask) -> bool {
    let left_out = |variable: &String| {
        let value = variable.split_once('=').map(|(_, value)| value);
        value == Some(LEFT_OUT)
    };
    ask.script.is_some() || ask.variables.iter().any(left_out)
}

/// What stands for a value that is not on record.
const LEFT_OUT: &str = "***";

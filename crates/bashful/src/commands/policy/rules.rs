//! Rules as tables and as JSON.

use bashful_engine::policy::Rule;
use serde_json::{Map, Value, json};

/// One rule with all that is known about it.
pub(super) fn json(rule: &Rule) -> Value {
    let fields = [
        ("id", json!(rule.id)),
        ("effect", json!(rule.effect.as_str())),
        ("layer", json!(rule.layer.as_str())),
        ("place", json!(place(rule))),
        ("reason", json!(rule.reason)),
        ("advice", json!(rule.advice)),
        ("capability", json!(rule.capability)),
        ("match", json!(rule.examples)),
        ("not_match", json!(rule.counterexamples)),
    ];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Where a rule stands, as `file:line`.
pub(super) fn place(rule: &Rule) -> String {
    format!("{}:{}", rule.file, rule.line)
}

//! `bash.run` actions: what is asked to run a script, as JSON.

use std::collections::BTreeSet;
use std::time::Duration;

use bashful_policy::{Capabilities, CapabilityChanges};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::document::Document;
use crate::model::error::script::ScriptError;
use crate::model::script::id::ScriptId;

/// The type of an action that runs a script.
pub const BASH_RUN: &str = "bash.run";

/// How many seconds after its start an event says that a script takes long, if the call names no
/// limit.
const SOFT_SECONDS: u64 = 60;

/// How many seconds after its start a script is ended, if the call names no limit.
const HARD_SECONDS: u64 = 1800;

/// A request to run a managed script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BashRun {
    /// What it is: `bash.run`.
    #[serde(rename = "type", default = "bash_run")]
    pub kind: String,
    /// The script by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_id: Option<ScriptId>,
    /// The script by its name. If both are given, both must mean the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_name: Option<String>,
    /// What of the script's capabilities it needs; what is absent stays as the script declares.
    #[serde(default, skip_serializing_if = "NarrowedCapabilities::is_empty")]
    pub capabilities: NarrowedCapabilities,
    /// When an event says that it takes long; it goes on.
    #[serde(default = "soft")]
    pub timeout_seconds: u64,
    /// When it is ended.
    #[serde(default = "hard")]
    pub timeout_hard_seconds: u64,
    /// Where it runs; absent: in a scratch directory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// Values for its variables and templates.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables: Map<String, Value>,
    /// Those of the variables whose values are meant character by character: nothing in them
    /// stands for another value. A document cannot say so.
    #[serde(skip)]
    pub exact: BTreeSet<String>,
    /// Ignored on input: only the store approves.
    #[serde(default, deserialize_with = "ignored")]
    pub approved: bool,
    /// Ignored on input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<Value>,
    /// Ignored on input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_hash: Option<Value>,
}

/// Capabilities of a call. Each that is there replaces the script's and must lie within it; a
/// list that is there and empty gives nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NarrowedCapabilities(Option<Box<(Map<String, Value>, Capabilities)>>);

impl NarrowedCapabilities {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What the script declares, as far as the call wants it. What would widen is an error.
    pub(crate) fn within(&self, declared: &Capabilities) -> Result<Capabilities, ScriptError> {
        let Some((said, wanted)) = self.0.as_deref() else {
            return Ok(declared.clone());
        };
        let said = |key: &str| said.contains_key(key);
        let written = &declared.paths_write;
        // A script that may write a path may read it.
        let read: Vec<String> = declared.paths_read.iter().chain(written).cloned().collect();
        check_paths("paths_read", &wanted.paths_read, &read)?;
        check_paths("paths_write", &wanted.paths_write, written)?;
        let wish = CapabilityChanges {
            paths_deny: wanted.paths_deny.clone(),
            network: said("network").then(|| wanted.network.clone()),
            commands: wanted.commands.clone().filter(|_| said("commands")),
            resources: wanted.resources,
            classes: wanted.classes.clone(),
            ..CapabilityChanges::default()
        };
        let usual = crate::base::usual_limits::usual_limits();
        let (mut narrowed, widenings) = declared.narrow(&wish, &usual);
        if let Some(first) = widenings.into_iter().next() {
            return Err(ScriptError::Widens {
                key: first.key.to_owned(),
                given: first.given,
            });
        }
        // A list that was said holds what it says, also if that is nothing.
        if said("paths_read") {
            narrowed.paths_read.clone_from(&wanted.paths_read);
        }
        if said("paths_write") {
            narrowed.paths_write.clone_from(&wanted.paths_write);
        }
        if said("classes") {
            narrowed.classes.clone_from(&wanted.classes);
        }
        Ok(narrowed)
    }
}

/// Whether every path is one that was granted. A part of one is not: what is hidden or protected
/// below a path is told from it, and would be open under a name of its own.
fn check_paths(key: &str, wanted: &[String], granted: &[String]) -> Result<(), ScriptError> {
    let plain = |path: &str| match path.trim_end_matches('/') {
        "" => "/".to_owned(),
        plain => plain.to_owned(),
    };
    let is_granted = |path: &String| granted.iter().any(|root| plain(root) == plain(path));
    let (_, given): (Vec<_>, Vec<_>) = wanted.iter().cloned().partition(is_granted);
    if given.is_empty() {
        return Ok(());
    }
    let key = key.to_owned();
    Err(ScriptError::Widens { key, given })
}

impl From<Capabilities> for NarrowedCapabilities {
    fn from(wanted: Capabilities) -> Self {
        let said = serde_json::to_value(&wanted).unwrap_or_default();
        let said = said.as_object().cloned().unwrap_or_default();
        Self(Some(Box::new((said, wanted))))
    }
}

impl Serialize for NarrowedCapabilities {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_deref() {
            Some((said, _)) => said.serialize(serializer),
            None => Map::new().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for NarrowedCapabilities {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let said = Map::deserialize(deserializer)?;
        let wanted = serde_json::from_value(Value::Object(said.clone()));
        let wanted: Capabilities = wanted.map_err(serde::de::Error::custom)?;
        Ok(if said.is_empty() {
            Self(None)
        } else {
            Self(Some(Box::new((said, wanted))))
        })
    }
}

impl BashRun {
    /// A request to run the script with this id or name.
    pub fn of(which: &str) -> Self {
        let id = which.parse::<ScriptId>().ok();
        Self {
            kind: bash_run(),
            script_id: id,
            script_name: id.is_none().then(|| which.to_owned()),
            capabilities: NarrowedCapabilities::default(),
            timeout_seconds: SOFT_SECONDS,
            timeout_hard_seconds: HARD_SECONDS,
            working_directory: None,
            variables: Map::new(),
            exact: BTreeSet::new(),
            approved: false,
            approved_at: None,
            approved_hash: None,
        }
    }

    /// When it is ended where scripts may take this long at most. Only a caller that asks for
    /// more hears of it; the usual limit of a caller that names none is cut.
    pub(crate) fn hard_limit(&self, longest: Duration) -> Duration {
        match self.timeout_hard_seconds {
            HARD_SECONDS => longest.min(Duration::from_secs(HARD_SECONDS)),
            seconds => Duration::from_secs(seconds),
        }
    }

    /// One action, or a list of them.
    pub fn read(text: &str) -> Result<Vec<Self>, ScriptError> {
        let refused = |detail: String| ScriptError::Action { detail };
        let Document(value) = serde_json::from_str(text).map_err(|error| refused(told(&error)))?;
        let (values, in_list) = match value {
            Value::Array(values) => (values, true),
            Value::Object(mut fields) if fields.contains_key("actions") => {
                match fields.remove("actions") {
                    Some(Value::Array(values)) if fields.is_empty() => (values, true),
                    _ => {
                        return Err(refused(
                            "`actions` is not a list, or not the only field".to_owned(),
                        ));
                    }
                }
            }
            one => (vec![one], false),
        };
        if values.is_empty() {
            return Err(refused("the list is empty".to_owned()));
        }
        let numbered = |(index, value): (usize, Value)| {
            Self::from_value(value).map_err(|error| match error {
                ScriptError::Action { detail } if in_list => {
                    refused(format!("action {}: {detail}", index + 1))
                }
                other => other,
            })
        };
        values.into_iter().enumerate().map(numbered).collect()
    }

    /// An action from what a document has. What is null is not given.
    fn from_value(value: Value) -> Result<Self, ScriptError> {
        let refused = |detail: String| ScriptError::Action { detail };
        let Value::Object(mut fields) = value else {
            return Err(refused("an action is an object".to_owned()));
        };
        fields.retain(|_, value| !value.is_null());
        if !fields.contains_key("type") {
            return Err(refused("it has no `type`, which is `bash.run`".to_owned()));
        }
        for (name, value) in &fields {
            let Some((_, wanted, fits)) = FIELDS.iter().find(|(known, ..)| known == name) else {
                let name: String = name.chars().take(100).collect();
                let known: Vec<&str> = FIELDS.iter().map(|(name, ..)| *name).collect();
                let known = known.join("`, `");
                let name = name.escape_debug();
                return Err(refused(format!(
                    "there is no field `{name}`; the fields are `{known}`"
                )));
            };
            if !fits(value) {
                return Err(refused(format!("`{name}` is {wanted}")));
            }
        }
        let action: Self =
            serde_json::from_value(Value::Object(fields)).map_err(|error| refused(told(&error)))?;
        action.check()?;
        Ok(action)
    }

    /// Whether it makes sense.
    pub(crate) fn check(&self) -> Result<(), ScriptError> {
        let refused = |detail: &str| {
            Err(ScriptError::Action {
                detail: detail.to_owned(),
            })
        };
        if self.kind != BASH_RUN {
            return refused("its type is not `bash.run`");
        }
        if self.script_id.is_none() && self.script_name.is_none() {
            return refused("it names no script: `script_id` or `script_name` is needed");
        }
        if self.timeout_hard_seconds == 0 || self.timeout_seconds == 0 {
            return refused("a timeout of 0 seconds leaves no time");
        }
        Ok(())
    }
}

/// A field of an action: its name, what it is in words, and whether a value is that.
type Field = (&'static str, &'static str, fn(&Value) -> bool);

/// The fields of an action.
const FIELDS: [Field; 11] = [
    ("type", "a text", Value::is_string),
    ("script_id", "a UUID", is_id),
    ("script_name", "a text", Value::is_string),
    ("capabilities", "an object", Value::is_object),
    (
        "timeout_seconds",
        "a whole number of seconds",
        Value::is_u64,
    ),
    (
        "timeout_hard_seconds",
        "a whole number of seconds",
        Value::is_u64,
    ),
    ("working_directory", "a text", Value::is_string),
    ("variables", "an object", Value::is_object),
    ("approved", "ignored", |_| true),
    ("approved_at", "ignored", |_| true),
    ("approved_hash", "ignored", |_| true),
];

fn is_id(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|id| id.parse::<ScriptId>().is_ok())
}

/// What a reader of JSON says, in words that need no Rust.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // Where a value was read from memory there is no place.
    let text = text.strip_suffix(" at line 0 column 0").unwrap_or(&text);
    if error.is_syntax() || error.is_eof() {
        return format!("it is not JSON: {text}");
    }
    text.to_owned()
}

/// Whatever stands there says nothing.
fn ignored<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer)?;
    Ok(false)
}

fn bash_run() -> String {
    BASH_RUN.to_owned()
}

fn soft() -> u64 {
    SOFT_SECONDS
}

fn hard() -> u64 {
    HARD_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(text: &str) -> Capabilities {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_usual_action_reads() {
        let id = "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10";
        let text = format!(
            r#"{{"type": "bash.run", "script_id": "{id}", "script_name": "a",
                "capabilities": {{"paths_read": [], "paths_write": [], "network": false, "commands": []}},
                "timeout_seconds": 5, "timeout_hard_seconds": 7, "working_directory": "/tmp",
                "variables": {{"trigger": {{"file": {{"path": "a b"}}}}}},
                "approved": true, "approved_at": "2026-01-01", "approved_hash": "x"}}"#
        );
        let read = BashRun::read(&text).unwrap();
        assert_eq!(read[0].script_id.unwrap().to_string(), id);
        assert_eq!(
            (read[0].timeout_seconds, read[0].timeout_hard_seconds),
            (5, 7)
        );
        let short = BashRun::read(r#"[{"type": "bash.run", "script_name": "a"}]"#).unwrap();
        assert_eq!(short, [BashRun::of("a")]);
        assert_eq!(
            (short[0].timeout_seconds, short[0].timeout_hard_seconds),
            (60, 1800)
        );
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"type": "bash.run"}"#,
            r#"{"type": "mail", "script_name": "a"}"#,
            r#"{"type": "bash.run", "script_id": "../x"}"#,
            r#"{"type": "bash.run", "script_name": "a", "timeout": 3}"#,
            r#"{"type": "bash.run", "script_name": "a", "timeout_hard_seconds": 0}"#,
            r#"{"type": "bash.run", "script_name": "a", "capabilities": {"net": true}}"#,
        ] {
            assert!(BashRun::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_action_is_said_in_plain_words() {
        let fine = [
            r#"{"type": "bash.run", "script_name": "a", "variables": null, "capabilities": null,
                "working_directory": null, "script_id": null, "timeout_seconds": null}"#,
            r#"{"type": "bash.run", "script_name": "a", "approved": "x", "approved_at": [1],
                "approved_hash": {}}"#,
        ];
        for text in fine {
            let found = BashRun::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(!found[0].approved, "{text}");
        }
        let cases = [
            ("ident", "it is not JSON: expected value at line 1 column 1"),
            ("3", "an action is an object"),
            (
                r#"{"script_name": "a"}"#,
                "it has no `type`, which is `bash.run`",
            ),
            (
                r#"{"type": "bash.run", "script_name": "a", "timeout_seconds": "5"}"#,
                "`timeout_seconds` is a whole number of seconds",
            ),
            (
                r#"{"type": "bash.run", "script_name": "a", "timeout_seconds": -5}"#,
                "`timeout_seconds` is a whole number of seconds",
            ),
            (
                r#"{"type": "bash.run", "script_name": "a", "variables": []}"#,
                "`variables` is an object",
            ),
            (
                r#"{"type": "bash.run", "script_id": "x"}"#,
                "`script_id` is a UUID",
            ),
            (
                r#"[{"type": "bash.run", "script_name": "a"}, {"type": "mail"}]"#,
                "action 2: its type is not `bash.run`",
            ),
            (
                r#"{"type": "bash.run", "script_name": "a", "script_name": "b"}"#,
                "`script_name` appears twice at line 1 column 54",
            ),
            (
                r#"{"type": "bash.run", "script_name": "a", "variables": {"x": {"y": 1, "y": 2}}}"#,
                "`y` appears twice at line 1 column 72",
            ),
        ];
        for (text, expected) in cases {
            let told = BashRun::read(text).unwrap_err().to_string();
            let prefix = "this is not an action that can be run: ";
            assert_eq!(told.strip_prefix(prefix), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_call_only_narrows() {
        let declared = caps(
            r#"{"paths_read": ["/a", "/b"], "paths_write": ["/c"], "network": true,
                "commands": ["ls", "cat"], "classes": ["sudo"]}"#,
        );
        let call = |text: &str| -> NarrowedCapabilities { serde_json::from_str(text).unwrap() };
        assert_eq!(call("{}").within(&declared).unwrap(), declared);
        let narrowed = call(
            r#"{"paths_read": ["/b"], "paths_write": [], "network": false, "commands": ["ls"]}"#,
        );
        let found = narrowed.within(&declared).unwrap();
        let expected = caps(
            r#"{"paths_read": ["/b"], "network": false, "commands": ["ls"], "classes": ["sudo"]}"#,
        );
        assert_eq!(found, expected);
        let none =
            call(r#"{"paths_read": [], "paths_write": [], "network": false, "commands": []}"#);
        let found = none.within(&declared).unwrap();
        assert_eq!(found.commands, Some(Vec::new()));
        assert!(found.paths_read.is_empty() && found.paths_write.is_empty());
        let less = call(r#"{"paths_read": ["/b/", "/c"], "paths_write": []}"#);
        let found = less.within(&declared).unwrap();
        assert_eq!(found.paths_read, ["/b/", "/c"]);
        assert!(found.paths_write.is_empty());
        let plain = Capabilities::default();
        for (text, key) in [
            (r#"{"paths_read": ["/b", "/x"]}"#, "paths_read"),
            (r#"{"paths_read": ["/ab"]}"#, "paths_read"),
            (r#"{"paths_read": ["/a/sub"]}"#, "paths_read"),
            (r#"{"paths_read": ["/a/../x"]}"#, "paths_read"),
            (r#"{"paths_write": ["/a"]}"#, "paths_write"),
            (r#"{"paths_write": ["."]}"#, "paths_write"),
            (r#"{"commands": ["ls", "rm"]}"#, "commands"),
            (r#"{"classes": ["git-destructive"]}"#, "classes"),
        ] {
            let refused = call(text).within(&declared).unwrap_err();
            assert!(
                matches!(&refused, ScriptError::Widens { key: found, .. } if found == key),
                "{text}: {refused}"
            );
        }
        let wider = call(r#"{"network": true}"#).within(&plain).unwrap_err();
        assert!(
            wider.to_string().ends_with("`network` would widen it: on"),
            "{wider}"
        );
    }
}

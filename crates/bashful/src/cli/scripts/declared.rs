//! The flags that say what a script may do and which variables it has.

use std::fs::File;
use std::io::Read;

use anyhow::Context;
use bashful_engine::scripts::{Variable, VariableKind, WrittenVariables};
use bashful_engine::{Capabilities, NetworkCapability};
use clap::Args;
use serde_json::Value;

use crate::cli::bounds::network;
use crate::errors::UsageError;

/// What a script declares. What is named replaces what it declared of that kind before.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What the script declares")]
pub(crate) struct DeclaredArguments {
    /// All capabilities at once: JSON, or @FILE that holds it. Other flags come on top.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) capabilities: Option<String>,
    /// It may read this file or directory; repeatable. `.` alone is the directory where it runs.
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<String>,
    /// It may write this file or directory; repeatable. `.` alone is the directory where it runs.
    #[arg(long, value_name = "PATH")]
    pub(crate) write: Vec<String>,
    /// This file or directory is hidden from it; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) deny: Vec<String>,
    /// off, on, or hosts, as in pypi,example.com:443 [default: off].
    #[arg(long, value_name = "REACH", value_parser = network)]
    pub(crate) network: Option<NetworkCapability>,
    /// It may run this program and no others; repeatable. An empty name leaves only the
    /// shell's built-ins.
    #[arg(long = "command", value_name = "NAME")]
    pub(crate) commands: Vec<String>,
    /// Allow a class of commands that is otherwise refused, such as sudo; repeatable.
    #[arg(long, value_name = "CLASS")]
    pub(crate) allow: Vec<String>,
    /// A variable; TYPE is string, number, integer, boolean, list or path; repeatable.
    #[arg(long = "variable", value_name = "NAME[:TYPE][=DEFAULT]")]
    pub(crate) variable: Vec<String>,
    /// All variables at once: a JSON list, or an object with a value for each name; or @FILE
    /// that holds it.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) variables: Option<String>,
}

impl DeclaredArguments {
    /// Whether anything is said about capabilities or variables.
    pub(crate) fn is_empty(&self) -> bool {
        !self.says_capabilities() && !self.says_variables()
    }

    fn says_capabilities(&self) -> bool {
        let lists = [
            &self.read,
            &self.write,
            &self.deny,
            &self.commands,
            &self.allow,
        ];
        self.capabilities.is_some()
            || self.network.is_some()
            || lists.into_iter().any(|list| !list.is_empty())
    }

    fn says_variables(&self) -> bool {
        self.variables.is_some() || !self.variable.is_empty()
    }

    /// These capabilities with what the flags say; none if they say nothing.
    pub(crate) fn capabilities_from(
        &self,
        before: &Capabilities,
    ) -> anyhow::Result<Option<Capabilities>> {
        if !self.says_capabilities() {
            return Ok(None);
        }
        let mut changed = match &self.capabilities {
            None => before.clone(),
            Some(text) => read_capabilities(text)?,
        };
        let replace = |list: &mut Vec<String>, named: &[String]| {
            if !named.is_empty() {
                *list = named
                    .iter()
                    .filter(|one| !one.is_empty())
                    .cloned()
                    .collect();
            }
        };
        replace(&mut changed.paths_read, &from_here(&self.read)?);
        replace(&mut changed.paths_write, &from_here(&self.write)?);
        replace(&mut changed.paths_deny, &self.deny);
        replace(&mut changed.classes, &self.allow);
        if !self.commands.is_empty() {
            let mut commands = Vec::new();
            replace(&mut commands, &self.commands);
            changed.commands = Some(commands);
        }
        if let Some(network) = &self.network {
            changed.network = network.clone();
        }
        if matches!(&changed.network, NetworkCapability::Hosts(hosts) if hosts.is_empty()) {
            return Err(UsageError("the network needs at least one host".to_owned()).into());
        }
        Ok(Some(changed))
    }

    /// The variables that the flags name; none if they name none.
    pub(crate) fn variables(&self) -> anyhow::Result<Option<Vec<Variable>>> {
        if !self.says_variables() {
            return Ok(None);
        }
        let WrittenVariables(mut variables) = match &self.variables {
            None => WrittenVariables::default(),
            Some(text) => from_json("--variables", "a list of variables", text)?,
        };
        for text in &self.variable {
            variables.push(variable(text)?);
        }
        Ok(Some(variables))
    }
}

/// Paths as they were typed, seen from here: a script may be run anywhere. `.` alone stays: it is
/// wherever the script is run.
fn from_here(typed: &[String]) -> anyhow::Result<Vec<String>> {
    let absolute = |path: &String| {
        if path.is_empty() || path == "." || path.starts_with(['/', '~']) {
            return Ok(path.clone());
        }
        let path = path.strip_prefix("./").unwrap_or(path);
        let here = std::env::current_dir().context("there is no current directory")?;
        let whole = here.join(path.trim_end_matches('/'));
        let whole = whole
            .to_str()
            .context("the current directory is not valid UTF-8")?;
        Ok(whole.to_owned())
    };
    typed.iter().map(absolute).collect()
}

/// Capabilities as JSON, or in a file.
pub(crate) fn read_capabilities(text: &str) -> anyhow::Result<Capabilities> {
    from_json("--capabilities", "capabilities", text)
}

/// A variable as a flag has it.
fn variable(text: &str) -> Result<Variable, UsageError> {
    let (head, default) = match text.split_once('=') {
        Some((head, default)) => (head, Some(default)),
        None => (text, None),
    };
    let (name, kind) = match head.split_once(':') {
        Some((name, kind)) => (name, kind),
        None => (head, "string"),
    };
    let known: Result<VariableKind, _> = serde_json::from_value(Value::String(kind.to_owned()));
    let kind = known.map_err(|_| {
        UsageError(format!(
            "`{}` is not a type of variable: string, number, integer, boolean, list or path",
            kind.escape_debug()
        ))
    })?;
    let default = default.map(|default| match kind {
        // What is no JSON is the text that it looks like, and what fits is looked at later.
        VariableKind::String | VariableKind::Path => Value::String(default.to_owned()),
        _ => serde_json::from_str(default).unwrap_or_else(|_| Value::String(default.to_owned())),
    });
    Ok(Variable {
        name: name.to_owned(),
        kind,
        description: None,
        default,
    })
}

/// The longest file of JSON that is read.
const MOST_JSON: u64 = 16 << 20;

/// The JSON that a flag gives, in place or as `@FILE`.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(
    flag: &str,
    wanted: &str,
    text: &str,
) -> anyhow::Result<T> {
    let mut read = String::new();
    let text = match text.strip_prefix('@') {
        None => text,
        Some(path) => {
            let file = File::open(path);
            let all = file.and_then(|file| file.take(MOST_JSON).read_to_string(&mut read));
            all.map_err(|error| {
                let path = path.escape_debug();
                UsageError(format!("`{flag}` cannot read `{path}`: {error}"))
            })?;
            &read
        }
    };
    let parsed = serde_json::from_str(text);
    Ok(parsed.map_err(|error| UsageError(format!("`{flag}` is not {wanted}: {error}")))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_variable_has_a_name_a_type_and_a_default() {
        let cases = [
            ("LOG", json!({"name": "LOG", "type": "string"})),
            (
                "N:number=3",
                json!({"name": "N", "type": "number", "default": 3}),
            ),
            (
                "P:path=/a=b:c",
                json!({"name": "P", "type": "path", "default": "/a=b:c"}),
            ),
            (
                "L:list=[\"a\"]",
                json!({"name": "L", "type": "list", "default": ["a"]}),
            ),
            (
                "S=12",
                json!({"name": "S", "type": "string", "default": "12"}),
            ),
            (
                "trigger.file.path:path",
                json!({"name": "trigger.file.path", "type": "path"}),
            ),
        ];
        for (text, expected) in cases {
            let found = serde_json::to_value(variable(text).unwrap()).unwrap();
            assert_eq!(found, expected, "{text}");
        }
        assert!(variable("A:word").is_err());
    }

    #[test]
    fn what_is_named_replaces_what_was_declared() {
        let before: Capabilities =
            serde_json::from_str(r#"{"paths_read": ["/a"], "paths_write": ["/w"]}"#).unwrap();
        let flags = DeclaredArguments {
            read: vec!["/b".to_owned()],
            commands: vec![String::new()],
            network: Some(NetworkCapability::On),
            ..DeclaredArguments::default()
        };
        let changed = flags.capabilities_from(&before).unwrap().unwrap();
        let expected: Capabilities = serde_json::from_str(
            r#"{"paths_read": ["/b"], "paths_write": ["/w"], "network": true, "commands": []}"#,
        )
        .unwrap();
        assert_eq!(changed, expected);
        let nothing = DeclaredArguments::default();
        assert!(nothing.capabilities_from(&before).unwrap().is_none());
        assert!(nothing.variables().unwrap().is_none() && nothing.is_empty());
    }
}

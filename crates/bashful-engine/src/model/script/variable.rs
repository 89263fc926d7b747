//! Variables that a script declares: their names, types and defaults.

use bashful_policy::Value as Bindable;
use std::fmt;

use bashful_policy::{has_references, is_hijack_variable};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VariableKind {
    /// Any text; `text` is read as the same.
    #[serde(alias = "text")]
    String,
    /// A number, with or without a fraction.
    Number,
    /// A whole number.
    #[serde(alias = "int")]
    Integer,
    /// `true` or `false`.
    #[serde(alias = "bool")]
    Boolean,
    /// Several texts; `array` is read as the same.
    #[serde(alias = "array")]
    List,
    /// A path: a text that is not empty.
    Path,
}

impl VariableKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Path => "path",
        }
    }
}

impl fmt::Display for VariableKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A variable that a script declares. One with a dot in its name is a template of the body, one
/// without is set as a shell variable before the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name, by which the body of the script refers to it.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type", default = "any_text")]
    pub kind: VariableKind,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it holds unless it is given; absent: it must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

fn any_text() -> VariableKind {
    VariableKind::String
}

/// What is wrong with variables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableError {
    /// A name that cannot be one.
    #[error("`{}` cannot be a variable: {why}", name.escape_debug())]
    Name {
        /// The name as it was written.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A name that is declared twice.
    #[error("the variable `{name}` is declared twice")]
    Twice {
        /// The name that stands there twice.
        name: String,
    },
    /// A value of another type.
    #[error("the variable `{}` is of type {kind}, and {given} is not", name.escape_debug())]
    Type {
        /// The name of the variable.
        name: String,
        /// What it holds.
        kind: VariableKind,
        /// What was given, in words.
        given: String,
    },
    /// A value that nothing can hold.
    #[error("the value of `{}` cannot be used: {why}", name.escape_debug())]
    Value {
        /// The name of the variable.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Variables that the script does not declare.
    #[error("the script declares no variable `{}`", names.join("`, `").escape_debug())]
    Unknown {
        /// The names that the caller gave a value for.
        names: Vec<String>,
    },
    /// Variables and templates without a value: all of them.
    #[error("there is no value for `{}`", names.join("`, `").escape_debug())]
    Missing {
        /// The names that the caller gave no value for.
        names: Vec<String>,
    },
    /// A value that refers to a variable whose value refers to it.
    #[error("the values of `{}` refer to each other", names.join("`, `").escape_debug())]
    Circular {
        /// The names of the variables in the circle.
        names: Vec<String>,
    },
    /// A value names a template in a way that cannot be read.
    #[error("the value of `{}` has a template that is not closed", name.escape_debug())]
    Unclosed {
        /// The name of the variable whose value holds the template.
        name: String,
    },
}

/// The most variables that a script declares.
const MOST_VARIABLES: usize = 1000;

/// The longest name.
const LONGEST_NAME: usize = 200;

/// Names of the shell itself, and those that bash changes by itself.
const OF_THE_SHELL: [&str; 16] = [
    "UID",
    "EUID",
    "PPID",
    "SHLVL",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "TERM",
    "LANG",
    "FUNCNAME",
    "PIPESTATUS",
    "OPTIND",
];

/// Checks what a script declares.
pub(crate) fn check(variables: &[Variable]) -> Result<(), VariableError> {
    if variables.len() > MOST_VARIABLES {
        return Err(VariableError::Name {
            name: variables
                .last()
                .map_or_else(String::new, |last| last.name.clone()),
            why: "a script declares at most 1000 variables",
        });
    }
    let mut names: Vec<&str> = variables.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair.first() == pair.last()) {
        let name = pair.concat().chars().take(LONGEST_NAME).collect::<String>();
        let name = pair.first().map_or(name, |name| (*name).to_owned());
        return Err(VariableError::Twice { name });
    }
    for variable in variables {
        if let Some(why) = unfit(&variable.name) {
            let name = variable.name.chars().take(LONGEST_NAME).collect();
            return Err(VariableError::Name { name, why });
        }
        match &variable.default {
            // What it refers to has to fit, once that is known.
            Some(value) if has_references(&bindable(value)) => check_text(&variable.name, value)?,
            Some(value) => check_value(variable, value)?,
            None => {}
        }
    }
    Ok(())
}

/// Whether this is the name of a template, and not of a shell variable.
pub(crate) fn is_dotted(name: &str) -> bool {
    name.contains('.')
}

/// What is wrong with a name.
fn unfit(name: &str) -> Option<&'static str> {
    let word = |part: &str| {
        let mut characters = part.chars();
        let first = characters.next();
        first.is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
    };
    if name.len() > LONGEST_NAME {
        Some("it is too long")
    } else if !name.split('.').all(word) {
        Some("a name is made of letters, digits and underscores, with full stops between its parts")
    } else if name.to_ascii_lowercase().starts_with("__bashful") {
        Some("names that begin this way are Bashful's own")
    } else if is_dotted(name) {
        None
    } else if is_hijack_variable(name) || name.starts_with("BASH") {
        Some("it would change how programs start or are found")
    } else if OF_THE_SHELL.contains(&name) {
        Some("the shell sets it itself")
    } else {
        None
    }
}

/// Checks that a value has the type of its variable.
pub(crate) fn check_value(variable: &Variable, value: &Value) -> Result<(), VariableError> {
    let fits = match (variable.kind, value) {
        (VariableKind::String, Value::String(_) | Value::Number(_) | Value::Bool(_))
        | (VariableKind::Number, Value::Number(_))
        | (VariableKind::Boolean, Value::Bool(_)) => true,
        (VariableKind::Number, Value::String(text)) => is_number(text),
        (VariableKind::Integer, Value::Number(number)) => is_integer(&number.to_string()),
        (VariableKind::Integer, Value::String(text)) => is_integer(text),
        (VariableKind::Boolean, Value::String(text)) => matches!(text.as_str(), "true" | "false"),
        (VariableKind::Path, Value::String(text)) => !text.is_empty(),
        (VariableKind::List, Value::Array(items)) => items.iter().all(is_plain),
        _ => false,
    };
    // A variable that is a number means its value, not how that was written.
    if fits && variable.kind == VariableKind::Number && is_near(value) {
        return Ok(());
    }
    if fits {
        return check_text(&variable.name, value);
    }
    Err(VariableError::Type {
        name: variable.name.clone(),
        kind: variable.kind,
        given: in_words(value),
    })
}

/// Checks that a value can be given to a program at all.
pub(crate) fn check_text(name: &str, value: &Value) -> Result<(), VariableError> {
    let has_nul = |value: &Value| matches!(value, Value::String(text) if text.contains('\0'));
    let nul = match value {
        Value::Array(items) => items.iter().any(has_nul),
        value => has_nul(value),
    };
    let refused = |why| {
        Err(VariableError::Value {
            name: name.to_owned(),
            why,
        })
    };
    match value {
        Value::Null => refused("it is null"),
        Value::Object(_) => refused("it is an object; name one of its fields"),
        Value::Array(items) if !items.iter().all(is_plain) => {
            refused("a list may hold only strings, numbers and booleans")
        }
        _ if nul => refused("it has a NUL byte, which no program can be given"),
        Value::Array(items) if items.iter().any(is_inexact) => refused(INEXACT),
        value if is_inexact(value) => refused(INEXACT),
        _ => Ok(()),
    }
}

/// What is said about a number that a reader of JSON changes.
const INEXACT: &str = "a number with a fraction, an exponent or very many digits may not arrive as it was written; \
     write it in quotes";

/// Whether a number may have been written in another way than it would arrive.
fn is_inexact(value: &Value) -> bool {
    matches!(value, Value::Number(number) if !number.is_i64() && !number.is_u64())
}

/// Whether a number is so small that none of its digits before the point were lost.
fn is_near(value: &Value) -> bool {
    let whole = 9_007_199_254_740_992.0_f64;
    value.as_f64().is_some_and(|number| number.abs() < whole)
}

/// Whether a value is one text.
pub(crate) fn is_plain(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

/// The text of a plain value.
pub(crate) fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Digits only, as every program reads them: a leading zero would be another base to some.
fn is_integer(text: &str) -> bool {
    text.parse::<i64>()
        .is_ok_and(|number| number.to_string() == text)
}

fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

/// A value in a few words, without showing it whole.
fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        plain => {
            let text: String = plain_text(plain).chars().take(60).collect();
            format!("`{}`", text.escape_debug())
        }
    }
}

/// A value as it is bound.
pub(crate) fn bindable(value: &Value) -> Bindable {
    match value {
        Value::Array(items) => Bindable::List(items.iter().map(plain_text).collect()),
        plain => Bindable::Text(plain_text(plain)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declared(name: &str, kind: &str, default: Option<Value>) -> Variable {
        let mut whole = json!({"name": name, "type": kind});
        if let Some(default) = default {
            whole["default"] = default;
        }
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn names_are_checked() {
        for name in ["LOG_PATH", "_x", "trigger.file.path", "a.b1"] {
            assert_eq!(check(&[declared(name, "string", None)]), Ok(()), "{name}");
        }
        for name in [
            "",
            "1a",
            "a-b",
            "a..b",
            ".a",
            "a.",
            "a b",
            "PATH",
            "LD_PRELOAD",
            "BASH_ENV",
            "IFS",
            "__bashful_x",
            "HOME",
            "a\n",
            "ä",
        ] {
            assert!(
                check(&[declared(name, "string", None)]).is_err(),
                "{name:?}"
            );
        }
        let twice = [declared("a", "string", None), declared("a", "number", None)];
        let name = "a".to_owned();
        assert_eq!(check(&twice), Err(VariableError::Twice { name }));
    }

    #[test]
    fn values_have_the_type_of_their_variable() {
        let cases = [
            ("string", json!("x"), true),
            ("string", json!(1), true),
            ("string", json!(["x"]), false),
            ("string", json!(null), false),
            ("number", json!(-1.5), true),
            ("number", json!("12"), true),
            ("number", json!("12; rm"), false),
            ("number", json!(""), false),
            ("integer", json!(-12), true),
            ("integer", json!("12"), true),
            ("integer", json!(1.5), false),
            ("integer", json!("012"), false),
            ("integer", json!("1+1"), false),
            ("integer", json!(1e300), false),
            ("boolean", json!(true), true),
            ("boolean", json!("yes"), false),
            ("list", json!(["a", 1, true]), true),
            ("list", json!([["a"]]), false),
            ("list", json!("a"), false),
            ("path", json!("/a b"), true),
            ("path", json!(""), false),
            ("string", json!("a\u{0}b"), false),
            ("list", json!(["a\u{0}b"]), false),
        ];
        for (kind, value, fits) in cases {
            let variable = declared("x", kind, None);
            let found = check_value(&variable, &value);
            assert_eq!(found.is_ok(), fits, "{kind} {value}: {found:?}");
            if !value.is_null() {
                let variables = [declared("x", kind, Some(value.clone()))];
                assert_eq!(check(&variables).is_ok(), fits, "default {kind} {value}");
            }
        }
        let unknown = json!({"name": "x", "type": "string", "defualt": 1});
        assert!(serde_json::from_value::<Variable>(unknown).is_err());
    }
}

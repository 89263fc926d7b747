//! Reading a tool's arguments: each mistake is told with its name and what to give instead.

use std::ops::RangeInclusive;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Tool;

/// An argument that is not what the tool takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidArgument {
    /// The arguments are no JSON object.
    #[error("the arguments of `{tool}` must be a JSON object, not {found}")]
    NotAnObject {
        /// The name of the tool that was called.
        tool: &'static str,
        /// What came instead.
        found: &'static str,
    },
    /// One that is needed is not there.
    #[error("`{tool}` needs `{name}`")]
    Missing {
        /// The name of the tool that was called.
        tool: &'static str,
        /// The name of the argument.
        name: &'static str,
    },
    /// One is not of its kind.
    #[error("`{name}` of `{tool}` must be {wanted}, not {found}")]
    Wrong {
        /// The name of the tool that was called.
        tool: &'static str,
        /// The name of the argument.
        name: String,
        /// What it must be.
        wanted: String,
        /// What came instead.
        found: String,
    },
    /// None of those is there of which one is needed.
    #[error("`{tool}` needs one of {names}")]
    NoneOf {
        /// The name of the tool that was called.
        tool: &'static str,
        /// The arguments of which the call must have one.
        names: &'static str,
    },
    /// Two that do not go together.
    #[error("`{name}` of `{tool}` {rule} `{other}`")]
    Pair {
        /// The name of the tool that was called.
        tool: &'static str,
        /// The name of the argument.
        name: &'static str,
        /// What is wrong with the two.
        rule: &'static str,
        /// The argument that it does not go with.
        other: &'static str,
    },
    /// One that the tool does not know.
    #[error("`{tool}` takes no `{}`; it takes {known}", name.escape_debug())]
    Unknown {
        /// The name of the tool that was called.
        tool: &'static str,
        /// The name of the argument.
        name: String,
        /// Those that it takes.
        known: String,
    },
}

/// The arguments of one call, taken one by one.
#[derive(Debug)]
pub(super) struct Arguments {
    tool: &'static str,
    values: Map<String, Value>,
}

impl Arguments {
    /// Arguments of this tool; nothing that it does not know is among them.
    pub(super) fn read(tool: &'static Tool, value: Value) -> Result<Self, InvalidArgument> {
        let mut values = match value {
            Value::Object(values) => values,
            Value::Null => Map::new(),
            other => {
                return Err(InvalidArgument::NotAnObject {
                    tool: tool.name,
                    found: kind(&other),
                });
            }
        };
        let schema = tool.input_schema();
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        if let Some(name) = values.keys().find(|name| !is_known(name)) {
            let names = known.into_iter().flat_map(Map::keys);
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            return Err(InvalidArgument::Unknown {
                tool: tool.name,
                name: name.chars().take(100).collect(),
                known: names.join(", "),
            });
        }
        // A model that says `null` means nothing by it.
        values.retain(|_, value| !value.is_null());
        Ok(Self {
            tool: tool.name,
            values,
        })
    }

    /// A text that must be there.
    pub(super) fn text(&mut self, name: &'static str) -> Result<String, InvalidArgument> {
        let tool = self.tool;
        self.optional_text(name)?
            .ok_or(InvalidArgument::Missing { tool, name })
    }

    /// A text that may be there.
    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, InvalidArgument> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// A whole number within bounds that may be there.
    pub(super) fn number(
        &mut self,
        name: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<Option<u64>, InvalidArgument> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let number = whole(&value).filter(|number| bounds.contains(number));
        let wanted = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        number
            .map(Some)
            .ok_or_else(|| self.wrong(name, &wanted(), &value))
    }

    /// True or false; false if it is not there.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, InvalidArgument> {
        match self.values.remove(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(name, "true or false", &other)),
        }
    }

    /// An object whose values are texts.
    pub(super) fn texts(
        &mut self,
        name: &str,
    ) -> Result<BTreeMap<String, String>, InvalidArgument> {
        let wanted = "an object whose values are strings";
        let values = match self.values.remove(name) {
            None => return Ok(BTreeMap::new()),
            Some(Value::Object(values)) => values,
            Some(other) => return Err(self.wrong(name, wanted, &other)),
        };
        let text = |(key, value): (String, Value)| match value {
            Value::String(text) => Ok((key, text)),
            other => Err(self.wrong(&format!("{name}.{key}"), "a string", &other)),
        };
        values.into_iter().map(text).collect()
    }

    /// A list of texts.
    pub(super) fn list(&mut self, name: &str) -> Result<Vec<String>, InvalidArgument> {
        let wanted = "a list of strings";
        let values = match self.values.remove(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            // A model that means one often forgets the brackets.
            Some(Value::String(text)) => vec![Value::String(text)],
            Some(other) => return Err(self.wrong(name, wanted, &other)),
        };
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            other => Err(self.wrong(name, wanted, &other)),
        };
        values.into_iter().map(text).collect()
    }

    /// Whatever it is, read as what it must be.
    pub(super) fn read_as<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &str,
        wanted: &str,
    ) -> Result<Option<T>, InvalidArgument> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let read = serde_json::from_value(value);
        read.map(Some).map_err(|error| InvalidArgument::Wrong {
            tool: self.tool,
            name: name.to_owned(),
            wanted: wanted.to_owned(),
            found: error.to_string(),
        })
    }

    /// At least one of these must be there.
    pub(super) fn none_of(&self, names: &'static str) -> InvalidArgument {
        let tool = self.tool;
        InvalidArgument::NoneOf { tool, names }
    }

    /// This argument has no place without, or beside, that other one.
    pub(super) fn pair(
        &self,
        name: &'static str,
        rule: &'static str,
        other: &'static str,
    ) -> InvalidArgument {
        let tool = self.tool;
        InvalidArgument::Pair {
            tool,
            name,
            rule,
            other,
        }
    }

    /// These are not all names of keys.
    pub(super) fn not_keys(&self, name: &str, given: &[String]) -> InvalidArgument {
        let wrong = given
            .iter()
            .find(|name| name.parse::<crate::tasks::Key>().is_err());
        let wrong = wrong.cloned().unwrap_or_default();
        let wanted = "a list of keys such as `enter`, `ctrl-c`, `up`, `f1` or `q`";
        self.not_this(name, wanted, wrong)
    }

    /// This text is not what it must be.
    pub(super) fn not_this(&self, name: &str, wanted: &str, text: String) -> InvalidArgument {
        self.wrong(name, wanted, &Value::String(text))
    }

    /// One of a few words that may be there.
    pub(super) fn word(
        &mut self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, InvalidArgument> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let found = value
            .as_str()
            .and_then(|text| words.iter().find(|word| **word == text));
        let wanted = || format!("one of {}", words.join(", "));
        found
            .map(|word| Some(*word))
            .ok_or_else(|| self.wrong(name, &wanted(), &value))
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Value) -> InvalidArgument {
        let shown = match found {
            Value::Number(number) => number.to_string(),
            Value::String(text) => {
                let start: String = text.chars().take(40).collect();
                format!("the string \"{}\"", start.escape_debug())
            }
            other => kind(other).to_owned(),
        };
        InvalidArgument::Wrong {
            tool: self.tool,
            name: name.chars().take(100).collect(),
            wanted: wanted.to_owned(),
            found: shown,
        }
    }
}

/// A whole number, also one that was written as `5.0`, as some clients do.
fn whole(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let text = value.as_f64().map(|number| number.to_string())?;
    text.parse().ok()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

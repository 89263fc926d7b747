//! What is to stand in a client's file, whatever its format.

use serde_json::Value as Json;

/// A value that keeps the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
    Flag(bool),
    List(Vec<Value>),
    Table(Vec<(&'static str, Value)>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// The same as JSON, to be compared with what a file holds.
    pub(crate) fn json(&self) -> Json {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::List(items) => items.iter().map(Self::json).collect(),
            Self::Table(entries) => {
                let pairs = entries.iter();
                Json::Object(pairs.map(|(key, it)| ((*key).into(), it.json())).collect())
            }
        }
    }
}

/// One thing that is to hold in a file.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Where, key by key.
    pub(crate) at: Vec<&'static str>,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// An entry that is ours alone.
    Entry(Value),
    /// A setting of the client, which may have had another value before.
    Setting(Value),
    /// What a file cannot do without; what stands there already is left.
    Needed(Value),
    /// One of a list.
    Item {
        value: Value,
        /// Whether an item is an earlier one of ours, which this one takes the place of.
        earlier: fn(&Json) -> bool,
    },
}

impl Change {
    pub(crate) fn entry(at: &[&'static str], value: Value) -> Self {
        Self::new(at, What::Entry(value))
    }

    pub(crate) fn setting(at: &[&'static str], value: Value) -> Self {
        Self::new(at, What::Setting(value))
    }

    pub(crate) fn needed(at: &[&'static str], value: Value) -> Self {
        Self::new(at, What::Needed(value))
    }

    /// One more word in a list.
    pub(crate) fn word(at: &[&'static str], word: &str) -> Self {
        let value = Value::text(word);
        let earlier = |_: &Json| false;
        Self::new(at, What::Item { value, earlier })
    }

    pub(crate) fn item(at: &[&'static str], value: Value, earlier: fn(&Json) -> bool) -> Self {
        Self::new(at, What::Item { value, earlier })
    }

    fn new(at: &[&'static str], what: What) -> Self {
        let at = at.to_vec();
        Self { at, what }
    }

    pub(crate) fn value(&self) -> &Value {
        match &self.what {
            What::Entry(value)
            | What::Setting(value)
            | What::Needed(value)
            | What::Item { value, .. } => value,
        }
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, and nothing that JSON does not have.
    Json,
    /// JSON with comments and commas at the end.
    JsonWithComments,
    Toml,
}

impl Format {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonWithComments => "jsonc",
            Self::Toml => "toml",
        }
    }
}

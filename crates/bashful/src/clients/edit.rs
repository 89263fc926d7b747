//! Makes changes hold in a document, and takes them back.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::change::{Change, Value, What};
use super::document::{Document, Misfit};

/// What was really done for one change, so that exactly this can be undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// Where, key by key.
    pub(crate) at: Vec<String>,
    pub(crate) kind: Kind,
    /// What was put there.
    pub(crate) set: Json,
    /// What a setting was before, if it was set at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Json>,
    /// How many tables and lists were made around it.
    #[serde(default)]
    pub(crate) made: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// An entry of ours: it goes whole, whatever was added to it.
    Entry,
    /// A setting of the client's: it gets its value back, unless a person changed it since.
    Setting,
    /// One of a list.
    Item,
}

/// How a file stands to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The file holds what the change would put there.
    Holds,
    /// Another value stands there.
    Differs,
    /// Nothing stands there.
    Absent,
}

pub(crate) fn standing(document: &dyn Document, change: &Change) -> Result<Standing, Misfit> {
    let wanted = change.value().json();
    let found = document.get(&change.at)?;
    Ok(match (&change.what, found) {
        (_, None) => Standing::Absent,
        (What::Needed(_), Some(_)) => Standing::Holds,
        (What::Item { earlier, .. }, Some(Json::Array(items))) => {
            if items.contains(&wanted) {
                Standing::Holds
            } else if items.iter().any(earlier) {
                Standing::Differs
            } else {
                Standing::Absent
            }
        }
        (What::Item { .. }, Some(_)) => Standing::Differs,
        (What::Entry(_), Some(found)) if includes(&found, &wanted) => Standing::Holds,
        (_, Some(found)) if found == wanted => Standing::Holds,
        (_, Some(_)) => Standing::Differs,
    })
}

/// Whether a change holds.
pub(crate) fn holds(document: &dyn Document, change: &Change) -> Result<bool, Misfit> {
    Ok(standing(document, change)? == Standing::Holds)
}

/// Makes a change hold. Says what was done; nothing if it held before.
pub(crate) fn make(document: &mut dyn Document, change: &Change) -> Result<Option<Step>, Misfit> {
    if standing(document, change)? == Standing::Holds {
        return Ok(None);
    }
    let step = |kind, before, made| Step {
        at: change.at.iter().map(|key| (*key).to_owned()).collect(),
        kind,
        set: change.value().json(),
        before,
        made,
    };
    if let What::Item { value, earlier } = &change.what {
        if let Some(Json::Array(items)) = document.get(&change.at)? {
            // From the end, so that the numbers of the others stay.
            for (index, _) in items.iter().enumerate().rev().filter(|(_, it)| earlier(it)) {
                document.remove_item(&change.at, index)?;
            }
        }
        let made = document.push(&change.at, value)?;
        return Ok(Some(step(Kind::Item, None, made)));
    }
    if let What::Entry(Value::Table(entries)) = &change.what
        && let Some(found) = document.get(&change.at)?.filter(is_like)
    {
        // What a person added to it stays.
        let held = |key: &str, value: &Value| {
            let found = found.get(key);
            found.is_some_and(|it| includes(it, &value.json()))
        };
        for (key, value) in entries.iter().filter(|(key, value)| !held(key, value)) {
            let at = [change.at.as_slice(), &[*key]].concat();
            document.set(&at, value)?;
        }
        return Ok(Some(step(Kind::Entry, None, 0)));
    }
    let (kind, before) = match change.what {
        What::Setting(_) => (Kind::Setting, document.get(&change.at)?),
        _ => (Kind::Entry, None),
    };
    let made = document.set(&change.at, change.value())?;
    Ok(Some(step(kind, before, made)))
}

/// Whether a table holds all of another, and perhaps more.
fn includes(found: &Json, wanted: &Json) -> bool {
    match (found, wanted) {
        (Json::Object(found), Json::Object(wanted)) => {
            let mut wanted = wanted.iter();
            wanted.all(|(key, value)| found.get(key).is_some_and(|it| includes(it, value)))
        }
        _ => found == wanted,
    }
}

/// Whether an entry is of the kind that we write, one that starts a program.
fn is_like(entry: &Json) -> bool {
    entry.get("command").is_some() && entry.get("url").is_none()
}

/// Whether taking back did anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenBack {
    Done,
    /// It is not there any more.
    Gone,
    /// A person changed it since; it is left.
    Changed,
}

/// Takes back one step.
pub(crate) fn take_back(document: &mut dyn Document, step: &Step) -> Result<TakenBack, Misfit> {
    let at: Vec<&str> = step.at.iter().map(String::as_str).collect();
    let Some(found) = document.get(&at)? else {
        return Ok(TakenBack::Gone);
    };
    match step.kind {
        Kind::Setting if found != step.set => return Ok(TakenBack::Changed),
        Kind::Setting => match step.before.as_ref().and_then(scalar) {
            Some(before) => {
                document.set(&at, &before)?;
                return Ok(TakenBack::Done);
            }
            None => document.remove(&at)?,
        },
        Kind::Entry => document.remove(&at)?,
        Kind::Item => {
            let items = found.as_array().into_iter().flatten();
            let Some(index) = items.into_iter().position(|item| *item == step.set) else {
                return Ok(TakenBack::Gone);
            };
            document.remove_item(&at, index)?;
        }
    }
    // What was made around it goes too, as long as no person put anything else into it.
    let mut made = step.made;
    let mut around: &[&str] = match step.kind {
        Kind::Entry | Kind::Setting => at.split_last().map_or(&[], |(_, rest)| rest),
        Kind::Item => &at,
    };
    while made > 0 && !around.is_empty() && is_empty(document.get(around)?.as_ref()) {
        document.remove(around)?;
        around = around.split_last().map_or(&[], |(_, rest)| rest);
        made -= 1;
    }
    Ok(TakenBack::Done)
}

/// A value that can stand in a setting.
fn scalar(value: &Json) -> Option<Value> {
    match value {
        Json::Bool(flag) => Some(Value::Flag(*flag)),
        Json::String(text) => Some(Value::text(text)),
        Json::Number(number) => number.as_i64().map(Value::Number),
        _ => None,
    }
}

fn is_empty(value: Option<&Json>) -> bool {
    value.is_some_and(|value| match value {
        Json::Object(entries) => entries.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    })
}

#[cfg(test)]
mod tests;

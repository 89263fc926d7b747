//! JSON, with or without comments, changed in place.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use super::change::{Format, Value};
use super::document::{Document, Misfit, Unreadable};

/// Some editors begin a file with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) struct JsonDocument {
    root: CstRootNode,
    format: Format,
    marked: bool,
}

pub(super) fn parse(format: Format, text: &str) -> Result<JsonDocument, Unreadable> {
    let comments = format == Format::JsonWithComments;
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    let bare = text.strip_prefix(BYTE_ORDER_MARK);
    let marked = bare.is_some();
    let text = bare.unwrap_or(text);
    if !comments && !text.trim().is_empty() {
        // The parser that keeps everything is too kind for a program that is not.
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
            let words = error.to_string();
            // The place is told already.
            let problem = words.split(" at line ").next().unwrap_or_default();
            Unreadable {
                line: error.line(),
                column: error.column(),
                problem: problem.to_owned(),
            }
        })?;
    }
    let root = CstRootNode::parse(text, &options).map_err(|error| {
        let problem = error.kind().to_string();
        Unreadable::at(text, error.range().start, problem)
    })?;
    Ok(JsonDocument {
        root,
        format,
        marked,
    })
}

impl JsonDocument {
    /// The object that holds the last key of a path, if it is there.
    fn holder(&self, at: &[&str]) -> Result<Option<CstObject>, Misfit> {
        let Some(value) = self.root.value() else {
            return Ok(None);
        };
        let mut object = value.as_object().ok_or(Misfit::not_a_table(&[]))?;
        let (_, path) = at.split_last().unwrap_or((&"", &[]));
        for (index, key) in path.iter().enumerate() {
            let here = at.get(..=index).unwrap_or(at);
            let Some(property) = property(&object, key, here)? else {
                return Ok(None);
            };
            object = property
                .object_value()
                .ok_or_else(|| Misfit::not_a_table(here))?;
        }
        Ok(Some(object))
    }

    /// The same, made where it is missing; and how many had to be made.
    fn holder_made(&self, at: &[&str]) -> Result<(CstObject, usize), Misfit> {
        let root = self.root.object_value_or_create();
        let mut object = root.ok_or(Misfit::not_a_table(&[]))?;
        let mut made = 0;
        let (_, path) = at.split_last().unwrap_or((&"", &[]));
        for (index, key) in path.iter().enumerate() {
            let here = at.get(..=index).unwrap_or(at);
            if property(&object, key, here)?.is_none() {
                made += 1;
            }
            object = object
                .object_value_or_create(key)
                .ok_or_else(|| Misfit::not_a_table(here))?;
        }
        Ok((object, made))
    }

    fn found(&self, at: &[&str]) -> Result<Option<CstObjectProp>, Misfit> {
        let Some(object) = self.holder(at)? else {
            return Ok(None);
        };
        property(&object, at.last().unwrap_or(&""), at)
    }

    fn list(&self, at: &[&str]) -> Result<Option<CstArray>, Misfit> {
        let Some(property) = self.found(at)? else {
            return Ok(None);
        };
        let list = property.array_value();
        list.map(Some).ok_or_else(|| Misfit::not_a_list(at))
    }
}

impl Document for JsonDocument {
    fn get(&self, at: &[&str]) -> Result<Option<Json>, Misfit> {
        let property = self.found(at)?;
        Ok(property.and_then(|property| property.value()?.to_serde_value()))
    }

    fn set(&mut self, at: &[&str], value: &Value) -> Result<usize, Misfit> {
        let (object, made) = self.holder_made(at)?;
        let key = at.last().unwrap_or(&"");
        let property = match property(&object, key, at)? {
            Some(property) => {
                property.set_value(input(value));
                property
            }
            None => object.append(key, input(value)),
        };
        if let Some(node) = property.value() {
            spread(&node);
        }
        Ok(made)
    }

    fn push(&mut self, at: &[&str], item: &Value) -> Result<usize, Misfit> {
        let (object, mut made) = self.holder_made(at)?;
        let key = at.last().unwrap_or(&"");
        let existing = property(&object, key, at)?;
        let list = if let Some(property) = existing {
            let list = property.array_value();
            list.ok_or_else(|| Misfit::not_a_list(at))?
        } else {
            made += 1;
            let list = object.array_value_or_set(key);
            list.ensure_multiline();
            list
        };
        spread(&list.append(input(item)));
        Ok(made)
    }

    fn remove(&mut self, at: &[&str]) -> Result<(), Misfit> {
        if let Some(property) = self.found(at)? {
            property.remove();
        }
        Ok(())
    }

    fn remove_item(&mut self, at: &[&str], index: usize) -> Result<(), Misfit> {
        let list = self.list(at)?;
        if let Some(item) = list.and_then(|list| list.elements().into_iter().nth(index)) {
            item.remove();
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if self.marked {
            text.push(BYTE_ORDER_MARK);
        }
        text.push_str(&self.root.to_string());
        // Claude Code writes its own files without a line break at the end; people do not.
        if self.format == Format::JsonWithComments && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// The property with this name.
fn property(object: &CstObject, key: &str, at: &[&str]) -> Result<Option<CstObjectProp>, Misfit> {
    let properties = object.properties().into_iter();
    let mut named = properties.filter(|it| it.decoded_name().as_deref() == Some(key));
    let found = named.next();
    match named.next() {
        Some(_) => Err(Misfit::Twice(at.join("."))),
        None => Ok(found),
    }
}

/// Gives each item of a list a line of its own, as the clients themselves do.
fn spread(node: &CstNode) {
    if let Some(list) = node.as_array() {
        if !list.elements().is_empty() {
            list.ensure_multiline();
        }
        list.elements().iter().for_each(spread);
    }
    if let Some(object) = node.as_object() {
        let values = object.properties().into_iter();
        let values: Vec<CstNode> = values.filter_map(|property| property.value()).collect();
        values.iter().for_each(spread);
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Text(text) => CstInputValue::String(text.clone()),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::Flag(flag) => CstInputValue::Bool(*flag),
        Value::List(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Table(entries) => {
            let pairs = entries.iter();
            CstInputValue::Object(pairs.map(|(key, it)| ((*key).into(), input(it))).collect())
        }
    }
}

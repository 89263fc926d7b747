//! TOML, changed in place.

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value as TomlValue};

use super::change::Value;
use super::document::{Document, Misfit, Unreadable};

pub(super) struct TomlDocument {
    document: DocumentMut,
    /// Whether every line ends with a carriage return too; the parser forgets them.
    returns: bool,
}

pub(super) fn parse(text: &str) -> Result<TomlDocument, Unreadable> {
    let document = text.parse::<DocumentMut>().map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        Unreadable::at(text, offset, error.message().to_owned())
    })?;
    let ends = text.matches('\n').count();
    let returns = ends > 0 && text.matches("\r\n").count() == ends;
    Ok(TomlDocument { document, returns })
}

impl TomlDocument {
    fn holder(&self, at: &[&str]) -> Result<Option<&dyn TableLike>, Misfit> {
        let mut table: &dyn TableLike = self.document.as_table();
        let (_, path) = at.split_last().unwrap_or((&"", &[]));
        for (index, key) in path.iter().enumerate() {
            let here = at.get(..=index).unwrap_or(at);
            let Some(item) = table.get(key).filter(|item| !item.is_none()) else {
                return Ok(None);
            };
            table = item
                .as_table_like()
                .ok_or_else(|| Misfit::not_a_table(here))?;
        }
        Ok(Some(table))
    }

    /// The table that holds the last key, made where it is missing; and how many were made.
    fn holder_made(&mut self, at: &[&str]) -> Result<(&mut dyn TableLike, usize), Misfit> {
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        let mut made = 0;
        let (_, path) = at.split_last().unwrap_or((&"", &[]));
        for (index, key) in path.iter().enumerate() {
            let here = at.get(..=index).unwrap_or(at);
            if !table.contains_key(key) {
                made += 1;
                let mut new = Table::new();
                // A table that holds only tables needs no heading of its own.
                new.set_implicit(true);
                table.insert(key, Item::Table(new));
            }
            table = table
                .get_mut(key)
                .and_then(Item::as_table_like_mut)
                .ok_or_else(|| Misfit::not_a_table(here))?;
        }
        Ok((table, made))
    }
}

impl Document for TomlDocument {
    fn get(&self, at: &[&str]) -> Result<Option<Json>, Misfit> {
        let holder = self.holder(at)?;
        let found = holder.and_then(|table| table.get(at.last().unwrap_or(&"")));
        Ok(found.and_then(json))
    }

    fn set(&mut self, at: &[&str], value: &Value) -> Result<usize, Misfit> {
        let (table, made) = self.holder_made(at)?;
        let key = at.last().unwrap_or(&"");
        let item = match value {
            Value::Table(entries) => {
                let mut new = Table::new();
                for (key, value) in entries {
                    new.insert(key, Item::Value(plain(value)));
                }
                Item::Table(new)
            }
            value => Item::Value(plain(value)),
        };
        match (table.get_mut(key), item) {
            // Where a value stood, the comment beside it stays.
            (Some(Item::Value(old)), Item::Value(mut new)) => {
                *new.decor_mut() = old.decor().clone();
                *old = new;
            }
            // The comments above a table and its place stay.
            (Some(Item::Table(old)), Item::Table(mut new)) => {
                *new.decor_mut() = old.decor().clone();
                new.set_position(old.position());
                *old = new;
            }
            (_, item) => {
                table.insert(key, item);
            }
        }
        Ok(made)
    }

    fn push(&mut self, at: &[&str], item: &Value) -> Result<usize, Misfit> {
        let (table, mut made) = self.holder_made(at)?;
        let key = at.last().unwrap_or(&"");
        if !table.contains_key(key) {
            made += 1;
            table.insert(key, Item::Value(TomlValue::Array(Array::new())));
        }
        let list = table.get_mut(key).and_then(Item::as_array_mut);
        let list = list.ok_or_else(|| Misfit::not_a_list(at))?;
        list.push(plain(item));
        Ok(made)
    }

    fn remove(&mut self, at: &[&str]) -> Result<(), Misfit> {
        if self.holder(at)?.is_some() {
            let (table, _) = self.holder_made(at)?;
            table.remove(at.last().unwrap_or(&""));
        }
        Ok(())
    }

    fn remove_item(&mut self, at: &[&str], index: usize) -> Result<(), Misfit> {
        if self.holder(at)?.is_some() {
            let (table, _) = self.holder_made(at)?;
            let found = table.get_mut(at.last().unwrap_or(&""));
            if let Some(list) = found.and_then(Item::as_array_mut)
                && index < list.len()
            {
                list.remove(index);
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let text = self.document.to_string();
        if self.returns {
            return text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        text
    }
}

fn plain(value: &Value) -> TomlValue {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Number(number) => (*number).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::List(items) => TomlValue::Array(items.iter().map(plain).collect()),
        Value::Table(entries) => {
            let pairs = entries.iter().map(|(key, it)| (*key, plain(it)));
            TomlValue::InlineTable(pairs.collect::<InlineTable>())
        }
    }
}

/// A value as JSON, to be compared; times and dates as they are written.
fn json(item: &Item) -> Option<Json> {
    Some(match item {
        Item::None => return None,
        Item::Value(value) => json_value(value),
        Item::Table(table) => json_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| json_table(table)).collect(),
    })
}

fn json_table(table: &dyn TableLike) -> Json {
    let pairs = table.iter();
    Json::Object(
        pairs
            .filter_map(|(key, item)| Some((key.to_owned(), json(item)?)))
            .collect(),
    )
}

fn json_value(value: &TomlValue) -> Json {
    match value {
        TomlValue::String(text) => text.value().as_str().into(),
        TomlValue::Integer(number) => (*number.value()).into(),
        TomlValue::Float(number) => (*number.value()).into(),
        TomlValue::Boolean(flag) => (*flag.value()).into(),
        TomlValue::Datetime(time) => time.value().to_string().into(),
        TomlValue::Array(items) => items.iter().map(json_value).collect(),
        TomlValue::InlineTable(table) => json_table(table),
    }
}

//! A client's file as a document in which values are found and changed, and all else stays.

use std::fmt;

use serde_json::Value as Json;

use super::change::{Format, Value};
use super::{json_document, toml_document};

/// A file that was read. Paths name keys from the outside in.
pub(crate) trait Document {
    /// What stands there.
    fn get(&self, at: &[&str]) -> Result<Option<Json>, Misfit>;
    /// Puts a value there; says how many tables had to be made around it.
    fn set(&mut self, at: &[&str], value: &Value) -> Result<usize, Misfit>;
    /// Adds an item to a list; says how many tables and lists had to be made around it.
    fn push(&mut self, at: &[&str], item: &Value) -> Result<usize, Misfit>;
    /// Takes out a key and its value.
    fn remove(&mut self, at: &[&str]) -> Result<(), Misfit>;
    /// Takes out one item of a list.
    fn remove_item(&mut self, at: &[&str], index: usize) -> Result<(), Misfit>;
    /// The whole file.
    fn text(&self) -> String;
}

/// Reads a document; a file without anything in it is an empty one.
pub(crate) fn parse(format: Format, text: &str) -> Result<Box<dyn Document>, Unreadable> {
    Ok(match format {
        Format::Json | Format::JsonWithComments => Box::new(json_document::parse(format, text)?),
        Format::Toml => Box::new(toml_document::parse(text)?),
    })
}

/// A file that is not what it should be, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) problem: String,
}

impl Unreadable {
    /// A problem at a byte of a text.
    pub(super) fn at(text: &str, offset: usize, problem: String) -> Self {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Self {
            line,
            column,
            problem,
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            problem,
        } = self;
        write!(formatter, "line {line}, column {column}: {problem}")
    }
}

impl std::error::Error for Unreadable {}

/// A value in the way of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// There should be a table.
    NotATable(String),
    /// There should be a list.
    NotAList(String),
    /// The same key twice: programs differ in which of them counts.
    Twice(String),
}

impl Misfit {
    pub(super) fn not_a_table(at: &[&str]) -> Self {
        Self::NotATable(at.join("."))
    }

    pub(super) fn not_a_list(at: &[&str]) -> Self {
        Self::NotAList(at.join("."))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATable(at) if at.is_empty() => formatter.write_str("it is not an object"),
            Self::NotATable(at) => write!(formatter, "`{at}` is not a table"),
            Self::NotAList(at) => write!(formatter, "`{at}` is not a list"),
            Self::Twice(at) => write!(formatter, "`{at}` appears more than once"),
        }
    }
}

impl std::error::Error for Misfit {}

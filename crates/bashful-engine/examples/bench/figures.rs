//! The figures that are kept: each with its bar, its goal and the last committed result beside it.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::table::verdict;

type Failure = Box<dyn std::error::Error>;

/// One figure of the file. It is a ratio, unless `what` says otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Figure {
    what: String,
    bar: Option<f64>,
    goal: Option<f64>,
    root: Option<f64>,
    ordinary_user: Option<f64>,
}

/// The file, and what was measured in this run.
pub(crate) struct Figures {
    file: PathBuf,
    text: String,
    table: toml::Table,
    measured: RefCell<Vec<(&'static str, f64)>>,
}

impl Figures {
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file)?;
        Ok(Self {
            table: text.parse()?,
            file: file.to_owned(),
            text,
            measured: RefCell::default(),
        })
    }

    /// Prints a figure; whether its bar is met.
    pub(crate) fn tell(&self, name: &'static str, value: f64) -> Result<bool, Failure> {
        self.measured.borrow_mut().push((name, value));
        let mut met = true;
        println!("  {}", self.line(name, value, &mut met)?);
        Ok(met)
    }

    /// All that were measured, once more and together.
    pub(crate) fn summary(&self) -> Result<(), Failure> {
        let measured = self.measured.borrow();
        if measured.is_empty() {
            return Ok(());
        }
        println!("\nFigures, as {}", user().replace('-', " "));
        println!(
            "  {:<58} {:>7}  {:<13} {:>6} {:>9}",
            "", "now", "bar", "goal", "committed"
        );
        for (name, value) in measured.iter() {
            println!("  {}", self.line(name, *value, &mut true)?);
        }
        Ok(())
    }

    fn line(&self, name: &str, value: f64, met: &mut bool) -> Result<String, Failure> {
        let figure = self.table.get(name).cloned();
        let figure = figure.ok_or_else(|| format!("no figure is called `{name}`"))?;
        let figure: Figure = figure.try_into()?;
        let number = |number: Option<f64>| number.map_or("–".to_owned(), |it| format!("{it:.2}"));
        let bar = figure.bar.map(|bar| (format!("≤ {bar:.2}"), value <= bar));
        let committed = match user() {
            "root" => figure.root,
            _ => figure.ordinary_user,
        };
        Ok(format!(
            "{:<58} {value:>7.2}  {:<13} {:>6} {:>9}",
            figure.what,
            verdict(bar, met),
            number(figure.goal),
            number(committed)
        ))
    }

    /// Writes what was measured into the file. All other lines stay as they are.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        let mut text = self.text.clone();
        for (name, value) in self.measured.borrow().iter() {
            text = with_result(&text, name, user(), *value);
        }
        Ok(std::fs::write(&self.file, text)?)
    }

    /// Writes what was measured as lines of name and value, for a comparison.
    pub(crate) fn hand_over(&self, to: &Path) -> Result<(), Failure> {
        let mut text = String::new();
        for (name, value) in self.measured.borrow().iter() {
            writeln!(text, "{name} {value}")?;
        }
        Ok(std::fs::write(to, text)?)
    }
}

fn user() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "root"
    } else {
        "ordinary-user"
    }
}

/// The text with the result of a user at the end of one table.
fn with_result(text: &str, name: &str, user: &str, value: f64) -> String {
    let (head, own) = (format!("[{name}]"), format!("{user} ="));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(start) = lines.iter().position(|line| *line == head) else {
        return text.to_owned();
    };
    let length = lines[start..].iter().position(String::is_empty);
    let mut end = length.map_or(lines.len(), |length| start + length);
    if let Some(old) = lines[start..end].iter().position(|it| it.starts_with(&own)) {
        lines.remove(start + old);
        end -= 1;
    }
    lines.insert(end, format!("{own} {value:.2}"));
    lines.join("\n") + "\n"
}

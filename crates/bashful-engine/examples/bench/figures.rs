//! The figures that are kept: each with its bar, its goal and the last committed result beside it.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

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
    table: toml::Table,
    measured: RefCell<Vec<(&'static str, f64)>>,
    /// Where each is also written as soon as it is there, as a line of name and value.
    hand_over: Option<File>,
}

impl Figures {
    pub(crate) fn read(file: &Path, hand_over: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            table: std::fs::read_to_string(file)?.parse()?,
            measured: RefCell::default(),
            hand_over: hand_over.map(File::create).transpose()?,
        })
    }

    /// Prints a figure; whether its bar is met.
    pub(crate) fn tell(&self, name: &'static str, value: f64) -> Result<bool, Failure> {
        self.measured.borrow_mut().push((name, value));
        if let Some(mut place) = self.hand_over.as_ref() {
            writeln!(place, "{name} {value}")?;
        }
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
}

fn user() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "root"
    } else {
        "ordinary-user"
    }
}

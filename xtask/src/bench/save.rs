//! `cargo xtask bench --save`: the figures, as root and as an ordinary user, in `docs/figures.toml`.
//!
//! Where root asks, both are measured, one after the other for each bench. What a bench has told is
//! in the file before the next one begins, also where it failed half-way.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::program::{Bench, Copy, Told, figures_file, scratch};
use crate::repository::Repository;
use crate::setup;

const ROOT: &str = "root";
const ORDINARY_USER: &str = "ordinary-user";

pub(super) fn save(repository: &Repository, names: &[&str]) -> Result<()> {
    let bench = Bench::build(repository)?;
    let scratch = scratch(repository)?;
    let place = scratch.path();
    let own = || bench.command(repository, place);
    let copy = if setup::is_root()? {
        Some(Copy::of(&bench, repository, &scratch)?)
    } else {
        None
    };
    let mut failures = Vec::new();
    for name in names {
        let commands = match &copy {
            Some(copy) => vec![(ROOT, own()), (ORDINARY_USER, copy.command())],
            None => vec![(ORDINARY_USER, own())],
        };
        for (user, mut command) in commands {
            println!("\n==> {name}, as {user}");
            let Told { figures, ended } = Bench::measure(&mut command, name, place)?;
            for (figure, value) in figures {
                write_down(&figures_file(repository), &figure, user, value)?;
            }
            if let Err(error) = ended {
                failures.push(format!("{name}, as {user}: {error:#}"));
            }
        }
    }
    if !failures.is_empty() {
        bail!(
            "what was measured is saved; not measured:\n  {}",
            failures.join("\n  ")
        );
    }
    Ok(())
}

fn write_down(file: &Path, figure: &str, user: &str, value: f64) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let text = with_result(&text, figure, user, value);
    fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))
}

/// The text with the result of a user at the end of one table. All other lines stay as they are.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_written_into_its_own_table_and_once() {
        let text = "# A comment.\n\n[one]\nwhat = \"1\"\nbar = 2.0\n\n[two]\nwhat = \"2\"\n";
        let once = with_result(text, "one", ROOT, 1.234);
        let twice = with_result(&once, "one", ORDINARY_USER, 1.5);
        let again = with_result(&twice, "one", ROOT, 1.3);
        assert_eq!(
            again,
            "# A comment.\n\n[one]\nwhat = \"1\"\nbar = 2.0\nordinary-user = 1.50\nroot = 1.30\n\n\
             [two]\nwhat = \"2\"\n"
        );
        assert_eq!(with_result(text, "three", ROOT, 1.0), text);
        assert!(with_result(text, "two", ROOT, 1.0).ends_with("what = \"2\"\nroot = 1.00\n"));
    }
}

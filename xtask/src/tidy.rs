//! `cargo xtask tidy`: text-level rules that the security claims rest on.
//!
//! Each rule is one file and a pure function from text to findings. The compiler and clippy hold
//! most of this too; here it is in one small place that can be read in an hour.

mod directions;
mod doors;
mod hops;
mod lengths;
mod lexer;
mod links;
mod machine_paths;
mod manifests;
mod marks;
mod purity;
mod source;
mod unsafe_code;

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};

use crate::repository::{Repository, has_extension};
use source::Source;

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            rule,
            message,
        } = self;
        write!(formatter, "{path}:{line}: {message} [{rule}]")
    }
}

/// Every text file of the repository by its path.
type Texts = BTreeMap<String, String>;

pub(crate) fn check(repository: &Repository) -> Result<String> {
    let texts = read(repository)?;
    let sources: Vec<Source> = texts
        .iter()
        .filter(|(path, _)| has_extension(path, "rs"))
        .map(|(path, text)| Source::new(path, text))
        .collect();

    let mut findings: Vec<Finding> = Vec::new();
    for source in &sources {
        findings.extend(unsafe_code::check(source));
        findings.extend(directions::check(source));
        findings.extend(doors::check(source));
        findings.extend(purity::check(source));
        findings.extend(marks::check(source));
    }
    findings.extend(directions::check_page(&texts));
    findings.extend(hops::check(&texts));
    findings.extend(manifests::check(&texts));
    findings.extend(machine_paths::check(
        &texts,
        &machine_paths::paths_of_this_machine(repository.root()),
    ));
    findings.extend(links::check(&texts, |path| {
        repository.root().join(path).exists()
    }));

    print!("{}", lengths::report(&sources));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("findings: {}", findings.len());
    }
    Ok(format!("{} files, no findings", texts.len()))
}

/// Files that are not UTF-8 hold no rules and no links.
fn read(repository: &Repository) -> Result<Texts> {
    let mut texts = Texts::new();
    for path in repository.files()? {
        if let Ok(text) = String::from_utf8(std::fs::read(repository.root().join(&path))?) {
            texts.insert(path, text);
        }
    }
    Ok(texts)
}

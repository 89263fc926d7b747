//! Programs that make whole directories: projects, environments, checkouts, installations.

use super::{Written, by_table};
use crate::facts::Argument;
use crate::writes::options::{Parsed, Shape, parse};
use crate::writes::table::Surety;
use crate::writes::target::Way;
use crate::writes::{archives, formatters};

/// `cargo new DIRECTORY` and its kin.
pub(super) fn makes_project(parsed: &Parsed) -> bool {
    let verb = parsed.operands.first().map(|verb| verb.text.as_str());
    matches!(verb, Some("new" | "init" | "setup"))
}

/// `make install DESTDIR=/x`.
pub(super) fn destinations(parsed: &Parsed, written: &mut Written) {
    const NAMES: [&str; 5] = ["DESTDIR=", "PREFIX=", "prefix=", "INSTALL_ROOT=", "BINDIR="];
    for operand in &parsed.operands {
        if let Some(name) = NAMES.iter().find(|name| operand.text.starts_with(**name)) {
            written.add(operand.tail(name.len()), Way::Write);
        }
    }
}

/// `python -m venv DIRECTORY` and similar modules.
pub(super) fn environments(arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Outputs);
    let module = arguments.iter().position(|argument| argument.text == "-m");
    let rest = module
        .and_then(|at| arguments.get(at + 1..))
        .unwrap_or_default();
    let Some((name, rest)) = rest.split_first() else {
        return written;
    };
    match name.text.as_str() {
        "venv" | "virtualenv" => {
            let shape = Shape {
                short: "p",
                long: &["prompt", "python"],
                ..Shape::PLAIN
            };
            written.add_all(parse(rest, &shape).operands, Way::Write);
        }
        "zipfile" | "tarfile" => {
            let operands = rest.iter().filter(|operand| !operand.text.starts_with('-'));
            let reads = rest
                .iter()
                .any(|option| matches!(option.text.as_str(), "-l" | "--list" | "-t" | "--test"));
            let operands: Vec<Argument> = operands.cloned().collect();
            let extracts = rest
                .iter()
                .any(|option| matches!(option.text.as_str(), "-e" | "--extract"));
            let written_one = if extracts {
                operands.get(1)
            } else {
                operands.first()
            };
            written.add_all(written_one.filter(|_| !reads).cloned(), Way::Write);
        }
        "json.tool" => {
            let operands = rest.iter().filter(|operand| !operand.text.starts_with('-'));
            written.add_all(operands.skip(1).cloned(), Way::Write);
        }
        "pip" | "pytest" | "coverage" | "mypy" | "pylint" | "flake8" | "ruff" => {
            if let Some(inner) = by_table(&name.text, rest) {
                written = inner;
            }
        }
        _ => {}
    }
    written.add_all(formatters::changed(&name.text, rest), Way::Write);
    written
}

/// `svn checkout URL DIRECTORY` and its kin.
pub(super) fn checkouts(arguments: &[Argument]) -> Written {
    let parsed = parse(arguments, &Shape::PLAIN);
    let mut written = Written::new(Surety::Guess);
    let verb = parsed
        .operands
        .first()
        .map_or("", |verb| verb.text.as_str());
    if matches!(
        verb,
        "checkout" | "co" | "export" | "clone" | "branch" | "init" | "archive"
    ) {
        written.add_all(parsed.operands.into_iter().skip(2), Way::Write);
    }
    written
}

/// `cmake -E`, which is a set of small tools.
pub(super) fn is_command_mode(arguments: &[Argument]) -> bool {
    arguments.first().is_some_and(|first| first.text == "-E")
}

pub(super) fn command_mode(arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Outputs);
    let tool = arguments.get(1).map_or("", |tool| tool.text.as_str());
    let operands = arguments
        .iter()
        .skip(2)
        .filter(|operand| !operand.text.starts_with('-'))
        .cloned();
    match tool {
        "rm" | "remove" | "remove_directory" => written.add_all(operands, Way::Delete),
        "make_directory" | "touch" | "touch_nocreate" => written.add_all(operands, Way::Change),
        "tar" => return archives::tar(arguments.get(2..).unwrap_or_default()),
        name if name.starts_with("copy")
            || matches!(name, "rename" | "create_symlink" | "create_hardlink") =>
        {
            written.add_all(arguments.last().cloned(), Way::Change);
        }
        _ => {}
    }
    written
}

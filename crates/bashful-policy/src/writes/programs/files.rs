//! Programs that change files where they are, and those that fill or empty them.

use super::Written;
use crate::facts::Argument;
use crate::writes::options::{Shape, parse};
use crate::writes::table::Surety;
use crate::writes::target::Way;

/// `chmod`, whose mode may look like an option.
pub(super) fn modes(arguments: &[Argument]) -> Written {
    let is_mode = |argument: &Argument| {
        argument.text.strip_prefix('-').is_some_and(|letters| {
            let first = letters.trim_start_matches(['r', 'w', 'x', 'X', 's', 't', 'u', 'g', 'o']);
            !letters.is_empty() && (first.is_empty() || first.starts_with([',', '+', '=']))
        })
    };
    let by_dash = arguments.iter().position(is_mode);
    let rest: Vec<Argument> = arguments
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != by_dash)
        .map(|(_, argument)| argument.clone())
        .collect();
    let shape = Shape {
        long: &["reference"],
        ..Shape::PLAIN
    };
    let parsed = parse(&rest, &shape);
    let skipped = usize::from(by_dash.is_none() && !parsed.has(&["--reference"]));
    let mode = parsed.operands.first().filter(|_| skipped == 1);
    let is_special = |mode: &Argument| {
        let is_octal = mode.text.len() > 3 && mode.text.bytes().all(|byte| byte.is_ascii_digit());
        is_octal && !mode.text.starts_with(['0', '1'])
            || mode.text.split(',').any(|part| {
                part.split_once(['+', '='])
                    .is_some_and(|(_, bits)| bits.contains('s'))
            })
            || mode.unknown_from.is_some()
    };
    // The owner of a program with such a bit decides what it may do: no small change.
    let mut written = Written::new(if mode.is_some_and(is_special) {
        Surety::Outputs
    } else {
        Surety::Whole
    });
    written.add_all(parsed.operands.into_iter().skip(skipped), Way::Change);
    written
}

pub(super) fn attributes(arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Whole);
    let is_mode = |argument: &&Argument| !argument.text.starts_with(['-', '+', '=']);
    written.add_all(arguments.iter().filter(is_mode).cloned(), Way::Change);
    written
}

pub(super) fn shreds(arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: "ns",
        attached: "u",
        long: &["iterations", "size", "random-source"],
        ..Shape::PLAIN
    };
    let mut written = Written::new(Surety::Whole);
    for operand in parse(arguments, &shape).operands {
        let is_device = operand.text.starts_with("/dev/");
        let way = if is_device { Way::Write } else { Way::Delete };
        written.add(operand, way);
    }
    written
}

pub(super) fn blocks(program: &str, arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Whole);
    if program == "ddrescue" {
        let parsed = parse(arguments, &Shape::PLAIN);
        written.add_all(parsed.operands.into_iter().skip(1), Way::Write);
        return written;
    }
    for argument in arguments {
        let known = argument.known();
        if known.starts_with("of=") || known.starts_with("hashlog=") || known.starts_with("log=") {
            let value = known.find('=').map_or(0, |at| at + 1);
            written.add(argument.tail(value), Way::Write);
        } else if !known.contains('=') && argument.unknown_from.is_some() {
            // It can be any of the operands.
            written.add(argument.clone(), Way::Write);
        }
    }
    let is_setting = |argument: &Argument| argument.known().contains('=');
    if program == "dd" && written.targets.is_empty() && arguments.iter().all(is_setting) {
        written.prints();
    }
    written
}

pub(super) fn temporary(arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: "p",
        long: &["suffix"],
        ..Shape::PLAIN
    };
    let parsed = parse(arguments, &shape);
    let mut written = Written::new(Surety::Whole);
    let directories = parsed.values(&["-p", "--tmpdir"]);
    let in_temporary = parsed.has(&["-t", "-p", "--tmpdir"]) || parsed.operands.is_empty();
    written.is_open = parsed.operands.iter().any(|operand| {
        in_temporary && (operand.text.contains("..") || operand.unknown_from.is_some())
    });
    if !in_temporary {
        written.add_all(parsed.operands, Way::Write);
    } else if directories.is_empty() {
        written.add(Argument::literal("/tmp/found", (0, 0)), Way::Write);
    }
    written.add_all(directories, Way::Write);
    written
}

//! Archives: which file is made, and where one is unpacked.

use crate::facts::Argument;

use super::options::{Given, Parsed, Shape, Style, parse};
use super::programs::Written;
use super::table::Surety;
use super::target::Way;

const TAR: Shape = Shape {
    short: "fCbTXIFHgKLNV",
    attached: "",
    long: &[
        "file", "directory", "files-from", "exclude", "exclude-from", "use-compress-program",
        "to-command", "checkpoint-action", "info-script", "new-volume-script", "rsh-command",
        "rmt-command", "transform", "xform", "strip-components", "owner", "group", "mode", "mtime",
        "listed-incremental", "blocking-factor", "index-file", "format", "newer", "label",
        "starting-file", "tape-length", "record-size", "suffix", "add-file", "sort", "owner-map",
        "group-map", "volno-file", "hole-detection", "quoting-style", "exclude-tag",
    ],
    style: Style::Getopt,
};

/// How many changes of the directory are followed.
const MOST_DIRECTORIES: usize = 32;

/// Options that run other programs or read more names.
const TAR_BEYOND: &[&str] = &[
    "-I", "--use-compress-program", "--to-command", "--checkpoint-action", "-F", "--info-script",
    "--new-volume-script", "--rsh-command", "--rmt-command",
];

/// The files from which `tar` takes more names.
pub(super) fn lists(arguments: &[Argument]) -> Vec<Argument> {
    let parsed = parse_tar(arguments);
    let mut lists = parsed.values(&["-T"]);
    // `--file` is another option, and no beginning of this one.
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.known().strip_prefix("--files") {
            Some(rest) if rest.contains('=') => {
                let at = word.known().find('=').unwrap_or_default();
                lists.push(word.tail(at + 1));
            }
            Some(_) => lists.extend(words.next().cloned()),
            None => {}
        }
    }
    lists
}

/// `tar`, with its options in any of the three ways to write them.
pub(super) fn tar(arguments: &[Argument]) -> Written {
    let parsed = parse_tar(arguments);
    let mut written = Written::new(Surety::Whole);
    let remote = |file: &Argument| {
        file.text
            .split('/')
            .next()
            .is_some_and(|place| place.contains(':'))
            && !parsed.has(&["--force-local"])
    };
    let files = parsed.values(&["-f", "--file"]);
    written.is_open = parsed.has(TAR_BEYOND) || files.iter().any(remote);
    let outputs = ["-g", "--listed-incremental", "--index-file", "--volno-file"];
    written.add_all(parsed.values(&outputs), Way::Write);
    let writes = [
        "-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate",
        "--delete",
    ];
    if parsed.has(&["-x", "--extract", "--get"]) {
        extracted(&parsed, &mut written);
    } else if parsed.has(&writes) {
        let (printed, named): (Vec<Argument>, Vec<Argument>) =
            files.into_iter().partition(|file| file.text == "-");
        written.add_all(named, Way::Write);
        // Without a file it is the standard output, but for odd systems with a tape.
        if !printed.is_empty() || written.targets.is_empty() {
            written.prints();
        }
        if parsed.has(&["--remove-files"]) {
            written.add_all(parsed.operands.iter().cloned(), Way::Delete);
        }
    }
    written
}

fn extracted(parsed: &Parsed, written: &mut Written) {
    if parsed.has(&["-P", "--absolute-names"]) {
        // The archive names what is written, anywhere.
        written.add(Argument::literal("/", (0, 0)), Way::Write);
    }
    if parsed.has(&["-O", "--to-stdout"]) {
        written.prints();
        return;
    }
    let directories = parsed.values(&["-C", "--directory", "--cd"]);
    let mut here = Argument::literal(".", (0, 0));
    // Each is seen from the one before; no ordinary call has this many.
    written.is_open |= directories.len() > MOST_DIRECTORIES;
    for directory in directories.into_iter().take(MOST_DIRECTORIES) {
        here = below(&here, directory);
        written.add(here.clone(), Way::Write);
    }
    for top in parsed.values(&["--one-top-level"]) {
        here = below(&here, top);
    }
    written.add(here, Way::Write);
}

/// A directory seen from another.
fn below(from: &Argument, directory: Argument) -> Argument {
    if directory.text.starts_with('/') || from.text == "." {
        return directory;
    }
    let offset = from.text.len() + 1;
    Argument {
        text: format!("{}/{}", from.text, directory.text),
        unknown_from: from
            .unknown_from
            .or(directory.unknown_from.map(|unknown| unknown + offset)),
        ..directory
    }
}

/// In the oldest way, the first argument has the letters and their values follow in order.
fn parse_tar(arguments: &[Argument]) -> Parsed {
    let bundle = arguments
        .first()
        .filter(|first| first.is_literal() && !first.text.starts_with('-'));
    let Some(bundle) = bundle else {
        return parse(arguments, &TAR);
    };
    let mut rest = arguments.iter().skip(1);
    let mut options: Vec<Given> = Vec::new();
    for letter in bundle.text.chars() {
        let value = TAR.short.contains(letter).then(|| rest.next().cloned());
        options.push(Given {
            name: format!("-{letter}"),
            value: value.flatten(),
        });
    }
    let rest: Vec<Argument> = rest.cloned().collect();
    let mut parsed = parse(&rest, &TAR);
    options.append(&mut parsed.options);
    parsed.options = options;
    parsed
}

/// `cpio` and `pax`, which also unpack absolute names.
pub(super) fn cpio(arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: "CDEFHIMORWfstxb",
        long: &["directory", "file", "format", "pattern-file"],
        ..Shape::PLAIN
    };
    let parsed = parse(arguments, &shape);
    let mut written = Written::new(Surety::Outputs);
    let outputs = ["-O", "-F", "--file", "-D", "--directory", "-f"];
    if parsed.has(&["-o", "--create", "-i", "--extract", "-w", "-r", "-p", "--pass-through"]) {
        written.add_all(parsed.values(&outputs), Way::Write);
    }
    if parsed.has(&["-p", "--pass-through", "-w", "-r"]) {
        written.add_all(parsed.operands.last().cloned(), Way::Write);
    }
    written
}

/// `unzip`, `unrar`, `7z` and their kin.
pub(super) fn unpack(program: &str, arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Whole);
    match program {
        "unzip" => unzip(arguments, &mut written),
        "unar" => {
            let shape = Shape {
                short: "oep",
                long: &["output-directory"],
                ..Shape::PLAIN
            };
            let parsed = parse(arguments, &shape);
            let named = parsed.values(&["-o", "--output-directory"]);
            here_or(named, arguments, &mut written);
        }
        "jar" => {
            written.surety = Surety::Outputs;
            let parsed = parse_tar(arguments);
            if parsed.has(&["-x", "--extract"]) {
                here_or(parsed.values(&["-C"]), arguments, &mut written);
            } else if parsed.has(&["-c", "--create", "-u", "--update"]) {
                written.add_all(parsed.values(&["-f", "--file"]), Way::Write);
            }
        }
        _ => seven(program, arguments, &mut written),
    }
    written
}

fn unzip(arguments: &[Argument], written: &mut Written) {
    let shape = Shape {
        short: "dP",
        ..Shape::PLAIN
    };
    let parsed = parse(arguments, &shape);
    if parsed.has(&["-l", "-t", "-p", "-c", "-Z", "-z", "-v"]) || arguments.is_empty() {
        return;
    }
    // Names that climb out of the directory are kept only on request.
    written.is_open = parsed.has(&["-:"]);
    here_or(parsed.values(&["-d"]), arguments, written);
}

fn seven(program: &str, arguments: &[Argument], written: &mut Written) {
    let operands: Vec<&Argument> = arguments
        .iter()
        .filter(|argument| !argument.text.starts_with('-'))
        .collect();
    let verb = operands.first().map_or("", |verb| verb.text.as_str());
    let outputs: Vec<Argument> = arguments
        .iter()
        .filter(|argument| argument.text.starts_with("-o") && argument.text.len() > 2)
        .map(|argument| {
            argument.tail(if argument.text.starts_with("-op") && program == "unrar" {
                3
            } else {
                2
            })
        })
        .collect();
    written.is_open = arguments
        .iter()
        .any(|argument| argument.text.starts_with("-sdel") || argument.text.starts_with("-spf"));
    match verb {
        "x" | "e" => {
            let mut named = outputs;
            // The last operand of `unrar` is a directory if it ends like one.
            let last = operands.last().filter(|last| last.text.ends_with('/'));
            named.extend(
                last.filter(|_| program == "unrar")
                    .map(|last| (*last).clone()),
            );
            here_or(named, arguments, written);
        }
        "a" | "u" | "d" | "rn" => {
            written.add_all(
                operands.get(1).map(|archive| (*archive).clone()),
                Way::Write,
            );
            written.add_all(outputs, Way::Write);
        }
        _ => {}
    }
}

fn here_or(named: Vec<Argument>, arguments: &[Argument], written: &mut Written) {
    if named.is_empty() {
        written.add_here(arguments.first(), Way::Write);
    }
    written.add_all(named, Way::Write);
}

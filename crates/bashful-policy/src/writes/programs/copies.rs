//! Programs that copy: to their last operand, to a directory, or from another machine.

use super::Written;
use crate::facts::Argument;
use crate::writes::options::{Given, Shape, Style, parse};
use crate::writes::table::Surety;
use crate::writes::target::Way;

const COPY: Shape = Shape {
    short: "StmogZ",
    attached: "",
    long: &[
        "suffix", "target-directory", "mode", "owner", "group", "strip-program", "context",
        "backup", "sparse", "reflink",
    ],
    style: Style::Getopt,
};

/// `cp`, `mv`, `ln` and `install`: to the last operand or to the directory of `-t`.
pub(super) fn copies(program: &str, arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: if program.ends_with("install") {
            "Stmog"
        } else {
            "St"
        },
        long: if program.ends_with("install") {
            COPY.long
        } else {
            &["suffix", "target-directory"]
        },
        ..COPY
    };
    let parsed = parse(arguments, &shape);
    let mut written = Written::new(Surety::Whole);
    written.is_open = parsed.has(&["--strip-program"]);
    let way = match program {
        "mv" | "gmv" | "ln" => Way::Change,
        _ => Way::Write,
    };
    let mut sources = parsed.operands.clone();
    if program.ends_with("install") && parsed.has(&["-d", "--directory"]) {
        written.add_all(sources, Way::Change);
        return written;
    }
    let mut targets = parsed.values(&["-t", "--target-directory"]);
    let by_option = !targets.is_empty();
    if !by_option {
        match (program, sources.len()) {
            // A link in the directory it is in.
            ("ln", 1) => targets.push(Argument::literal("./", (0, 0))),
            (_, 0 | 1) => {}
            _ => targets.extend(sources.pop()),
        }
    }
    // What is put together from names is bounded; beyond, nothing is known.
    let length: usize = targets.iter().map(|target| target.text.len() + 1).sum();
    let is_small = length.saturating_mul(sources.len()) < 1 << 22;
    written.is_open |= !is_small;
    for target in targets {
        let into = by_option
            || sources.len() > 1
            || target.text.ends_with('/')
            || matches!(target.text.rsplit('/').next(), Some("." | ".."));
        if into && is_small && target.is_known() {
            for source in sources.iter().filter(|source| source.is_known()) {
                let name = source.text.trim_end_matches('/').rsplit('/').next();
                let mut inside = target.clone();
                inside.text = format!("{}/{}", target.text, name.unwrap_or_default());
                inside.glob |= source.glob;
                // The contents of a directory, or the directory that is meant itself.
                if !matches!(name, Some("." | ".." | "")) {
                    written.add(inside, way);
                }
            }
        }
        // A device can be written, but a name is replaced where the target is not a directory.
        written.add(target, if into { Way::Write } else { way });
    }
    if program.ends_with("mv") {
        written.add_all(sources, Way::Delete);
    }
    written
}

/// `rsync` and its kin: to the last operand, unless that is on another machine.
pub(super) fn transfers(program: &str, arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: if program == "rsync" {
            "efBTM"
        } else {
            "cFiJloPSXD"
        },
        attached: "",
        long: &[
            "rsh", "rsync-path", "exclude", "include", "exclude-from", "include-from",
            "files-from", "backup-dir", "temp-dir", "partial-dir", "log-file", "filter", "chmod",
            "chown", "compare-dest", "copy-dest", "link-dest", "max-size", "min-size", "port",
            "suffix", "write-batch", "only-write-batch", "password-file", "out-format", "usermap",
            "groupmap",
        ],
        style: Style::Getopt,
    };
    let parsed = parse(arguments, &shape);
    let is_remote = |operand: &Argument| {
        let place = operand.text.split('/').next().unwrap_or_default();
        place.contains(':') || operand.text.starts_with("rsync://")
    };
    let mut written = Written::new(if program == "rsync" {
        Surety::Whole
    } else {
        Surety::Outputs
    });
    written.is_open = parsed.operands.iter().any(is_remote)
        || parsed.has(&["-e", "--rsh", "--rsync-path", "--daemon", "--files-from"]);
    let outputs = [
        "--backup-dir", "--temp-dir", "-T", "--partial-dir", "--log-file", "--write-batch",
        "--only-write-batch",
    ];
    written.add_all(parsed.values(&outputs), Way::Write);
    if parsed.has(&["--list-only"]) || parsed.operands.len() < 2 {
        return written;
    }
    let deletes = parsed
        .options
        .iter()
        .any(|given| given.name == "--del" || given.name.starts_with("--delete"));
    if let Some((target, sources)) = parsed.operands.split_last() {
        let is_undone = |given: &Given| given.name.starts_with("--no-");
        if parsed.has(&["-n", "--dry-run"]) && !parsed.options.iter().any(is_undone) {
            written.prints();
        } else if !is_remote(target) {
            let way = if deletes { Way::Delete } else { Way::Write };
            written.add(target.clone(), way);
        }
        if parsed.has(&["--remove-source-files"]) {
            let local = sources.iter().filter(|source| !is_remote(source));
            written.add_all(local.cloned(), Way::Delete);
        }
    }
    written
}

/// `docker cp CONTAINER:/x /y`.
pub(super) fn copies_out(arguments: &[Argument]) -> bool {
    let is_copy = |argument: &Argument| argument.text == "cp";
    arguments.iter().take(2).any(is_copy)
}

pub(super) fn container_copy(arguments: &[Argument]) -> Written {
    let mut written = Written::new(Surety::Outputs);
    let last = arguments.last().filter(|last| {
        let place = last.text.split('/').next().unwrap_or_default();
        !place.contains(':') && last.text != "-"
    });
    written.add_all(last.cloned(), Way::Write);
    written
}

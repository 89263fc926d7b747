//! What one start of a program writes, by the table or by what is special about it.

use super::options::{Parsed, parse};
use super::table::{Operands, Surety, When, Writer, writer_of};
use super::target::{Target, Way};
use super::{archives, formatters, git, scripts};
use crate::facts::Argument;

mod copies;
mod files;
mod trees;

use copies::{container_copy, copies, copies_out, transfers};
use files::{attributes, blocks, modes, shreds, temporary};
use trees::{checkouts, command_mode, destinations, environments, is_command_mode, makes_project};

/// What a program writes.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) targets: Vec<Target>,
    pub(super) surety: Surety,
    /// Some of what it does is not in its arguments.
    pub(super) is_open: bool,
    /// Where its paths start, when it changes its directory first.
    pub(super) directory: Option<Argument>,
}

impl Written {
    pub(super) fn new(surety: Surety) -> Self {
        Self {
            targets: Vec::new(),
            surety,
            is_open: false,
            directory: None,
        }
    }

    pub(super) fn add(&mut self, argument: Argument, way: Way) {
        self.targets.push(Target::new(argument, way));
    }

    pub(super) fn add_all(&mut self, arguments: impl IntoIterator<Item = Argument>, way: Way) {
        for argument in arguments {
            self.add(argument, way);
        }
    }

    /// It writes to its standard output instead of a file, or only shows what it would do.
    pub(super) fn prints(&mut self) {
        self.add(Argument::literal("/dev/null", (0, 0)), Way::Write);
    }

    /// The directory it is in, by its place in the line.
    pub(super) fn add_here(&mut self, like: Option<&Argument>, way: Way) {
        let span = like.map_or((0, 0), |argument| argument.span);
        self.add(Argument::literal(".", span), way);
    }
}

/// What a program writes; none if it is not known to write.
pub(super) fn written(program: &str, arguments: &[Argument]) -> Option<Written> {
    let mut special = match program {
        "cp" | "mv" | "ln" | "install" | "ginstall" | "gcp" | "gmv" => copies(program, arguments),
        "rsync" | "scp" | "rcp" | "sftp" => transfers(program, arguments),
        "chmod" => modes(arguments),
        "chattr" => attributes(arguments),
        "shred" => shreds(arguments),
        "dd" | "dcfldd" | "dc3dd" | "ddrescue" => blocks(program, arguments),
        "mktemp" => temporary(arguments),
        "tar" | "gtar" | "bsdtar" | "star" => archives::tar(arguments),
        "cpio" | "pax" => archives::cpio(arguments),
        "unzip" | "unrar" | "7z" | "7za" | "7zr" | "7zz" | "p7zip" | "unar" | "jar" => {
            archives::unpack(program, arguments)
        }
        "sed" | "gsed" => scripts::sed(arguments),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => scripts::awk(arguments),
        "git" => git::written(arguments),
        "cmake" if is_command_mode(arguments) => command_mode(arguments),
        "python" | "python3" => environments(arguments),
        "docker" | "podman" | "kubectl" | "oc" if copies_out(arguments) => {
            container_copy(arguments)
        }
        "svn" | "hg" | "bzr" => checkouts(arguments),
        _ => match by_table(program, arguments) {
            Some(written) => written,
            None if formatters::is_one(program) => Written::new(Surety::Outputs),
            None => return None,
        },
    };
    special.add_all(formatters::changed(program, arguments), Way::Write);
    Some(special)
}

fn by_table(program: &str, arguments: &[Argument]) -> Option<Written> {
    let writer = writer_of(program)?;
    let parsed = parse(arguments, &writer.shape);
    let mut written = Written::new(writer.surety);
    written.is_open = parsed.has(writer.beyond);
    written.add_all(parsed.values(writer.outputs), Way::Write);
    let applies = match writer.when {
        When::Always => true,
        When::With(options) => parsed.has(options),
        When::Without(options) => !parsed.has(options),
    };
    if applies {
        let mut operands = selected(writer, &parsed);
        // Standard input or output, by its usual name.
        operands.retain(|operand| operand.text != "-");
        written.add_all(operands, writer.way);
    }
    match program {
        "split" if parsed.operands.len() < 2 => written.add_here(arguments.first(), Way::Write),
        "csplit" if written.targets.is_empty() => {
            written.add_here(arguments.first(), Way::Write);
        }
        "patch" => {
            written.add_here(arguments.first(), Way::Write);
        }
        "curl" if parsed.has(&["-O", "--remote-name", "--remote-name-all", "-J"]) => {
            written.add_here(arguments.first(), Way::Write);
        }
        "wget" if written.targets.is_empty() => written.add_here(arguments.first(), Way::Write),
        "make" | "gmake" => destinations(&parsed, &mut written),
        "cargo" | "meson" if makes_project(&parsed) => {
            written.add_all(parsed.operands.get(1).cloned(), Way::Write);
        }
        "mknod" if parsed.operands.get(1).is_none_or(|kind| kind.text != "p") => {
            // A device opens what the kernel has behind it, wherever it stands.
            written.surety = Surety::Outputs;
        }
        _ => {}
    }
    Some(written)
}

fn selected(writer: &Writer, parsed: &Parsed) -> Vec<Argument> {
    let operands = &parsed.operands;
    match writer.operands {
        Operands::None => Vec::new(),
        Operands::AfterFirst if parsed.has(&["--reference"]) => operands.clone(),
        // Inline code is an option's value, so all operands are files.
        Operands::All if matches!(writer.names, ["perl", ..]) && !parsed.has(&["-e", "-E"]) => {
            operands.iter().skip(1).cloned().collect()
        }
        Operands::All => operands.clone(),
        Operands::First => operands.iter().take(1).cloned().collect(),
        Operands::Last => operands.iter().last().cloned().into_iter().collect(),
        Operands::AfterFirst => operands.iter().skip(1).cloned().collect(),
        Operands::Second => operands.iter().skip(1).take(1).cloned().collect(),
        Operands::LastOfSeveral => {
            let last = operands.iter().skip(1).last();
            last.cloned().into_iter().collect()
        }
    }
}

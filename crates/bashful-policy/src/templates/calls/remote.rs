//! Programs that run what they are told on other machines, or by an option of theirs.

use super::languages::is_inline;
use super::{Codes, Objection};
use crate::arguments::Valued;
use crate::facts::{Argument, is_shell};

mod options;

const REMOTE: Objection = Objection::new(
    "would be read by a shell on the other machine",
    "send it as input: `printf '%s' ${…} | ssh host 'cat > file'`",
);
const OPTION: Objection = Objection::new(
    "would be a command in an option of this program",
    "write the command, and give the value as an argument of its own",
);
const CONFIGURES: Objection = Objection::new(
    "would become configuration that can name commands",
    "write the setting as it is meant to be",
);

/// Options whose value is a command, in whichever program.
const COMMAND_OPTIONS: &[&str] = &[
    "--cc-cmd",
    "--checkpoint-action",
    "--compress-program",
    "--exec",
    "--exec-path",
    "--filter",
    "--info-script",
    "--new-volume-script",
    "--post-file-command",
    "--open-files-in-pager",
    "--pre",
    "--pre-glob",
    "--preview",
    "--receive-pack",
    "--rmt-command",
    "--rsh",
    "--rsh-command",
    "--rsync-path",
    "--strip-program",
    "--to-cmd",
    "--to-command",
    "--unzip-command",
    "--upload-pack",
    "--use-askpass",
    "--use-compress-program",
];

/// The words of these programs that run elsewhere or later.
pub(super) fn codes(name: &str, argv: &[Argument]) -> Codes {
    let mut codes = match name {
        "ssh" | "autossh" | "mosh" | "rsh" | "sshpass" | "slogin" => ssh(argv),
        "scp" | "rsync" | "sftp" => copies(argv),
        "git" => git(argv),
        _ => Codes::new(),
    };
    for (index, word) in argv.iter().enumerate() {
        let option = word.known().split('=').next().unwrap_or_default();
        if is_command_option(option) {
            let attached = word.known().contains('=');
            codes.push((index + usize::from(!attached), OPTION));
        }
    }
    options::add(name, argv, &mut codes);
    codes
}

/// Whether this is one of them, abbreviated or not.
fn is_command_option(option: &str) -> bool {
    let long = option.len() > 5 && option.starts_with("--");
    COMMAND_OPTIONS
        .iter()
        .any(|known| *known == option || long && known.starts_with(option))
}

fn ssh(argv: &[Argument]) -> Codes {
    const VALUED: Valued = Valued {
        short: "BbcDEeFIiJLlmOopQRSWwf",
        long: &[],
    };
    let mut codes = Codes::new();
    let mut host = false;
    let mut options = true;
    let mut index = 1;
    while let Some(word) = argv.get(index) {
        let known = word.known();
        if host {
            codes.push((index, REMOTE));
        } else if options && word.text == "--" {
            options = false;
        } else if options && known.len() > 1 && known.starts_with('-') {
            let configures = known.contains(['o', 'F', 'J']);
            let next = usize::from(VALUED.takes_next(known));
            if configures {
                codes.push((index + next, CONFIGURES));
            }
            index += next;
        } else {
            host = true;
        }
        index += 1;
    }
    codes
}

/// Whether a shell or an interpreter on the other machine gets the input.
pub(super) fn reads_code(name: &str, argv: &[Argument]) -> bool {
    if !matches!(name, "ssh" | "autossh" | "mosh" | "rsh" | "slogin") {
        return false;
    }
    let remote = ssh(argv);
    let mut words = remote
        .iter()
        .filter(|(_, objection)| *objection == REMOTE)
        .filter_map(|(index, _)| argv.get(*index))
        .peekable();
    let mut names = words.clone().flat_map(|word| word.text.split_whitespace());
    words.peek().is_none() || names.any(|name| is_shell(name) || is_inline(name))
}

/// `host:path`, of which some versions let a shell read the path.
fn copies(argv: &[Argument]) -> Codes {
    let mut codes = Codes::new();
    for (index, word) in argv.iter().enumerate() {
        if !word.is_known() && word.known().contains(':') && !word.known().contains("://") {
            codes.push((index, REMOTE));
        }
        if matches!(word.text.as_str(), "-e" | "-o" | "-S" | "-F" | "-J") {
            codes.push((index + 1, OPTION));
        }
    }
    codes
}

fn git(argv: &[Argument]) -> Codes {
    let mut codes = Codes::new();
    for (index, word) in argv.iter().enumerate() {
        match word.text.as_str() {
            "-c" | "--config-env" | "--exec-path" => codes.push((index + 1, CONFIGURES)),
            "config" => {
                codes.extend((index + 1..argv.len()).map(|later| (later, CONFIGURES)));
            }
            "-x" | "-u" | "--config" => codes.push((index + 1, OPTION)),
            _ => {}
        }
        let known = word.known();
        let opens = known.starts_with("-O") && argv.iter().any(|word| word.text == "grep");
        if !word.is_known() && (known.starts_with("-c") || known.starts_with("--config") || opens) {
            codes.push((index, CONFIGURES));
        }
    }
    codes
}

//! Programs with options of their own whose value is a command, code or a program to load.

use super::{Codes, OPTION};
use crate::facts::Argument;
use crate::templates::calls::Objection;

const RUN: Objection = Objection::new(
    "would choose the program that runs, or be a part of its command",
    "write the program's name, and give the value as an argument of its own",
);

/// Options by program; a short one may have its value attached.
const OPTIONS: &[(&str, &[&str])] = &[
    ("ansible", &["-a", "-m", "--args", "--module-name"]),
    ("apt", &["-o", "--option"]),
    ("apt-get", &["-o", "--option"]),
    ("bsdtar", &["--use-compress-program"]),
    ("cc", &["-B", "-fplugin", "-specs", "-wrapper"]),
    ("clang", &["-B", "-fplugin", "-load"]),
    ("cmake", &["-E", "-P"]),
    ("g++", &["-B", "-fplugin", "-specs", "-wrapper"]),
    ("gcc", &["-B", "-fplugin", "-specs", "-wrapper"]),
    ("install", &["--strip-program"]),
    (
        "java",
        &[
            "-agentlib",
            "-agentpath",
            "-cp",
            "-classpath",
            "-jar",
            "-javaagent",
        ],
    ),
    ("lftp", &["-c", "-e", "-f"]),
    ("man", &["-H", "-P", "--html", "--pager"]),
    ("mutt", &["-F", "-e"]),
    ("nix", &["--expr"]),
    ("pandoc", &["-F", "-L", "--filter", "--lua-filter"]),
    ("rg", &["--pre"]),
    ("tcpdump", &["-z"]),
    ("wget", &["-e", "--execute", "--use-askpass"]),
    ("yt-dlp", &["--exec"]),
    ("zip", &["-TT", "--unzip-command"]),
];

/// Programs that run the words behind one of theirs.
const MARKERS: &[(&str, &str)] = &[
    ("gnome-terminal", "--"),
    ("gnome-terminal", "-e"),
    ("gnome-terminal", "-x"),
    ("ip", "exec"),
    ("konsole", "-e"),
    ("mise", "exec"),
    ("mise", "x"),
    ("nix", "run"),
    ("npm", "exec"),
    ("npm", "x"),
    ("pnpm", "exec"),
    ("xfce4-terminal", "-e"),
    ("xfce4-terminal", "-x"),
    ("xterm", "-e"),
    ("yarn", "exec"),
];

/// Adds the words of a call that these tables know.
pub(super) fn add(name: &str, argv: &[Argument], codes: &mut Codes) {
    let options = OPTIONS.iter().filter(|(program, _)| *program == name);
    for option in options.flat_map(|(_, options)| *options) {
        for (index, word) in argv.iter().enumerate().skip(1) {
            let known = word.known();
            if word.is_known() && known == *option {
                codes.push((index + 1, OPTION));
            } else if !word.is_known() && known.starts_with(option) {
                codes.push((index, OPTION));
            }
        }
    }
    for (_, marker) in MARKERS.iter().filter(|(program, _)| *program == name) {
        if let Some(at) = argv.iter().position(|word| word.text == *marker) {
            // The name of a network namespace stands before the command.
            codes.extend((at + 1..argv.len()).take(3).map(|index| (index, RUN)));
        }
    }
    if name.starts_with("ld-linux") || name.starts_with("ld.so") {
        codes.extend((1..argv.len()).map(|index| (index, RUN)));
    }
}

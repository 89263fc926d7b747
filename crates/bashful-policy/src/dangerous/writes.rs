//! Writing where the system lives, and the targets of programs that write.

use super::{Finding, View, WRITE_SYSTEM};
use crate::options::{self, Valued};
use crate::paths;
use crate::script::{RedirectKind, Word};

pub(super) fn check(view: &View) -> Option<Finding> {
    let system = |word: &Word| paths::is_system(word, view.directory());
    let target = targets(view).into_iter().find(|word| system(word))?;
    Some(view.finding_of(&WRITE_SYSTEM, &format!("writes to {}", target.text)))
}

/// Programs with an option that names their output: the letter, or none for `--output` alone.
const OUTPUT_OPTIONS: &[(&str, char)] = &[
    ("sort", 'o'),
    ("curl", 'o'),
    ("wget", 'O'),
    ("cc", 'o'),
    ("gcc", 'o'),
    ("g++", 'o'),
    ("clang", 'o'),
    ("ld", 'o'),
    ("go", 'o'),
    ("rustc", 'o'),
    ("gpg", 'o'),
    ("strace", 'o'),
    ("tcpdump", 'w'),
    ("unzip", 'd'),
    ("pandoc", 'o'),
    ("git", '\0'),
];

/// What a view writes, creates, changes or removes: the targets of redirects for the view without
/// words, those in the arguments for the others.
pub(super) fn targets(view: &View) -> Vec<Word> {
    let arguments = view.arguments();
    if view.words.is_empty() {
        let writes = view.command.redirects.iter();
        let writes = writes.filter(|redirect| redirect.kind == RedirectKind::Write);
        return writes.map(|redirect| redirect.target.clone()).collect();
    }
    let operands = |valued: &Valued| -> Vec<Word> {
        options::operands(arguments, valued)
            .into_iter()
            .cloned()
            .collect()
    };
    match view.name {
        "tee" | "touch" | "mkdir" | "rmdir" | "rm" | "unlink" | "truncate" | "shred" | "mv"
        | "mkfifo" => {
            // A reference is only read; other values, such as sizes, are no system paths.
            let reference = Valued {
                short: "r",
                long: &["reference"],
            };
            let compares = matches!(view.name, "touch" | "truncate");
            operands(if compares { &reference } else { &Valued::NONE })
        }
        "cp" | "ln" | "install" | "rsync" | "scp" => copy_targets(view),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
            operands(&Valued::NONE).into_iter().skip(1).collect()
        }
        "sed" | "gsed" => edited_in_place(arguments),
        "dd" => {
            let outputs = arguments.iter().filter_map(|word| {
                let path = word.text.strip_prefix("of=")?;
                Some(options::tail(word, path))
            });
            outputs.collect()
        }
        name => {
            let option = OUTPUT_OPTIONS.iter().find(|(program, _)| *program == name);
            let value =
                option.and_then(|(_, short)| options::value_of(arguments, *short, "output"));
            value.into_iter().collect()
        }
    }
}

/// The last operand, or the directory named by `-t`.
fn copy_targets(view: &View) -> Vec<Word> {
    let arguments = view.arguments();
    let short = match view.name {
        "install" => "gmotS",
        "rsync" => "efBMT",
        "scp" => "cFiJloPS",
        _ => "tS",
    };
    let valued = Valued {
        short,
        long: &["target-directory", "suffix", "mode", "owner", "group"],
    };
    let directory = match view.name {
        "rsync" | "scp" => None,
        _ => options::value_of(arguments, 't', "target-directory"),
    };
    let mut operands = options::operands(arguments, &valued);
    let makes_directories =
        view.name == "install" && options::has_flag(arguments, 'd', "directory");
    if directory.is_some() || makes_directories {
        return if makes_directories {
            operands.into_iter().cloned().collect()
        } else {
            directory.into_iter().collect()
        };
    }
    // `ln -s /etc/hosts` makes a link here, and one operand alone is no target for the others.
    let target = if operands.len() > 1 {
        operands.pop().cloned()
    } else {
        None
    };
    target.into_iter().collect()
}

/// The files that `sed -i` changes.
fn edited_in_place(arguments: &[Word]) -> Vec<Word> {
    let in_place = options::options(arguments).any(|option| match option.strip_prefix("--") {
        Some(name) => name.starts_with("in-p") || name == "in",
        // A suffix may follow, as in `-i.bak`; `-e` and `-f` take the rest of their bundle.
        None => option
            .chars()
            .skip(1)
            .take_while(|letter| !"ef".contains(*letter))
            .any(|letter| letter == 'i'),
    });
    if !in_place {
        return Vec::new();
    }
    let valued = Valued {
        short: "efl",
        long: &["expression", "file", "line-length"],
    };
    let scripted = options::options(arguments).any(|option| {
        option.starts_with("--expression")
            || option.starts_with("--file")
            || (!option.starts_with("--") && option.contains(['e', 'f']))
    });
    let operands = options::operands(arguments, &valued).into_iter().cloned();
    // Without `-e` or `-f` the first operand is the program.
    operands.skip(usize::from(!scripted)).collect()
}

//! Reading keys, passwords, tokens and histories.

use super::line::{Line, has_word, only_asks};
use super::printers::PRINTERS;
use super::{View, find};
use crate::arguments::{Valued, has_flag};
use crate::context::Context;
use crate::facts::{Argument, Redirect, RedirectKind};
use crate::places;

mod files;
mod programs;
mod tools;

use programs::{COPIERS, LISTERS, OWN, PATTERNS, READERS};

pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    if only_asks(arguments) {
        return false;
    }
    if tools::check(view) {
        return true;
    }
    if matches!(view.name, "find" | "gfind") {
        return find_reads(view);
    }
    // With a list of names they print what stands in it.
    let named = |options: &[&str]| {
        let mut options = options.iter();
        options.any(|name| has_flag(arguments, '\0', name))
    };
    let lists = match view.name {
        "file" | "du" => has_flag(arguments, 'f', "") || named(&["files-from", "files0-from"]),
        "tree" => named(&["fromfile", "fromtabfile", "infofile", "gitfile"]),
        _ => false,
    };
    let lister = LISTERS.contains(&view.name) && !lists;
    if view.name.is_empty() || lister {
        return false;
    }
    let reads_bare = PRINTERS.contains(&view.name) || READERS.contains(&view.name);
    let fed = find::fed(view);
    if reads_bare
        && fed
            .iter()
            .any(|(path, from)| leads(path, from, view.context))
    {
        return true;
    }
    if COPIERS.contains(&view.name) && copies_home(view) {
        return true;
    }
    if code_reads(view) {
        return true;
    }
    operands(view).iter().any(|argument| {
        let known = argument.known();
        let is_path = reads_bare || known.contains('/') || known.starts_with('.');
        is_path && leads(argument, &call.directories, view.context)
    })
}

/// Whether a redirect reads a secret.
pub(super) fn check_redirect(redirect: &Redirect, context: &Context) -> bool {
    matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite)
        && leads(&redirect.target, &redirect.directories, context)
}

/// Whether code that stands in the arguments names a secret as a file: in quotes, or after sed's
/// commands that read.
fn code_reads(view: &View) -> bool {
    let call = view.call;
    let secret = |path: &str, word: &Argument| {
        path.contains('/')
            && leads(
                &Argument::literal(path, word.span),
                &call.directories,
                view.context,
            )
    };
    let words = call.operands().iter();
    match view.name {
        "sed" | "gsed" => words.clone().any(|word| {
            let mut parts = word.known().split([' ', '\n', ';', '}']);
            let mut before = "";
            parts.any(|part| {
                let reads = before.ends_with(['r', 'R']) && secret(part, word);
                let attached = part.trim_start_matches(|letter: char| {
                    letter.is_ascii_digit() || "$!,{".contains(letter)
                });
                let attached = attached.strip_prefix(['r', 'R']);
                before = part;
                reads || attached.is_some_and(|path| path.starts_with('/') && secret(path, word))
            })
        }),
        "awk" | "gawk" | "mawk" | "nawk" | "yq" => words.clone().any(|word| {
            let text = word.known();
            (text.contains("getline") || text.contains("load"))
                && text
                    .split('"')
                    .skip(1)
                    .step_by(2)
                    .any(|path| secret(path, word))
        }),
        _ => false,
    }
}

/// The words of a call that can be files it reads, with those inside of other words.
fn operands(view: &View) -> Vec<Argument> {
    let arguments = view.call.operands();
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    // An option names the pattern, also attached (`-ep`), in a bundle or abbreviated.
    let named = [('e', "regexp"), ('f', "file"), ('e', "expression"), ('f', "from-file")];
    let named = named
        .iter()
        .any(|(short, long)| has_flag(arguments, *short, long));
    let mut skips = PATTERNS.contains(&view.name) && !named;
    while let Some(argument) = rest.next() {
        let text = argument.known();
        let key = matches!(text, "-i" | "-F")
            && matches!(view.name, "ssh" | "scp" | "sftp" | "autossh" | "mosh");
        if key || OWN.contains(&text) {
            rest.next();
            continue;
        }
        if let Some(option) = text.strip_prefix("--") {
            let own = OWN.iter().any(|own| {
                let own = own.trim_start_matches('-');
                option
                    .strip_prefix(own)
                    .is_some_and(|rest| rest.starts_with('='))
            });
            if let Some(at) = text.find('=').filter(|_| !own) {
                found.push(value(argument.tail(at + 1)));
            }
            continue;
        }
        if text.starts_with('-') && text.len() > 1 {
            // In `-T/etc/shadow` and `-d@file` the value is attached to its letter.
            if let Some(at) = text.find(['/', '@']).filter(|at| *at == 2) {
                found.push(value(argument.tail(at)));
            }
            continue;
        }
        if std::mem::take(&mut skips) {
            continue;
        }
        // `if=file`, `name=@file` and `file:/inside` hold a path as well.
        for at in [text.find('='), text.find('@')].into_iter().flatten() {
            found.push(value(argument.tail(at + 1)));
        }
        if let Some((path, _)) = text.split_once([':', ',']) {
            found.push(Argument::literal(path, argument.span));
        }
        found.push(argument.clone());
    }
    // The last word of these is what they write.
    let named = has_word(arguments, &["-t"])
        || arguments
            .iter()
            .any(|word| word.text.starts_with("--target-directory"));
    if matches!(view.name, "cp" | "mv" | "ln" | "install" | "rsync") && !named {
        found.pop();
    }
    found
}

/// What stands after a sign such as `@`.
fn value(argument: Argument) -> Argument {
    match argument.text.as_bytes().first() {
        Some(b'@' | b'<') => argument.tail(1),
        _ => argument,
    }
}

/// Whether an argument leads to a secret.
fn leads(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let places = places::places(argument, directories, context);
    if places.unknown && files::ends_secret(&argument.text) {
        return true;
    }
    let granted = |place: &&places::Place| !place.is_within_any(&context.read_roots);
    places.paths.iter().filter(granted).any(|place| {
        let written = files::Path {
            text: &place.text,
            glob: argument.glob,
            open: places.unknown,
        };
        let real = place
            .real
            .as_deref()
            .map(|text| files::Path { text, ..written });
        [Some(written), real]
            .into_iter()
            .flatten()
            .any(|path| files::is_secret(&path, context))
    })
}

/// Whether a copy takes a whole home. What `cp` and its like name last is where the copy goes.
fn copies_home(view: &View) -> bool {
    let line = Line::read(view.call.operands(), &Valued::NONE);
    let to_last = matches!(view.name, "cp" | "rsync" | "scp" | "rclone");
    let count = line.operands.len().saturating_sub(usize::from(to_last));
    let mut sources = line.operands.iter().take(count);
    sources.any(|word| is_whole_home(word, &view.call.directories, view.context))
}

/// Whether an argument is a home with all that is in it, or more.
fn is_whole_home(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let places = places::places(argument, directories, context);
    !places.unknown
        && places.paths.iter().any(|place| {
            let path = place.text.trim_end_matches("/*");
            let workspace = context.workspace.as_deref() == Some(path);
            let holds = matches!(path, "" | "/" | "/home" | "/root" | "/Users");
            (context.homes().any(|home| home == path) || super::place_kind::is_home(path) || holds)
                && !workspace
        })
}

/// Whether a `find` gives secrets to a program that reads them.
fn find_reads(view: &View) -> bool {
    let call = view.call;
    let reads = find::commands(call).into_iter().any(|command| {
        let name = command.first().map_or("", Argument::program);
        !name.is_empty() && !LISTERS.contains(&name)
    });
    if !reads {
        return false;
    }
    let starts = find::starts(call);
    let named = call.operands().windows(2).any(|pair| match pair {
        [test, name] if matches!(test.text.as_str(), "-name" | "-iname" | "-path") => {
            files::is_key_name(name.text.rsplit('/').next().unwrap_or_default())
        }
        _ => false,
    });
    let leads = |start: &Argument| leads(start, &call.directories, view.context);
    named || starts.iter().any(leads)
}

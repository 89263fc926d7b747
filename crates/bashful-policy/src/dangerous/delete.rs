//! Deleting the root, a home directory, or what holds the system together.

use super::{DELETE_ROOT, Finding, View};
use crate::options::{self, Valued};
use crate::paths::{self, Reach};
use crate::script::{Word, program};
use crate::unwrap;

pub(super) fn check(view: &View) -> Option<Finding> {
    let arguments = view.arguments();
    let great = |word: &&Word| paths::reach(word, view.directory()).is_some();
    let hit = match view.name {
        "rm" | "srm" | "grm" => {
            let recursive = options::has_flag(arguments, 'r', "recursive")
                || options::has_flag(arguments, 'R', "");
            recursive
                && options::operands(arguments, &Valued::NONE)
                    .iter()
                    .any(great)
        }
        "find" => find_deletes(view),
        "rsync" => {
            let deletes = options::options(arguments).any(|option| option.starts_with("--del"));
            deletes && arguments.last().as_ref().is_some_and(great)
        }
        "mv" => {
            let gone = arguments
                .last()
                .is_some_and(|word| word.text == "/dev/null");
            gone && arguments.iter().any(|word| great(&word))
        }
        _ => false,
    };
    hit.then(|| view.finding(&DELETE_ROOT))
}

/// Tests of `find` that pick some files out of many.
const NARROWING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-newer",
    "-empty",
    "-size",
    "-inum",
    "-perm",
    "-samefile",
    "-used",
    "-user",
    "-nouser",
    "-group",
];

fn find_deletes(view: &View) -> bool {
    let arguments = view.arguments();
    let deletes = arguments.iter().any(|word| word.text == "-delete")
        || unwrap::find_commands(view.words).into_iter().any(|range| {
            let run = view.words.get(range).unwrap_or_default();
            let mut views = unwrap::unwrap(run).views.into_iter();
            views.any(|view| {
                matches!(
                    program(run.get(view).unwrap_or_default()),
                    "rm" | "unlink" | "shred" | "rmdir"
                )
            })
        });
    if !deletes {
        return false;
    }
    let narrowed = arguments
        .iter()
        .any(|word| NARROWING.contains(&word.text.as_str()));
    let options = arguments
        .iter()
        .take_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"))
        .count();
    let starts = arguments
        .iter()
        .skip(options)
        .take_while(|word| !word.text.starts_with(['-', '(', '!']));
    // With no start, `find` begins in the working directory.
    let here = Word {
        text: ".".to_owned(),
        ..Word::default()
    };
    let mut starts: Vec<&Word> = starts.collect();
    if starts.is_empty() {
        starts.push(&here);
    }
    starts
        .iter()
        .any(|word| match paths::reach(word, view.directory()) {
            Some(Reach::Root) => true,
            // Picking files out of one's own home by name or age is ordinary tidying.
            Some(Reach::Home | Reach::Above) => !narrowed,
            None => false,
        })
}

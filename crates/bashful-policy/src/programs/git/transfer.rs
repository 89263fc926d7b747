//! Which repositories elsewhere a command has git talk to, as far as its words say.
//!
//! Only what is read without a doubt is told: what is not can still be asked about as reaching the
//! network.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::facts::{Argument, Call, Facts, Span};
use crate::places::{is_within, places};

use super::address::{Destination, destination};
use super::{GitAddress, GitCommand, Globals, globals, subcommand};

/// One repository that one call of git talks to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitTransfer {
    /// Where the call stands in the text.
    pub span: Span,
    /// Whether it writes there.
    pub pushes: bool,
    /// Which repository.
    pub remote: GitRemote,
    /// Where git looks for its own repository.
    pub directory: String,
}

/// Which repository a call of git names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitRemote {
    /// None: what the configuration says for the branch.
    Usual,
    /// A remote of the configuration.
    Named(String),
    /// All remotes of the configuration.
    All,
    /// An address; the configuration can still change what it means unless there is none yet.
    Address {
        /// The repository.
        address: GitAddress,
        /// Git makes the repository that it works in, so none has a say.
        fresh: bool,
    },
    /// A path of this machine, as git is given it.
    Path {
        /// The path.
        path: String,
        /// It is seen from the directory, and not from the top of a work tree around that.
        fresh: bool,
    },
}

/// The repositories elsewhere that a command has git talk to; none if that does not follow from its
/// words for every call of git in it.
pub fn git_transfers(facts: &Facts, context: &Context) -> Option<Vec<GitTransfer>> {
    let hijacked = |name: &str| name.starts_with("GIT_") || name == "HOME";
    let mut assignments = facts.assignments.iter();
    if assignments.any(|assignment| hijacked(&assignment.name)) {
        return None;
    }
    let mut transfers = Vec::new();
    // Remotes that the text itself adds, before it uses them.
    let mut added: BTreeMap<String, String> = BTreeMap::new();
    for call in facts.calls.iter().filter(|call| call.program() == "git") {
        if call.transparent {
            continue;
        }
        let command = subcommand(call)?;
        if command.name == "remote" {
            note_added(&command, &mut added);
        }
        let Some(words) = Words::of(command.name) else {
            if REACHING.contains(&command.name) && !is_local_verb(&command) {
                return None;
            }
            continue;
        };
        if globals(call, &command, context) != Globals::Harmless
            || super::executes(&command).is_some()
            || call.open_ended
        {
            return None;
        }
        let directory = directory(call, &command, context)?;
        let remote = match words.repository(command.arguments)? {
            Named::None if command.name == "clone" => return None,
            Named::None => GitRemote::Usual,
            Named::All => GitRemote::All,
            Named::Word(word) => match destination(&word) {
                Destination::Here => here(word, &command),
                Destination::Unclear => return None,
                Destination::Elsewhere(address) => GitRemote::Address {
                    address,
                    fresh: command.name == "clone",
                },
                Destination::Name if command.name == "clone" => here(word, &command),
                Destination::Name => match added.get(&word) {
                    None => GitRemote::Named(word),
                    Some(address) => match destination(address) {
                        Destination::Here => here(address.clone(), &command),
                        Destination::Elsewhere(address) => GitRemote::Address {
                            address,
                            fresh: false,
                        },
                        _ => return None,
                    },
                },
            },
        };
        transfers.push(GitTransfer {
            span: call.span,
            pushes: command.name == "push",
            remote,
            directory,
        });
    }
    Some(transfers)
}

/// A repository that git is given as a path.
fn here(path: String, command: &GitCommand<'_>) -> GitRemote {
    GitRemote::Path {
        path,
        fresh: command.name == "clone",
    }
}

/// Other subcommands that reach a server, or may.
const REACHING: &[&str] = &[
    "archive", "fetch-pack", "imap-send", "lfs", "p4", "remote", "request-pull", "send-email",
    "send-pack", "submodule", "subtree", "svn",
];

/// `git remote add` and its like, `git submodule status`, `git archive` without a remote.
fn is_local_verb(command: &GitCommand<'_>) -> bool {
    let words: Option<Vec<&str>> = command
        .arguments
        .iter()
        .map(|word| word.is_literal().then_some(word.text.as_str()))
        .collect();
    let Some(words) = words else { return false };
    let verb = words.iter().find(|word| !word.starts_with('-'));
    match (command.name, verb) {
        ("remote", verb) => {
            let local = ["add", "rename", "remove", "rm", "get-url", "set-url", "set-branches"];
            let fetches = |word: &&str| *word == "-f" || *word == "--fetch";
            !words.iter().any(fetches) && verb.is_none_or(|verb| local.contains(verb))
        }
        ("submodule", Some(verb)) => ["status", "init", "deinit", "summary"].contains(verb),
        ("submodule", None) => true,
        ("archive", _) => !words.iter().any(|word| word.starts_with("--r")),
        ("lfs", Some(verb)) => ["ls-files", "status", "track", "untrack", "env"].contains(verb),
        _ => false,
    }
}

/// Notes `git remote add NAME ADDRESS` and `git remote set-url NAME ADDRESS`.
fn note_added(command: &GitCommand<'_>, added: &mut BTreeMap<String, String>) {
    if let [verb, name, address] = command.arguments
        && ["add", "set-url"].contains(&verb.text.as_str())
        && [verb, name, address].iter().all(|word| word.is_literal())
    {
        added.insert(name.text.clone(), address.text.clone());
    }
}

/// Where the call is certain to work.
fn directory(call: &Call, command: &GitCommand<'_>, context: &Context) -> Option<String> {
    let mut directories = call.directories.clone();
    let mut words = command.globals.iter();
    while let Some(word) = words.next() {
        if word.text == "-C" {
            let places = places(words.next()?, &directories, context);
            if places.unknown {
                return None;
            }
            let real = places.paths.iter().map(|place| place.real().to_owned());
            directories = real.collect();
        } else if super::takes_next(&word.text) {
            words.next();
        }
    }
    // What lies elsewhere is not read for a command.
    match directories.as_slice() {
        [one] if context.write_roots.iter().any(|root| is_within(one, root)) => Some(one.clone()),
        _ => None,
    }
}

/// Which options of a subcommand have a value in the next word.
struct Words {
    letters: &'static str,
    names: &'static [&'static str],
    /// Options after which its words do not say which repository is meant.
    unclear: &'static [&'static str],
}

/// What stands in the place of the repository.
enum Named {
    None,
    All,
    Word(String),
}

impl Words {
    fn of(subcommand: &str) -> Option<Self> {
        let fetching: &[&str] = &[
            "depth", "deepen", "shallow-since", "shallow-exclude", "refmap", "server-option",
            "negotiation-tip", "filter", "jobs", "strategy", "strategy-option",
        ];
        let (letters, names, unclear): (_, &[&str], &[&str]) = match subcommand {
            "push" => ("o", &["push-option"], &["repo"]),
            "fetch" => ("jo", fetching, &["multiple", "stdin"]),
            "pull" => ("josX", fetching, &["multiple", "stdin"]),
            "ls-remote" => ("o", &["server-option", "sort"], &[]),
            "clone" => (
                "boj",
                &[
                    "branch", "origin", "jobs", "depth", "shallow-since", "shallow-exclude",
                    "reference", "reference-if-able", "separate-git-dir", "server-option",
                    "filter", "revision", "ref-format",
                ],
                &["bundle-uri", "remote-submodules", "recurse-submodules", "recursive"],
            ),
            _ => return None,
        };
        Some(Self {
            letters,
            names,
            unclear,
        })
    }

    /// The word in the place of the repository; none if that is not known.
    fn repository(&self, arguments: &[Argument]) -> Option<Named> {
        let mut named = Named::None;
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let text = word.is_literal().then_some(word.text.as_str())?;
            if text == "--" {
                let next = words.next();
                return match next {
                    Some(next) => Some(Named::Word(next.is_literal().then(|| next.text.clone())?)),
                    None => Some(named),
                };
            }
            if let Some(long) = text.strip_prefix("--") {
                let name = long.split('=').next().unwrap_or_default();
                if self.unclear.iter().any(|unclear| unclear.starts_with(name)) {
                    return None;
                }
                if name == "all" && !self.names.contains(&"push-option") {
                    named = Named::All;
                }
                if !long.contains('=') && self.names.contains(&name) {
                    words.next();
                }
            } else if let Some(bundle) = text.strip_prefix('-') {
                let valued = |letter: char| self.letters.contains(letter);
                if bundle.find(valued).is_some_and(|at| at + 1 == bundle.len()) {
                    words.next();
                }
            } else {
                return Some(Named::Word(text.to_owned()));
            }
        }
        Some(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let context = Context {
            directory: Some("/w".to_owned()),
            workspace: Some("/w".to_owned()),
            write_roots: vec!["/w".to_owned()],
            ..Context::default()
        };
        let Some(transfers) = git_transfers(&crate::read(text, &context), &context) else {
            return "unclear".to_owned();
        };
        let shown = transfers.iter().map(|one| {
            let remote = match &one.remote {
                GitRemote::Usual => "usual".to_owned(),
                GitRemote::All => "all".to_owned(),
                GitRemote::Named(name) => name.clone(),
                GitRemote::Address { address, .. } => format!("{}:{}", address.host, address.path),
                GitRemote::Path { path, fresh } => format!("path {path} {fresh}"),
            };
            let way = if one.pushes { "to" } else { "from" };
            format!("{way} {remote} in {}", one.directory)
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn repositories_are_read_from_the_words() {
        for (text, expected) in [
            ("git push", "to usual in /w"),
            ("git push -u origin main", "to origin in /w"),
            ("git push -o ci.skip up main", "to up in /w"),
            (
                "git -C sub --no-pager fetch --depth 1 origin",
                "from origin in /w/sub",
            ),
            ("cd sub && git pull --rebase", "from usual in /w/sub"),
            ("git fetch --all --prune", "from all in /w"),
            ("timeout 60 git push --all origin", "to origin in /w"),
            (
                "git clone -qb main git@h:x/y.git here",
                "from h:x/y.git in /w",
            ),
            ("git ls-remote --heads ssh://h:22/x", "from h:/x in /w"),
            (
                "git add -A && git commit -m x && git push && git status",
                "to usual in /w",
            ),
            (
                "git remote add up git@h:x && git push -u up main",
                "to h:x in /w",
            ),
            ("git push && git fetch", "to usual in /w, from usual in /w"),
            (
                "git push ../remote.git main",
                "to path ../remote.git false in /w",
            ),
            ("git fetch -q /srv/x", "from path /srv/x false in /w"),
            ("git clone lib copy", "from path lib true in /w"),
            (
                "git remote add up ../x && git -C sub fetch up",
                "from path ../x false in /w/sub",
            ),
            ("git remote -v; git submodule status", ""),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn what_the_words_leave_open_is_not_told() {
        for text in [
            "git push $where main",
            "git push \"$(cat where)\"",
            "GIT_SSH_COMMAND=./x git push",
            "export GIT_SSH=./x; git push",
            "HOME=/w git push",
            "git -c core.sshCommand=./x push",
            "git -c remote.origin.url=h:x push",
            "git -c url.h:.insteadOf=x push",
            "git --git-dir=elsewhere push",
            "git --exec-path=. push",
            "git push --receive-pack=./x origin",
            "git push --exec ./x origin",
            "git fetch --upload-pack ./x origin",
            "git clone -u ./x h:y",
            "git clone -c core.sshCommand=./x h:y",
            "git clone --recurse-submodules h:y",
            "git push --repo=h:y",
            "git push ext::./x",
            "git fetch --multiple a b",
            "git submodule update --init",
            "git remote update && git push",
            "git archive --remote=h:x HEAD",
            "echo main | xargs git push",
            "cd $x && git push",
            "cd /other && git push",
            "git -C /other push",
            "git $x",
        ] {
            assert_eq!(told(text), "unclear", "{text}");
        }
    }
}

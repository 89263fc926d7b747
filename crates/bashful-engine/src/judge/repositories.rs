//! Repositories of this machine that a command has git talk to: paths, and remotes that lead to one.
//!
//! What lies in the workspace or in the room is there anyway. For any other a person is asked about
//! the repository's own directory, to read for a fetch and to write for a push.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use bashful_policy::{Context, Facts, LocalRepositories, Reading, Span, git_path, git_transfers};

use crate::base::real::real;
use crate::config::Sandbox;
use crate::judge::policy::Case;
use crate::judge::transfers::found;
use crate::model::transfer::{Transfer, Way};
use crate::request::context::RunContext;
use crate::request::openable::{Ground, Surroundings};

/// The room's own, whatever the host has by these names.
const OF_THE_ROOM: [&str; 2] = ["/tmp", "/dev/shm"];

/// What git does with another repository.
const VERBS: [&str; 5] = ["clone", "fetch", "ls-remote", "pull", "push"];

/// Where a path of a command leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To what every run of the agent has.
    Inside,
    /// To a repository outside.
    To(Transfer),
}

/// What is known about a request, for who looks at paths of its text.
#[derive(Debug)]
pub(super) struct Here<'h, 'a> {
    case: Case<'h>,
    run_context: &'h RunContext<'a>,
    surroundings: OnceCell<Surroundings>,
}

impl<'h, 'a> Here<'h, 'a> {
    pub(super) fn of(case: Case<'h>, run_context: &'h RunContext<'a>) -> Self {
        Self {
            case,
            run_context,
            surroundings: OnceCell::new(),
        }
    }

    /// The same for the address of a remote; none if that is no path.
    pub(super) fn look_at_address(
        &self,
        address: &str,
        from: &Path,
        pushes: bool,
    ) -> Option<Leads> {
        git_path(address).and_then(|path| self.look(path, from, pushes))
    }

    /// Where a path leads, as git sees it from a directory; none if no yes could open that.
    pub(super) fn look(&self, path: &str, from: &Path, pushes: bool) -> Option<Leads> {
        // Git expands a home, which is another one in the run, and decodes an address.
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.starts_with('~') || path.contains('%') {
            return None;
        }
        let path = from.join(path);
        let is_inside = |path: &Path| {
            let room = OF_THE_ROOM.iter().any(|own| path.starts_with(own));
            room || path.starts_with(&self.run_context.workspace)
        };
        if real(&path).is_ok_and(|real| is_inside(&real)) {
            return Some(Leads::Inside);
        }
        let surroundings = self
            .surroundings
            .get_or_init(|| Surroundings::of(Ground::of(self.case.settings, self.run_context)));
        let found = surroundings.repository(&path, pushes)?;
        if is_inside(&found) {
            return Some(Leads::Inside);
        }
        let directory = found.to_str()?.to_owned();
        Some(Leads::To(Transfer::here(directory, pushes)))
    }
}

/// The calls of git that talk to repositories of this machine alone. A script is approved as a whole,
/// with what it declares.
pub(super) fn of(
    case: Case<'_>,
    run_context: &RunContext<'_>,
    facts: &Facts,
    context: &Context,
) -> BTreeMap<Span, LocalRepositories> {
    let talks = facts.calls.iter().any(|call| {
        let mut words = call.arguments.iter();
        call.program() == "git" && words.any(|word| VERBS.contains(&word.text.as_str()))
    });
    if !talks || case.invocation.reading() == Reading::Script {
        return BTreeMap::new();
    }
    let here = Here::of(case, run_context);
    let mut calls: BTreeMap<Span, Option<LocalRepositories>> = BTreeMap::new();
    for call in git_transfers(facts, context).unwrap_or_default() {
        let found = found(&call, &here);
        let local = found.and_then(|found| {
            let local = found.all.iter().all(|one| one.way == Way::Path);
            let closed = found.all.iter().filter(|one| !is_open(case, one, context));
            (found.is_clear && local).then(|| told(closed))
        });
        // Calls of one text within another stand in one place: what is said has to hold for all.
        let together = match calls.remove(&call.span) {
            None => local,
            Some(before) => before.zip(local).map(|(one, other)| both(one, other)),
        };
        calls.insert(call.span, together);
    }
    let known = calls.into_iter();
    known.filter_map(|(span, one)| Some((span, one?))).collect()
}

/// Whether the run has this repository without a further yes.
fn is_open(case: Case<'_>, repository: &Transfer, context: &Context) -> bool {
    let written = context.write_roots.iter();
    let read = context.read_roots.iter().filter(|_| !repository.pushes);
    let mut roots = written.chain(read);
    let at = Path::new(&repository.path);
    case.settings.sandbox == Sandbox::None || roots.any(|root| at.starts_with(root))
}

/// What is said about a call that wants these, which are closed.
fn told<'t>(closed: impl Iterator<Item = &'t Transfer>) -> LocalRepositories {
    let closed: Vec<String> = closed
        .map(|one| {
            if one.pushes {
                format!("publishes commits to the repository `{one}`")
            } else {
                format!("reads the repository `{one}`")
            }
        })
        .collect();
    if closed.is_empty() {
        LocalRepositories::Open
    } else {
        LocalRepositories::Closed(closed.join("; "))
    }
}

fn both(one: LocalRepositories, other: LocalRepositories) -> LocalRepositories {
    use LocalRepositories::{Closed, Open};
    match (one, other) {
        (Closed(one), Closed(other)) if one != other => Closed(format!("{one}; {other}")),
        (Closed(one), _) | (_, Closed(one)) => Closed(one),
        (Open, Open) => Open,
    }
}

//! What was stopped while a command ran becomes an ask for what was missing.
//!
//! Only what the kernel or the keeper saw counts, never what the command says. A yes lets the
//! same command run again with exactly that opened; nothing runs again by itself.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bashful_policy::{NetworkCapability, ResourceLimits};
use bashful_sandbox::{Glance, Violation};

use crate::ask::approvals::{ApprovalQueue, Ask, AskState, Cause, Opening, Reachable};
use crate::ask::programs;
use crate::base::clock::now_ms;
use crate::base::usual_limits::usual_limits;
use crate::model::approval::Approval;
use crate::model::error::ask::ApprovalError;
use crate::model::remedy::is_grantable;
use crate::model::result::ExecutionResult;
use crate::record::asks::recorded;
use crate::record::audit::{Asked, Event, Trail};
use crate::request::openable::{Ground, Surroundings};
use crate::store::{AskLimits, OpenedAsk};

/// For how long at most an ask can be answered for which no caller waits any more.
const OPEN_FOR_MS: u64 = 15 * 60 * 1000;

/// An ask that the engine puts if the run is stopped from doing what it wants.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The ask, but for what is missing.
    pub(crate) ask: Ask,
    pub(crate) limits: AskLimits,
    pub(crate) resources: ResourceLimits,
    pub(crate) state: PathBuf,
    /// What must not be opened depends on it.
    pub(crate) ground: Ground,
    /// What a yes is bound to that is about directories alone.
    pub(crate) rights_to_places: String,
    /// What was put, once it was.
    pub(crate) put: Mutex<Option<Approval>>,
}

impl Draft {
    /// Asks for what was missing, once; the result then names the ask. That no person can be asked
    /// does not take the result away.
    pub(crate) fn put(&self, result: &mut ExecutionResult) {
        let Ok(mut put) = self.put.lock() else { return };
        if put.is_none() {
            *put = self.ask_for(result).ok().flatten();
        }
        if put.is_some() {
            result.approval.clone_from(&put);
        }
    }

    fn ask_for(&self, result: &ExecutionResult) -> Result<Option<Approval>, ApprovalError> {
        let stopped: Vec<Violation> = result.worth_asking().cloned().collect();
        let reach = &self.ask.reach;
        let opens = missing(&stopped, &self.resources, reach, &self.ground);
        let (Some(task), false) = (&result.task_id, opens.is_empty()) else {
            return Ok(None);
        };
        let mut ask = self.ask.clone();
        let now = now_ms();
        let time = ask.expires_at_ms.saturating_sub(ask.created_at_ms);
        let time = time.min(OPEN_FOR_MS);
        ask.id = bashful_keeper::TaskId::fresh("ask").to_string();
        (ask.created_at_ms, ask.expires_at_ms) = (now, now.saturating_add(time));
        ask.cause = Cause::Refused { task: task.clone() };
        "stopped".clone_into(&mut ask.ground.rule);
        ask.ground.reason = reason(&stopped);
        ask.ground.capability = None;
        let roots = &reach.write;
        let outside = |path: &String| !roots.iter().any(|root| Path::new(path).starts_with(root));
        if opens.is_only_directories() && opens.paths_write.iter().all(outside) {
            ask.directories = Some(self.rights_to_places.clone());
        }
        widen(&mut ask, opens);
        let queue = ApprovalQueue::at(&self.state)?;
        let trail = Trail::at(&self.state);
        let mut record = |opened: &OpenedAsk| {
            let (ask, joined) = match opened {
                OpenedAsk::New(ask) => (recorded(ask), false),
                OpenedAsk::Joined(ask) => (recorded(ask), true),
                OpenedAsk::TooMany { .. } => return Ok(()),
            };
            let task = task.clone();
            let asked = Asked { task, joined, ask };
            trail.append(&[Event::Ask(Box::new(asked))]).map(drop)
        };
        let ask = match queue.put(&ask, self.limits, &mut record)? {
            OpenedAsk::New(ask) | OpenedAsk::Joined(ask) => ask,
            OpenedAsk::TooMany { .. } => return Ok(None),
        };
        Ok(Some(Approval::of(&ask)))
    }
}

/// Puts what a yes would open into an ask, and into what the command could reach then.
fn widen(ask: &mut Ask, opens: Opening) {
    ask.shapes.clear();
    ask.state = AskState::Pending;
    ask.reach.read.extend(opens.paths_read.iter().cloned());
    ask.reach.write.extend(opens.paths_write.iter().cloned());
    if let Some(network) = &opens.network {
        let read = |text: &str| NetworkCapability::parse(text).unwrap_or_default();
        ask.reach.network = read(&ask.reach.network).united(&read(network)).to_string();
    }
    ask.opens = opens;
}

fn reason(violations: &[Violation]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for violation in violations {
        let kind = violation.kind.replace('_', " ");
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    format!("ran, and was stopped: {}", kinds.join(", "))
}

/// The most paths that one ask is about.
const MOST_PATHS: usize = 8;

/// What would have to be opened for what was stopped; what nothing opens is left out. So is what is
/// open already: the same answer would not help the same run a second time.
fn missing(
    violations: &[Violation],
    resources: &ResourceLimits,
    reach: &Reachable,
    ground: &Ground,
) -> Opening {
    let mut opening = Opening::default();
    let add = |paths: &mut Vec<String>, path: Option<&str>, open: &[String]| {
        if let Some(path) = path
            && paths.len() < MOST_PATHS
            && !paths.iter().chain(open).any(|known| known == path)
        {
            paths.push(path.to_owned());
        }
    };
    let host = Glance::default();
    let surroundings = OnceCell::new();
    for violation in violations {
        let by_kernel = violation.source != "keeper";
        let path = violation.needs.as_ref().or(violation.path.as_ref());
        // What is not there any more, or leads elsewhere, cannot be opened as it was seen.
        let real = |path: &&PathBuf| host.real(path).is_some_and(|real| real == **path);
        let granted = path.filter(|path| is_grantable(path)).filter(real);
        let granted = granted.and_then(|path| path.to_str());
        match violation.missing.as_str() {
            "paths_read" if violation.kind == "execute" => {
                if let Some(file) = &violation.path {
                    let name = violation.named.as_ref().unwrap_or(file);
                    programs::add(&mut opening, name, file, &host);
                }
            }
            "paths_read" => add(&mut opening.paths_read, granted, &reach.read),
            "paths_write" if by_kernel => {
                let outside = path.and_then(|path| outside(path, &reach.write, &host));
                let known = || surroundings.get_or_init(|| Surroundings::of(ground.clone()));
                // Whether it was to be a file or a directory is not known, so that a directory of
                // its own name is not made for it.
                let directory = outside.and_then(|path| {
                    let found = known().for_writing(path)?;
                    (!found.missing || path != Path::new(&found.path)).then_some(found)
                });
                let few = opening.paths_write.len() < MOST_PATHS;
                if let Some(directory) = directory.filter(|_| few) {
                    opening.add(&directory);
                }
            }
            "paths_write" => add(&mut opening.paths_write, granted, &reach.write),
            "hosts" => {
                // The last of the list is the one that was missing.
                let flag = violation.flag.as_deref().unwrap_or_default();
                let missing = flag.trim_start_matches("--network ").trim_matches('\'');
                let missing = missing.rsplit(',').next().unwrap_or_default();
                if let Ok(wanted @ NetworkCapability::Hosts(_)) = NetworkCapability::parse(missing)
                {
                    let known = opening.network.as_deref().map(NetworkCapability::parse);
                    let all = known
                        .and_then(Result::ok)
                        .unwrap_or_default()
                        .united(&wanted);
                    opening.network = Some(all.to_string());
                }
            }
            "network" if reach.network == "on" => {}
            "network" => opening.network = Some("on".to_owned()),
            other => {
                if let Some(name) = other.strip_prefix("resources.")
                    && let Some(more) = doubled(name, resources)
                {
                    opening.resources.insert(name.to_owned(), more);
                }
            }
        }
    }
    opening.paths_read.retain(|path| !reach.read.contains(path));
    opening.links.retain(|name, _| !reach.links.contains(name));
    opening
}

/// This path, if it lies outside of a run's roots, so that the person can be asked about its directory
/// as for one that stands in the text.
fn outside<'p>(path: &'p Path, roots: &[String], host: &Glance) -> Option<&'p Path> {
    let inside = roots.iter().any(|root| path.starts_with(root));
    // No file system is touched that may never answer.
    let known = || {
        path.ancestors()
            .any(|one| host.real(one).is_some_and(|real| real == one))
    };
    (!inside && is_grantable(path) && known()).then_some(path)
}

/// Twice the limit that was reached.
fn doubled(name: &str, set: &ResourceLimits) -> Option<u64> {
    let index = ResourceLimits::NAMES
        .iter()
        .position(|known| *known == name)?;
    let of = |limits: &ResourceLimits| limits.values().get(index).copied().flatten();
    of(set).or_else(|| of(&usual_limits()))?.checked_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(kind: &str, path: Option<&str>, missing: &str) -> Violation {
        Violation {
            kind: kind.to_owned(),
            path: path.map(PathBuf::from),
            missing: missing.to_owned(),
            source: "keeper".to_owned(),
            note: None,
            ..Violation::default()
        }
    }

    #[test]
    fn what_was_stopped_says_what_is_missing() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let (there, link) = (root.join(".envrc"), root.join("link"));
        std::fs::write(&there, "").unwrap();
        std::os::unix::fs::symlink(&there, &link).unwrap();
        let (there, link) = (there.to_str(), link.to_str());
        let resources = ResourceLimits {
            file_size: Some(1 << 20),
            ..ResourceLimits::default()
        };
        let stopped = [
            violation("file_size", None, "resources.file_size"),
            violation("protected", there, "paths_write"),
            violation("protected", there, "paths_write"),
            violation("protected", link, "paths_write"),
            violation("protected", Some("/not/there"), "paths_write"),
            violation("git_config", Some("/w/.git/config"), "git-config"),
            violation("processes", None, "resources.processes"),
            violation("odd", None, "resources.nonsense"),
        ];
        let (reach, ground) = (Reachable::default(), Ground::default());
        let opening = missing(&stopped, &resources, &reach, &ground);
        assert_eq!(opening.paths_write, [there.unwrap()]);
        assert_eq!(opening.resources.get("file_size"), Some(&(2 << 20)));
        assert!(opening.resources.contains_key("processes"));
        assert_eq!(opening.resources.len(), 2);
        assert_eq!(
            reason(&stopped),
            "ran, and was stopped: file size, protected, git config, processes, odd"
        );
        assert!(missing(&stopped[3..6], &resources, &reach, &ground).is_empty());
    }
}

//! Repositories of this machine that are remotes of the run's own: a yes opens them to git, and no
//! network.

use std::path::Path;

use crate::judge::policy::Case;
use crate::request::context::RunContext;
use crate::request::openable::{Ground, Surroundings};

/// A repository of this machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Local {
    /// Its directory, real.
    pub(crate) path: String,
    /// Whether git writes there.
    pub(crate) pushes: bool,
}

/// Those of these repositories that would have to be opened; none if one of them is none that a
/// person is asked about.
pub(super) fn unseen(
    local: Vec<Local>,
    case: Case<'_>,
    run_context: &RunContext<'_>,
) -> Option<Vec<Local>> {
    if local.is_empty() {
        return Some(local);
    }
    let capabilities = &run_context.granted.capabilities;
    let is_in = |roots: &[String], one: &Local| {
        let mut roots = roots.iter();
        roots.any(|root| Path::new(root).is_absolute() && Path::new(&one.path).starts_with(root))
    };
    // A root that is written otherwise is opened once more, which opens nothing.
    let is_open = |one: &Local| {
        Path::new(&one.path).starts_with(&run_context.workspace)
            || is_in(&capabilities.paths_write, one)
            || (!one.pushes && is_in(&capabilities.paths_read, one))
    };
    let surroundings = Surroundings::of(Ground::of(case.settings, run_context));
    let closed = local.into_iter().filter(|one| !is_open(one));
    closed
        .map(|one| {
            let path = Path::new(&one.path);
            let may_be = if one.pushes {
                surroundings
                    .for_writing(path)
                    .is_some_and(|it| it.path == one.path)
            } else {
                surroundings.for_reading(path)
            };
            (may_be && is_repository(path)).then_some(one)
        })
        .collect()
}

/// Whether it looks like a repository, or has one in it.
fn is_repository(path: &Path) -> bool {
    [path.to_owned(), path.join(".git")]
        .iter()
        .any(|place| place.join("HEAD").is_file() && place.join("objects").is_dir())
}

//! Finding the executable that serves as keeper. The environment has no say in it,
//! except for `PATH` as the last resort.

use crate::base::programs::is_executable;
use crate::base::programs::on_path;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::carry;
use crate::model::error::EngineError;

/// The executable of this process, whatever is at its path now.
pub(crate) const ITSELF: &str = "/proc/self/exe";

/// `init` was called: this executable can be its own keeper.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// Lets this executable serve as its own keeper. Call it first thing in `main`.
///
/// When this process was started to be a keeper, to be the gate of a room, or to stand between a run's git and the person's
/// own programs, the call serves as that and never returns; otherwise it returns at once.
///
/// ```
/// bashful_engine::init();
/// ```
pub fn init() {
    bashful_keeper::serve_as_keeper_if_asked();
    bashful_gate::serve_if_asked();
    carry::serve_if_asked();
    INITIALISED.store(true, Ordering::Relaxed);
}

/// The executable to start: the one that was named; else this one, if it called
/// [`init`]; else `bashful` beside this one; else `bashful` on `PATH`.
pub(crate) fn find(named: Option<&Path>, path: Option<&str>) -> Result<PathBuf, EngineError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let this = env::current_exe().ok();
    if INITIALISED.load(Ordering::Relaxed) && this.is_some() {
        return Ok(PathBuf::from(ITSELF));
    }
    let mut candidates: Vec<PathBuf> = Vec::new();
    if let Some(directory) = this.as_deref().and_then(Path::parent) {
        candidates.push(directory.join("bashful"));
        // Cargo puts tests and examples one level below the binaries.
        if directory.ends_with("deps") || directory.ends_with("examples") {
            candidates.extend(directory.parent().map(|parent| parent.join("bashful")));
        }
    }
    candidates.extend(on_path("bashful", path));
    // A directory may be on PATH twice.
    candidates.dedup();
    candidates
        .iter()
        .find(|candidate| is_executable(candidate))
        .cloned()
        .ok_or_else(|| {
            let mut looked: Vec<String> = candidates
                .iter()
                .map(|path| format!("`{}`", path.display()))
                .collect();
            if looked.is_empty() {
                looked.push("`bashful` on PATH".to_owned());
            }
            EngineError::NoHelper { looked }
        })
}

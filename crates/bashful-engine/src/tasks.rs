//! Tasks, whichever engine started them: finding, reading, searching, awaiting and ending them.
//!
//! A task directory is the truth about its task, so all of this works for tasks of other
//! processes and for those whose engine is long gone. Reading order: `standing` (how a task
//! stands), `task` (finding one), `read` (its output), `wait`, `kill`.

mod caches;
mod clean;
mod damaged;
mod error;
mod filter;
mod homes;
mod input;
mod keys;
mod kill;
mod listening;
mod read;
mod readied;
mod ready;
mod running;
mod screen;
mod search;
mod summary;
mod task;
mod typed;
pub(crate) mod wait;

pub use crate::record::standing::TaskState;
pub use caches::{Cache, CacheFilter, CleanedCaches};
pub use clean::{CleanRequest, Cleaned, RemovedTask};
pub use damaged::DamagedTask;
pub(crate) use damaged::damaged;
pub use error::TaskError;
pub use filter::{TaskFilter, WhichTasks};
pub use keys::{KEY_NAMES, Key, UnknownKey};
pub use kill::{Kill, Killed};
pub use read::{Output, Piece, ReadRequest};
pub use readied::Readied;
pub use ready::{NotReadiness, Readiness, Ready};
pub use running::{RunningTask, StopWhich, Stopped, running, stop};
pub use screen::{Cursor, Drawn, LiveScreen, Screen};
pub use search::{Found, FoundLine, LinePattern, SearchRequest};
pub use summary::TaskSummary;
pub use task::{Task, TaskList};
pub use typed::Sitting;
pub use wait::Waited;
pub(crate) use wait::block_on;

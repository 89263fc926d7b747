//! Tasks, whoever started them: finding, reading, searching, awaiting and ending them.
//!
//! A task directory is the truth about its task, so all of this works for tasks of other
//! processes and for those whose engine is long gone. Reading order: `standing` (how a task
//! stands), `task` (finding one), `read` (its output), `wait`, `kill`.

mod error;
mod filter;
mod ids;
mod kill;
mod read;
mod record;
mod running;
mod search;
mod standing;
mod summary;
mod task;
mod wait;
mod watch;

pub use error::TaskError;
pub use filter::{TaskFilter, WhichTasks};
pub(crate) use ids::task_ids;
pub use kill::{Kill, Killed};
pub use read::{Output, Piece, ReadRequest};
pub(crate) use record::EndsOnRecord;
pub use running::{RunningTask, StopWhich, Stopped, running, stop};
pub use search::{Found, FoundLine, SearchRequest};
pub(crate) use standing::Standing;
pub use standing::TaskState;
pub use summary::TaskSummary;
pub use task::Task;
pub use wait::Waited;
pub(crate) use wait::block_on;
pub(crate) use watch::Watchtower;

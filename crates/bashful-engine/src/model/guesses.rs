//! Guesses from how a run ended, for a person who wonders. A guess opens nothing, and is no violation.

use bashful_sandbox::{Hint, Level};

use crate::base::outside::Outside;
use crate::model::result::ExecutionResult;

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;
/// The last exit code that stands for no signal: git ends with it where it cannot go on.
const FATAL: i32 = 128;
/// What a shell says where its exit code is not seen, such as in a pipe.
const NOT_FOUND_WORDS: &str = ": command not found";

/// What programs say that get no memory. With a limit for each process, the kernel refuses and
/// tells nobody.
const NO_MEMORY: [&str; 8] = [
    "MemoryError",
    "Cannot allocate memory",
    "annot allocate memory",
    "Out of memory",
    "out of memory",
    "bad_alloc",
    "memory allocation of",
    "virtual memory exhausted",
];

impl ExecutionResult {
    /// Adds what a run without success may have missed, or run into.
    pub(crate) fn add_guesses(&mut self, outside: &Outside) {
        let is_missed = self.exit_code == Some(NOT_FOUND) || self.stderr.contains(NOT_FOUND_WORDS);
        if is_missed && self.script.is_none() {
            let hint = outside.missing_program(&self.command);
            self.sandbox_hints.extend(hint);
        }
        if self
            .exit_code
            .is_some_and(|code| (1..=FATAL).contains(&code))
            && self.script.is_none()
        {
            let hint = outside.in_real_home(&self.command);
            self.sandbox_hints.extend(hint);
        }
        if self.exit_code != Some(0) {
            let hint = no_memory(self);
            self.sandbox_hints.extend(hint);
        }
    }
}

/// That it may have come to the limit that each process has for itself.
fn no_memory(result: &ExecutionResult) -> Option<Hint> {
    let is_counted = result.enforcement?.resources == Level::Full;
    let is_told = result
        .sandbox_violations
        .iter()
        .any(|it| it.kind == "memory");
    let says = NO_MEMORY.iter().any(|words| result.stderr.contains(words));
    (says && !is_counted && !is_told).then(|| Hint {
        kind: "memory".to_owned(),
        missing: "resources.memory".to_owned(),
        source: "output".to_owned(),
        note:
            "it says that it got no memory, and each of its processes has a limit: `--memory SIZE` \
               raises it"
                .to_owned(),
        path: None,
        limit: None,
        flag: None,
    })
}

//! Options of one call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Options of one call; by default 120 seconds and 10 MiB of each stream.
#[derive(Debug, Clone)]
pub struct BashOptions {
    pub(super) working_dir: Option<PathBuf>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) clear_env: bool,
    pub(super) startup_variables: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) blocked: Vec<String>,
    pub(super) max_output: usize,
}

const TIMEOUT: Duration = Duration::from_secs(120);
const MAX_OUTPUT: usize = 10 << 20;

impl Default for BashOptions {
    fn default() -> Self {
        Self {
            working_dir: None,
            variables: BTreeMap::new(),
            clear_env: false,
            startup_variables: false,
            timeout: Some(TIMEOUT),
            blocked: Vec::new(),
            max_output: MAX_OUTPUT,
        }
    }
}

impl BashOptions {
    /// The options of a call that asks for nothing special.
    pub fn new() -> Self {
        Self::default()
    }

    /// Works here instead of in the context's directory; only this directory is writable.
    #[must_use]
    pub fn working_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.working_dir = Some(directory.into());
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets several variables.
    #[must_use]
    pub fn envs<K: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        self.variables.extend(variables);
        self
    }

    /// Passes nothing on from this process, not even the short allow-list.
    #[must_use]
    pub fn clear_env(mut self) -> Self {
        self.clear_env = true;
        self
    }

    /// Accepts variables that change how programs load or start, such as `LD_PRELOAD`.
    #[must_use]
    pub fn allow_startup_variables(mut self) -> Self {
        self.startup_variables = true;
        self
    }

    /// Ends the command after this time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Lets the command take as long as it likes.
    #[must_use]
    pub fn no_timeout(mut self) -> Self {
        self.timeout = None;
        self
    }

    /// Blocks commands that match this pattern, in addition to the built-in list.
    #[must_use]
    pub fn block_command(mut self, pattern: impl Into<String>) -> Self {
        self.blocked.push(pattern.into());
        self
    }

    /// Keeps this many bytes of each stream at most, from its beginning.
    #[must_use]
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }
}

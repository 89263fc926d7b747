//! The names of all environment variables that Bashful reads.
//!
//! Nothing in this crate reads the environment on its own: a front end looks these up once and
//! passes the values in, so that a test never depends on the process it runs in.

/// The session of a command-line call that gives no `--session`.
pub const BASHFUL_SESSION: &str = "BASHFUL_SESSION";

/// Set to anything but the empty string, it has `bashful run` do its work itself: it is handed to
/// no resident engine, and leaves none behind.
pub const BASHFUL_ALONE: &str = "BASHFUL_ALONE";

/// The directory under which `bashful/` keeps tasks, the index and the audit trail. A relative
/// or empty value counts as absent; then `~/.local/state` is used.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// The directory under which `bashful/config.toml`, the user file, is looked for. A relative or
/// empty value counts as absent; then `~/.config` is used.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The directory for the sockets of keepers. Without it a private directory is made.
pub const XDG_RUNTIME_DIR: &str = "XDG_RUNTIME_DIR";

/// The directory under which the caches of projects are kept. A relative or empty value counts
/// as absent; then `~/.cache` is used.
pub const XDG_CACHE_HOME: &str = "XDG_CACHE_HOME";

/// The home directory of the person, from which the other directories are derived.
pub const HOME: &str = "HOME";

/// Set to anything but the empty string, it switches colour off.
pub const NO_COLOR: &str = "NO_COLOR";

/// Every name above, for the reference page.
pub const ALL: &[&str] = &[
    BASHFUL_SESSION,
    BASHFUL_ALONE,
    XDG_STATE_HOME,
    XDG_CONFIG_HOME,
    XDG_RUNTIME_DIR,
    XDG_CACHE_HOME,
    HOME,
    NO_COLOR,
];

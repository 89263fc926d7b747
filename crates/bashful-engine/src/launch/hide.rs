//! Keeping our own secrets from what we run.

use std::io;

use bashful_sandbox::forget_environment;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::base::caller::front_has_hidden;

/// Makes this process forget the environment it was started with and closes its
/// memory to other processes of the same user, so that a command cannot read our
/// tokens in `/proc`. For small programs: there must be no other thread, and the
/// environment is empty afterwards. An engine keeps what it needs from when it was
/// built.
pub fn hide_from_commands() -> io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    forget_environment()?;
    front_has_hidden()
}

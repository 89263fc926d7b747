//! The context that the cases and tests of decisions are judged in.

use bashful_policy::Context;

/// A workspace that is a git repository below a home directory, without a terminal.
pub(crate) fn context() -> Context {
    let workspace = "/home/u/proj".to_owned();
    Context {
        directory: Some(workspace.clone()),
        workspace: Some(workspace.clone()),
        write_roots: vec![workspace, "/tmp".to_owned()],
        home: Some("/home/u".to_owned()),
        ..Context::default()
    }
}

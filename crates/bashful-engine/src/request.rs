//! A request: what is to run, for which agent, in which session, workspace and project.

pub(crate) mod context;
pub(crate) mod invocation;
pub(crate) mod openable;
pub(crate) mod project;
pub(crate) mod resolved;
pub(crate) mod root;
pub(crate) mod script;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod workspace;

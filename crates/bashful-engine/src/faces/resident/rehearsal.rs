//! What every call needs and no front has a part in, done before the first stand-in is made.

use std::collections::BTreeMap;
use std::path::Path;

use bashful_policy::Ruleset;
use bashful_sandbox::{Backend, note_pages_in_use};

use crate::base::digest::digest;
use crate::config::Sandbox;
use crate::confine::bounds::lessons;
use crate::engine::{Engine, host_state};
use crate::model::places::Places;
use crate::request::invocation::Invocation;

/// Does it. Stand-ins inherit what it leaves in memory: the shipped rules as they were read, what the
/// processor said that it can do, which takes long to ask in a virtual machine, and the code that was
/// run.
pub(super) fn rehearse() {
    lessons::open();
    host_state::keep_what_is_fixed();
    digest(&[b"a call"]);
    let _ = Ruleset::builtin().rules().count();
    let engine = Engine::builder()
        .config(crate::config::Config::default())
        .environment(BTreeMap::new())
        .places(Places::under(Path::new("/")))
        // With `auto`, one might be tried.
        .sandbox(Sandbox::By(Backend::Native))
        .keeper_by_fork()
        .one_call()
        .build();
    // Whatever comes of it: it was judged, and nothing was run or written.
    let _ = engine
        .map(|engine| engine.check(Invocation::bash("cd a && ls | wc -l > b").workspace("/")));
    note_pages_in_use();
}

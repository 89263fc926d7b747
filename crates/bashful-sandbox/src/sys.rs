//! The only unsafe code: one file per kernel area, each function a thin, typed
//! call that decides nothing.

pub(crate) mod attempt;
pub(crate) mod connects;
pub(crate) mod entry;
pub(crate) mod first;
pub(crate) mod fork;
#[cfg(target_arch = "x86_64")]
pub(crate) mod front;
mod front_wire;
pub(crate) mod inherited;
pub(crate) mod init;
pub(crate) mod landlock;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod namespaces;
pub(crate) mod notices;
pub(crate) mod scrub;
pub(crate) mod seccomp;
pub(crate) mod signals;
pub(crate) mod sockets;
pub(crate) mod spawn;
pub(crate) mod stand_in;
pub(crate) mod terminal;
pub(crate) mod understudy;
pub(crate) mod wait;
pub(crate) mod wait_for_order;
pub(crate) mod writeback;

//! Hosts with parts missing: what is simulated is really gone, and what Bashful makes of it.
//!
//! They are made by `tests/hosts/host.py`. As root they are hosts of root, and hosts of an ordinary
//! user otherwise: the tests run as both.

mod diagnosed;
mod gone;
mod remembered;
mod runs;
mod strange;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

//! The gate: the process through which the runs of a room reach hosts by name.
//!
//! A room with named hosts has no interface but its loopback. What its programs connect to arrives
//! at sockets that the keeper made in the room and this process serves from outside. It answers
//! questions for names with addresses of its own, so that every connection has a name; it
//! decides by that name, finds the address itself, and dials what it has checked. It reads what hostile
//! programs send, so it is a process of its own: without files, programs, rights and secrets.
//!
//! Reading order: `serve` (the process), `connection` (one connection), `decide` (whether it may
//! be), `spoken` (what is said on it), `relay`.

mod connection;
mod decide;
mod dns;
mod http;
mod names;
mod refusal;
mod relay;
mod resolve;
mod serve;
mod spoken;
mod tls;
mod told;

pub use serve::serve_if_asked;

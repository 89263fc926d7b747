//! Which files of this host are programs, and which file a program's name means.
//!
//! An allow-list of programs hides all others. Those in program directories are
//! hidden by replacing the directory; those that lie among libraries are found here,
//! one by one, because the dynamic loader runs any program that it can read.

mod cache;
mod companions;
mod elf;
mod fingerprint;
mod resolve;
mod scan;

pub(crate) use cache::cached_scan;
pub(crate) use companions::companions;
pub use resolve::{Program, ProgramError, resolve};

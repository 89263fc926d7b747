//! Control groups, in texts, in a made-up tree and in this kernel.

mod fake;
mod names;
mod real;
mod texts;
mod unified;

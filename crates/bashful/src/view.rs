//! How a running command is shown to a person on a terminal.
//!
//! Everything here is a pure state machine from the bytes of a child to the bytes of a terminal;
//! the caller owns the clock, the terminal and the writing. One promise holds throughout: what a
//! command prints cannot be mistaken for what we print. Inside a [`Frame`] every row of the
//! child starts with a gutter that only we can draw, and no byte of the child moves the cursor.
//! Where no frame is drawn, [`Neutraliser`] lets text and plain colours pass and nothing else.
//!
//! The way of a byte: `decode` turns bytes into tokens with the help of `charset` (what must be
//! spelled out) and `pen` (which colours are harmless); `frame` or `neutralise` draws the tokens.

mod ask;
mod block;
mod charset;
mod date;
mod decode;
mod denials;
mod diagnosis;
mod diff;
mod explanation;
mod frame;
mod json;
mod judgement;
mod listing;
mod neutralise;
mod notice;
mod outcome;
mod pen;
mod repaired;
mod rules;
mod scripts;
mod sheet;
mod shells;
mod spinner;
mod style;
mod tables;
mod tasks;
mod text;
mod underline;

#[cfg(test)]
pub(crate) use ask::tests::ask_about;
pub(crate) use ask::{AskCard, Editing, reach_rows, shape, state as said_state};
pub(crate) use block::show_block;

pub(crate) use date::utc;
pub(crate) use denials::{MORE_TIME, TIMED_OUT, denial, hint, not_seen, show_denials};
pub(crate) use diagnosis::show_diagnosis;
pub(crate) use diff::{Difference, show_diff};
pub(crate) use explanation::{Detail, show_plan};
pub(crate) use frame::{Frame, Stream};
pub(crate) use json::harmless_json;
pub(crate) use judgement::show_judgement;
pub(crate) use neutralise::Neutraliser;
pub(crate) use notice::{Refusal, StartedTask, Truncation, warn_not_enforced, warn_slow};
pub(crate) use outcome::Outcome;
pub(crate) use repaired::show_repaired;
pub(crate) use rules::{RuleRow, show_rules, show_sections};
pub(crate) use scripts::{
    ScriptBefore, ScriptCard, short as short_hash, show_change, show_dry_run, show_inferred,
    show_script, show_script_text, show_scripts, show_validation, show_versions,
};
pub(crate) use shells::{shell_entries, show_shells};
pub(crate) use spinner::Moment;
pub(crate) use style::{Ambient, ColourChoice, Style};
pub(crate) use tables::{
    CacheRow, alike, grant_entries, show_asks, show_caches, show_clients, show_grants,
};
pub(crate) use tasks::{answer_with, how_to_answer, show_question, show_task, show_tasks};
pub(crate) use text::{columns_of, duration, shorten, size, visible};

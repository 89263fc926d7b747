//! The MCP server from outside: both generations, over pipes and over HTTP.

mod asking;
mod bad_input;
mod carried;
mod client;
mod elsewhere;
mod endings;
mod floods;
mod generations;
mod listed;
mod progress;
mod ready;
mod refusals;
mod resources;
mod shapes;
mod sizes;
mod tasks;
mod transcripts;
mod web;
mod web_client;

use serde_json::Value;

use crate::support::World;

/// The rule that makes `touch` need a yes.
const ASK_TOUCH: &str = "[[profile.default.rule]]\nid = \"ask-touch\"\neffect = \"ask\"\n\
    command = [\"touch\", \"…\"]\nreason = \"makes a file\"\n";

/// A world in which `touch` needs a yes.
fn asking_world() -> World {
    let world = World::new();
    world.configure(ASK_TOUCH);
    world
}

fn made(world: &World, name: &str) -> bool {
    world.workspace().join(name).exists()
}

/// What a model reads, without what differs from run to run.
fn golden(world: &World, result: &Value) -> String {
    steady(world, &client::text_of(result))
}

/// A text without ids, times and places.
fn steady(world: &World, text: &str) -> String {
    let root = world.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let text = text.replace(root, "[WORLD]");
    let mut steady = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let (seen, shown) = varying(rest, steady.chars().last());
            if seen == 0 {
                steady.push(c);
                rest = rest.get(c.len_utf8()..).unwrap();
            } else {
                steady.push_str(shown);
                rest = rest.get(seen..).unwrap();
            }
        }
    }
    steady
}

/// How many bytes that differ from run to run stand here, and what is shown instead.
fn varying(rest: &str, before: Option<char>) -> (usize, &'static str) {
    if before.is_some_and(char::is_alphanumeric) {
        return (0, "");
    }
    for (prefix, shown) in [
        ("bash-", "[TASK]"),
        ("ask-", "[ASK]"),
        ("grant-", "[GRANT]"),
    ] {
        let id = rest.strip_prefix(prefix).unwrap_or_default();
        let length = id.bytes().take_while(u8::is_ascii_alphanumeric).count();
        if length == 16 {
            return (prefix.len() + length, shown);
        }
    }
    if let Some(pid) = rest.strip_prefix("pid ") {
        let digits = pid.bytes().take_while(u8::is_ascii_digit).count();
        return (4 + digits, "pid [PID]");
    }
    let number = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let unit = rest.get(number..).unwrap_or_default();
    for suffix in [" ms", " s"] {
        let after = unit.strip_prefix(suffix);
        if number > 0 && after.is_some_and(|after| !after.starts_with(char::is_alphanumeric)) {
            return (number + suffix.len(), "[TIME]");
        }
    }
    (0, "")
}

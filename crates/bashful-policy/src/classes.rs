//! The classes of commands that are refused until the run holds their capability.

use std::borrow::Cow;

use crate::context::Context;
use crate::decision::{Effect, Layer};
use crate::facts::{Call, Facts, Redirect, Span};
use crate::finding::{Finding, Standing};

mod bomb;
mod class;
mod delete;
mod devices;
mod feeds;
mod fill;
mod find;
mod git;
mod interactive;
mod line;
mod permissions;
mod place_kind;
mod printers;
mod reverse;
mod secrets;
mod shell;
mod sudo;
#[cfg(test)]
mod tests;

pub use class::{Class, UnknownClass};

/// What a refusal shows of a command at most, in characters.
const SHOWN: usize = 200;

/// One call with all that it can be judged by.
#[derive(Clone, Copy)]
struct View<'a> {
    facts: &'a Facts,
    context: &'a Context,
    /// Where the call stands among the calls.
    index: usize,
    call: &'a Call,
    /// The program without its directory.
    name: &'a str,
}

/// All refusals in a text, each with the call it is about. Whether the run holds their capabilities
/// does not matter here.
pub(crate) fn check(facts: &Facts, context: &Context) -> Vec<(Option<usize>, Finding)> {
    let mut findings = Vec::new();
    let feeds = feeds::Feeds::of(facts);
    let flows = fill::Flows::of(facts, context);
    for (index, call) in facts.calls.iter().enumerate() {
        let name = call.program();
        let view = View {
            facts,
            context,
            index,
            call,
            name,
        };
        let hits = [
            sudo::check(&view).then_some(Class::Sudo),
            delete::check(&view).then_some(Class::DeleteRoot),
            devices::check(&view).then_some(Class::DeviceWrite),
            bomb::check(&view).then_some(Class::ForkBomb),
            feeds.check(&view),
            reverse::check(&view).then_some(Class::ReverseShell),
            permissions::check(&view).then_some(Class::PermissionsWide),
            git::check(&view).then_some(Class::GitDestructive),
            interactive::check(&view).then_some(Class::Interactive),
            secrets::check(&view).then_some(Class::SecretRead),
            flows.check(&view).then_some(Class::DiskFill),
        ];
        let hits = hits.into_iter().flatten();
        findings.extend(hits.map(|class| {
            let mut found = finding(class, &call.line(), call.span);
            if class == Class::GitDestructive && git::deletes_history(&view) {
                // A rule of its own: no profile asks about it instead.
                found.rule = Cow::Borrowed("delete-history");
                found.reason = Cow::Borrowed("deletes the repository's history for good");
            }
            (Some(index), found)
        }));
    }
    for redirect in &facts.redirects {
        let hits = [
            devices::check_redirect(redirect, context).then_some(Class::DeviceWrite),
            reverse::check_redirect(redirect, context).then_some(Class::ReverseShell),
            secrets::check_redirect(redirect, context).then_some(Class::SecretRead),
        ];
        let hits = hits.into_iter().flatten();
        findings.extend(hits.map(|class| {
            let found = finding(class, &shown(redirect), redirect.span);
            (None, found)
        }));
    }
    for function in bomb::functions(facts) {
        let fact = format!("{}() starts itself again and again", function.name);
        findings.push((None, finding(Class::ForkBomb, &fact, function.span)));
    }
    findings
}

fn finding(class: Class, fact: &str, span: Span) -> Finding {
    Finding {
        needs: None,
        directories: Vec::new(),
        effect: Effect::Deny,
        standing: Standing::Rule,
        rule: Cow::Borrowed(class.as_str()),
        layer: Layer::Builtin,
        reason: Cow::Borrowed(class.reason()),
        advice: Some(Cow::Borrowed(class.advice())),
        capability: Some(Cow::Borrowed(class.as_str())),
        fact: fact.chars().take(SHOWN).collect(),
        span,
    }
}

fn shown(redirect: &Redirect) -> String {
    let sign = if redirect.kind.writes() { ">" } else { "<" };
    format!("{sign} {}", redirect.target.text)
}

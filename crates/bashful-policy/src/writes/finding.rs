//! Findings: what a verdict about a written file or device leads to.

use std::borrow::Cow;

use super::system::Change;
use super::table::Surety;
use super::target::Verdict;
use crate::context::Context;
use crate::decision::{Effect, Layer};
use crate::facts::{Argument, Call, Span};
use crate::finding::{Finding, Standing};

/// What a verdict leads to; none if it is good.
pub(super) fn finding(
    verdict: &Verdict,
    surety: Surety,
    about: &About<'_>,
    context: &Context,
) -> Option<Finding> {
    let base = |reason: String| plain(reason, about.fact, about.span);
    Some(match verdict {
        Verdict::Inside | Verdict::InsideRoot | Verdict::Device => return None,
        Verdict::Unknown => Finding {
            effect: Effect::Ask,
            standing: Standing::Unknown,
            rule: Cow::Borrowed("dynamic-write"),
            ..base("writes to a place that is not known before it runs".to_owned())
        },
        Verdict::Repository(path) => Finding {
            effect: Effect::Ask,
            rule: Cow::Borrowed("protected-name"),
            ..base(format!(
                "changes `{path}`, which belongs to the repository itself"
            ))
        },
        Verdict::RunsLater(path) => Finding {
            effect: Effect::Ask,
            rule: Cow::Borrowed("protected-name"),
            ..base(format!(
                "writes `{path}`, which would run on the host later"
            ))
        },
        Verdict::Wipes(path) => Finding {
            effect: Effect::Ask,
            rule: Cow::Borrowed("wipe-workspace"),
            // The class that refuses this by name opens it.
            capability: path
                .ends_with("/.git")
                .then_some(Cow::Borrowed("git-destructive")),
            ..base(format!(
                "deletes `{path}`, which is most of the work or its history"
            ))
        },
        Verdict::Outside(path) => Finding {
            effect: if surety == Surety::Guess {
                Effect::Ask
            } else {
                Effect::Deny
            },
            rule: Cow::Borrowed("write-outside-roots"),
            capability: Some(Cow::Borrowed("write-outside-roots")),
            advice: Some(Cow::Owned(advice(context))),
            ..base(format!(
                "writes to `{path}`, outside of what may be written"
            ))
        },
    })
}

pub(super) fn changed(change: Change, call: &Call) -> Finding {
    let reason = match change {
        Change::System => "changes the system",
        Change::Settings => "changes settings outside of the workspace",
        Change::Global => "installs software or changes settings outside the workspace",
    };
    Finding {
        effect: match change {
            Change::System | Change::Settings => Effect::Deny,
            Change::Global => Effect::Ask,
        },
        rule: Cow::Borrowed("system-change"),
        capability: Some(Cow::Borrowed("write-outside-roots")),
        ..plain(reason, &call.line(), call.span)
    }
}

pub(super) fn runs_later(key: &Argument, call: &Call) -> Finding {
    Finding {
        effect: Effect::Ask,
        rule: Cow::Borrowed("protected-name"),
        ..plain(
            format!("sets `{}`, which git would run on the host later", key.text),
            &call.line(),
            call.span,
        )
    }
}

/// The words that a finding is about.
pub(super) struct About<'a> {
    pub(super) fact: &'a str,
    pub(super) span: Span,
}

/// An allow, from which the other findings are made.
pub(super) fn plain(reason: impl Into<Cow<'static, str>>, fact: &str, span: Span) -> Finding {
    Finding {
        needs: None,
        directories: Vec::new(),
        effect: Effect::Allow,
        standing: Standing::Rule,
        rule: Cow::Borrowed("writes-inside"),
        layer: Layer::Builtin,
        reason: reason.into(),
        advice: None,
        capability: None,
        fact: fact.to_owned(),
        span,
    }
}

/// Where to write instead.
fn advice(context: &Context) -> String {
    const MOST: usize = 3;
    let workspace = context.workspace.as_ref();
    let others = context
        .write_roots
        .iter()
        .filter(|root| Some(*root) != workspace);
    let mut places: Vec<String> = workspace
        .map(|_| "the workspace".to_owned())
        .into_iter()
        .collect();
    // Its real place may not be known yet; its name is what a command can use.
    let own = context.variables.get("TMPDIR");
    places.extend(others.take(MOST).map(|root| match own {
        Some(own) if own == root => "`$TMPDIR`".to_owned(),
        _ => format!("`{root}`"),
    }));
    if places.is_empty() {
        return "nothing may be written here; print the result instead".to_owned();
    }
    format!("write inside {}", places.join(" or "))
}

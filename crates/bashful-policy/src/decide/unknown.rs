//! What follows from a part of the text that does not show what it would do.

use std::borrow::Cow;

use crate::decision::{Effect, Layer};
use crate::facts::{Unknown, UnknownKind};
use crate::finding::{Finding, Standing};

/// What follows from a part of the text that does not show what it would do.
pub(super) fn unknown(unknown: &Unknown) -> Finding {
    let (effect, standing) = match unknown.kind {
        UnknownKind::TooComplex => (Effect::Deny, Standing::Rule),
        _ => (Effect::Ask, Standing::Unknown),
    };
    let (reason, advice) = match unknown.kind {
        UnknownKind::Syntax => (
            "is not valid bash, or not bash that can be read before it runs",
            "write it in a simpler way",
        ),
        UnknownKind::TooComplex => (
            "is nested too deeply or too long to be read before it runs",
            "split it into simpler commands, or put it into a script file",
        ),
        UnknownKind::DynamicName => (
            "starts a program whose name is known only when it runs",
            "write the name of the program plainly",
        ),
        UnknownKind::DynamicScript => (
            "runs a text that is known only when it runs",
            "write the commands plainly",
        ),
        UnknownKind::ScriptFile => (
            "runs a script whose content is not part of the command",
            "run its commands one by one, or ask for the script to be approved",
        ),
        UnknownKind::StringEvaluation => (
            "has the shell evaluate a string as code",
            "use plain values",
        ),
        UnknownKind::Shadowing => (
            "gives the name of a known command to a function or alias",
            "choose another name for the function",
        ),
        UnknownKind::Characters => (
            "has characters that cannot be seen or look like others",
            "write it with plain characters",
        ),
        UnknownKind::Length => (
            "is longer than a person reads before saying yes",
            "put it into a file, or split it",
        ),
    };
    Finding {
        needs: None,
        directories: Vec::new(),
        effect,
        standing,
        rule: Cow::Borrowed(unknown.kind.as_str()),
        layer: Layer::Builtin,
        reason: Cow::Borrowed(reason),
        advice: Some(Cow::Borrowed(advice)),
        capability: None,
        fact: unknown.fact.clone(),
        span: unknown.span,
    }
}

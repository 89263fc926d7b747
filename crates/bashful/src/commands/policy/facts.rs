//! What the policy read and found, as JSON. The names are a contract.

use bashful_engine::policy::{
    Argument, Assignment, Call, Facts, Finding, Function, Input, Place, Redirect, RedirectKind,
    Standing, Unknown, remembered,
};
use bashful_engine::{Checked, Decision};
use serde_json::{Map, Value, json};

/// All that is known about a judged command.
pub(super) fn json(checked: &Checked) -> Value {
    let Checked {
        text,
        profile,
        facts,
        judgement,
        ..
    } = checked;
    let mut whole = json!({
        "v": 1,
        "command": text,
        "profile": profile,
        "decision": decision(&judgement.decision),
        "facts": of_facts(facts),
        "findings": list(&judgement.findings, finding),
    });
    if judgement.fell_back {
        whole["fell_back"] = json!(true);
    }
    whole
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Value) -> Value {
    items.iter().map(one).collect()
}

/// An object without what does not apply.
fn object(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn decision(decision: &Decision) -> Value {
    object([
        ("effect", json!(decision.effect.as_str())),
        ("rule", json!(decision.rule)),
        ("layer", json!(decision.layer.as_str())),
        ("reason", json!(decision.reason)),
        ("span", json!(decision.span)),
        ("fact", json!(decision.fact)),
        ("capability", json!(decision.capability)),
        ("suggestion", json!(decision.suggestion)),
        (
            "remember",
            json!(decision.remember.as_ref().map(remembered)),
        ),
    ])
}

fn finding(finding: &Finding) -> Value {
    let standing = match finding.standing {
        Standing::Rule => "rule",
        Standing::Unknown => "unknown",
    };
    object([
        ("effect", json!(finding.effect.as_str())),
        ("standing", json!(standing)),
        ("rule", json!(finding.rule)),
        ("layer", json!(finding.layer.as_str())),
        ("reason", json!(finding.reason)),
        ("advice", json!(finding.advice)),
        ("capability", json!(finding.capability)),
        ("fact", json!(finding.fact)),
        ("span", json!(finding.span)),
    ])
}

fn of_facts(facts: &Facts) -> Value {
    json!({
        "calls": list(&facts.calls, call),
        "redirects": list(&facts.redirects, redirect),
        "assignments": list(&facts.assignments, assignment),
        "functions": list(&facts.functions, function),
        "unknowns": list(&facts.unknowns, unknown),
    })
}

fn call(call: &Call) -> Value {
    let place = match call.place {
        Place::Text => "text",
        Place::Substitution => "substitution",
        Place::Function => "function",
        Place::Script => "script",
        Place::Option => "option",
    };
    let input = match &call.input {
        Input::Inherited => Value::Null,
        Input::Text(text) => json!({ "text": argument(text) }),
        Input::File(file) => json!({ "file": argument(file) }),
        Input::Pipe(calls) => json!({ "pipe": [calls.start, calls.end] }),
    };
    let yes = |flag: bool| if flag { json!(true) } else { Value::Null };
    object([
        ("span", json!(call.span)),
        ("argv", list(&call.arguments, argument)),
        ("directories", json!(call.directories)),
        ("wrappers", json!(call.wrappers)),
        ("place", json!(place)),
        ("input", input),
        ("open_ended", yes(call.open_ended)),
        ("captured", yes(call.captured)),
        ("background", yes(call.background)),
        ("assignments", json!(call.assignments)),
        ("redirects", json!(call.redirects)),
    ])
}

fn argument(argument: &Argument) -> Value {
    json!({ "text": argument.text, "known": known(argument) })
}

/// How much of a word is known.
fn known(argument: &Argument) -> &'static str {
    match argument.unknown_from {
        None if argument.glob => "glob",
        None => "literal",
        Some(0) => "dynamic",
        Some(_) => "partly",
    }
}

fn redirect(redirect: &Redirect) -> Value {
    let kind = match redirect.kind {
        RedirectKind::Read => "read",
        RedirectKind::Write => "write",
        RedirectKind::Append => "append",
        RedirectKind::ReadWrite => "read_write",
        RedirectKind::Duplicate => "duplicate",
        RedirectKind::Text => "text",
    };
    object([
        ("span", json!(redirect.span)),
        ("kind", json!(kind)),
        ("descriptor", json!(redirect.descriptor)),
        ("target", argument(&redirect.target)),
        ("directories", json!(redirect.directories)),
    ])
}

fn assignment(assignment: &Assignment) -> Value {
    json!({
        "span": assignment.span,
        "name": assignment.name,
        "value": argument(&assignment.value),
        "for_call": assignment.for_call,
    })
}

fn function(function: &Function) -> Value {
    json!({
        "span": function.span,
        "name": function.name,
        "body": [function.body.start, function.body.end],
    })
}

fn unknown(unknown: &Unknown) -> Value {
    json!({
        "span": unknown.span,
        "kind": unknown.kind.as_str(),
        "fact": unknown.fact,
    })
}

//! What of a call's end is carried over to the next call.

use std::collections::{BTreeMap, BTreeSet};

use super::dump::Dump;
use super::own::{is_never_carried, may_be_carried};
use super::script::Given;
use crate::model::shell_state::{EXPAND_ALIASES, ShellState, Switches, Value, Variable};

/// Options of `set -o` that no later call gets: they would keep it from running, or the policy
/// from reading it as bash does, or they belong to a person at a prompt.
const NO_OPTIONS: [&str; 8] = [
    "noexec",
    "onecmd",
    "privileged",
    "keyword",
    "history",
    "histexpand",
    "emacs",
    "vi",
];

/// The same for `shopt`; the last two cannot be set.
const NO_SHOPTS: [&str; 3] = ["cdable_vars", "login_shell", "restricted_shell"];

/// Variables that a new bash sets itself if it does not get them, and then to what.
const USUAL: [(&str, Option<&str>); 9] = [
    ("HOSTNAME", None),
    ("HOSTTYPE", None),
    ("IFS", Some(" \t\n")),
    ("MACHTYPE", None),
    ("OPTERR", Some("1")),
    ("OPTIND", Some("1")),
    ("OSTYPE", None),
    ("PS4", Some("+ ")),
    ("SHELL", None),
];

/// The state that the next call loads.
pub(super) fn carry(
    dump: Dump,
    given: &Given<'_>,
    before: &ShellState,
) -> Result<ShellState, String> {
    let present: BTreeSet<String> = dump
        .variables
        .iter()
        .filter(|variable| variable.value != Value::None)
        .map(|variable| variable.name.clone())
        .collect();
    let mut variables = Vec::new();
    for mut variable in dump.variables {
        check(&variable)?;
        if variable.name == "OLDPWD" {
            // Bash exports it unasked, and then every program would depend on where the shell
            // was before.
            variable.attributes.retain(|letter| letter != 'x');
        }
        let name = variable.name.as_str();
        if !may_be_carried(&variable) || is_usual(&variable, given) || is_of_room(&variable) {
            continue;
        }
        if !is_as_given(&variable, given.environment) {
            variables.push(variable);
        } else if given.injected.contains(name) {
            // It was for that call alone: what the shell had before comes back.
            let mut known = before.variables.iter();
            variables.extend(known.find(|one| one.name == name).cloned());
        }
    }
    let mut unset: Vec<String> = Vec::new();
    for name in given.environment.keys() {
        let injected = given.injected.contains(name);
        let gone = !present.contains(name);
        let was_gone = before.unset.contains(name);
        if super::declared::is_name(name)
            && !is_never_carried(name)
            && if injected && !gone { was_gone } else { gone }
        {
            unset.push(name.clone());
        }
    }
    let mut usual_shopts = dump.usual.shopt;
    usual_shopts.push(EXPAND_ALIASES.to_owned());
    Ok(ShellState {
        directory: dump.directory,
        umask: (dump.umask != dump.usual.umask).then_some(dump.umask),
        parameters: dump.parameters,
        variables,
        unset,
        functions: dump.functions,
        aliases: dump.aliases,
        options: switches(&dump.options.0, &dump.usual.set, &NO_OPTIONS),
        shopts: switches(&dump.options.1, &usual_shopts, &NO_SHOPTS),
    })
}

/// Refuses what would be evaluated when it is used, in a way that a person does not see in a text.
fn check(variable: &Variable) -> Result<(), String> {
    let name = &variable.name;
    if variable.has('n') {
        let target = match &variable.value {
            Value::Text(target) => target.text().unwrap_or("?"),
            Value::None => "",
            Value::Array(_) | Value::Map(_) => "?",
        };
        let (of, subscript) = target.split_once('[').unwrap_or((target, "0]"));
        let number = subscript.strip_suffix(']').unwrap_or("?");
        let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty();
        let to_a_name = super::declared::is_name(of) && plain;
        // `declare -in name=target` evaluates the target.
        let only = variable.attributes.chars().all(|it| "nrx".contains(it));
        if !only || !target.is_empty() && !to_a_name {
            return Err(format!("`{name}` refers to an expression"));
        }
    }
    Ok(())
}

/// Whether it names the directory that a session has instead of a `/tmp` of its own: it goes
/// with the session, and the next one has another.
fn is_of_room(variable: &Variable) -> bool {
    let Value::Text(text) = &variable.value else {
        return false;
    };
    let mut parts = text.text().unwrap_or_default().rsplit('/');
    let is_number = |part: &str| {
        let mut halves = part.split('-');
        let digits = |half: &str| !half.is_empty() && half.bytes().all(|it| it.is_ascii_digit());
        part.contains('-') && halves.all(digits)
    };
    variable.name == "TMPDIR"
        && parts.next() == Some("tmp")
        && parts.next().is_some_and(is_number)
        && parts.next() == Some("rooms")
}

/// Whether a new bash has it so by itself.
fn is_usual(variable: &Variable, given: &Given<'_>) -> bool {
    let name = variable.name.as_str();
    if given.environment.contains_key(name) {
        return false;
    }
    let text = match &variable.value {
        Value::Text(text) => text.text(),
        _ => None,
    };
    if name == "TERM" {
        return !variable.has('x') && text == Some("dumb");
    }
    if name == "OLDPWD" {
        return variable.value == Value::None;
    }
    let usual = USUAL.iter().find(|(usual, _)| *usual == name);
    usual.is_some_and(|(_, value)| match value {
        Some(value) => text == Some(*value) && !variable.has('x'),
        None => !variable.has('x'),
    })
}

/// Whether the environment of a run gives it just so.
fn is_as_given(variable: &Variable, environment: &BTreeMap<String, String>) -> bool {
    let Some(given) = environment.get(&variable.name) else {
        return false;
    };
    variable.attributes == "x"
        && matches!(&variable.value, Value::Text(text) if text.0 == given.as_bytes())
}

fn switches(now: &[String], usual: &[String], never: &[&str]) -> Switches {
    let missing = |from: &[String], other: &[String]| -> Vec<String> {
        let names = from.iter().filter(|name| !other.contains(name));
        let names = names.filter(|name| !never.contains(&name.as_str()));
        names.cloned().collect()
    };
    Switches {
        on: missing(now, usual),
        off: missing(usual, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_a_session_is_known() {
        let is_of_room = |name: &str, value: &str| {
            is_of_room(&Variable {
                name: name.to_owned(),
                attributes: "x".to_owned(),
                value: Value::Text(value.into()),
            })
        };
        assert!(is_of_room("TMPDIR", "/s/bashful/rooms/123-4/tmp"));
        for other in ["/tmp", "/s/rooms/123-4/tmp/mine", "/s/rooms/mine/tmp", ""] {
            assert!(!is_of_room("TMPDIR", other), "{other}");
        }
        assert!(!is_of_room("KEPT", "/s/bashful/rooms/123-4/tmp"));
    }

    #[test]
    fn a_reference_to_an_expression_is_refused() {
        let with = |attributes: &str, target: &str| {
            check(&Variable {
                name: "r".to_owned(),
                attributes: attributes.to_owned(),
                value: Value::Text(target.into()),
            })
            .is_ok()
        };
        let reference = |target: &str| with("n", target);
        assert!(with("nrx", "x") && !with("in", "x") && !with("nu", "x"));
        for target in ["x", "x[0]", "x[12]", ""] {
            assert!(reference(target), "{target}");
        }
        for target in ["x[$(id)]", "x[y]", "x[]", "x[0", "$(id)", "x[0]]", "1"] {
            assert!(!reference(target), "{target}");
        }
    }
}

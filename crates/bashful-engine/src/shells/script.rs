//! The texts that bash is given around a call: load before it, save after it.
//!
//! Everything here is ours. Values go in as quoted words in which nothing is expanded. Functions
//! go in as variables that bash itself takes for functions, and for nothing else: their texts
//! are not in here.

use std::collections::{BTreeMap, BTreeSet};

use bashful_keeper::SHELL_TEXT;

use crate::model::shell_bytes::Bytes;
use crate::model::shell_state::{EXPAND_ALIASES, Function, ShellState, Switches, Value, Variable};

/// The descriptors of a call: what it loads, where it saves, and where what is ours says nothing.
/// That is `/dev/null`; to open it for writing in the run would be a call that the kernel tells the
/// keeper about, and waits.
pub(super) const LOADS: i32 = bashful_sandbox::FIRST_INHERITED;
pub(super) const SAVES: i32 = LOADS + 1;
const NOWHERE: i32 = SAVES + 1;

/// Writes the state to the descriptor. `builtin` is the one name that must mean what it says;
/// in POSIX mode `unset`, `trap` and `set` do, whatever functions there are. The trap has bash
/// read this when the shell's aliases count: a word with a backslash is none.
const SAVE: &str = r#"__bashful_status=$? __bashful_options=$SHELLOPTS __bashful_shopts=$BASHOPTS; [[ -o posix ]] || POSIXLY_CORRECT=; \unset -f builtin; \trap - DEBUG ERR RETURN; \trap '' XFSZ; \set +exuv; { \builtin printf '%s\0' state "$__bashful_options" "$__bashful_shopts" "$#" "$@"; \builtin umask; \builtin pwd -P; \builtin printf '\0'; \builtin alias -p; \builtin printf '\0'; \builtin declare -p; \builtin printf '\0'; \builtin declare -F; \builtin printf '\0'; \builtin declare -f; \builtin printf '\0end\0'; } >&59"#;

/// The first line of the trap: where the end of the call has saved, bash does not even read the rest.
/// Without a number, the exit code is what it was before the trap.
const SAVED: &str = r"[[ -v __bashful_status ]] && \builtin exit";

/// What bash is told to run: one compound command, so that it is read whole before anything of
/// the shell can change how it is read. The text of the call is an argument, never part of this.
/// While it runs, the descriptors are put where programs do not inherit them.
pub(super) fn wrapper(state: &ShellState) -> String {
    let on = |name: &str| state.options.on.iter().any(|option| option == name);
    // From within, or bash would show what is ours.
    let traced = match (on("xtrace"), on("verbose")) {
        (true, true) => r"\builtin set -xv; ",
        (true, false) => r"\builtin set -x; ",
        (false, true) => r"\builtin set -v; ",
        (false, false) => "",
    };
    format!(
        r#"{{ builtin shopt -u extglob; {SHELL_TEXT} %s "$@"; builtin set --; {{ builtin printf '%s\0' begin "$SHELLOPTS" "$BASHOPTS"; builtin umask; builtin printf '\0'; }} >&{SAVES}; . /proc/self/fd/{LOADS} 2>&{NOWHERE} || builtin exit 125; builtin eval "{traced}$BASH_EXECUTION_STRING" {SAVES}>&- {LOADS}<&- {NOWHERE}>&-; {{ {SAVE}; }} >&{NOWHERE} 2>&1; \exec {SAVES}>&-; [[ $__bashful_options == *posix* ]] || \unset -v POSIXLY_CORRECT; builtin exit "$__bashful_status"; }}"#
    )
}

/// What stands before `-c`: patterns in functions are read like that.
pub(crate) const FLAGS: [&str; 2] = ["-O", "extglob"];

/// The functions as variables. Bash defines nothing by one of these but the one function, and
/// passes over a text that would do anything more.
pub(super) fn functions(state: &ShellState) -> Vec<(String, String)> {
    let variable = |function: &Function| {
        let body = &function.body;
        let plain = body.starts_with('{') && body.ends_with('}');
        let value = match body.strip_prefix('{').filter(|_| plain) {
            Some(rest) => format!("() {{{rest}"),
            // Another body, or one with redirections, goes into braces.
            None => format!("() {{ {body}\n}}"),
        };
        (format!("BASH_FUNC_{}%%", function.name), value)
    };
    state.functions.iter().map(variable).collect()
}

/// What a call knows besides the state that it loads.
#[derive(Debug)]
pub(super) struct Given<'a> {
    /// The environment that bash starts with.
    pub(super) environment: &'a BTreeMap<String, String>,
    /// Names in it that the caller injected for this call: they win.
    pub(super) injected: &'a BTreeSet<String>,
}

/// The text that brings a new bash to where the last call left the shell. Options that change
/// how text is read, and aliases, come last; no function runs, because only `builtin` is called,
/// and no alias of that name, because of the backslash.
pub(super) fn loader(state: &ShellState, given: &Given<'_>) -> Vec<u8> {
    let mut script = Script::default();
    script.shopts(&state.shopts);
    let private = state.functions.iter().filter(|one| !one.is_exported());
    script.names("\\builtin export -nf", private.map(|one| one.name.as_str()));
    for function in &state.functions {
        let letters = function.attributes.replace('x', "");
        if !letters.is_empty() {
            script.line(&format!("\\builtin declare -f{letters} {}", function.name));
        }
    }
    script.variables(state, given);
    if !state.parameters.is_empty() {
        script.begin("\\builtin set --");
        for parameter in &state.parameters {
            script.word(parameter);
        }
        script.end();
    }
    for (name, text) in &state.aliases {
        script.begin("\\builtin alias --");
        let mut whole = name.as_bytes().to_vec();
        whole.push(b'=');
        whole.extend(&text.0);
        script.word(&Bytes(whole));
        script.end();
    }
    if let Some(umask) = state.umask {
        script.line(&format!("\\builtin umask {umask:04o}"));
    }
    let trap = Bytes(format!("{SAVED}\n{{ {SAVE}; }} >&{NOWHERE} 2>&1").into_bytes());
    script.begin("\\builtin trap --");
    script.word(&trap);
    script.text(b" EXIT");
    script.end();
    script.line(&format!("\\builtin printf 'loaded\\0' >&{SAVES}"));
    script.options(&state.options);
    if !state.shopts.off.iter().any(|name| name == EXPAND_ALIASES) {
        script.line(&format!("\\builtin shopt -s {EXPAND_ALIASES}"));
    }
    script.line("\\builtin :");
    script.0
}

/// A text that grows.
#[derive(Debug, Default)]
struct Script(Vec<u8>);

impl Script {
    fn text(&mut self, text: &[u8]) {
        self.0.extend(text);
    }

    fn begin(&mut self, command: &str) {
        self.text(command.as_bytes());
    }

    fn word(&mut self, word: &Bytes) {
        self.text(b" ");
        word.quoted(&mut self.0);
    }

    fn end(&mut self) {
        self.text(b"\n");
    }

    fn line(&mut self, line: &str) {
        self.text(line.as_bytes());
        self.end();
    }

    fn names<'a>(&mut self, command: &str, names: impl Iterator<Item = &'a str>) {
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            self.line(&format!("{command} {}", names.join(" ")));
        }
    }

    fn shopts(&mut self, shopts: &Switches) {
        for (command, names) in [
            ("\\builtin shopt -s", &shopts.on),
            ("\\builtin shopt -u", &shopts.off),
        ] {
            let names = names.iter().map(String::as_str);
            self.names(command, names);
        }
    }

    fn options(&mut self, options: &Switches) {
        let traced = ["xtrace", "verbose"];
        // It turns others on and off, so it goes first.
        let posix = |name: &&String| name.as_str() != "posix";
        for (sign, names) in [('-', &options.on), ('+', &options.off)] {
            let first = names.iter().filter(|name| !posix(name));
            for name in first.chain(names.iter().filter(posix)) {
                if !traced.contains(&name.as_str()) {
                    self.line(&format!("\\builtin set {sign}o {name}"));
                }
            }
        }
    }

    fn variables(&mut self, state: &ShellState, given: &Given<'_>) {
        let kept = |name: &str| !given.injected.contains(name);
        let variables = state.variables.iter();
        let variables: Vec<&Variable> = variables.filter(|one| kept(&one.name)).collect();
        // What bash has under these names, it may read as a number, and would evaluate a text
        // that is put there. What is unset first is a variable like any other; if that cannot
        // be done, nothing is loaded and nothing runs.
        let unset = state.unset.iter().map(String::as_str);
        let unset: Vec<&str> = unset
            .filter(|name| kept(name))
            .chain(variables.iter().map(|one| one.name.as_str()))
            .collect();
        if !unset.is_empty() {
            let names = unset.join(" ");
            self.line(&format!("\\builtin unset -v {names} || \\builtin return 1"));
        }
        let mut attributes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let mut references = Vec::new();
        for variable in &variables {
            if variable.has('n') {
                references.push(variable);
                continue;
            }
            self.value(variable);
            if !variable.attributes.is_empty() {
                let letters = format!("-{}", variable.attributes);
                attributes.entry(letters).or_default().push(&variable.name);
            }
        }
        // After the values: an attribute such as `i` would have them evaluated. Last what cannot
        // be changed any more.
        let (readonly, others): (Vec<_>, Vec<_>) = attributes
            .into_iter()
            .partition(|(letters, _)| letters.contains('r'));
        for (letters, names) in others.into_iter().chain(readonly) {
            self.names(&format!("\\builtin declare {letters}"), names.into_iter());
        }
        for variable in references {
            let letters = &variable.attributes;
            self.begin(&format!("\\builtin declare -{letters} {}", variable.name));
            if let Value::Text(target) = &variable.value {
                self.text(b"=");
                target.quoted(&mut self.0);
            }
            self.end();
        }
    }

    fn value(&mut self, variable: &Variable) {
        let name = &variable.name;
        match &variable.value {
            Value::None => self.line(&format!("\\builtin declare {name}")),
            Value::Text(text) => {
                self.begin(&format!("{name}="));
                text.quoted(&mut self.0);
                self.end();
            }
            Value::Array(None) => self.line(&format!("\\builtin declare -a {name}")),
            Value::Map(None) => self.line(&format!("\\builtin declare -A {name}")),
            Value::Array(Some(elements)) => {
                self.begin(&format!("{name}=("));
                for (index, text) in elements {
                    self.text(format!("[{index}]=").as_bytes());
                    text.quoted(&mut self.0);
                    self.text(b" ");
                }
                self.text(b")\n");
            }
            Value::Map(Some(elements)) => {
                self.line(&format!("\\builtin declare -A {name}"));
                self.begin(&format!("{name}=("));
                for (key, text) in elements {
                    self.text(b"[");
                    key.quoted(&mut self.0);
                    self.text(b"]=");
                    text.quoted(&mut self.0);
                    self.text(b" ");
                }
                self.text(b")\n");
            }
        }
    }
}

//! Bash's own variables, and which of them a shell carries from call to call.
//!
//! A new bash reads some of them as numbers, expands others, and keeps others for itself. So of
//! these only values are carried that mean nothing but themselves, wherever bash uses them.

use crate::model::shell_state::{Value, Variable};

/// How a variable of bash's own is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carriage {
    /// Not at all: bash keeps it, it is about one process only, or it is code.
    Never,
    /// If it is a plain number.
    Number,
    /// If nothing in it is expanded: bash does that to a prompt.
    Prompt,
    /// As text, which bash only compares or splits.
    Text,
}

use Carriage::{Never, Number, Prompt, Text};

/// All that `bash(1)` and the `variables.c` of bash know, sorted, but for those that begin with
/// `BASH`, and for those that bash sets and never reads: `MAPFILE`, `OPTARG` and `REPLY`.
const OWN: [(&str, Carriage); 94] = [
    ("CDPATH", Text),
    ("CHILD_MAX", Number),
    ("COLUMNS", Number),
    ("COMPREPLY", Never),
    ("COMP_CWORD", Never),
    ("COMP_KEY", Never),
    ("COMP_LINE", Never),
    ("COMP_POINT", Never),
    ("COMP_TYPE", Never),
    ("COMP_WORDBREAKS", Never),
    ("COMP_WORDS", Never),
    ("COPROC", Never),
    ("COPROC_PID", Never),
    ("DIRSTACK", Never),
    ("EMACS", Text),
    // A file of commands, named by a text that is expanded.
    ("ENV", Never),
    ("EPOCHREALTIME", Never),
    ("EPOCHSECONDS", Never),
    ("EUID", Never),
    ("EXECIGNORE", Text),
    ("FCEDIT", Text),
    ("FIGNORE", Text),
    ("FUNCNAME", Never),
    ("FUNCNEST", Number),
    // Where the C library of bash itself finds code for a locale.
    ("GCONV_PATH", Never),
    ("GLOBIGNORE", Text),
    ("GLOBSORT", Text),
    ("GROUPS", Never),
    ("HISTCMD", Never),
    ("HISTCONTROL", Text),
    ("HISTFILE", Text),
    ("HISTFILESIZE", Number),
    ("HISTIGNORE", Text),
    ("HISTSIZE", Number),
    ("HISTTIMEFORMAT", Text),
    ("HOME", Text),
    ("HOSTFILE", Text),
    ("HOSTNAME", Text),
    ("HOSTTYPE", Text),
    ("IFS", Text),
    ("IGNOREEOF", Number),
    ("INPUTRC", Text),
    ("INSIDE_EMACS", Text),
    ("LANG", Text),
    ("LC_ALL", Text),
    ("LC_COLLATE", Text),
    ("LC_CTYPE", Text),
    ("LC_MESSAGES", Text),
    ("LC_NUMERIC", Text),
    ("LC_TIME", Text),
    ("LINENO", Never),
    ("LINES", Number),
    ("LOCPATH", Never),
    ("MACHTYPE", Text),
    ("MAIL", Text),
    ("MAILCHECK", Number),
    // The messages in it are expanded.
    ("MAILPATH", Never),
    ("OLDPWD", Text),
    ("OPTERR", Number),
    ("OPTIND", Number),
    ("OSTYPE", Text),
    ("PATH", Text),
    ("PIPESTATUS", Never),
    ("POSIXLY_CORRECT", Never),
    ("PPID", Never),
    ("PROMPT_COMMAND", Never),
    ("PROMPT_DIRTRIM", Number),
    ("PS0", Prompt),
    ("PS1", Prompt),
    ("PS2", Prompt),
    ("PS3", Prompt),
    ("PS4", Prompt),
    ("PWD", Never),
    ("RANDOM", Never),
    ("READLINE_ARGUMENT", Never),
    ("READLINE_LINE", Never),
    ("READLINE_MARK", Never),
    ("READLINE_POINT", Never),
    ("SECONDS", Never),
    ("SHELL", Text),
    ("SHELLOPTS", Never),
    ("SHLVL", Never),
    ("SRANDOM", Never),
    ("TERM", Text),
    ("TERMCAP", Text),
    ("TERMINFO", Text),
    ("TEXTDOMAIN", Text),
    ("TEXTDOMAINDIR", Text),
    ("TIMEFORMAT", Text),
    ("TMOUT", Number),
    ("TMPDIR", Text),
    ("TZ", Text),
    ("UID", Never),
    ("_", Never),
];

/// The three with small letters stand apart, because they sort behind all others.
const SMALL: [(&str, Carriage); 3] = [
    ("auto_resume", Text),
    ("histchars", Text),
    ("ignoreeof", Number),
];

fn carriage(name: &str) -> Option<Carriage> {
    if name.starts_with("BASH") || name.starts_with("__bashful_") {
        return Some(Never);
    }
    let mut own = OWN.iter().chain(&SMALL);
    own.find(|(own, _)| *own == name).map(|(_, how)| *how)
}

/// Whether bash uses it by itself, so that a text depends on it without naming it.
pub(super) fn is_used_by_bash(name: &str) -> bool {
    carriage(name).is_some()
}

/// Whether no call has it from the one before, whatever it holds.
pub(super) fn is_never_carried(name: &str) -> bool {
    carriage(name) == Some(Never)
}

/// Whether the next call may have this variable as it is.
pub(super) fn may_be_carried(variable: &Variable) -> bool {
    let Some(carriage) = carriage(&variable.name) else {
        return true;
    };
    // Of these none has to be a list or another name, and only numbers to be numbers.
    let plain = !variable.has('n') && (!variable.has('i') || carriage == Number);
    let holds = |fits: fn(u8) -> bool| match &variable.value {
        Value::None => true,
        Value::Text(text) => text.0.iter().all(|byte| fits(*byte)),
        Value::Array(_) | Value::Map(_) => false,
    };
    plain
        && match carriage {
            Never => false,
            Number => holds(|byte| byte.is_ascii_digit()),
            Prompt => holds(|byte| !b"$`\\".contains(&byte)),
            Text => holds(|_| true),
        }
}

/// The names, for tests of all of them.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OWN.iter().chain(&SMALL).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted() {
        assert!(names().is_sorted());
    }

    #[test]
    fn only_what_means_itself_is_carried() {
        let carried = |name: &str, attributes: &str, value: &str| {
            may_be_carried(&Variable {
                name: name.to_owned(),
                attributes: attributes.to_owned(),
                value: Value::Text(value.into()),
            })
        };
        for (name, attributes, value) in [
            ("OPTIND", "i", "3"),
            ("COLUMNS", "x", "80"),
            ("PS4", "", "+ "),
            ("PS1", "x", "(venv) "),
            ("IFS", "r", "$(id)"),
            ("mine", "i", "a[$(id)]"),
        ] {
            assert!(carried(name, attributes, value), "{name} {value}");
        }
        for (name, attributes, value) in [
            ("OPTIND", "", "a[0]"),
            ("OPTIND", "", "-1"),
            ("OPTIND", "n", "3"),
            ("TMOUT", "", "x"),
            ("PS4", "", "$(id)"),
            ("PS4", "", "\\044(id)"),
            ("IFS", "i", "1"),
            ("RANDOM", "", "1"),
            ("BASH_ENV", "x", "file"),
            ("BASH_FUTURE", "", "1"),
        ] {
            assert!(!carried(name, attributes, value), "{name} {value}");
        }
    }
}

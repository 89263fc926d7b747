//! What a shell remembers from earlier calls, as facts for the next one.
//!
//! A run wrote it, so it is judged like a text of that run: an allow rule never covers a name that
//! it gave another meaning, and a variable that changes other programs is asked about.

use crate::facts::UnknownKind;
use crate::read::on_enough_stack;
use crate::shell::{self, Base, Node};

/// What the shell that reads a text remembers from earlier calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellMemory {
    /// Its functions, as bash writes their definitions.
    pub functions: String,
    /// Those of them that other shells get.
    pub exported_functions: Vec<String>,
    /// Its aliases, name and text.
    pub aliases: Vec<(String, String)>,
    /// Whether it expands them.
    pub expands_aliases: bool,
    /// Its variables, as far as they are not those of every run.
    pub variables: Vec<RememberedVariable>,
    /// `$1` and so on; none when not known.
    pub parameters: Option<Vec<String>>,
    /// After `set -e` a failure ends the text.
    pub stops_on_failure: bool,
    /// Those options of `set` and `shopt` that are on and are not on in every run.
    pub options: Vec<String>,
}

/// One variable of a shell.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the attributes that bash gives to a variable, no state among them"
)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RememberedVariable {
    /// The name, without `$`.
    pub name: String,
    /// What it holds, if that is one text and may be shown.
    pub value: Option<String>,
    /// Whether programs get it.
    pub exported: bool,
    /// Whether it evaluates what it is given, or stands for another variable.
    pub evaluates: bool,
    /// Whether it stands for another variable, as after `declare -n`.
    pub refers: bool,
    /// Whether it keeps its value whatever it is given.
    pub readonly: bool,
    /// Whether it turns what it is given into small or capital letters.
    pub changes_case: bool,
}

/// Why a text is not a list of functions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotFunctions {
    /// It is not bash, or not bash that is understood.
    #[error("it cannot be read: {}", kind.as_str())]
    Unreadable {
        /// What kind of trouble.
        kind: UnknownKind,
    },
    /// The text would run a command besides defining functions.
    #[error("it holds more than functions, at byte {at}")]
    SomethingElse {
        /// The byte of the text at which that begins.
        at: usize,
    },
}

/// One function that a text defines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definition {
    /// The name that the function is called by.
    pub name: String,
    /// What stands behind `NAME () `, redirections included.
    pub body: String,
}

/// The functions that a text defines, as `declare -f` of bash prints them. A text that would do
/// anything else when it is read is refused, but for the lines `declare -fx NAME` that bash puts
/// behind a function: those are left out.
///
/// ```
/// use bashful_policy::functions_of;
///
/// let functions = functions_of("a () { ls; }\ndeclare -fx a\nb () ( ls )").unwrap();
/// assert_eq!((&*functions[0].name, &*functions[0].body), ("a", "{ ls; }"));
/// assert_eq!((&*functions[1].name, &*functions[1].body), ("b", "( ls )"));
/// assert!(functions_of("a () { ls; }; ls").is_err());
/// ```
pub fn functions_of(text: &str) -> Result<Vec<Definition>, NotFunctions> {
    let unreadable = NotFunctions::Unreadable {
        kind: UnknownKind::TooComplex,
    };
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let read = on_enough_stack(&[text], || read_functions(&without_attributes(text)));
    read.unwrap_or(Err(unreadable))
}

/// The text without the `declare -f…` lines that bash prints about its functions.
fn without_attributes(text: &str) -> String {
    let tree = shell::parse(text, Base::Offset(0));
    let mut left = text.to_owned();
    for statement in tree.body.iter().rev() {
        let (start, end) = statement.span;
        let written = text.get(start..end).unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:+-@%,".contains(&byte);
        let said = written.strip_prefix("declare -f").and_then(|rest| {
            let (letters, name) = rest.split_once(' ')?;
            let known = !letters.is_empty() && letters.bytes().all(|byte| b"rtx".contains(&byte));
            (known && name.bytes().all(plain)).then_some(())
        });
        if said.is_some() && matches!(statement.node, Node::Simple(_)) && !statement.background {
            left.replace_range(start..end, "");
        }
    }
    left
}

/// Whether a definition begins here, with no `!` or the like before it.
fn stands_alone(text: &str, start: usize) -> bool {
    let begins = text.get(start..).and_then(|rest| rest.chars().next());
    let line = text
        .get(..start)
        .and_then(|before| before.rsplit('\n').next());
    let before = line.map_or("?", str::trim);
    begins != Some('!') && (before.is_empty() || before.ends_with(';'))
}

/// The body of a function that is written as bash writes it.
fn body<'a>(written: &'a str, name: &str) -> Option<&'a str> {
    let written = written.strip_prefix("function ").unwrap_or(written);
    let rest = written.strip_prefix(name)?.trim_start_matches(' ');
    Some(rest.strip_prefix("()")?.trim())
}

fn read_functions(text: &str) -> Result<Vec<Definition>, NotFunctions> {
    let tree = shell::parse(text, Base::Offset(0));
    if let Some((kind, _)) = tree.problems.first() {
        return Err(NotFunctions::Unreadable { kind: *kind });
    }
    let definition = |statement: &shell::Statement| {
        let (start, end) = statement.span;
        let Node::Function(name, _) = &statement.node else {
            return None;
        };
        let body = body(text.get(start..end)?, name)?;
        (!statement.background && stands_alone(text, start)).then(|| Definition {
            name: name.clone(),
            body: body.to_owned(),
        })
    };
    let or_else = |statement: &shell::Statement| {
        definition(statement).ok_or(NotFunctions::SomethingElse {
            at: statement.span.0,
        })
    };
    tree.body.iter().map(or_else).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definitions_are_functions() {
        let good = [
            "",
            "f () \n{ \n    echo hi\n}\n",
            "f () \n{ \n    cat <<EOF\n}\nEOF\n\n}\n",
            "f () \n{ \n    echo hi\n} > \"$(id)\"\n",
            "f () \n( \n    a\n)\ng () \n{ \n    b\n}\n",
            "function a-b () \n{ \n    :\n}\n",
            "f () \n{ \n    :\n}\ndeclare -frx f\n",
        ];
        for text in good {
            assert!(functions_of(text).is_ok(), "{text:?}");
        }
        let bad = [
            "id",
            "f () { :; }; id",
            "f () { :; } && id",
            "f () { :; } | id",
            "f () { :; } &",
            "! f () { :; }",
            "f () { :; }\nid",
            "x=1",
            "{ f () { :; }; }",
            "if f () { :; }; then :; fi",
            "f () { :; ",
            "coproc f () { :; }",
            "f () { :; }; declare -fx $(id)",
            "f () { :; }; declare -fx f; id",
            "f () { :; }; declare -x f=1",
        ];
        for text in bad {
            assert!(functions_of(text).is_err(), "{text:?}");
        }
    }
}

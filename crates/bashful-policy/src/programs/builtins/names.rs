//! Names of variables: which words are one, and which hide code in a subscript.

use crate::facts::Argument;

/// Whether this is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether this is a name, perhaps with a subscript that holds no code.
pub(super) fn is_name_with_subscript(text: &str) -> bool {
    let Some((name, subscript)) = text.split_once('[') else {
        return is_name(text);
    };
    // A name in a subscript is evaluated in turn, unless the array has keys; a number is not.
    is_name(name)
        && subscript.strip_suffix(']').is_some_and(|inside| {
            inside
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-.@*".contains(&byte))
        })
}

/// Whether a word is such a name and nothing else.
pub(super) fn is_plain(word: &Argument) -> bool {
    word.is_known() && is_name_with_subscript(&word.text)
}

/// Whether a word names a variable that a built-in may set to anything.
pub(super) fn is_settable(word: &Argument) -> bool {
    is_plain(word) && is_settable_name(&word.text)
}

/// Whether a variable of this name changes nothing about how programs are found and started.
pub(super) fn is_settable_name(name: &str) -> bool {
    const STARTS: &[&str] = &["LD_", "DYLD_", "GIT_", "PYTHON", "PERL5", "RUBY", "NODE_", "BASH_"];
    let bare = name.split('[').next().unwrap_or_default();
    is_name_with_subscript(name)
        && !STARTS.iter().any(|start| bare.starts_with(start))
        && ![
            "PATH", "ENV", "IFS", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER", "SHELL",
            "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "CDPATH",
            "HOME", "LESSOPEN", "LESSCLOSE", "TAR_OPTIONS", "RUSTC_WRAPPER", "MAKEFLAGS",
            "JAVA_TOOL_OPTIONS", "GLOBIGNORE", "PWD",
        ]
        .contains(&bare)
}

/// Whether a text is a number.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word that is compared as a number holds a subscript with code in it.
pub(super) fn holds_code(word: &Argument) -> bool {
    let text = word.known();
    text.contains('[') && (text.contains(['$', '`']) || !word.is_known())
}

//! Whether the words of a text are what they look like.

use super::is_between;

/// Whether each word of a text is what it looks like: no pattern, no brace, no backslash, nothing
/// appended, and no expansion but of whole words.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        let plain = match byte {
            b'\\' | b'`' | b'*' | b'?' | b'~' => false,
            b'+' => !matches!(next, Some(b'=' | b'(')),
            b'@' | b'!' => next != Some(b'('),
            b'[' | b'{' => stands_alone(text, at),
            b'$' => match expansion(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => false,
            },
            _ => true,
        };
        if !plain {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether `[`, `[[` or `{` is a word here, as in a test or a group.
fn stands_alone(text: &[u8], at: usize) -> bool {
    let same = |byte: &&u8| Some(*byte) == text.get(at);
    let before = text.iter().take(at).rev().find(|byte| !same(byte));
    let after = text.iter().skip(at).find(|byte| !same(byte));
    let blank = |byte: Option<&u8>| byte.is_none_or(|byte| is_between(char::from(*byte)));
    blank(before) && blank(after)
}

/// The end of an expansion that begins here, if it is one of the plain ones and nothing is
/// joined to it that could make a word of both.
fn expansion(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at + 1..)?;
    let name = |rest: &[u8]| {
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(part).count();
        let begins = rest.first().is_some_and(|byte| !byte.is_ascii_digit());
        (length > 0 && begins).then_some(length)
    };
    let length = match rest.first()? {
        b'{' => {
            let length = name(rest.get(1..)?)?;
            let ends = rest.get(1 + length..)?;
            let tail = [&b"}"[..], b"[@]}"].into_iter();
            1 + length + tail.clone().find(|tail| ends.starts_with(tail))?.len()
        }
        b'@' | b'0'..=b'9' => 1,
        _ => name(rest)?,
    };
    let end = at + 1 + length;
    let quote = |byte: &&u8| !matches!(byte, b'"' | b'\'');
    let apart = |byte: Option<&u8>| {
        byte.is_none_or(|byte| is_between(char::from(*byte)) || b"=/:,".contains(byte))
    };
    let before = text.iter().take(at).rev().find(quote);
    let after = text.iter().skip(end).find(quote);
    (apart(before) && apart(after)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_told_from_others() {
        for text in [
            "npm test",
            "python3 \"$x\" ${y} \"${list[@]}\" \"$@\" $1",
            "[ -f file ] && [[ -n $x ]] || { make; }",
            "a=$x make --prefix=\"$HOME\"/lib",
            "git commit -m 'a b, c.' 2>&1 | cat",
        ] {
            assert!(is_plain(text.as_bytes()), "{text}");
        }
        for text in [
            "$a$b",
            "\"$a\"\"$b\"",
            "$a\"l\"",
            "ev$a",
            "${a}l",
            "\"$*\"",
            "${a[*]}",
            "${!a}",
            "${a@P}",
            "$(cat x)",
            "`cat x`",
            "$'\\x65'",
            "e\\val",
            "{e,x}val",
            "e?al",
            "ev*",
            "ev[a]l",
            "~",
            "a+=l",
            "$((x))",
            "ev@(al)",
        ] {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }
}

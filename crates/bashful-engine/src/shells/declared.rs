//! Reading what `declare -p` and `alias -p` print, and nothing else.
//!
//! A run wrote it, and could have written anything. What is not exactly what bash prints is
//! refused, and what is read becomes values; no text of it is ever given to a shell.

use std::collections::BTreeSet;

use crate::model::shell_bytes::Bytes;
use crate::model::shell_state::{Value, Variable};

/// Reads a list of variables; none if it is not exactly one.
pub(super) fn variables(text: &[u8]) -> Option<Vec<Variable>> {
    let mut reader = Reader { rest: text };
    let mut variables = Vec::new();
    let mut names = BTreeSet::new();
    while !reader.rest.is_empty() {
        let variable = reader.variable()?;
        reader.skip(b"\n")?;
        // Bash lists each once; a second would be given to what the first made of it.
        names.insert(variable.name.clone()).then_some(())?;
        variables.push(variable);
    }
    Some(variables)
}

/// Reads a list of aliases; none if it is not exactly one.
pub(super) fn aliases(text: &[u8]) -> Option<Vec<(String, Bytes)>> {
    let mut reader = Reader { rest: text };
    let mut aliases = Vec::new();
    while !reader.rest.is_empty() {
        reader.skip(b"alias ")?;
        // Before a name that looks like an option.
        let _ = reader.skip(b"-- ");
        let name = reader.until(b'=')?;
        let name = String::from_utf8(name.to_vec()).ok()?;
        if !is_alias(&name) {
            return None;
        }
        let text = reader.single_quoted()?;
        reader.skip(b"\n")?;
        aliases.push((name, text));
    }
    Some(aliases)
}

/// Whether this can be the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next();
    first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether this can be the name of an alias. Bash takes more than these.
fn is_alias(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|next| next.is_alphanumeric() || "_.:+-@%,!^~?".contains(next))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn skip(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// What comes before this byte, which is skipped.
    fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = self.rest.iter().position(|&byte| byte == end)?;
        let (before, rest) = self.rest.split_at_checked(at)?;
        self.rest = rest.get(1..)?;
        Some(before)
    }

    fn variable(&mut self) -> Option<Variable> {
        self.skip(b"declare -")?;
        let attributes = self.until(b' ')?;
        let attributes = String::from_utf8(attributes.to_vec()).ok()?;
        let mut letters: Vec<char> = match attributes.as_str() {
            "-" => Vec::new(),
            letters => letters.chars().collect(),
        };
        if letters.iter().any(|letter| !"aAilnrtuxc".contains(*letter)) {
            return None;
        }
        let end = |byte: &u8| matches!(byte, b'=' | b'\n');
        let at = self.rest.iter().position(end)?;
        let (name, rest) = self.rest.split_at_checked(at)?;
        self.rest = rest;
        let name = String::from_utf8(name.to_vec()).ok()?;
        if !is_name(&name) {
            return None;
        }
        let (list, map) = (letters.contains(&'a'), letters.contains(&'A'));
        let has_value = self.skip(b"=").is_some();
        let value = match (list, map, has_value) {
            (true, true, _) => return None,
            (true, _, false) => Value::Array(None),
            (_, true, false) => Value::Map(None),
            (true, _, true) => Value::Array(Some(self.list()?)),
            (_, true, true) => Value::Map(Some(self.map()?)),
            (_, _, false) => Value::None,
            (_, _, true) => Value::Text(self.word()?),
        };
        letters.retain(|letter| !matches!(letter, 'a' | 'A'));
        letters.sort_unstable();
        letters.dedup();
        Some(Variable {
            name,
            attributes: letters.into_iter().collect(),
            value,
        })
    }

    fn list(&mut self) -> Option<Vec<(u64, Bytes)>> {
        let mut elements = Vec::new();
        self.skip(b"(")?;
        while self.skip(b")").is_none() {
            self.skip(b"[")?;
            // A number and nothing else: the shell would evaluate it.
            let index = std::str::from_utf8(self.until(b']')?).ok()?;
            let plain = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            let index = index.parse().ok().filter(|_| plain)?;
            self.skip(b"=")?;
            elements.push((index, self.word()?));
            let _ = self.skip(b" ");
        }
        Some(elements)
    }

    fn map(&mut self) -> Option<Vec<(Bytes, Bytes)>> {
        let mut elements = Vec::new();
        self.skip(b"(")?;
        while self.skip(b")").is_none() {
            self.skip(b"[")?;
            let key = match self.rest.first()? {
                b'"' | b'$' => {
                    let key = self.word()?;
                    self.skip(b"]")?;
                    key
                }
                _ => {
                    let key = self.until(b']')?;
                    if key.is_empty() || key.iter().any(|byte| !is_plain(*byte)) {
                        return None;
                    }
                    Bytes(key.to_vec())
                }
            };
            self.skip(b"=")?;
            elements.push((key, self.word()?));
            let _ = self.skip(b" ");
        }
        Some(elements)
    }

    /// A value in `"…"` or `$'…'`.
    fn word(&mut self) -> Option<Bytes> {
        if self.skip(b"\"").is_some() {
            return self.double_quoted();
        }
        self.skip(b"$'")?;
        let mut bytes = Vec::new();
        loop {
            match self.byte()? {
                b'\'' => return Some(Bytes(bytes)),
                b'\\' => bytes.push(self.escape()?),
                0 => return None,
                byte => bytes.push(byte),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<Bytes> {
        let mut bytes = Vec::new();
        loop {
            match self.byte()? {
                b'"' => return Some(Bytes(bytes)),
                b'\\' => {
                    let escaped = self.byte()?;
                    if !b"\\\"$`".contains(&escaped) {
                        return None;
                    }
                    bytes.push(escaped);
                }
                0 | b'$' | b'`' => return None,
                byte => bytes.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<u8> {
        Some(match self.byte()? {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            byte @ (b'\\' | b'\'' | b'"' | b'?') => byte,
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let digit = self.byte()?;
                    if !matches!(digit, b'0'..=b'7') {
                        return None;
                    }
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).ok().filter(|&byte| byte != 0)?
            }
            _ => return None,
        })
    }

    /// What `alias -p` prints: `'…'` with `'\''` for a quote, or `$'…'`.
    fn single_quoted(&mut self) -> Option<Bytes> {
        if self.rest.starts_with(b"$'") {
            return self.word();
        }
        let mut bytes = Vec::new();
        let mut begun = false;
        loop {
            if self.skip(b"'").is_some() {
                begun = true;
                let part = self.until(b'\'')?;
                if part.contains(&0) {
                    return None;
                }
                bytes.extend(part);
            } else if self.skip(b"\\'").is_some() {
                begun = true;
                bytes.push(b'\'');
            } else {
                return begun.then_some(Bytes(bytes));
            }
        }
    }
}

/// Bytes that bash leaves without quotes in a key.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./+:,%@#~=".contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<Variable> {
        variables(format!("{text}\n").as_bytes())?.pop()
    }

    #[test]
    fn what_bash_prints_is_read() {
        let text = |text: &str| Value::Text(text.into());
        let cases = [
            (
                r#"declare -- x="a \"b\" \$c \`d\` \\""#,
                "",
                text("a \"b\" $c `d` \\"),
            ),
            ("declare -- x=\"a\nb\"", "", text("a\nb")),
            (
                r"declare -x x=$'\n\t\E\001\'\\'",
                "x",
                text("\n\t\u{1b}\u{1}'\\"),
            ),
            (r#"declare -irx x="5""#, "irx", text("5")),
            ("declare -x x", "x", Value::None),
            ("declare -a x=()", "", Value::Array(Some(Vec::new()))),
            ("declare -a x", "", Value::Array(None)),
            (
                r#"declare -ar x=([0]="a" [7]=$'\377')"#,
                "r",
                Value::Array(Some(vec![(0, "a".into()), (7, Bytes(vec![0xff]))])),
            ),
            (
                r#"declare -A x=([k]="v" ["a b"]="]" )"#,
                "",
                Value::Map(Some(vec![
                    ("k".into(), "v".into()),
                    ("a b".into(), "]".into()),
                ])),
            ),
        ];
        for (line, attributes, value) in cases {
            let expected = Variable {
                name: "x".to_owned(),
                attributes: attributes.to_owned(),
                value,
            };
            assert_eq!(one(line), Some(expected), "{line}");
        }
        let read = aliases(b"alias a='b'\\''c'\nalias -- -x='y'\nalias e=''\n").unwrap();
        let names: Vec<_> = read.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "-x", "e"]);
        assert_eq!(read[0].1, "b'c".into());
    }

    #[test]
    fn what_bash_does_not_print_is_refused() {
        for line in [
            "x=1",
            "declare -- x=$(id)",
            "declare -- x=\"$(id)\"",
            "declare -- x=\"`id`\"",
            "declare -- x=a",
            "declare -- x='a'",
            "declare -- x=\"a\"; id",
            "declare -- x=\"a\" id",
            "declare -- x y",
            "declare -- x[$(id)]=\"a\"",
            "declare -f x",
            "declare -- 1x=\"a\"",
            "declare -- x=\"a\\n\"",
            "declare -- x=$'\\x41'",
            "declare -- x=$'\\000'",
            "declare -- x=$'\\400'",
            "declare -a x=([a]=\"b\")",
            "declare -a x=([$(id)]=\"b\")",
            "declare -a x=([0x1]=\"b\")",
            "declare -a x=([-1]=\"b\")",
            "declare -A x=([$(id)]=\"b\")",
            "declare -A x=([`id`]=\"b\")",
            "declare -aA x=()",
            "declare -- x=\"a",
            " declare -- x=\"a\"",
            "declare -i x=\"1\"\ndeclare -- x=\"a\"",
        ] {
            assert_eq!(one(line), None, "{line}");
        }
        for line in [
            "alias x=y\n",
            "alias x='a';id\n",
            "alias $(id)='a'\n",
            "id\n",
        ] {
            assert_eq!(aliases(line.as_bytes()), None, "{line}");
        }
    }
}

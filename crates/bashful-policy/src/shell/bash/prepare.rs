//! What the parser must not see, because it would fall over it.

use std::borrow::Cow;

/// Brackets nest no deeper than this, and prefixes such as `time` do not repeat more often.
const MAX_DEPTH: usize = 48;

/// More substitutions and here-documents than this are not ordinary work.
const MAX_EXPANSIONS: usize = 16 * 1024;
/// Nor are more braces; long data in a here-document has some.
const MAX_BRACES: usize = 32 * 1024;

/// The text for the parser. Each replacement has the length of what it replaces, so that places
/// in the tree are places in the text.
pub(super) fn for_parser(text: &str) -> Cow<'_, str> {
    // It would expand aliases by itself, with spans that lie outside of the text; aliases are
    // followed in the walk instead.
    let mut prepared = Cow::Borrowed(text);
    // It cuts other characters in two; none of them means anything to the shell.
    if !text.is_ascii() {
        let plain = |character: char| match character.len_utf8() {
            1 => character.to_string(),
            length => ".".repeat(length),
        };
        prepared = Cow::Owned(text.chars().map(plain).collect());
    }
    if text.contains("expand_aliases") {
        prepared = Cow::Owned(prepared.replace("expand_aliases", "expand_aliasez"));
    }
    // It takes the `}` of `\\{}` for the end of a group.
    if text.contains("\\{") {
        prepared = Cow::Owned(without_escaped_braces(&prepared));
    }
    // A text in quotes that begins with a line end behind a backslash has its escapes misplaced. There
    // a line goes on, and nothing stands.
    if text.contains("\"\\\n") {
        prepared = Cow::Owned(without_first_line_ends(&prepared));
    }
    // Behind `\"` in quotes it misplaces a substitution or a here-document. Such a quote opens and
    // closes nothing, but in backticks, where the backslash goes first.
    let misplaced = text.contains("$(") || text.contains("<<");
    if text.contains("\\\"") && misplaced && !text.contains('`') {
        prepared = Cow::Owned(without_escaped_quotes(&prepared));
    }
    prepared
}

/// Hides a line end behind `"\`. A comment ends with its line whatever stands before the end, so a
/// line with a `#` stays as it is, and in a here-document it may be text. What is read of a word is
/// its own text, not what hides it.
fn without_first_line_ends(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut may_be_document = false;
    for line in text.split_inclusive('\n') {
        may_be_document |= line.contains("<<");
        match line.strip_suffix("\\\n") {
            Some(before) if before.ends_with('"') && !before.contains('#') && !may_be_document => {
                plain.push_str(before);
                plain.push_str("__");
            }
            _ => plain.push_str(line),
        }
    }
    plain
}

fn without_escaped_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some('"')) if !plain.trim_end().ends_with("<<") => {
                plain.push_str("__");
                characters.next();
            }
            ('\\', Some(next)) => {
                plain.push(character);
                plain.push(next);
                characters.next();
            }
            _ => plain.push(character),
        }
    }
    plain
}

/// The `}` of `${x#\{}` ends an expansion, and stays.
fn without_escaped_braces(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut escaped, mut opened) = (false, false);
    let mut expansions = 0_usize;
    let mut before = ' ';
    for character in text.chars() {
        let brace = escaped && character == '{' || opened && character == '}' && expansions == 0;
        plain.push(if brace { '_' } else { character });
        match character {
            '{' if before == '$' && !escaped => expansions += 1,
            '}' if !escaped => expansions = expansions.saturating_sub(1),
            _ => {}
        }
        opened = brace && character == '{';
        // A sign that was escaped itself begins nothing.
        before = if escaped { ' ' } else { character };
        escaped = character == '\\' && !escaped;
    }
    plain
}

/// The text with `for` in place of the `select` without a list whose end is here: the parser wants a
/// list, and for what may run both are the same loop over the parameters. None if there is none.
pub(super) fn with_for(text: &str, at: usize) -> Option<String> {
    const SELECT: &str = "select";
    let before = text.get(..at)?.trim_end();
    let name = before
        .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .next()?;
    let word = before.strip_suffix(name).filter(|_| !name.is_empty())?;
    let start = word.trim_end().strip_suffix(SELECT)?.len();
    let mut changed = text.to_owned();
    changed.replace_range(start..start + SELECT.len(), "   for");
    Some(changed)
}

/// Whether a text nests deeper than the parser's stack can follow, or has more expansions than it
/// reads in reasonable time, seen without regard to quotes.
pub(super) fn is_too_complex(text: &str) -> bool {
    is_too_deep(text) || has_too_much(text)
}

fn has_too_much(text: &str) -> bool {
    let (mut expansions, mut braces) = (0_usize, 0_usize);
    let mut before = 0;
    for byte in text.bytes() {
        match (before, byte) {
            (b'$' | b'<' | b'>', b'(') | (b'<', b'<') | (_, b'`') => expansions += 1,
            (_, b'{') => braces += 1,
            _ => {}
        }
        before = byte;
    }
    expansions > MAX_EXPANSIONS || braces > MAX_BRACES
}

fn is_too_deep(text: &str) -> bool {
    let mut depth = [0_usize; 3];
    for (at, byte) in text.bytes().enumerate() {
        let (kind, opens) = match byte {
            b'[' if is_escape_sequence(text, at) => continue,
            b'(' => (0, true),
            b')' => (0, false),
            b'{' => (1, true),
            b'}' => (1, false),
            b'[' => (2, true),
            b']' => (2, false),
            _ => continue,
        };
        if let Some(depth) = depth.get_mut(kind) {
            *depth = if opens {
                *depth + 1
            } else {
                depth.saturating_sub(1)
            };
            if *depth > MAX_DEPTH {
                return true;
            }
        }
    }
    let mut run = 0_usize;
    for word in text.split_ascii_whitespace() {
        let prefix = matches!(word, "time" | "coproc" | "!" | "-p" | "--" | "function");
        run = if prefix { run + 1 } else { 0 };
        if run > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Whether a `[` belongs to a code for terminals, such as `\e[1m`. Long scripts are full of them,
/// and nothing nests in what is no name.
fn is_escape_sequence(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let escapes = ["\\e", "\\E", "\\033", "\\x1b", "\\x1B", "\u{1b}"];
    escapes.iter().any(|escape| before.ends_with(escape))
}

/// Whether an error of the parser is about one of its limits, and not about the text.
pub(super) fn is_limit(message: &str) -> bool {
    [
        "too deep", "too long", "too large", "exhausted", "exceeded", "limit", "budget", "too many",
    ]
    .iter()
    .any(|word| message.contains(word))
}

/// A text with a blank behind each `{` that seems to open the body of a function, as in
/// `f(){f|f&}`; none if it has no such brace.
pub(super) fn with_blanks(text: &str) -> Option<String> {
    let mut loose = String::new();
    let mut before: &str = "";
    for part in text.split_inclusive('{') {
        let word = before.trim_end_matches(['{', ' ', '\t']);
        let opens = word.ends_with(')') || word.starts_with("function ");
        if opens && !part.starts_with([' ', '\t', '\n', '}']) {
            loose.push(' ');
        }
        loose.push_str(part);
        before = part
            .rsplit(['\n', ';', '&', '|'])
            .next()
            .unwrap_or_default()
            .trim_start();
    }
    (loose.len() > text.len()).then_some(loose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_the_same() {
        let cases = [
            ("echo \\{} x", "echo \\__ x"),
            ("echo \\\\{a,b}", "echo \\\\{a,b}"),
            ("echo ${x#\\{} \\{}", "echo ${x#\\_} \\__"),
            ("echo \\${x} ${y} \\{}", "echo \\${x} ${y} \\__"),
            ("shopt -s expand_aliases", "shopt -s expand_aliasez"),
            ("a=\"\\\nb \\`c\"", "a=\"__b \\`c\""),
            ("# a \"\\\nb", "# a \"\\\nb"),
            ("a <<E\n\"\\\nb\nE", "a <<E\n\"\\\nb\nE"),
            ("a \"\\\\\nb\"", "a \"\\\\\nb\""),
            ("ls", "ls"),
            ("echo \u{e9}\u{2713}", "echo ....."),
        ];
        for (text, prepared) in cases {
            assert_eq!(for_parser(text), prepared);
            assert_eq!(for_parser(text).len(), text.len());
        }
    }

    #[test]
    fn a_select_without_a_list_is_read_as_a_loop() {
        let text = "f() { select x; do y; done; }";
        assert_eq!(with_for(text, 14).unwrap(), "f() {    for x; do y; done; }");
        for (text, at) in [("select", 6), ("for x", 5), ("select $x", 9), ("", 0)] {
            assert_eq!(with_for(text, at), None, "{text}");
        }
    }

    #[test]
    fn deep_texts_are_seen() {
        assert!(is_too_deep(&"(".repeat(80)) && is_too_deep(&"time ".repeat(80)));
        assert!(is_too_deep(&"a[".repeat(80)) && is_too_deep(&"${x:-".repeat(80)));
        assert!(!is_too_deep(&"$(a) {b} c[1] ".repeat(1000)) && !is_too_deep("time ! ls"));
    }

    /// Each of these must end, however it ends: a stack that overflows ends the process.
    #[test]
    fn codes_for_terminals_nest_nothing() {
        for escape in ["\\e", "\\E", "\\033", "\\x1b", "\\x1B", "\u{1b}"] {
            for open in ["", "a", "${a", "$((a", "[[ a", "((a", "a=(", "\"", "$'", "let a", "{a,"] {
                let text = format!("{open}{}", format!("{escape}[1;").repeat(20_000));
                let _ = crate::read(&text, &crate::Context::of_script());
            }
        }
    }
}

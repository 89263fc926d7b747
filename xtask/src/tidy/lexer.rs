//! Tells code, comments and literals of a Rust text apart, so that words are found where they count.

/// What a character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    Comment,
    Literal,
}

/// The text with everything but one kind blanked; lines and columns stay where they are.
pub(super) fn only(kind: Kind, text: &str) -> String {
    let characters = text.chars().zip(classify(text));
    characters
        .map(|(character, its)| match character {
            '\n' => '\n',
            _ if its == kind => character,
            _ => ' ',
        })
        .collect()
}

/// The kind of each character.
fn classify(text: &str) -> Vec<Kind> {
    let characters: Vec<char> = text.chars().collect();
    let mut kinds = Vec::with_capacity(characters.len());
    while kinds.len() < characters.len() {
        let (kind, length) = piece(&characters, kinds.len());
        // An unfinished literal at the end of the text must not reach past it.
        let end = (kinds.len() + length).min(characters.len());
        kinds.resize(end, kind);
    }
    kinds
}

/// The kind and length of what starts here.
fn piece(characters: &[char], start: usize) -> (Kind, usize) {
    let at = |offset: usize| characters.get(start + offset).copied();
    match (at(0), at(1)) {
        (Some('/'), Some('/')) => {
            let rest = characters.iter().skip(start);
            let length = rest.take_while(|&&character| character != '\n').count();
            (Kind::Comment, length)
        }
        (Some('/'), Some('*')) => (Kind::Comment, block_comment(characters, start)),
        (Some('"'), _) => (Kind::Literal, quoted(characters, start, '"')),
        (Some('r'), Some('"' | '#')) if starts_word(characters, start) => {
            match raw_string(characters, start) {
                Some(length) => (Kind::Literal, length),
                None => (Kind::Code, 1),
            }
        }
        // A quote is a character when an escape follows or the next but one closes it; otherwise
        // it is a lifetime or a label.
        (Some('\''), Some('\\')) => (Kind::Literal, quoted(characters, start, '\'')),
        (Some('\''), Some(_)) if at(2) == Some('\'') => (Kind::Literal, 3),
        _ => (Kind::Code, 1),
    }
}

/// Block comments nest.
fn block_comment(characters: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut index = start;
    while let Some(&character) = characters.get(index) {
        match (character, characters.get(index + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                index += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                index += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => index += 1,
        }
    }
    index - start
}

fn quoted(characters: &[char], start: usize, quote: char) -> usize {
    let mut index = start + 1;
    while let Some(&character) = characters.get(index) {
        index += match character {
            '\\' => 2,
            _ if character == quote => return index + 1 - start,
            _ => 1,
        };
    }
    index - start
}

/// `r"…"` or `r#"…"#`; a raw identifier such as `r#type` is none.
fn raw_string(characters: &[char], start: usize) -> Option<usize> {
    let rest = characters.get(start + 1..)?;
    let hashes = rest.iter().take_while(|&&it| it == '#').count();
    if rest.get(hashes) != Some(&'"') {
        return None;
    }
    let mut closing = vec!['"'];
    closing.resize(1 + hashes, '#');
    let body = rest.get(hashes + 1..)?;
    let length = body.windows(closing.len()).position(|it| it == closing);
    // Without an end, the rest of the text is inside.
    Some(1 + hashes + 1 + length.map_or(body.len(), |length| length + closing.len()))
}

/// Whether the `r` here starts a word, perhaps behind the `b` or `c` of a byte or C string.
fn starts_word(characters: &[char], start: usize) -> bool {
    let before = |distance: usize| {
        let index = start.checked_sub(distance)?;
        characters.get(index).copied()
    };
    let in_word = |character: Option<char>| character.is_some_and(is_word);
    match before(1) {
        Some('b' | 'c') => !in_word(before(2)),
        other => !in_word(other),
    }
}

/// Whether a character can be part of an identifier.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with comments as `-` and literals as `~`, to see the borders.
    fn marked(text: &str) -> String {
        let characters = text.chars().zip(classify(text));
        characters
            .map(|(character, kind)| match (character, kind) {
                ('\n', _) | (_, Kind::Code) => character,
                (_, Kind::Comment) => '-',
                (_, Kind::Literal) => '~',
            })
            .collect()
    }

    #[test]
    fn tells_code_comments_and_literals_apart() {
        for (text, expected) in [
            ("a // b\nc", "a ----\nc"),
            ("a /* b /* c */ d */ e", "a ----------------- e"),
            (r#"a "b // c" d"#, "a ~~~~~~~~ d"),
            (r#"a "b \" c" d"#, "a ~~~~~~~~ d"),
            (r#"a r"\" d"#, "a ~~~~ d"),
            (r##"a r#"b " c"# d"##, "a ~~~~~~~~~~ d"),
            (r##"br#"b"# d"##, "b~~~~~~ d"),
            ("r#type r", "r#type r"),
            (r#"bar"x" d"#, "bar~~~ d"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            (r"'a' '\'' '\u{1F600}' x", "~~~ ~~~~ ~~~~~~~~~~~ x"),
            ("b'\"' x", "b~~~ x"),
            ("'out: loop { break 'out; }", "'out: loop { break 'out; }"),
            (r#"a "open"#, "a ~~~~~"),
            ("a /* open", "a -------"),
            (r#"a r#"open""#, "a ~~~~~~~~"),
        ] {
            assert_eq!(marked(text), expected, "{text}");
        }
    }

    #[test]
    fn one_kind_stays_in_its_place() {
        let text = "let a = \"ü\"; // Größe\nb";
        assert_eq!(only(Kind::Code, text), "let a =    ;         \nb");
        assert_eq!(only(Kind::Comment, text), "             // Größe\n ");
    }
}

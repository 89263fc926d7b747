//! Reads a shape as a person writes it: words with quotes around what needs them.

/// What stands for the rest of the words, and how it is typed where there is no such key.
const REST: &str = "…";
const REST_TYPED: &str = "...";

/// The words of a shape.
pub(super) fn read(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some(next) if next == c => break,
                        Some('\\') if c == '"' => word.extend(characters.next()),
                        Some(next) => word.push(next),
                        None => return Err(format!("the shape has a {c} that is not closed")),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            _ if c.is_control() => return Err("a shape cannot hold control characters".to_owned()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if words.is_empty() {
        return Err("a shape needs at least one word".to_owned());
    }
    if let Some(last) = words.last_mut().filter(|last| *last == REST_TYPED) {
        REST.clone_into(last);
    }
    let rest = words.iter().position(|word| word == REST);
    match rest {
        Some(at) if at + 1 < words.len() => {
            Err("`…` stands for the rest, so it must come last".to_owned())
        }
        _ => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        let words = |text| read(text).unwrap();
        assert_eq!(words("git push origin …"), ["git", "push", "origin", "…"]);
        assert_eq!(words("git push ..."), ["git", "push", "…"]);
        assert_eq!(
            words(r#"a 'b c' "d\"e" f\ g ''"#),
            ["a", "b c", "d\"e", "f g", ""]
        );
    }

    #[test]
    fn what_is_no_shape() {
        for text in ["", "  ", "a 'b", "git … main", "a\u{1b}b"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}

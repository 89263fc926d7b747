//! Token globs: patterns that match whole words, never a part of the text.

/// Stands for any one character in a pattern. No command has it: NUL is refused before.
pub(crate) const ANY_CHARACTER: char = '\0';

/// Whether a pattern with `*` matches one whole token.
pub(crate) fn matches_token(pattern: &str, token: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let token: Vec<char> = token.chars().collect();
    let (mut at, mut from) = (0, 0);
    // Where to go back to: the last star, and the first character it does not cover yet.
    let mut star: Option<(usize, usize)> = None;
    while let Some(&character) = token.get(from) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&wanted) if wanted == character || wanted == ANY_CHARACTER => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((star_at, star_from)) = star else {
                    return false;
                };
                star = Some((star_at, star_from + 1));
                at = star_at + 1;
                from = star_from + 1;
            }
        }
    }
    pattern.iter().skip(at).all(|&character| character == '*')
}

/// Whether a list of patterns matches a list of tokens. A `*` as the last pattern matches the rest.
pub(crate) fn matches_tokens<S: AsRef<str>>(patterns: &[S], tokens: &[&str]) -> bool {
    let (patterns, open) = match patterns {
        [first @ .., last] if last.as_ref() == "*" => (first, true),
        all => (all, false),
    };
    let length = if open {
        tokens.len() >= patterns.len()
    } else {
        tokens.len() == patterns.len()
    };
    let mut pairs = patterns.iter().zip(tokens);
    length && pairs.all(|(pattern, token)| matches_token(pattern.as_ref(), token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_match_whole() {
        let cases = [
            ("ls", "ls", true),
            ("ls", "lsof", false),
            ("l*", "lsof", true),
            ("*.rs", "main.rs", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*", "", true),
            ("e\0c", "etc", true),
        ];
        for (pattern, token, expected) in cases {
            assert_eq!(matches_token(pattern, token), expected, "{pattern} {token}");
        }
    }

    #[test]
    fn a_last_star_matches_the_rest() {
        assert!(matches_tokens(&["ls", "*"], &["ls"]));
        assert!(matches_tokens(&["ls", "*"], &["ls", "-l", "x"]));
        assert!(!matches_tokens(&["ls", "*"], &["lsof"]));
        assert!(!matches_tokens(&["git", "*", "x"], &["git", "x"]));
        assert!(matches_tokens(&["*"], &[]));
    }
}

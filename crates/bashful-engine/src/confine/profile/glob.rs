//! Patterns in paths: `*`, `?` and `[…]`, each within one component.

/// Whether a component is a pattern.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// What is wrong with a pattern; none if it can be used.
pub(super) fn problem(pattern: &str) -> Option<&'static str> {
    if pattern.contains("**") {
        return Some("`**` has no meaning here");
    }
    let mut rest = pattern;
    while let Some((_, after)) = rest.split_once('[') {
        let Some(set) = Set::read(after) else {
            return Some("a `[` has no `]`");
        };
        rest = set.rest;
    }
    None
}

/// Whether a name matches a pattern. As in the shell, a leading dot must be written.
///
/// It remembers only the last `*`, so it takes at most the product of both lengths.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (mut pattern, mut name) = (pattern, name);
    let mut retry: Option<(&str, &str)> = None;
    loop {
        if let Some(after) = pattern.strip_prefix('*') {
            retry = Some((after, name));
            pattern = after;
            continue;
        }
        let mut rest = name.chars();
        let step = match rest.next() {
            Some(next) => one(pattern, next),
            None if pattern.is_empty() => return true,
            None => return false,
        };
        if let Some(after) = step {
            (pattern, name) = (after, rest.as_str());
            continue;
        }
        // What the last star swallowed grows by one character.
        let Some((after, from)) = retry else {
            return false;
        };
        let mut longer = from.chars();
        if longer.next().is_none() {
            return false;
        }
        retry = Some((after, longer.as_str()));
        (pattern, name) = (after, longer.as_str());
    }
}

/// The rest of the pattern after its first element, if that matches this character.
fn one(pattern: &str, next: char) -> Option<&str> {
    let mut rest = pattern.chars();
    match rest.next()? {
        '?' => Some(rest.as_str()),
        '[' => {
            let set = Set::read(rest.as_str())?;
            set.holds(next).then_some(set.rest)
        }
        literal => (literal == next).then_some(rest.as_str()),
    }
}

/// What stands between brackets.
struct Set<'a> {
    members: &'a str,
    negated: bool,
    rest: &'a str,
}

impl<'a> Set<'a> {
    /// Reads what follows an opening bracket. A `]` that comes first is a member.
    fn read(text: &'a str) -> Option<Self> {
        let negated = text.starts_with(['!', '^']);
        let body = text.strip_prefix(['!', '^']).unwrap_or(text);
        let first = body.chars().next()?;
        let end = body
            .char_indices()
            .skip(usize::from(first == ']'))
            .find_map(|(at, next)| (next == ']').then_some(at))?;
        let (members, rest) = body.split_at_checked(end)?;
        Some(Self {
            members,
            negated,
            rest: rest.strip_prefix(']')?,
        })
    }

    fn holds(&self, next: char) -> bool {
        let members: Vec<char> = self.members.chars().collect();
        let mut found = false;
        let mut left = members.as_slice();
        while let [first, tail @ ..] = left {
            left = if let ['-', last, after @ ..] = tail {
                found |= (*first..=*last).contains(&next);
                after
            } else {
                found |= *first == next;
                tail
            };
        }
        found != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_in_the_shell() {
        let cases = [
            ("*", "a", true),
            ("*", "", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("*.md", "x.md", true),
            ("*.md", "x.mdx", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("?", "é", true),
            ("?", "ab", false),
            ("?", ".", false),
            ("[abc]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a-c]x", "dx", true),
            ("[^a]x", "ax", false),
            ("[]]", "]", true),
            ("[]-a]", "^", true),
            ("[a-]", "-", true),
            ("[", "[", false),
            ("x", "x", true),
            ("", "", true),
            ("", "x", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        let name = "a".repeat(5_000);
        assert!(!matches(
            &"*a".repeat(20).replace("aa", "a*"),
            &(name.clone() + "b")
        ));
        assert!(problem("a[b").is_some() && problem("a/**/b").is_some());
        assert!(problem("[]]*?").is_none() && problem("a]b").is_none());
    }
}

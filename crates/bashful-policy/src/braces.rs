//! Brace expansion: `{a,b}` makes several words of one.

use crate::words::{Draft, Mark};

/// More words than this from one word is not ordinary work.
const MAX_WORDS: usize = 1024;
/// Nor is more text than this.
const MAX_BYTES: usize = 4 << 20;

/// The words that one word expands to, or nothing when that passes the limits.
pub(crate) fn expand(draft: Draft) -> Option<Vec<Draft>> {
    let mut words = Vec::new();
    let mut bytes = 0;
    let mut queue = vec![draft];
    while let Some(mut draft) = queue.pop() {
        bytes += draft.bytes.len();
        if queue.len() + words.len() > MAX_WORDS || bytes > MAX_BYTES {
            return None;
        }
        if let Some(choice) = first_choice(&draft) {
            // The queue is last in, first out, so alternatives go in backwards to keep their order.
            queue.extend(choice.alternatives(&draft).into_iter().rev());
        } else {
            mark_sequence(&mut draft);
            words.push(draft);
        }
    }
    Some(words)
}

/// One `{a,b}`: its opening brace, the commas of its own level, its closing brace.
struct Choice(Vec<usize>);

impl Choice {
    fn open(&self) -> usize {
        self.0.first().copied().unwrap_or_default()
    }

    fn alternatives(&self, draft: &Draft) -> Vec<Draft> {
        let close = self.0.last().copied().unwrap_or_default();
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        let alternative = |(from, to): (&usize, &usize)| {
            let mut word = draft.slice(0..self.open());
            word.append(&draft.slice(from + 1..*to));
            word.append(&draft.slice(close + 1..draft.bytes.len()));
            word
        };
        pairs.map(alternative).collect()
    }
}

/// The first brace with a comma of its own, found in one pass.
fn first_choice(draft: &Draft) -> Option<Choice> {
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut found: Option<Choice> = None;
    for (index, (&byte, &mark)) in draft.bytes.iter().zip(&draft.marks).enumerate() {
        match (byte, mark, open.last_mut()) {
            (b'{', Mark::Plain, _) => open.push(vec![index]),
            (b',', Mark::Plain, Some(cuts)) => cuts.push(index),
            (b'}', Mark::Plain, Some(cuts)) => {
                cuts.push(index);
                let choice = Choice(open.pop().unwrap_or_default());
                // Inner braces close first, but the outer one is expanded first.
                let first = found
                    .as_ref()
                    .is_none_or(|found| choice.open() < found.open());
                if choice.0.len() > 2 && first {
                    found = Some(choice);
                }
                if open.is_empty() && found.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// `{1..9}` makes words that we do not work out, so the word is not known from there on.
fn mark_sequence(draft: &mut Draft) {
    let mut open = None;
    let mut dots = false;
    for (index, (byte, mark)) in draft.bytes.iter().zip(&draft.marks).enumerate() {
        match byte {
            b'{' if *mark == Mark::Plain => (open, dots) = (Some(index), false),
            b'.' => dots |= draft.bytes.get(index + 1) == Some(&b'.'),
            b'}' if *mark == Mark::Plain && dots && open.is_some() => break,
            _ => {}
        }
    }
    if let Some(mark) = open
        .filter(|_| dots)
        .and_then(|index| draft.marks.get_mut(index))
    {
        *mark = Mark::Unknown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Option<Vec<String>> {
        let mut draft = Draft::default();
        text.bytes().for_each(|byte| draft.push(byte, Mark::Plain));
        let text = |draft: Draft| String::from_utf8(draft.bytes).unwrap();
        expand(draft).map(|words| words.into_iter().map(text).collect())
    }

    #[test]
    fn braces_expand_like_bash() {
        let cases: [(&str, &[&str]); 7] = [
            ("r{m,}", &["rm", "r"]),
            ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
            ("/{etc,usr/{bin,lib}}", &["/etc", "/usr/bin", "/usr/lib"]),
            ("{}", &["{}"]),
            ("{a}", &["{a}"]),
            ("{{a,b}", &["{a", "{b"]),
            ("a,b", &["a,b"]),
        ];
        for (text, words) in cases {
            assert_eq!(expanded(text).unwrap(), words, "{text}");
        }
        assert_eq!(expanded(&"{a,b}".repeat(20)), None);
    }
}

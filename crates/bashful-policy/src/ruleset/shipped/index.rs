//! Where the shipped rules are in their text, and which programs they name.
//!
//! The compiler finds it out. A command line judges one command and ends; looking through all rules
//! for it took longer than judging it. What does not fit in here is an error of the compiler's.

/// What begins a rule.
const RULE: &[u8] = b"\n[[rule]]\n";
/// What begins the line that names its programs.
const COMMAND: &[u8] = b"\ncommand = [";

const MOST_RULES: usize = 256;
const MOST_NAMES: usize = 1024;
/// How many lists the names are spread over.
const LISTS: usize = 1024;
/// The end of a list.
const NONE: usize = usize::MAX;

/// The rules of a text, found by the names of programs.
#[derive(Debug)]
pub(super) struct Index {
    /// Where each rule begins, and after the last of them the end.
    starts: [usize; MOST_RULES],
    rules: usize,
    names: [Name; MOST_NAMES],
    named: usize,
    /// The newest name of each list.
    lists: [usize; LISTS],
    /// The newest name with a `*`, which is looked at for every program.
    patterns: usize,
}

/// The name of a program in the text.
#[derive(Debug, Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    /// The rule that has it.
    rule: usize,
    /// The name before it in its list.
    before: usize,
}

impl Index {
    /// Of a text in which each rule begins with its mark and has its programs in one line.
    #[expect(clippy::large_stack_arrays, reason = "the compiler runs it")]
    pub(super) const fn of(text: &[u8]) -> Self {
        let nothing = Name {
            start: 0,
            end: 0,
            rule: 0,
            before: NONE,
        };
        let mut index = Self {
            starts: [0; MOST_RULES],
            rules: 0,
            names: [nothing; MOST_NAMES],
            named: 0,
            lists: [NONE; LISTS],
            patterns: NONE,
        };
        let mut at = 0;
        let mut is_open = false;
        while at < text.len() {
            if text[at] == b'\n' {
                if has_at(text, at, RULE) {
                    // The line's end before it belongs to what stands above.
                    index.starts[index.rules] = at + 1;
                    index.rules += 1;
                    is_open = true;
                } else if is_open && has_at(text, at, COMMAND) {
                    index.add_programs(text, at + COMMAND.len());
                    is_open = false;
                }
            }
            at += 1;
        }
        index.starts[index.rules] = text.len() + 1;
        index
    }

    /// Adds the first item of a `command`: one name in quotes, or a list of them.
    const fn add_programs(&mut self, text: &[u8], mut at: usize) {
        let is_list = text[at] == b'[';
        if is_list {
            at += 1;
        }
        while text[at] != b']' && (is_list || text[at] != b',') {
            if text[at] == b'"' {
                at = self.add(text, at + 1);
            }
            at += 1;
        }
    }

    /// Adds the name that begins here, without the directories before it; returns where it ends.
    const fn add(&mut self, text: &[u8], mut start: usize) -> usize {
        let mut end = start;
        let mut is_pattern = false;
        while text[end] != b'"' {
            match text[end] {
                b'/' => start = end + 1,
                b'*' => is_pattern = true,
                _ => {}
            }
            end += 1;
        }
        let list = list_of(text, start, end);
        self.names[self.named] = Name {
            start,
            end,
            rule: self.rules - 1,
            before: if is_pattern {
                self.patterns
            } else {
                self.lists[list]
            },
        };
        if is_pattern {
            self.patterns = self.named;
        } else {
            self.lists[list] = self.named;
        }
        self.named += 1;
        end
    }

    /// How many rules there are.
    pub(super) const fn len(&self) -> usize {
        self.rules
    }

    /// Where a rule is.
    pub(super) fn place(&self, rule: usize) -> Option<std::ops::Range<usize>> {
        let next = rule.checked_add(1).filter(|next| *next <= self.rules)?;
        Some(*self.starts.get(rule)?..self.starts.get(next)?.checked_sub(1)?)
    }

    /// The names that may be this program's, with their rules: those of its list.
    pub(super) fn named<'t>(
        &'t self,
        text: &'t str,
        program: &str,
    ) -> impl Iterator<Item = (&'t str, usize)> {
        let list = list_of(program.as_bytes(), 0, program.len());
        self.list(text, self.lists.get(list).copied())
    }

    /// The patterns, with their rules.
    pub(super) fn patterns<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (&'t str, usize)> {
        self.list(text, Some(self.patterns))
    }

    fn list<'t>(
        &'t self,
        text: &'t str,
        newest: Option<usize>,
    ) -> impl Iterator<Item = (&'t str, usize)> {
        let name = |at: usize| self.names.get(at);
        let all = std::iter::successors(newest.and_then(name), move |last| name(last.before));
        all.filter_map(|name| Some((text.get(name.start..name.end)?, name.rule)))
    }
}

const fn has_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    let mut count = 0;
    while count < word.len() {
        if at + count >= text.len() || text[at + count] != word[count] {
            return false;
        }
        count += 1;
    }
    true
}

/// The list that a name belongs to.
const fn list_of(text: &[u8], mut at: usize, end: usize) -> usize {
    let mut hash: usize = 0;
    while at < end {
        hash = hash.wrapping_mul(31).wrapping_add(text[at] as usize);
        at += 1;
    }
    hash % LISTS
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
above\n
[[rule]]
id = \"a\"
command = [[\"make\", \"/opt/gmake\"], \"…\"]
match = [\"make\"]

[[rule]]
command = [\"g*\", [\"x\", \"y\"]]
command = [\"never\"]

[[rule]]
command = [\"make\"]
";
    static INDEX: Index = Index::of(TEXT.as_bytes());

    fn rules(program: &str) -> Vec<usize> {
        let named = INDEX.named(TEXT, program);
        named
            .filter(|(name, _)| *name == program)
            .map(|(_, rule)| rule)
            .collect()
    }

    #[test]
    fn rules_are_found_by_the_first_words_of_their_commands() {
        assert_eq!(INDEX.len(), 3);
        assert_eq!(rules("make"), [2, 0]);
        assert_eq!(rules("gmake"), [0]);
        assert_eq!(INDEX.patterns(TEXT).collect::<Vec<_>>(), [("g*", 1)]);
        for other in ["", "x", "never", "/opt/gmake", "mak", "g*"] {
            assert_eq!(rules(other), [0_usize; 0], "{other}");
        }
    }

    #[test]
    fn a_rule_ends_where_the_next_begins() {
        let texts = (0..4).map(|rule| INDEX.place(rule).and_then(|place| TEXT.get(place)));
        let texts: Vec<_> = texts.collect();
        assert!(
            texts[0].is_some_and(|text| text.starts_with("[[rule]]\nid") && text.ends_with("]\n"))
        );
        assert!(texts[1].is_some_and(|text| text.contains("never")));
        assert_eq!(texts[2], Some("[[rule]]\ncommand = [\"make\"]\n"));
        assert_eq!(texts[3], None);
    }
}

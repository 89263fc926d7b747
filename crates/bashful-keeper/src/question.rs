//! Whether a command waits for an answer: its last line looks like a question, and the kernel
//! says that one of its processes waits to read what no caller has sent.
//!
//! Looking costs calls, so it is done rarely: not while output comes, soon after it only where a
//! password may be asked for, then after two seconds, and then ever more seldom. A command whose
//! last line does not look like a question is not looked at.

use std::time::{Duration, Instant};

use bashful_sandbox::{descendants, waits_to_read};

use crate::input::Input;
use crate::task_directory::NeedsInput;

/// When to look after the last output. After the last of these the last interval doubles.
const LOOKS: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(2),
];
/// From this look on a question may also be one whose answer is shown.
const PATIENT: usize = 2;
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// A longer last line is no question.
const LONGEST_LINE: usize = 1000;
/// How many characters of a question are told.
const SHOWN: usize = 200;
/// After this many questions they are told at the longest interval only: the record must not grow
/// for ever.
const MOST_TOLD: u32 = 2000;

/// What a stream printed since the last end of a line, as far as it matters.
#[derive(Debug, Default)]
pub(crate) struct LastLine(Vec<u8>);

impl LastLine {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        if end.is_some() {
            self.0.clear();
        }
        let room = (LONGEST_LINE + 1).saturating_sub(self.0.len());
        let new = bytes.iter().skip(end.map_or(0, |end| end + 1));
        self.0.extend(new.take(room));
    }
}

/// What is known of a command's questions.
#[derive(Debug, Default)]
pub(crate) struct Question {
    /// What was printed since the last end of a line.
    line: Vec<u8>,
    /// How often the keeper has looked since the last output or input.
    looks: usize,
    look_at: Option<Instant>,
    asked: Option<NeedsInput>,
    /// The last question, of which the last line may be the beginning of an answer.
    before: Option<String>,
    told: u32,
    changed: bool,
}

impl Question {
    /// The command has printed, and this is its last line now.
    pub(crate) fn printed(&mut self, line: &LastLine, now: Instant) {
        self.line.clone_from(&line.0);
        self.stir(now, 0);
    }

    /// A caller has sent input to the command.
    pub(crate) fn answered(&mut self, now: Instant) {
        self.stir(now, PATIENT);
    }

    fn stir(&mut self, now: Instant, looks: usize) {
        if self.asked.take().is_some() {
            self.changed = true;
        }
        self.looks = looks;
        self.look_at = None;
        if !self.line.is_empty() && self.line.len() <= LONGEST_LINE {
            self.plan(now);
        }
    }

    fn plan(&mut self, now: Instant) {
        let usual = LOOKS.get(self.looks).copied().unwrap_or_else(|| {
            let doubled = self.looks.saturating_sub(LOOKS.len() - 1).min(10);
            Duration::from_secs(2) * (1 << doubled)
        });
        let often = self.told < MOST_TOLD;
        let interval = if often { usual } else { LONGEST_INTERVAL };
        self.look_at = Some(now + interval.min(LONGEST_INTERVAL));
        self.looks = self.looks.saturating_add(1);
    }

    /// Looks, if it is time. `roots` are the first processes of the command.
    pub(crate) fn look(&mut self, now: Instant, input: &Input, roots: &[i32]) {
        if self.look_at.is_none_or(|at| now < at) {
            return;
        }
        self.look_at = None;
        let line = plain(&self.line);
        let mode = input.terminal.as_ref().and_then(|it| it.typing_mode().ok());
        let hidden = mode.is_some_and(|mode| mode.by_line && !mode.is_shown);
        let begun = self.before.as_deref();
        let is_question =
            looks_like_question(&line) || begun.is_some_and(|before| line.starts_with(before));
        let is_due = hidden || self.looks > PATIENT;
        if line.trim().is_empty() || !(hidden || is_question) {
            // Later looks would find the same line; only a password may still come.
            if input.terminal.is_some() && self.looks <= PATIENT && !line.trim().is_empty() {
                self.plan(now);
            }
            return self.set(None);
        }
        if is_due {
            let waits = input.is_open()
                && input.clogged().is_none()
                && input.source.is_some_and(|source| {
                    let mut processes = descendants(roots).into_iter();
                    processes.any(|process| waits_to_read(process.pid, source))
                });
            let shown: String = line.trim_end().chars().take(SHOWN).collect();
            self.set(waits.then_some(NeedsInput {
                line: shown,
                hidden,
            }));
        }
        self.plan(now);
    }

    fn set(&mut self, asked: Option<NeedsInput>) {
        if self.asked == asked {
            return;
        }
        if let Some(asked) = &asked {
            self.before = Some(asked.line.clone());
            self.told = self.told.saturating_add(1);
        }
        self.asked = asked;
        self.changed = true;
    }

    /// What it asks.
    pub(crate) fn asked(&self) -> Option<&NeedsInput> {
        self.asked.as_ref()
    }

    /// Whether that has changed since this was asked last.
    pub(crate) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    pub(crate) fn look_at(&self) -> Option<Instant> {
        self.look_at
    }
}

/// The line as it stands on a screen, roughly: without escapes and control characters.
fn plain(line: &[u8]) -> String {
    // What a carriage return or a cleared line overwrote does not count.
    let text = String::from_utf8_lossy(line);
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => match characters.next() {
                Some('[') => while characters.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']' | 'P' | '_' | '^') => {
                    while let Some(c) = characters.next() {
                        if c == '\x07' || (c == '\x1b' && characters.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                Some('(' | ')') => drop(characters.next()),
                _ => {}
            },
            '\r' if characters.peek().is_some() => plain.clear(),
            '\x08' => drop(plain.pop()),
            character if character.is_control() => {}
            character => plain.push(character),
        }
    }
    plain
}

/// Whether a person who reads this would take it for a question.
fn looks_like_question(line: &str) -> bool {
    let line = line.trim_end();
    let ends = [
        ':', '?', '>', '$', '#', '%', ')', ']', '}', '»', '❯', '→', '➜', '*', '|', '=',
    ];
    let words = [
        "password",
        "passphrase",
        "passcode",
        "[y/n",
        "(y/n",
        "yes/no",
        "press ",
        "continue",
    ];
    let lower = line.to_lowercase();
    line.ends_with(ends) || words.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_other_lines() {
        for line in [
            ">>> ",
            "Password: ",
            "[sudo] password for me:",
            "(1/2) Stage this hunk [y,n,q,a,d,e,p,?]? ",
            "Are you sure (yes/no/[fingerprint])",
            "user@host:~$ ",
            "\x1b[1;32mbash-5.2#\x1b[0m ",
            "old text\rName: ",
            "\x1b]0;title\x07In [1]: ",
            "Press any key",
        ] {
            assert!(looks_like_question(&plain(line.as_bytes())), "{line:?}");
        }
        for line in [
            "",
            "working",
            "Compiling 3 of 9",
            "Name: x\rdone",
            "50% done,",
        ] {
            assert!(!looks_like_question(&plain(line.as_bytes())), "{line:?}");
        }
    }

    #[test]
    fn only_the_last_line_counts_and_only_when_it_is_short() {
        let now = Instant::now();
        let mut question = Question::default();
        let mut last = LastLine::default();
        let mut print = |bytes: &[u8]| {
            last.push(bytes);
            question.printed(&last, now);
            (plain(&question.line), question.look_at().is_some())
        };
        assert_eq!(print(b"a long story\nName: "), ("Name: ".to_owned(), true));
        assert_eq!(print(b"x"), ("Name: x".to_owned(), true));
        assert_eq!(print(b"\n"), (String::new(), false));
        for _ in 0..100 {
            print(&[b'x'; 100]);
        }
        let (line, looks) = print(b"x");
        assert_eq!((line.len(), looks), (LONGEST_LINE + 1, false));
    }

    #[test]
    fn looks_become_rare() {
        let start = Instant::now();
        let mut question = Question::default();
        let mut last = LastLine::default();
        last.push(b"$ ");
        question.printed(&last, start);
        let mut intervals = Vec::new();
        let mut now = start;
        for _ in 0..12 {
            let at = question.look_at().unwrap();
            intervals.push((at - now).as_millis());
            now = at;
            question.plan(now);
        }
        assert_eq!(intervals[..4], [100, 400, 2000, 4000]);
        assert_eq!(intervals[11], 60_000);
    }
}

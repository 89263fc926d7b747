//! Reading a sed script, command by command.

/// What a script does besides printing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    Reads,
    Writes,
    /// It could not be read, or seds differ about it.
    Unknown,
    Executes,
}

/// What a whole script does.
pub(super) fn effect(script: &str) -> Effect {
    let mut cursor = Cursor { rest: script };
    let mut effect = Effect::Reads;
    while !cursor.rest.is_empty() {
        match cursor.command() {
            Some(found) => effect = effect.max(found),
            None => {
                // The reader has lost its place, so it would not see an `e` in what follows.
                return effect.max(Effect::Unknown);
            }
        }
    }
    effect
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// One command with its addresses; none when it cannot be read.
    fn command(&mut self) -> Option<Effect> {
        self.skip(|letter| letter.is_whitespace() || letter == ';');
        if self.rest.is_empty() {
            return Some(Effect::Reads);
        }
        self.addresses()?;
        self.skip(|letter| matches!(letter, ' ' | '\t' | '!'));
        let name = self.next()?;
        match name {
            '{' | '}' => Some(Effect::Reads),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end().map(|()| Effect::Reads)
            }
            'q' | 'Q' | 'l' | 'L' => {
                self.skip(|letter| letter == ' ' || letter.is_ascii_digit());
                self.end().map(|()| Effect::Reads)
            }
            'b' | 't' | 'T' | ':' => {
                self.skip(|letter| matches!(letter, ' ' | '\t'));
                self.skip(|letter| letter.is_ascii_alphanumeric() || "_.-".contains(letter));
                self.end().map(|()| Effect::Reads)
            }
            'a' | 'i' | 'c' => self.text(),
            '#' | 'r' | 'R' => {
                self.line();
                Some(Effect::Reads)
            }
            'w' | 'W' => {
                let file = self.line().trim();
                Some(written(file))
            }
            'e' => Some(Effect::Executes),
            's' => self.substitution(),
            'y' => {
                let delimiter = self.delimiter()?;
                self.section(delimiter, Section::Text)?;
                self.section(delimiter, Section::Text)?;
                self.end().map(|()| Effect::Reads)
            }
            _ => None,
        }
    }

    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.skip(|letter| matches!(letter, ' ' | '\t'));
        if let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest;
            self.skip(|letter| matches!(letter, ' ' | '\t' | '+' | '~'));
            self.address()?;
        }
        Some(())
    }

    /// One address, if there is one.
    fn address(&mut self) -> Option<()> {
        match self.rest.chars().next() {
            Some('$') => {
                self.next();
            }
            Some(digit) if digit.is_ascii_digit() => {
                self.skip(|letter| letter.is_ascii_digit() || letter == '~');
            }
            Some('/') => {
                self.next();
                self.section('/', Section::Regex)?;
                self.skip(|letter| matches!(letter, 'I' | 'M'));
            }
            Some('\\') => {
                self.next();
                let delimiter = self.delimiter()?;
                self.section(delimiter, Section::Regex)?;
                self.skip(|letter| matches!(letter, 'I' | 'M'));
            }
            _ => {}
        }
        Some(())
    }

    fn substitution(&mut self) -> Option<Effect> {
        let delimiter = self.delimiter()?;
        self.section(delimiter, Section::Regex)?;
        self.section(delimiter, Section::Text)?;
        loop {
            let rest = self.rest;
            match rest.chars().next() {
                Some('e') => return Some(Effect::Executes),
                Some('w') => {
                    self.next();
                    let file = self.line().trim();
                    return Some(written(file));
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                _ => return self.end().map(|()| Effect::Reads),
            }
        }
    }

    /// The text of `a`, `i` and `c`, with the lines that a backslash adds to it.
    fn text(&mut self) -> Option<Effect> {
        loop {
            let line = self.line();
            let slashes = line.len() - line.trim_end_matches('\\').len();
            if slashes.is_multiple_of(2) {
                return Some(Effect::Reads);
            }
            if self.rest.is_empty() {
                // The text goes on in the next script of the same call.
                return None;
            }
        }
    }

    /// A part up to the delimiter, which is taken as well.
    fn section(&mut self, delimiter: char, section: Section) -> Option<()> {
        let mut escaped = false;
        let mut bracket = false;
        let mut first_in_bracket = false;
        for (at, letter) in self.rest.char_indices() {
            if escaped {
                escaped = false;
            } else if letter == '\\' && !bracket {
                escaped = true;
            } else if letter == delimiter {
                if bracket {
                    // Some seds end it here and some after the bracket.
                    return None;
                }
                self.rest = self.rest.get(at + letter.len_utf8()..)?;
                return Some(());
            } else if section == Section::Regex {
                match letter {
                    '[' if !bracket => {
                        bracket = true;
                        first_in_bracket = true;
                        continue;
                    }
                    '^' if first_in_bracket => continue,
                    ']' if bracket && !first_in_bracket => bracket = false,
                    // Whether the backslash or the bracket holds the delimiter, it ends nothing.
                    '\\' if self.rest.get(at + 1..)?.starts_with(delimiter)
                        && !matches!(delimiter, ']' | '[' | '^') =>
                    {
                        escaped = true;
                    }
                    // Otherwise seds differ about what a backslash does in a bracket.
                    '\\' if self.rest.get(at + 1..)?.starts_with(['\\', ']']) => {
                        return None;
                    }
                    _ => {}
                }
                first_in_bracket = false;
            }
        }
        None
    }

    fn delimiter(&mut self) -> Option<char> {
        self.next()
            .filter(|letter| !matches!(letter, '\n' | '\\' | ';'))
    }

    /// Nothing more may belong to the command.
    fn end(&mut self) -> Option<()> {
        self.skip(|letter| matches!(letter, ' ' | '\t'));
        let ends = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
        ends.then_some(())
    }

    /// What is left of the line.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let next = letters.next();
        self.rest = letters.as_str();
        next
    }

    fn skip(&mut self, which: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(which);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Regex,
    Text,
}

fn written(file: &str) -> Effect {
    if matches!(file, "/dev/stdout" | "/dev/stderr" | "/dev/null") {
        Effect::Reads
    } else {
        Effect::Writes
    }
}

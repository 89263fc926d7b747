//! Words: from their first byte to the byte behind them, through quotes and expansions.

use super::{Ends, MAX_DEPTH, Splitter};

impl Splitter<'_> {
    /// Passes a word, and says whether it is written without quotes and expansions.
    pub(super) fn word(&mut self) -> Option<bool> {
        let mut is_plain = true;
        let start = self.at;
        while !self.is_done() {
            let byte = self.peek(0);
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => break,
                b'(' => {
                    let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
                    let joined = matches!(before, Some(b'=' | b'?' | b'*' | b'+' | b'@' | b'!'));
                    if !joined || self.at == start {
                        break;
                    }
                    self.at += 1;
                    self.group()?;
                    is_plain = false;
                }
                b'[' if is_plain && self.is_name_since(start) => {
                    // What stands in the brackets of `a[…]=` may hold blanks.
                    let rest = self.bytes.get(self.at..)?;
                    let end = rest.iter().position(|byte| matches!(byte, b']' | b'\n'))?;
                    let inside = rest.get(..end)?;
                    if inside
                        .iter()
                        .any(|byte| b" \t;&|()<>'\"`\\#".contains(byte))
                    {
                        return None;
                    }
                    self.at += 1;
                }
                b'\\' | b'\'' | b'"' | b'$' | b'`' => {
                    is_plain = false;
                    self.quoted_or_expanded()?;
                }
                0 => return None,
                _ => self.at += 1,
            }
        }
        (self.at > start).then_some(is_plain)
    }

    /// Whether the word so far is the name of a variable.
    fn is_name_since(&self, start: usize) -> bool {
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        !word.is_empty() && word.iter().all(fits)
    }

    /// Passes what starts with a quote, a backslash or a dollar sign outside of double quotes.
    fn quoted_or_expanded(&mut self) -> Option<()> {
        match (self.peek(0), self.peek(1)) {
            (b'\\', _) => {
                self.at += 2;
                Some(())
            }
            (b'\'', _) => {
                self.at += 1;
                self.until_quote()
            }
            (b'"', _) => {
                self.at += 1;
                self.double()
            }
            (b'$', b'\'') => {
                self.at += 2;
                self.ansi()
            }
            (b'$', b'"') => {
                self.at += 2;
                self.double()
            }
            (b'`', _) => self.backticks(),
            _ => self.dollar(Around::Nothing),
        }
    }

    fn pass(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        // A line that ends in quotes behind `<<` is read in a way of its own.
        if byte == 0 || byte == b'\n' && self.waiting > 0 {
            return None;
        }
        self.at += 1;
        Some(byte)
    }

    fn until_quote(&mut self) -> Option<()> {
        while self.pass()? != b'\'' {}
        Some(())
    }

    fn ansi(&mut self) -> Option<()> {
        loop {
            match self.pass()? {
                b'\\' => {
                    self.pass()?;
                }
                b'\'' => return Some(()),
                _ => {}
            }
        }
    }

    fn double(&mut self) -> Option<()> {
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => {
                    self.pass()?;
                    self.pass()?;
                }
                b'`' => self.backticks()?,
                b'$' => self.dollar(Around::Quotes)?,
                _ => {
                    self.pass()?;
                }
            }
        }
    }

    /// Bash takes everything up to the next backtick that no backslash stands before.
    fn backticks(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.pass()? {
                b'\\' => {
                    self.pass()?;
                }
                b'`' => break,
                _ => {}
            }
        }
        let inside = self.bytes.get(start..self.at)?;
        let document = inside.windows(2).any(|pair| pair == b"<<");
        (!document).then_some(())
    }

    fn dollar(&mut self, around: Around) -> Option<()> {
        match (self.peek(1), self.peek(2)) {
            (b'(', b'(') => {
                self.at += 3;
                self.arithmetic()
            }
            (b'(', _) => {
                self.at += 2;
                self.list(Ends::WithParenthesis)
            }
            (b'{', _) => {
                self.at += 2;
                self.braces(around)
            }
            (b'[', _) => None,
            (b'$', _) => {
                self.at += 2;
                Some(())
            }
            _ => {
                self.at += 1;
                Some(())
            }
        }
    }

    /// Passes the rest of a `${…}`.
    fn braces(&mut self, around: Around) -> Option<()> {
        if matches!(self.peek(0), b' ' | b'\t' | b'\n' | b'|') {
            return None;
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        loop {
            match *self.bytes.get(self.at)? {
                b'}' => {
                    self.at += 1;
                    self.depth -= 1;
                    return Some(());
                }
                // What a quote does here depends on the operator.
                b'\'' if around == Around::Quotes => return None,
                b'{' => return None,
                b'$' if around == Around::Quotes => self.dollar(around)?,
                b'\\' | b'\'' | b'"' | b'$' | b'`' => self.quoted_or_expanded()?,
                _ => {
                    self.pass()?;
                }
            }
        }
    }

    /// Passes the rest of an arithmetic expression with both parentheses at its end.
    pub(super) fn arithmetic(&mut self) -> Option<()> {
        let mut open = 2_usize;
        loop {
            match *self.bytes.get(self.at)? {
                b'(' => {
                    open += 1;
                    self.at += 1;
                }
                b')' if open == 2 => {
                    let both = self.peek(1) == b')';
                    self.at += 2;
                    return both.then_some(());
                }
                b')' => {
                    open -= 1;
                    self.at += 1;
                }
                b'\\' | b'\'' | b'"' | b'`' => return None,
                b'$' => self.dollar(Around::Nothing)?,
                _ => {
                    self.pass()?;
                }
            }
        }
    }

    /// Passes the rest of an array or of an extended pattern.
    fn group(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'|' => self.at += 1,
                b'\n' => {
                    self.pass()?;
                }
                b'#' => self.line_end(),
                b')' => {
                    self.at += 1;
                    self.depth -= 1;
                    return Some(());
                }
                b'(' | b';' | b'&' | b'<' | b'>' => return None,
                _ => {
                    self.word()?;
                }
            }
        }
    }

    /// Passes the rest of `[[ … ]]`.
    pub(super) fn test(&mut self) -> Option<()> {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'(' | b')' | b'<' | b'>' | b'&' | b'|' => self.at += 1,
                b'\n' => {
                    self.pass()?;
                }
                b'#' | b';' => return None,
                _ => {
                    let start = self.at;
                    self.word()?;
                    if self.bytes.get(start..self.at) == Some(b"]]") {
                        return Some(());
                    }
                }
            }
        }
    }
}

/// What is around an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Quotes,
}

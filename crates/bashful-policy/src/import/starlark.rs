//! As much of Starlark as rule files use: calls with literal arguments, and lists with names.

use std::collections::HashMap;

/// A literal value of Starlark, of the kinds that rule files use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    /// A number, `True`, `False` or `None`.
    Other(String),
}

/// One call at the top level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) arguments: Vec<(String, Literal)>,
}

/// A statement: a call, or the first line of what was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    Call(Called),
    Unread { line: usize, text: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Sign(char),
    End,
}

/// Lists in lists deeper than this are not read.
const DEEPEST: usize = 8;

/// Reads a file.
pub(super) fn read(text: &str) -> Vec<Statement> {
    let tokens = tokens(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut names: HashMap<String, Literal> = HashMap::new();
    let mut statements = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let line = tokens.get(at).map_or(1, |(line, _)| *line);
        if matches!(tokens.get(at), Some((_, Token::End))) {
            at += 1;
            continue;
        }
        let mut parser = Parser {
            tokens: &tokens,
            at,
            names: &names,
        };
        match parser.statement() {
            Some(Parsed::Call(name, arguments)) => {
                at = parser.at;
                statements.push(Statement::Call(Called {
                    name,
                    line,
                    arguments,
                }));
            }
            Some(Parsed::Name(name, value)) => {
                at = parser.at;
                names.insert(name, value);
            }
            None => {
                let source = lines
                    .get(line.saturating_sub(1))
                    .copied()
                    .unwrap_or_default();
                let text = source.trim().to_owned();
                statements.push(Statement::Unread { line, text });
                at = next_statement(&tokens, at);
            }
        }
    }
    statements
}

/// The place after the end of the statement that starts here.
fn next_statement(tokens: &[(usize, Token)], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some((_, token)) = tokens.get(at) {
        at += 1;
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::End if depth == 0 => break,
            _ => {}
        }
    }
    at
}

enum Parsed {
    Call(String, Vec<(String, Literal)>),
    Name(String, Literal),
}

struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
    names: &'a HashMap<String, Literal>,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).map(|(_, token)| token.clone());
        self.at += 1;
        token
    }

    /// The next token that is not the end of a line.
    fn inside(&mut self) -> Option<Token> {
        loop {
            let token = self.next()?;
            if token != Token::End {
                return Some(token);
            }
        }
    }

    fn statement(&mut self) -> Option<Parsed> {
        let Token::Name(name) = self.next()? else {
            return None;
        };
        match self.next()? {
            Token::Sign('=') => {
                let value = self.value(0)?;
                matches!(self.next(), None | Some(Token::End)).then_some(Parsed::Name(name, value))
            }
            Token::Sign('(') => {
                let mut arguments = Vec::new();
                loop {
                    match self.inside()? {
                        Token::Sign(')') => break,
                        Token::Sign(',') => {}
                        Token::Name(key) => {
                            if self.inside()? != Token::Sign('=') {
                                return None;
                            }
                            arguments.push((key, self.value(0)?));
                        }
                        _ => return None,
                    }
                }
                matches!(self.next(), None | Some(Token::End))
                    .then_some(Parsed::Call(name, arguments))
            }
            _ => None,
        }
    }

    /// A literal, or several joined by `+` or, for texts, by nothing.
    fn value(&mut self, depth: usize) -> Option<Literal> {
        let mut value = self.single(depth)?;
        loop {
            // The end of a line ends a value at the top level but not inside brackets, where a
            // closing bracket or comma follows sooner or later.
            match self.tokens.get(self.at).map(|(_, token)| token) {
                Some(Token::Sign('+')) => {
                    self.at += 1;
                    value = joined(value, self.single(depth)?)?;
                }
                Some(Token::Text(_)) => value = joined(value, self.single(depth)?)?,
                _ => return Some(value),
            }
        }
    }

    fn single(&mut self, depth: usize) -> Option<Literal> {
        if depth > DEEPEST {
            return None;
        }
        match self.inside()? {
            Token::Text(text) => Some(Literal::Text(text)),
            Token::Name(name) => Some(match self.names.get(&name) {
                Some(value) => value.clone(),
                None => Literal::Other(name),
            }),
            Token::Sign(open @ ('[' | '(')) => {
                let close = if open == '[' { ']' } else { ')' };
                let mut items = Vec::new();
                loop {
                    let before = self.at;
                    match self.inside()? {
                        Token::Sign(sign) if sign == close => return Some(Literal::List(items)),
                        Token::Sign(',') => {}
                        _ => {
                            self.at = before;
                            items.push(self.value(depth + 1)?);
                        }
                    }
                }
            }
            _ => None,
        }
    }
}

fn joined(one: Literal, other: Literal) -> Option<Literal> {
    match (one, other) {
        (Literal::Text(one), Literal::Text(other)) => Some(Literal::Text(one + &other)),
        (Literal::List(mut one), Literal::List(other)) => {
            one.extend(other);
            Some(Literal::List(one))
        }
        _ => None,
    }
}

fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '\n' => {
                tokens.push((line, Token::End));
                line += 1;
                1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let (value, length) = string(rest, next);
                tokens.push((line, Token::Text(value)));
                let taken = rest.get(..length).unwrap_or(rest);
                line += taken.matches('\n').count();
                length
            }
            _ if next.is_alphanumeric() || next == '_' => {
                let plain = |next: char| next.is_alphanumeric() || "_.".contains(next);
                let length = rest.find(|next| !plain(next)).unwrap_or(rest.len());
                let name = rest.get(..length).unwrap_or(rest);
                tokens.push((line, Token::Name(name.to_owned())));
                length
            }
            _ if next.is_whitespace() => next.len_utf8(),
            _ => {
                tokens.push((line, Token::Sign(next)));
                next.len_utf8()
            }
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    tokens.push((line, Token::End));
    tokens
}

/// The value of a string and how many bytes it takes.
fn string(text: &str, quote: char) -> (String, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let long = text.starts_with(&triple);
    let start = if long { 3 } else { 1 };
    let mut value = String::new();
    let mut characters = text.char_indices().skip(start).peekable();
    while let Some((at, next)) = characters.next() {
        if next == quote {
            let here = text.get(at..).unwrap_or_default();
            if !long {
                return (value, at + 1);
            }
            if here.starts_with(&triple) {
                return (value, at + 3);
            }
        }
        match next {
            '\n' if !long => return (value, at),
            '\\' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, '\n')) | None => {}
                Some((_, other)) => value.push(other),
            },
            _ => value.push(next),
        }
    }
    (value, text.len())
}

//! Shapes of commands: a list of words, some with alternatives, some open.

use crate::glob;

/// The word that stands for any number of words.
pub(crate) const REST: &str = "…";

/// One place of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// One word: any of these patterns.
    Word(Vec<String>),
    /// Any number of words, also none.
    Rest,
}

/// The words of a command, as a rule describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) tokens: Vec<Token>,
    /// A `*` is a star, as in a grant of exactly one command.
    pub(crate) literal: bool,
}

impl Shape {
    pub(crate) fn new(tokens: Vec<Token>) -> Self {
        Self {
            tokens,
            literal: false,
        }
    }

    /// Exactly these words, but for a `…` at the end.
    pub(crate) fn exact(words: &[String]) -> Self {
        let last = words.len().saturating_sub(1);
        let token = |(index, word): (usize, &String)| {
            if index > 0 && index == last && is_rest(word) {
                Token::Rest
            } else {
                Token::Word(vec![word.clone()])
            }
        };
        Self {
            tokens: words.iter().enumerate().map(token).collect(),
            literal: true,
        }
    }

    /// The words of an action such as `git push *`, where a final `*` stands for the rest.
    pub(crate) fn action(words: &str) -> Self {
        let mut tokens: Vec<Token> = words
            .split_whitespace()
            .map(|word| Token::Word(vec![word.to_owned()]))
            .collect();
        if let Some(last) = tokens.last_mut()
            && *last == Token::Word(vec!["*".to_owned()])
        {
            *last = Token::Rest;
        }
        Self::new(tokens)
    }

    /// Whether a pattern takes a word.
    pub(crate) fn is(&self, pattern: &str, word: &str) -> bool {
        if self.literal || !pattern.contains('*') {
            pattern == word
        } else {
            glob::matches_token(pattern, word)
        }
    }

    /// The programs it is about; none when it can be about any.
    pub(crate) fn programs(&self) -> Option<&[String]> {
        match self.tokens.first() {
            Some(Token::Word(names))
                if self.literal || !names.iter().any(|name| name.contains('*')) =>
            {
                Some(names)
            }
            Some(_) => None,
            None => Some(&[]),
        }
    }

    /// Whether it leaves the end open.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.last() == Some(&Token::Rest)
    }
}

/// Whether a word of a shape stands for any number of words.
pub(crate) fn is_rest(word: &str) -> bool {
    word == REST || word == "..."
}

/// Whether a pattern is about an option.
pub(crate) fn is_flag(pattern: &str) -> bool {
    pattern.len() > 1 && pattern.starts_with('-') && pattern != "--"
}

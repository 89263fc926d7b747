//! The fields of a rule, each from its value.

use toml::Spanned;
use toml::de::DeValue;

use super::{Reading, shown};
use crate::glob;
use crate::rule::shape::{Shape, Token, is_rest};
use crate::rule::{Matcher, Pattern, Redirects, RuleEffect, RuleErrorKind};

impl Reading<'_, '_> {
    pub(super) fn text(&mut self, field: &'static str) -> Option<String> {
        let value = self.table.get(field)?;
        let DeValue::String(text) = value.get_ref() else {
            return self.wrong(field.to_owned(), "a string", value);
        };
        if text.trim().is_empty() || text.contains('\0') {
            return self.bad(field.to_owned(), "a string with words in it", field);
        }
        Some(text.clone().into_owned())
    }

    pub(super) fn name(&mut self, field: &'static str) -> Option<String> {
        let text = self.text(field)?;
        if is_id(&text) {
            return Some(text);
        }
        let expected = "the name of a class such as `git-destructive`, or `network`";
        self.bad(field.to_owned(), expected, field)
    }

    pub(super) fn effect(&mut self) -> Option<RuleEffect> {
        let Some(word) = self.text("effect") else {
            return self.missing("effect", "`effect = \"ask\"`, or `allow`, `refuse`, `deny`");
        };
        let effect = RuleEffect::from_word(&word);
        if effect.is_none() {
            let found = shown(&word);
            self.fault(Some("effect"), RuleErrorKind::UnknownEffect { found });
        }
        effect
    }

    pub(super) fn redirects(&mut self) -> Redirects {
        let Some(value) = self.table.get("redirects") else {
            return Redirects::Any;
        };
        match value.get_ref() {
            DeValue::Boolean(true) => Redirects::Any,
            DeValue::Boolean(false) => Redirects::Reading,
            _ => {
                self.wrong::<()>("redirects".to_owned(), "`true` or `false`", value);
                Redirects::Any
            }
        }
    }

    pub(super) fn matcher(&mut self) -> Option<Matcher> {
        let table = self.table;
        let given = ["command", "action", "regex"].into_iter();
        let given: Vec<&str> = given.filter(|field| table.contains_key(*field)).collect();
        match given.as_slice() {
            [] => {
                self.fault(None, RuleErrorKind::NoMatcher);
                None
            }
            ["command"] => self.command(),
            ["action"] => self.action(),
            ["regex"] => self.regex(),
            several => {
                let names = several.iter().map(|name| format!("`{name}`")).collect();
                self.fault(None, RuleErrorKind::SeveralMatchers(names));
                None
            }
        }
    }

    fn command(&mut self) -> Option<Matcher> {
        let value = self.table.get("command")?;
        let expected = "a list of words, such as `[\"git\", \"push\", \"…\"]`";
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong("command".to_owned(), expected, value);
        };
        let mut tokens = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let field = format!("command[{index}]");
            match item.get_ref() {
                DeValue::String(word) if index > 0 && is_rest(word) => {
                    // Two in a row say no more than one.
                    if tokens.last() != Some(&Token::Rest) {
                        tokens.push(Token::Rest);
                    }
                }
                DeValue::String(word) if is_word(word) => {
                    tokens.push(Token::Word(vec![word.clone().into_owned()]));
                }
                DeValue::Array(_) => {
                    let words = self.list(&field, item, "command")?;
                    tokens.push(Token::Word(words));
                }
                DeValue::String(_) => {
                    let expected = "a word; `…` stands for more words, but not for the program";
                    return self.bad(field, expected, "command");
                }
                _ => return self.wrong(field, "a string, or a list of strings", item),
            }
        }
        if tokens.is_empty() {
            self.fault(Some("command"), RuleErrorKind::EmptyCommand);
            return None;
        }
        Some(Matcher::Shape(Shape::new(tokens)))
    }

    fn action(&mut self) -> Option<Matcher> {
        let action = self.text("action")?;
        let parsed = action.strip_prefix("tool:").map(|rest| {
            let (tool, command) = rest.split_once(':').unwrap_or((rest, "*"));
            (tool.to_owned(), Shape::action(command))
        });
        match parsed {
            Some((tool, shape)) if !tool.is_empty() && !tool.contains(char::is_whitespace) => {
                if !glob::matches_token(&tool, "bash") {
                    return Some(Matcher::Other);
                }
                if shape.tokens.is_empty() {
                    return self.bad(
                        "action".to_owned(),
                        "a command after `tool:bash:`",
                        "action",
                    );
                }
                Some(Matcher::Shape(shape))
            }
            _ => {
                let expected = "a string such as `tool:bash:git push *`";
                self.bad("action".to_owned(), expected, "action")
            }
        }
    }

    fn regex(&mut self) -> Option<Matcher> {
        let source = self.text("regex")?;
        match Pattern::new(&source) {
            Ok(pattern) => Some(Matcher::Regex(pattern)),
            Err(error) => {
                let kind = RuleErrorKind::BadRegex(error.to_string());
                self.fault(Some("regex"), kind);
                None
            }
        }
    }

    /// A list of texts, empty when it is not there.
    pub(super) fn words(&mut self, field: &'static str) -> Vec<String> {
        let Some(value) = self.table.get(field) else {
            return Vec::new();
        };
        self.list(field, value, field).unwrap_or_default()
    }

    fn list(&mut self, field: &str, value: &Spanned<DeValue<'_>>, at: &str) -> Option<Vec<String>> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong(field.to_owned(), "a list of strings", value);
        };
        if items.is_empty() {
            return self.bad(
                field.to_owned(),
                "at least one string, or remove the list",
                at,
            );
        }
        let mut words = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let field = format!("{field}[{index}]");
            match item.get_ref() {
                DeValue::String(word) if is_word(word) => words.push(word.clone().into_owned()),
                DeValue::String(_) => return self.bad(field, "a string that is not empty", at),
                _ => return self.wrong(field, "a string", item),
            }
        }
        Some(words)
    }

    /// A list whose items are texts or lists of alternatives.
    pub(super) fn alternatives(&mut self, field: &'static str) -> Vec<Vec<String>> {
        let Some(value) = self.table.get(field) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong::<()>(field.to_owned(), "a list of strings", value);
            return Vec::new();
        };
        let mut all = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let name = format!("{field}[{index}]");
            match item.get_ref() {
                DeValue::String(word) if is_word(word) => all.push(vec![word.clone().into_owned()]),
                DeValue::Array(_) => all.extend(self.list(&name, item, field)),
                _ => {
                    self.wrong::<()>(name, "a string, or a list of strings", item);
                }
            }
        }
        all
    }
}

/// Whether this can be a word of a shape, a flag or an example.
fn is_word(word: &str) -> bool {
    !word.is_empty() && !word.contains('\0') && !is_rest(word)
}

/// Whether this can be an id or the name of a capability.
pub(super) fn is_id(text: &str) -> bool {
    let plain = |next: char| next.is_ascii_alphanumeric() || "-_.:/".contains(next);
    text.len() <= 100 && text.chars().all(plain)
}

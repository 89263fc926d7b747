//! Drafts: putting the pieces of a word together into the words that a program gets.

use super::atom::{Atom, Origin, unknown, unknown_variable};
use super::{Fields, Role};
use crate::facts::state::{MAX_VALUES, State, Text, Value};
use crate::facts::walk::Walker;
use crate::facts::{Argument, Span};
use crate::shell::Quoting;

impl Walker<'_> {
    /// Puts the pieces of a word together.
    pub(super) fn assemble(
        &self,
        atoms: &[Atom],
        span: Span,
        role: Role,
        state: &State,
    ) -> Vec<Fields> {
        let mut drafts = vec![Draft::new(span)];
        for (index, atom) in atoms.iter().enumerate() {
            match atom {
                Atom::Text(text, quoting) => {
                    let home = if index == 0 && *quoting == Quoting::Bare {
                        self.tilde(text, atoms.len() == 1, state)
                    } else {
                        Some(text.clone())
                    };
                    for draft in &mut drafts {
                        match &home {
                            Some(text) => draft.text(text, *quoting),
                            // A directory that is not known.
                            None => draft.unknown(&unknown(text.clone(), Quoting::Quoted)),
                        }
                    }
                }
                Atom::Values(values, quoting) => {
                    if drafts.len() * values.len() > MAX_VALUES {
                        for draft in &mut drafts {
                            draft.unknown(&unknown_variable("$…".to_owned(), *quoting, Vec::new()));
                        }
                        continue;
                    }
                    let split = role == Role::Argument && *quoting == Quoting::Bare;
                    if let [value] = values.as_slice() {
                        drafts = drafts
                            .into_iter()
                            .map(|draft| draft.value(value, split))
                            .collect();
                        continue;
                    }
                    drafts = drafts
                        .iter()
                        .flat_map(|draft| {
                            values
                                .iter()
                                .map(move |value| draft.clone().value(value, split))
                        })
                        .collect();
                }
                Atom::Fields(fields, origin) => {
                    for draft in &mut drafts {
                        draft.fields(fields, *origin);
                    }
                }
                unknown @ Atom::Unknown { .. } => {
                    for draft in &mut drafts {
                        draft.unknown(unknown);
                    }
                }
            }
        }
        drafts.into_iter().map(Draft::finish).collect()
    }

    /// Replaces `~` at the start of a word, and after the `=` of what looks like an assignment;
    /// nothing when what it stands for is not known.
    fn tilde(&self, text: &str, whole: bool, state: &State) -> Option<String> {
        if let Some((name, value)) = text.split_once('=')
            && value.starts_with('~')
            && !name.is_empty()
            && !name.starts_with('~')
        {
            let value = self.tilde(value, whole, state)?;
            return Some(format!("{name}={value}"));
        }
        let Some(rest) = text.strip_prefix('~') else {
            return Some(text.to_owned());
        };
        let (user, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None if whole || rest.is_empty() => (rest, ""),
            None => return Some(text.to_owned()),
        };
        let home = match user {
            "" => match state.variable("HOME") {
                Some(Value::Known(values)) => values.first().map(|value| value.text.clone()),
                Some(_) => None,
                None => self.home.map(str::to_owned),
            },
            "root" => Some("/root".to_owned()),
            "+" => only(state.here()),
            "-" => only(state.previous()),
            // A place of the stack of directories.
            place if place.trim_start_matches(['+', '-']).parse::<u32>().is_ok() => None,
            name => Some(format!("/home/{name}")),
        };
        home.map(|home| format!("{home}{path}"))
    }
}

/// A path, if it is the only possible one.
fn only(paths: Vec<String>) -> Option<String> {
    match <[String; 1]>::try_from(paths) {
        Ok([path]) => Some(path),
        Err(_) => None,
    }
}

/// A word in the making.
#[derive(Debug, Clone)]
struct Draft {
    done: Fields,
    current: Argument,
    /// There is a word even if it is empty.
    present: bool,
    /// An unquoted `[` waits for its `]`.
    bracket: bool,
    /// The word with `*` for numbers; none once another part of it is not known.
    pattern: Option<String>,
}

impl Draft {
    fn new(span: Span) -> Self {
        Self {
            done: Vec::new(),
            current: Argument::literal("", span),
            present: false,
            bracket: false,
            pattern: Some(String::new()),
        }
    }

    /// Adds known text.
    fn push(&mut self, text: &str) {
        self.current.text.push_str(text);
        self.current.mixed |=
            text.contains(|one: char| one.is_ascii_alphabetic() || "_[".contains(one));
        if let Some(pattern) = &mut self.pattern {
            pattern.push_str(text);
        }
    }

    fn text(&mut self, text: &str, quoting: Quoting) {
        self.present |= quoting == Quoting::Quoted || !text.is_empty();
        let known = self.current.glob;
        if quoting == Quoting::Bare {
            self.find_glob(text);
        }
        let found = self.current.glob && !known;
        let at = self.current.text.len();
        self.push(text);
        if !text.is_empty() {
            self.current.found_from = found.then_some(at);
        }
    }

    /// Notes an unquoted `*`, `?` or `[…]`.
    fn find_glob(&mut self, text: &str) {
        let closes = match text.find('[') {
            Some(at) => text.get(at..).is_some_and(|rest| rest.contains(']')),
            None => self.bracket && text.contains(']'),
        };
        self.bracket |= text.contains('[');
        let extended = ["@(", "+(", "!("].iter().any(|sign| text.contains(sign));
        self.current.glob |= closes || extended || text.contains(['*', '?']);
    }

    fn value(mut self, value: &Text, split: bool) -> Self {
        self.current.from_variable = true;
        if !split {
            self.present = true;
            self.current.glob |= value.glob;
            let at = self.current.text.len();
            self.push(&value.text);
            if !value.text.is_empty() {
                self.current.found_from = value.glob.then_some(at);
            }
            return self;
        }
        let blank = |character: char| matches!(character, ' ' | '\t' | '\n');
        for (index, part) in value.text.split(blank).enumerate() {
            if index > 0 {
                self.cut();
                self.current.from_variable = true;
            }
            self.present |= !part.is_empty();
            self.current.glob |= value.glob;
            self.find_glob(part);
            let at = self.current.text.len();
            self.push(part);
            if !part.is_empty() {
                self.current.found_from = self.current.glob.then_some(at);
            }
        }
        self
    }

    /// Ends the word here.
    fn cut(&mut self) {
        let fresh = Argument::literal("", self.current.span);
        let mut current = std::mem::replace(&mut self.current, fresh);
        self.bracket = false;
        current.mixed &= current.unknown_from.is_some();
        let pattern = self.pattern.replace(String::new());
        current.pattern = pattern.filter(|_| current.unknown_from.is_some());
        if std::mem::take(&mut self.present) {
            self.done.push(current);
        }
    }

    fn fields(&mut self, fields: &[Argument], origin: Origin) {
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                self.cut();
            }
            self.present = true;
            let from = self.current.text.len();
            self.push(&field.text);
            if field.unknown_from.is_some() {
                self.pattern = None;
            }
            self.current.glob |= field.glob;
            self.current.splits |= field.splits;
            self.current.from_variable |= origin == Origin::Variable || field.from_variable;
            self.current.sources.extend(field.sources.iter().cloned());
            self.current.found_from = field.found_from.map(|found| from + found);
            if self.current.unknown_from.is_none() {
                self.current.unknown_from = field.unknown_from.map(|unknown| from + unknown);
            }
        }
    }

    fn unknown(&mut self, atom: &Atom) {
        let Atom::Unknown {
            shown,
            quoting,
            from_variable,
            sources,
            is_pipe,
            number,
        } = atom
        else {
            return;
        };
        let current = &mut self.current;
        self.present = true;
        current.unknown_from.get_or_insert(current.text.len());
        current.splits |= *quoting == Quoting::Bare && !number;
        current.from_variable |= from_variable;
        current.is_pipe |= is_pipe;
        current.sources.extend(sources.iter().cloned());
        current.text.push_str(shown);
        current.found_from = None;
        match &mut self.pattern {
            Some(pattern) if *number => pattern.push('*'),
            _ => self.pattern = None,
        }
    }

    fn finish(mut self) -> Fields {
        self.cut();
        self.done
    }
}

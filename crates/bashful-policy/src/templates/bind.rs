//! Binding: the text that bash runs, and the variables that hold the values.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::calls::{Objection, ends_options};
use super::error::{Position, TemplateError};
use super::name::{Candidate, RESERVED, TemplateName};
use super::read::{Template, refusal};
use super::site::{Form, Lists, Site};
use super::value::{Value, is_number};

pub(super) mod edit;

use edit::{Edits, Holds};

/// What happens to templates that have no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// All of them are listed in an error.
    Refuse,
    /// Their text stays as it is: what runs gets `${a.b}`, character by character.
    Keep,
}

/// One template with what it is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The template, by its dotted name.
    pub template: TemplateName,
    /// Where it stands in the script as it was written.
    pub position: Position,
    /// The variable that stands there in the text that runs.
    pub variable: String,
    /// What it holds.
    pub value: Value,
}

/// A script whose templates are bound to values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The script with a variable of ours for each template. It has as many lines as it had.
    pub script: String,
    /// The variables and their values; a list is an array.
    pub variables: Vec<(String, Value)>,
    /// What is bound where, for people.
    pub shown: Vec<Binding>,
}

impl Bound {
    /// The whole text for bash: the script with assignments in front of its first line, or of its
    /// second if the first begins with `#!`. Line numbers in messages are those of the script.
    ///
    /// `declared` are set as well, as ordinary variables. Ours are read-only. None is exported,
    /// whatever the environment has under its name. The text is meant to be read as a file; it can
    /// be longer than an argument may be.
    pub fn text(&self, declared: &[(String, Value)]) -> String {
        self.text_behind("", declared)
    }

    /// The same with commands before everything, on the same line, if there is anything to set.
    /// They end with `;` and a blank.
    pub fn text_behind(&self, commands: &str, declared: &[(String, Value)]) -> String {
        if self.variables.is_empty() && declared.is_empty() {
            return self.script.clone();
        }
        let mut front = commands.to_owned();
        for (name, value) in self.variables.iter().chain(declared) {
            // An array that was exported would stay so.
            let _ = write!(front, "{name}=");
            value.write_to(&mut front);
            front.push(' ');
        }
        front.pop();
        front.push(';');
        for (flag, variables) in [("-r +x", self.variables.as_slice()), ("+x", declared)] {
            if !variables.is_empty() {
                let _ = write!(front, "declare {flag}");
                for (name, _) in variables {
                    let _ = write!(front, " {name}");
                }
                front.push(';');
            }
        }
        front.push(' ');
        let (first, rest) = match self.script.split_once('\n') {
            Some((first, rest)) if first.starts_with("#!") => (format!("{first}\n"), rest),
            None if self.script.starts_with("#!") => (format!("{}\n", self.script), ""),
            _ => (String::new(), self.script.as_str()),
        };
        let mut text = String::with_capacity(first.len() + front.len() + rest.len());
        text.push_str(&first);
        text.push_str(&front);
        text.push_str(rest);
        text
    }
}

impl Template {
    /// Binds each template to its value.
    pub fn bind(
        &self,
        values: &dyn Fn(&TemplateName) -> Option<Value>,
        missing: Missing,
    ) -> Result<Bound, TemplateError> {
        let names = self.names();
        let mut given = HashMap::with_capacity(names.len());
        let mut absent = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            match values(name) {
                Some(value) if value.has_nul() => {
                    return Err(TemplateError::Nul(name.to_string()));
                }
                Some(value) => {
                    given.insert(name, (format!("{RESERVED}{}", index + 1), value));
                }
                None if missing == Missing::Keep => {
                    // Bash would give up at such a name, so it is bound to its own text.
                    let text = Value::Text(format!("${{{name}}}"));
                    given.insert(name, (format!("{RESERVED}{}", index + 1), text));
                }
                None => absent.push(name.clone()),
            }
        }
        if !absent.is_empty() {
            return Err(TemplateError::Missing(absent));
        }
        let mut bound = Bound {
            script: String::new(),
            variables: Vec::new(),
            shown: Vec::new(),
        };
        let mut edits = Edits::new(&self.script);
        let mut lines = Lines::new(&self.script);
        for (candidate, site) in &self.sites {
            let Some((variable, value)) = given.get(&candidate.name) else {
                continue;
            };
            self.check(candidate, site, value)?;
            let (variable, value, holds) = match (value, site.lists) {
                (Value::List(_), Lists::Words) => (variable.clone(), value.clone(), Holds::Words),
                (Value::List(_), _) => {
                    let joined = Value::Text(value.joined());
                    (format!("{variable}_text"), joined, Holds::Text)
                }
                (Value::Text(_), _) => (variable.clone(), value.clone(), Holds::Text),
            };
            let shown = value.clone();
            // `5-${…}` with a negative number must not become `5--3`.
            let (variable, value) = match value {
                Value::Text(text) if site.form == Form::Number && text.starts_with('-') => (
                    format!("{variable}_number"),
                    Value::Text(format!(" {text}")),
                ),
                value => (variable, value),
            };
            edits.replace(candidate, site.form, (&variable, holds));
            bound.shown.push(Binding {
                template: candidate.name.clone(),
                position: lines.position(candidate.start),
                variable: variable.clone(),
                value: shown,
            });
            if !bound.variables.iter().any(|(name, _)| *name == variable) {
                bound.variables.push((variable, value));
            }
        }
        bound.script = edits.finish();
        Ok(bound)
    }

    /// Whether a value may stand at a place.
    fn check(
        &self,
        candidate: &Candidate,
        site: &Site,
        value: &Value,
    ) -> Result<(), TemplateError> {
        let demand = &site.demand;
        let unfit = |objection: Objection| {
            Err(TemplateError::Unfit(refusal(
                &self.script, candidate, objection,
            )))
        };
        let needs_number = site.form == Form::Number || demand.is_number;
        let texts = match value {
            Value::Text(text) => std::slice::from_ref(text),
            Value::List(_) if needs_number => return unfit(NUMBER),
            Value::List(_) if site.lists == Lists::Refused => return unfit(LIST),
            Value::List(_) if site.lists == Lists::Words && demand.one_word => {
                return unfit(MORE_WORDS);
            }
            Value::List(texts) => texts,
        };
        if needs_number && !texts.iter().all(|text| is_number(text)) {
            return unfit(NUMBER);
        }
        if let Some(program) = &demand.no_dash_for
            && texts.iter().any(|text| text.starts_with('-'))
        {
            return unfit(Objection {
                why: format!(
                    "has a value that begins with `-`, which `{program}` would take for an option, \
                     and some of its options run commands"
                )
                .into(),
                instead: if ends_options(program) {
                    "write `-- ${…}`, or `./${…}` for a file".into()
                } else {
                    "write `./${…}` for a file".into()
                },
            });
        }
        Ok(())
    }
}

const NUMBER: Objection = Objection::new(
    "is evaluated as a number here, and its value is not one",
    "give a whole number, or compare texts with `[[ … == … ]]`",
);
const LIST: Objection = Objection::new(
    "has a list as its value, and is used where one text is needed",
    "let it be a word of its own, or put it in quotes",
);
const MORE_WORDS: Objection = Objection::new(
    "has a list as its value, and more words would change what this command runs",
    "use a loop: `for item in ${…}; do … \"$item\"; done`",
);

/// Positions of places that come in order, without counting from the start each time.
struct Lines<'s> {
    script: &'s str,
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'s> Lines<'s> {
    fn new(script: &'s str) -> Self {
        Self {
            script,
            at: 0,
            line: 1,
            line_start: 0,
        }
    }

    fn position(&mut self, at: usize) -> Position {
        let passed = self.script.get(self.at..at).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.line_start = self.at + last + 1;
        }
        self.at = at;
        let line = self.script.get(self.line_start..at).unwrap_or_default();
        Position {
            line: self.line,
            column: line.chars().count() + 1,
        }
    }
}

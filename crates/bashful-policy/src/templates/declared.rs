//! Declared variables: set as variables of the shell before a script starts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::TemplateError;
use super::name::{RESERVED, TemplateName, candidates, is_identifier};
use super::value::Value;
use crate::hijack;
use crate::shell::SET_BY_BASH;

/// Variables that bash reads or keeps beside those that it sets, or that a run has from Bashful.
const TAKEN: &[&str] = &[
    "BASH", "BASH_COMPAT", "BASH_XTRACEFD", "CDPATH", "COMP_LINE", "COMP_POINT", "COMP_WORDBREAKS",
    "COMP_WORDS", "COMPREPLY", "EXECIGNORE", "FCEDIT", "FIGNORE", "FUNCNEST", "GLOBIGNORE",
    "HISTFILE", "HOSTNAME", "HOSTTYPE", "IGNOREEOF", "INPUTRC", "LANG", "LANGUAGE", "LC_ALL",
    "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "MACHTYPE", "OLDPWD",
    "OPTERR", "OSTYPE", "POSIXLY_CORRECT", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD", "SHELL",
    "TERM", "TEXTDOMAIN", "TEXTDOMAINDIR", "TIMEFORMAT", "TMOUT", "TMPDIR", "USER", "auto_resume",
    "histchars",
];

/// Where a value was written, which decides what in it is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The author of the script: all templates and all declared variables that it names.
    Author,
    /// The caller, in a document that can hold references: templates, which stand for values of
    /// the same call, and a declared variable where that is the whole value. The rest is text.
    Call,
    /// A caller that means exactly these characters: nothing in them is looked up.
    Exact,
}

/// Declared variables and what each is to hold: text in which templates and other declared
/// variables may stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    variables: BTreeMap<String, (Value, Origin)>,
    /// What templates hold that are given no value.
    usual: BTreeMap<TemplateName, Value>,
}

/// What everything holds once it was looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The declared variables.
    pub variables: Vec<(String, Value)>,
    /// The templates that were asked for, those without a value left out.
    pub templates: BTreeMap<TemplateName, Value>,
    /// Templates without a value. Where one is named in a variable, its text stays.
    pub missing: Vec<TemplateName>,
}

impl Declared {
    /// No variables, and no usual values of templates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what a template holds that is given no value. Its author wrote it.
    pub fn add_usual(&mut self, name: TemplateName, value: Value) -> Result<(), TemplateError> {
        if value.has_nul() {
            return Err(TemplateError::Nul(name.to_string()));
        }
        self.usual.insert(name, value);
        Ok(())
    }

    /// Adds a variable, if it has a name that can be set.
    pub fn add(&mut self, name: &str, value: Value, origin: Origin) -> Result<(), TemplateError> {
        let refuse = |why: &'static str| {
            Err(TemplateError::Variable {
                name: name.to_owned(),
                why: Cow::Borrowed(why),
            })
        };
        if !is_identifier(name) {
            return refuse(
                "a name is made of letters, digits and `_`, and does not begin with a digit",
            );
        }
        if name.starts_with(RESERVED) {
            return refuse("names that begin with `__bashful_` are reserved");
        }
        if SET_BY_BASH.contains(&name) || TAKEN.contains(&name) {
            return refuse("it is reserved for the shell or the run");
        }
        if hijack::is_listed(name) || name.starts_with("BASH_") || name.starts_with("LC_") {
            return refuse("it changes what other programs do");
        }
        if value.has_nul() {
            return Err(TemplateError::Nul(name.to_owned()));
        }
        self.variables.insert(name.to_owned(), (value, origin));
        Ok(())
    }

    /// What each variable and each of these templates holds. `values` are those of the call: they
    /// are data, and nothing in them is looked up again.
    pub fn resolve(
        &self,
        wanted: &[&TemplateName],
        values: &dyn Fn(&TemplateName) -> Option<Value>,
    ) -> Result<Resolved, TemplateError> {
        let mut resolver = Resolver {
            declared: self,
            values,
            done: BTreeMap::new(),
            open: Vec::new(),
            missing: Vec::new(),
        };
        let mut resolved = Resolved::default();
        for name in self.variables.keys() {
            let value = resolver.variable(name)?;
            resolved.variables.push((name.clone(), value));
        }
        for name in wanted {
            if let Some(value) = resolver.template(name)? {
                resolved.templates.insert((*name).clone(), value);
            }
        }
        resolved.missing = resolver.missing;
        Ok(resolved)
    }
}

struct Resolver<'d> {
    declared: &'d Declared,
    values: &'d dyn Fn(&TemplateName) -> Option<Value>,
    done: BTreeMap<String, Value>,
    /// The variables and templates that are being looked up.
    open: Vec<String>,
    missing: Vec<TemplateName>,
}

/// References nest no deeper than this.
const MAX_DEPTH: usize = 64;

impl Resolver<'_> {
    fn variable(&mut self, name: &str) -> Result<Value, TemplateError> {
        let Some((written, origin)) = self.declared.variables.get(name) else {
            return Err(TemplateError::Variable {
                name: self.open.last().cloned().unwrap_or_default(),
                why: format!("it refers to `{name}`, which is not declared").into(),
            });
        };
        self.written(name, written, *origin)
    }

    /// What a template holds: what the call gives, or what it usually holds.
    fn template(&mut self, name: &TemplateName) -> Result<Option<Value>, TemplateError> {
        match (self.values)(name) {
            Some(value) if value.has_nul() => return Err(TemplateError::Nul(name.to_string())),
            Some(value) => return Ok(Some(value)),
            None => {}
        }
        if let Some(usual) = self.declared.usual.get(name) {
            let value = self.written(name.as_str(), usual, Origin::Author)?;
            return Ok(Some(value));
        }
        if !self.missing.contains(name) {
            self.missing.push(name.clone());
        }
        Ok(None)
    }

    /// What a name holds for which this was written.
    fn written(
        &mut self,
        name: &str,
        written: &Value,
        origin: Origin,
    ) -> Result<Value, TemplateError> {
        if let Some(value) = self.done.get(name) {
            return Ok(value.clone());
        }
        if let Some(at) = self.open.iter().position(|open| open == name) {
            let mut circle = self.open.split_off(at);
            circle.push(name.to_owned());
            return Err(TemplateError::Circular(circle));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(TemplateError::Circular(std::mem::take(&mut self.open)));
        }
        self.open.push(name.to_owned());
        let value = match written {
            Value::Text(text) => self.text(text, origin)?,
            Value::List(texts) => {
                let texts: Result<Vec<String>, TemplateError> = texts
                    .iter()
                    .map(|text| Ok(self.text(text, origin)?.joined()))
                    .collect();
                Value::List(texts?)
            }
        };
        self.open.pop();
        self.done.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// A text with everything in it that is looked up; one reference alone keeps being a list.
    fn text(&mut self, text: &str, origin: Origin) -> Result<Value, TemplateError> {
        let references = self.references(text, origin);
        if let [(0, end, reference)] = references.as_slice()
            && *end == text.len()
        {
            let value = self.look_up(reference)?;
            return Ok(value.unwrap_or_else(|| Value::Text(text.to_owned())));
        }
        let mut whole = String::new();
        let mut at = 0;
        for (start, end, reference) in references {
            whole.push_str(text.get(at..start).unwrap_or_default());
            match self.look_up(&reference)? {
                Some(value) => whole.push_str(&value.joined()),
                None => whole.push_str(text.get(start..end).unwrap_or_default()),
            }
            at = end;
        }
        whole.push_str(text.get(at..).unwrap_or_default());
        Ok(Value::Text(whole))
    }

    /// What is looked up in a text of this origin.
    fn references(&self, text: &str, origin: Origin) -> Vec<(usize, usize, Reference)> {
        let mut found = match origin {
            Origin::Exact => Vec::new(),
            Origin::Author | Origin::Call => references(text),
        };
        if origin == Origin::Call {
            found.retain(|(start, end, reference)| match reference {
                Reference::Template(_) => true,
                Reference::Variable(name) => {
                    let is_whole = (*start, *end) == (0, text.len());
                    let is_itself = self.open.last() == Some(name);
                    is_whole && !is_itself && self.declared.variables.contains_key(name)
                }
            });
        }
        found
    }

    fn look_up(&mut self, reference: &Reference) -> Result<Option<Value>, TemplateError> {
        match reference {
            Reference::Variable(name) => self.variable(name).map(Some),
            Reference::Template(name) => self.template(name),
        }
    }
}

enum Reference {
    Template(TemplateName),
    Variable(String),
}

/// All `${a.b}` and `${NAME}` of a text, in order.
fn references(text: &str) -> Vec<(usize, usize, Reference)> {
    let templates = candidates(text)
        .into_iter()
        .map(|found| (found.start, found.end, Reference::Template(found.name)));
    let mut found: Vec<_> = templates.collect();
    for (start, _) in text.match_indices("${") {
        let rest = text.get(start + 2..).unwrap_or_default();
        if let Some((name, _)) = rest.split_once('}')
            && is_identifier(name)
        {
            let end = start + name.len() + 3;
            found.push((start, end, Reference::Variable(name.to_owned())));
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    found
}

/// Whether a value of the author refers to anything.
pub fn has_references(value: &Value) -> bool {
    let texts = match value {
        Value::Text(text) => std::slice::from_ref(text),
        Value::List(texts) => texts,
    };
    texts.iter().any(|text| !references(text).is_empty())
}

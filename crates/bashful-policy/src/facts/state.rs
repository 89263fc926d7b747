//! What the shell knows at one point of a text: directory, variables, functions, parameters.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::Argument;
use crate::shell::Statement;

/// More possible directories than this count as not known.
const MAX_DIRECTORIES: usize = 6;
/// More possible values than this count as not known.
pub(super) const MAX_VALUES: usize = 16;

/// A longer value counts as not known, so that values of values cannot grow without end.
const LONGEST_VALUE: usize = 16 * 1024;

/// The state of the shell, cheap to copy.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// Where it can be; empty when not known.
    pub(super) directories: Vec<String>,
    /// Where it was before the last change.
    pub(super) before: Vec<String>,
    /// What `pushd` put aside.
    pub(super) pushed: Vec<Vec<String>>,
    /// `$1` and so on; none when not known.
    pub(super) positional: Option<Rc<Vec<Argument>>>,
    /// The parameters are words of the text itself, as after `bash -c`, and not of a `set`.
    pub(super) given: bool,
    /// `$0`, when known.
    pub(super) zero: Option<Rc<Argument>>,
    /// After `set -e` a failure ends the text.
    pub(super) stops_on_failure: bool,
    variables: Rc<BTreeMap<String, Value>>,
    functions: Rc<BTreeMap<String, Rc<Statement>>>,
    aliases: Rc<BTreeMap<String, Argument>>,
}

/// What is known of a variable that the text sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// One of these.
    Known(Vec<Text>),
    /// Some number.
    Number,
    /// Nothing but the calls whose output is in it.
    Unknown(Vec<Range<usize>>),
}

/// A possible value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    /// It stands for names that match it.
    pub(super) glob: bool,
}

impl State {
    pub(super) fn new(directory: Option<&String>) -> Self {
        Self {
            directories: directory.into_iter().cloned().collect(),
            ..Self::default()
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
    }

    pub(super) fn forget(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            self.set(&name, Value::Unknown(Vec::new()));
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<Statement>> {
        self.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Statement>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), body);
    }

    pub(super) fn alias(&self, name: &str) -> Option<&Argument> {
        self.aliases.get(name)
    }

    pub(super) fn set_alias(&mut self, name: &str, text: Argument) {
        Rc::make_mut(&mut self.aliases).insert(name.to_owned(), text);
    }

    /// Goes somewhere, or to a place that is not known.
    pub(super) fn go(&mut self, directories: Vec<String>) {
        self.before = std::mem::replace(&mut self.directories, directories);
    }

    /// Becomes what both states can be.
    pub(super) fn merge(&mut self, other: Self) {
        self.directories = united(&self.directories, other.directories);
        self.before = united(&self.before, other.before);
        if self.pushed != other.pushed {
            self.pushed.clear();
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        self.given &= other.given;
        if self.zero != other.zero {
            self.zero = None;
        }
        self.stops_on_failure &= other.stops_on_failure;
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let mine = Rc::make_mut(&mut self.variables);
            for (name, value) in other.variables.iter() {
                match mine.get_mut(name) {
                    Some(own) => own.merge(value),
                    // Where it is not set it has the value of the environment, which is not known.
                    None => {
                        mine.insert(name.clone(), Value::Unknown(value.sources()));
                    }
                }
            }
            for (name, value) in mine.iter_mut() {
                if !other.variables.contains_key(name) {
                    *value = Value::Unknown(value.sources());
                }
            }
        }
        if !Rc::ptr_eq(&self.aliases, &other.aliases) {
            let mine = Rc::make_mut(&mut self.aliases);
            for (name, text) in other.aliases.iter() {
                mine.entry(name.clone()).or_insert_with(|| text.clone());
            }
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let mine = Rc::make_mut(&mut self.functions);
            for (name, body) in other.functions.iter() {
                mine.entry(name.clone()).or_insert_with(|| Rc::clone(body));
            }
        }
    }
}

impl Value {
    /// The value that an argument holds.
    pub(super) fn of(argument: &Argument) -> Self {
        if argument.unknown_from.is_some() || argument.text.len() > LONGEST_VALUE {
            return Self::Unknown(argument.sources.clone());
        }
        Self::Known(vec![Text {
            text: argument.text.clone(),
            glob: argument.glob,
        }])
    }

    /// What is known of where an unknown value comes from, once this is one of several. A text
    /// that is no number must not be evaluated, and the empty range stands for such.
    pub(super) fn sources(&self) -> Vec<Range<usize>> {
        let number = |value: &Text| value.text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Unknown(sources) => sources.clone(),
            Self::Known(values) if !values.iter().all(number) => std::iter::once(0..0).collect(),
            Self::Known(_) | Self::Number => Vec::new(),
        }
    }

    fn merge(&mut self, other: &Self) {
        if self == other {
            return;
        }
        *self = match (&*self, other) {
            (Self::Known(one), Self::Known(two)) => {
                let mut all = one.clone();
                all.extend(two.iter().filter(|text| !one.contains(text)).cloned());
                if all.len() > MAX_VALUES {
                    Self::Unknown(Vec::new())
                } else {
                    Self::Known(all)
                }
            }
            (one, two) => {
                let mut sources = one.sources();
                let more = two.sources().into_iter();
                // Each once, or merging again and again would make them grow without end.
                let more: Vec<_> = more.filter(|source| !sources.contains(source)).collect();
                sources.extend(more);
                Self::Unknown(sources)
            }
        };
    }
}

/// Both lists of directories; nothing when one of them is not known.
fn united(one: &[String], two: Vec<String>) -> Vec<String> {
    if one == two {
        return two;
    }
    if one.is_empty() || two.is_empty() {
        return Vec::new();
    }
    let mut all = one.to_vec();
    all.extend(two.into_iter().filter(|path| !one.contains(path)));
    if all.len() > MAX_DIRECTORIES {
        all.clear();
    }
    all
}

//! What the shell knows at one point of a text: directory, variables, functions, parameters.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::Argument;
use crate::shell::{SET_BY_BASH, Statement};

mod value;

pub(super) use value::{MAX_VALUES, Text, Value};

/// More possible directories than this count as not known.
const MAX_DIRECTORIES: usize = 6;
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
    /// After `exec > file` all that is printed goes into a file.
    pub(super) printed: bool,
    variables: Rc<BTreeMap<String, Value>>,
    attributes: Rc<BTreeSet<(String, Attribute)>>,
    /// Each with the bodies that it can have.
    functions: Rc<BTreeMap<String, Vec<Rc<Statement>>>>,
    aliases: Rc<BTreeMap<String, Argument>>,
}

/// What makes a variable hold another value than it is given, or decides which programs get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attribute {
    /// It may keep what it has: `readonly`.
    Kept,
    /// Letters may become small or large: `declare -l`.
    Folded,
    /// It stands for another variable, or the shell may set it at any time.
    Unsettled,
    /// Programs get it.
    Exported,
    /// It may be an array.
    Listed,
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

    /// Gives a variable a value, as far as it takes it.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        let value = self.taken(name, value);
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
    }

    /// What a variable has after it is given a value.
    fn taken(&self, name: &str, value: Value) -> Value {
        if is_own(name) {
            return Value::Unknown(value.sources());
        }
        if self.attributes.is_empty() {
            return value;
        }
        if self.has(name, Attribute::Unsettled) {
            return Value::outside();
        }
        let mut value = value;
        if self.has(name, Attribute::Folded) {
            value = value.folded();
        }
        if self.has(name, Attribute::Kept)
            && let Some(own) = self.variables.get(name)
        {
            let mut both = own.clone();
            both.merge(&value);
            value = both;
        }
        value
    }

    pub(super) fn has(&self, name: &str, attribute: Attribute) -> bool {
        !self.attributes.is_empty() && self.attributes.contains(&(name.to_owned(), attribute))
    }

    /// Gives a variable an attribute, which changes what it has already.
    pub(super) fn mark(&mut self, name: &str, attribute: Attribute) {
        if self.has(name, attribute) {
            return;
        }
        Rc::make_mut(&mut self.attributes).insert((name.to_owned(), attribute));
        if attribute == Attribute::Unsettled || self.variables.contains_key(name) {
            let value = self.variables.get(name).cloned();
            self.set(name, value.unwrap_or_else(Value::outside));
        }
    }

    /// Takes the export of a variable back.
    pub(super) fn keep_from_programs(&mut self, name: &str) {
        let exported = (name.to_owned(), Attribute::Exported);
        if self.attributes.contains(&exported) {
            Rc::make_mut(&mut self.attributes).remove(&exported);
        }
    }

    /// Takes the export of all variables back.
    pub(super) fn hide_exports(&mut self) {
        if !self.attributes.is_empty() {
            Rc::make_mut(&mut self.attributes).retain(|one| one.1 != Attribute::Exported);
        }
    }

    /// Gives a variable back the value of another state; `perhaps` keeps the present one as well.
    pub(super) fn restore(&mut self, name: &str, before: &Self, perhaps: Restored) {
        let old = before.variables.get(name);
        let now = self.variables.get(name);
        let value = match (old, now, perhaps) {
            (Some(old), Some(now), Restored::Perhaps) => {
                let mut both = old.clone();
                both.merge(now);
                Some(both)
            }
            (None, Some(now), Restored::Perhaps) => Some(Value::Unknown(now.sources())),
            (old, ..) => old.cloned(),
        };
        let variables = Rc::make_mut(&mut self.variables);
        match value {
            Some(value) => variables.insert(name.to_owned(), value),
            None => variables.remove(name),
        };
    }

    /// The variables that have another value than in an earlier state.
    pub(super) fn changed(&self, before: &Self) -> Vec<String> {
        if Rc::ptr_eq(&self.variables, &before.variables) {
            return Vec::new();
        }
        let new = |(name, value): &(&String, &Value)| match before.variables.get(*name) {
            // What is not known already stays so, unless it can be evaluated now.
            Some(Value::Unknown(sources)) => {
                let now = value.sources();
                !now.iter().all(|source| sources.contains(source))
            }
            old => old != Some(*value),
        };
        let changed = self.variables.iter().filter(new);
        let gone = before.variables.keys();
        let gone = gone.filter(|name| !self.variables.contains_key(*name));
        changed.map(|(name, _)| name).chain(gone).cloned().collect()
    }

    /// Makes variables unknown that have another value at another time, namely the one in `other`.
    pub(super) fn blur(&mut self, names: &[String], other: &Self) {
        for name in names {
            let both = [&self.variables, &other.variables].map(|all| all.get(name));
            let mut sources: Vec<Range<usize>> = Vec::new();
            for source in both.into_iter().flatten().flat_map(Value::sources) {
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
            self.set(name, Value::Unknown(sources));
        }
    }

    /// Adds a value to those that a variable can have.
    pub(super) fn add_value(&mut self, name: &str, value: &Value) {
        if let Some(own) = Rc::make_mut(&mut self.variables).get_mut(name) {
            own.merge(value);
        }
    }

    /// Makes every variable unknown.
    pub(super) fn forget_all(&mut self) {
        for value in Rc::make_mut(&mut self.variables).values_mut() {
            *value = Value::outside();
        }
    }

    /// Forgets each variable whose name a text contains in whatever way.
    pub(super) fn forget_named(&mut self, text: &str) {
        let named = |name: &&String| text.contains(name.as_str());
        let names: Vec<String> = self.variables.keys().filter(named).cloned().collect();
        for name in names {
            self.set(&name, Value::outside());
        }
    }

    /// Becomes the state of another shell that this one starts: it has no variable that is not
    /// exported, as far as that is known, and no function, unless it is bash and gets it.
    pub(super) fn pass_on(&mut self, functions: bool) {
        if !self.functions.is_empty() {
            let mut all = std::mem::take(&mut self.functions);
            let exported =
                |name: &String| functions && self.has(&format!("{name}()"), Attribute::Exported);
            Rc::make_mut(&mut all).retain(|name, _| exported(name));
            self.functions = all;
        }
        let kept = |(name, value): &(&String, &Value)| {
            matches!(value, Value::Known(_)) && !self.has(name, Attribute::Exported)
        };
        let hidden = self.variables.iter().filter(kept);
        let hidden: Vec<String> = hidden.map(|(name, _)| name.clone()).collect();
        for name in hidden {
            if let Some(value) = Rc::make_mut(&mut self.variables).get_mut(&name) {
                value.merge(&Value::empty());
            }
        }
        // Another shell folds nothing, and keeps nothing.
        let exported = |one: &(String, Attribute)| one.1 == Attribute::Exported;
        if !self.attributes.iter().all(exported) {
            Rc::make_mut(&mut self.attributes).retain(exported);
        }
    }

    pub(super) fn forget(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            self.set(&name, Value::Unknown(Vec::new()));
        }
    }

    /// The bodies that a function can have; none when there is no such function.
    pub(super) fn function(&self, name: &str) -> Option<Vec<Rc<Statement>>> {
        self.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Statement>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), vec![body]);
    }

    pub(super) fn alias(&self, name: &str) -> Option<&Argument> {
        self.aliases.get(name)
    }

    pub(super) fn set_alias(&mut self, name: &str, text: Argument) {
        Rc::make_mut(&mut self.aliases).insert(name.to_owned(), text);
    }

    /// Changes the directory, perhaps to one that is not known.
    pub(super) fn go(&mut self, directories: Vec<String>) {
        self.before = std::mem::replace(&mut self.directories, directories);
        for name in ["PWD", "OLDPWD"] {
            if self.variables.contains_key(name) {
                Rc::make_mut(&mut self.variables).remove(name);
            }
        }
    }

    /// Where it was before, which `cd -` and `~-` take from a variable; empty when not known.
    pub(super) fn previous(&self) -> Vec<String> {
        self.place("OLDPWD").unwrap_or_else(|| self.before.clone())
    }

    /// Where `~+` leads; empty when not known.
    pub(super) fn here(&self) -> Vec<String> {
        self.place("PWD")
            .unwrap_or_else(|| self.directories.clone())
    }

    /// The paths that a variable can have; none when it is not set.
    fn place(&self, name: &str) -> Option<Vec<String>> {
        match self.variables.get(name)? {
            Value::Known(texts) => Some(texts.iter().map(|one| one.text.clone()).collect()),
            _ => Some(Vec::new()),
        }
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
        self.printed |= other.printed;
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
        if !Rc::ptr_eq(&self.attributes, &other.attributes) {
            let more = other.attributes.iter().cloned();
            Rc::make_mut(&mut self.attributes).extend(more);
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
                let own = mine.entry(name.clone()).or_default();
                for body in body {
                    if !own.iter().any(|known| Rc::ptr_eq(known, body)) {
                        own.push(Rc::clone(body));
                    }
                }
            }
        }
    }
}

/// Whether a variable surely has again what it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restored {
    Surely,
    Perhaps,
}

/// Whether bash sets a variable of this name by itself.
fn is_own(name: &str) -> bool {
    // The last three are set only at times, and may be declared.
    SET_BY_BASH.binary_search(&name).is_ok() || matches!(name, "COLUMNS" | "LINES" | "SHELLOPTS")
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

//! Flow: where the values of templates and of declared variables come to stand.
//!
//! `count=${trigger.count}` is data, and `(( count > 5 ))` in another line evaluates it. So the
//! variables that can hold a value are followed through the whole script, by name and without
//! regard to order: what is found can be too much, never too little. Only the commands that
//! mention one of them are read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::name::{Candidate, is_identifier};
use super::part::{Part, Unreadable};
use super::script::Attributes;

mod carry;
mod place;
mod places;
mod prints;
mod words;

pub(super) use carry::{filled, plain_file};
pub(super) use place::{Holder, Place, Starts, Taint, starts};
pub(super) use prints::counts_one_file;

use words::{commands_with, functions_in, mentions, suspicious_words, words_of};

/// Values that go further than this are not followed.
const MOST_ROUNDS: usize = 64;

/// What is followed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sources<'n> {
    /// The templates of the script.
    Templates,
    /// Variables that are set before it.
    Variables(&'n [&'n str]),
}

/// Which positional parameter a value is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    /// The parameter with this number.
    Exactly(usize),
    /// This or a later one: a word before it, or it itself, can be several.
    From(usize),
}

impl Number {
    fn is(self, number: usize) -> bool {
        match self {
            Self::Exactly(one) => one == number,
            Self::From(first) => first <= number,
        }
    }

    const fn least(self) -> usize {
        match self {
            Self::Exactly(number) | Self::From(number) => number,
        }
    }
}

/// The script and how it is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'s> {
    /// The text with names that a parser reads instead of templates.
    pub(super) text: &'s str,
    pub(super) candidates: &'s [Candidate],
    pub(super) commands: &'s [Range<usize>],
}

/// What has been found so far.
pub(super) struct Flow<'s> {
    ground: Ground<'s>,
    /// For each command, which part it is.
    read: Vec<bool>,
    pub(super) parts: Vec<Part<'s>>,
    /// What variables can hold.
    names: HashMap<String, Taint>,
    /// What positional parameters can hold, by function.
    parameters: HashMap<String, BTreeMap<Number, Taint>>,
    /// What functions print.
    spoken: HashMap<String, Taint>,
    /// Files that are given a value.
    pub(super) written: HashMap<String, Taint>,
    /// What functions can read.
    inputs: HashMap<String, Taint>,
    /// What is open under a descriptor of its own.
    opened: Taint,
    /// The functions of the script, as far as its text says so.
    functions: HashSet<String>,
    /// Words that make a command worth reading.
    words: BTreeSet<String>,
    /// Those of them that were not looked for yet.
    fresh: Vec<String>,
    /// The commands that have a word.
    mentioned: Option<HashMap<&'s str, Vec<usize>>>,
    handed: HashSet<String>,
    changed: bool,
    templates: bool,
    pub(super) attributes: Attributes,
}

impl<'s> Flow<'s> {
    /// Follows all sources to the end.
    pub(super) fn of(ground: Ground<'s>, sources: Sources<'_>) -> Result<Self, Unreadable> {
        let mut flow = Self {
            ground,
            read: vec![false; ground.commands.len()],
            parts: Vec::new(),
            names: HashMap::new(),
            parameters: HashMap::new(),
            spoken: HashMap::new(),
            written: HashMap::new(),
            inputs: HashMap::new(),
            opened: Taint::default(),
            functions: functions_in(ground.text),
            words: BTreeSet::new(),
            fresh: Vec::new(),
            mentioned: None,
            handed: HashSet::new(),
            changed: false,
            templates: matches!(sources, Sources::Templates),
            attributes: Attributes::of(ground.text),
        };
        match sources {
            Sources::Templates => {
                for index in 0..ground.commands.len() {
                    if !flow.candidates_of(index).is_empty() {
                        flow.read_command(index)?;
                    }
                }
            }
            Sources::Variables(names) => {
                for (source, name) in names.iter().enumerate() {
                    flow.give(name, &Taint::of(source));
                }
            }
        }
        for word in suspicious_words(ground.text) {
            flow.look_for(word.to_owned());
        }
        for _ in 0..MOST_ROUNDS {
            flow.changed = false;
            flow.read_mentioned()?;
            for index in 0..flow.parts.len() {
                flow.carry(index);
            }
            if !flow.changed {
                return Ok(flow);
            }
        }
        Err(Unreadable(0))
    }

    fn candidates_of(&self, command: usize) -> Range<usize> {
        let Some(command) = self.ground.commands.get(command) else {
            return 0..0;
        };
        let candidates = self.ground.candidates;
        let from = candidates.partition_point(|next| next.start < command.start);
        let to = candidates.partition_point(|next| next.start < command.end);
        from..to
    }

    fn read_command(&mut self, index: usize) -> Result<(), Unreadable> {
        let Some(command) = self.ground.commands.get(index).cloned() else {
            return Ok(());
        };
        let text = self.ground.text.get(command.clone());
        let text = text.ok_or(Unreadable(command.start))?;
        let range = self.candidates_of(index);
        let candidates = self
            .ground
            .candidates
            .get(range.clone())
            .unwrap_or_default();
        let part = Part::read(text, command.start, range.start, candidates)?;
        self.attributes.declared_in(&part.facts);
        self.parts.push(part);
        if let Some(read) = self.read.get_mut(index) {
            *read = true;
        }
        self.changed = true;
        Ok(())
    }

    /// Reads the commands that mention what is followed.
    fn read_mentioned(&mut self) -> Result<(), Unreadable> {
        let parameters = self.parameters.get("").is_some_and(|all| !all.is_empty());
        let opened = !self.opened.is_empty();
        let fresh = std::mem::take(&mut self.fresh);
        let mut wanted = BTreeSet::new();
        if !fresh.is_empty() {
            let index = self
                .mentioned
                .get_or_insert_with(|| words_of(self.ground.text, self.ground.commands));
            for word in &fresh {
                if is_identifier(word) {
                    wanted.extend(index.get(word.as_str()).into_iter().flatten().copied());
                } else {
                    wanted.extend(commands_with(&self.ground, |text| mentions(text, word)));
                }
            }
        }
        if parameters {
            wanted.extend(commands_with(&self.ground, |text| text.contains('$')));
        }
        if opened {
            let reads = |text: &str| text.contains("<&") || text.contains("-u");
            wanted.extend(commands_with(&self.ground, reads));
        }
        for index in wanted {
            if self.read.get(index) == Some(&false) {
                self.read_command(index)?;
            }
        }
        Ok(())
    }

    /// Looks for a word in all commands from now on.
    fn look_for(&mut self, word: String) {
        if !word.is_empty() && self.words.insert(word.clone()) {
            self.fresh.push(word);
        }
    }

    /// Gives a variable what it can hold from now on.
    fn give(&mut self, name: &str, taint: &Taint) {
        if taint.is_empty() || !is_identifier(name) {
            return;
        }
        if self.names.entry(name.to_owned()).or_default().add(taint) {
            self.look_for(name.to_owned());
            self.changed = true;
        }
    }

    /// What a variable or a parameter can hold in a function.
    fn held(&self, name: &str, scope: &str, shifts: bool) -> Taint {
        let parameters = self.parameters.get(scope);
        let mut taint = Taint::default();
        let everything = matches!(name, "@" | "*");
        let number = name.parse::<usize>().ok();
        if everything || number.is_some() {
            for (which, given) in parameters.into_iter().flatten() {
                if everything || shifts || number.is_some_and(|number| which.is(number)) {
                    taint.add(given);
                }
            }
            return taint;
        }
        if self.attributes.is_reference(name) {
            return self.anything();
        }
        self.names.get(name).cloned().unwrap_or_default()
    }

    /// What a variable can hold of which the name is not known.
    fn anything(&self) -> Taint {
        let mut all = Taint::default();
        for taint in self.names.values() {
            all.add(taint);
        }
        all
    }

    /// Whether `"$@"` at a place can begin with a value.
    pub(super) fn can_be_command(&self, part: &Part<'s>, at: usize) -> bool {
        let scope = part.scope_at(at);
        let shifted = shifts_in(part, scope);
        let parameters = self.parameters.get(scope);
        let first = |which: &Number| shifted.is_none_or(|shifted| which.least() <= 1 + shifted);
        parameters.is_some_and(|all| all.keys().any(first))
    }

    /// The word from which on a call of a function is a call that the function makes.
    pub(super) fn runs_arguments(&self, function: &str) -> Option<usize> {
        if !self.functions.contains(function) {
            return None;
        }
        self.parts.iter().find_map(|part| {
            let functions = part.facts.functions.iter();
            let mut found = functions.filter(|found| found.name == function);
            let found = found.next()?;
            let calls = part.facts.calls.get(found.body.clone())?;
            let runs = calls.iter().any(|call| {
                let first = call.arguments.first().map_or((0, 0), |word| word.span);
                let text = part.slice(first);
                text.contains("$@") || text.contains("$*") || text.contains("${@")
            });
            runs.then(|| 1 + shifts_in(part, function).unwrap_or(0))
        })
    }
}

/// How often a function drops its first argument; nothing where that is not known.
fn shifts_in(part: &Part<'_>, function: &str) -> Option<usize> {
    let functions = part.facts.functions.iter();
    let mut found = functions.filter(|found| found.name == function);
    let span = found
        .next()
        .map_or((0, part.text.len()), |found| found.span);
    let text = part.slice(span);
    let count = text.matches("shift").count();
    let loops = ["while", "until", "for "];
    let first_loop = loops.iter().filter_map(|word| text.find(word)).min();
    let repeats = first_loop.is_some_and(|first| text.rfind("shift").is_some_and(|at| at > first));
    let counted = text.contains("shift $") || text.contains("shift \"");
    match count {
        0 => Some(0),
        _ if repeats || counted => None,
        count => Some(count),
    }
}

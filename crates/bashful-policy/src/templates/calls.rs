//! Values among the words of commands: which of them bash, or a program that it starts, would take
//! for code.

use std::borrow::Cow;

use super::part::Part;
use super::script::Attributes;
use crate::facts::{self, Call, Input, Span, UnknownKind, is_wrapper};
use crate::hijack;
use crate::programs::{code_words, runs_commands};

mod builtins;
mod code;

/// Why a value must not stand in a place, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Objection {
    pub(super) why: Cow<'static, str>,
    pub(super) instead: Cow<'static, str>,
}

impl Objection {
    pub(super) const fn new(why: &'static str, instead: &'static str) -> Self {
        Self {
            why: Cow::Borrowed(why),
            instead: Cow::Borrowed(instead),
        }
    }
}

/// What the commands around a value demand of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// It must not stand here at all.
    pub(super) objection: Option<Objection>,
    /// A list must not stand here, for its further words would get another meaning.
    pub(super) one_word: bool,
    /// A value with a dash in front would be an option of this program, which can run commands.
    pub(super) no_dash_for: Option<String>,
    /// It is evaluated as a number.
    pub(super) is_number: bool,
}

/// Words of a call that are code, with why.
type Codes = Vec<(usize, Objection)>;

/// What all of a part demands of the values that stand at these places, which are in order.
pub(super) fn demands(part: &Part<'_>, attributes: &Attributes, places: &[usize]) -> Vec<Demand> {
    let mut inquiry = Inquiry {
        part,
        attributes,
        places,
        demands: vec![Demand::default(); places.len()],
    };
    inquiry.assignments();
    for call in &part.facts.calls {
        inquiry.call(call);
    }
    // What the walk found comes last, for it knows less about what to write instead.
    inquiry.unknowns();
    inquiry.demands
}

/// The values of a part by their places, and what was found about each.
struct Inquiry<'c, 's> {
    part: &'c Part<'s>,
    attributes: &'c Attributes,
    places: &'c [usize],
    demands: Vec<Demand>,
}

impl Inquiry<'_, '_> {
    /// The values that stand in a span.
    fn within(&self, span: Span) -> std::ops::Range<usize> {
        let from = self.places.partition_point(|at| *at < span.0);
        let to = self.places.partition_point(|at| *at < span.1);
        from..to.max(from)
    }

    fn demands_in(&mut self, span: Span) -> &mut [Demand] {
        let range = self.within(span);
        self.demands.get_mut(range).unwrap_or_default()
    }

    fn object(&mut self, span: Span, objection: &Objection) {
        for demand in self.demands_in(span) {
            demand.objection.get_or_insert_with(|| objection.clone());
        }
    }

    /// The same for what stands in the word itself, and not in a substitution in it.
    fn object_to_itself(&mut self, span: Span, objection: &Objection) {
        for index in self.within(span) {
            if let (false, Some(demand)) = (self.is_inner(index, span), self.demands.get_mut(index))
            {
                demand.objection.get_or_insert_with(|| objection.clone());
            }
        }
    }

    /// Whether a value stands in a substitution within a span.
    fn is_inner(&self, index: usize, span: Span) -> bool {
        let at = self.places.get(index).copied().unwrap_or_default();
        let mut around = self.part.around(at);
        around.any(|next| span.0 <= next.span.0 && next.span.1 <= span.1)
    }

    /// What the walk itself found to be the name of a command, or a text or a file of a shell.
    fn unknowns(&mut self) {
        let facts = &self.part.facts;
        for call in &facts.calls {
            if call.place == facts::Place::Script {
                self.object(call.span, &SCRIPT);
            }
        }
        for unknown in &facts.unknowns {
            let objection = match unknown.kind {
                UnknownKind::DynamicName => NAME,
                UnknownKind::DynamicScript => SCRIPT,
                UnknownKind::ScriptFile => FILE,
                _ => continue,
            };
            self.object(unknown.span, &objection);
        }
    }

    /// What variables are given that bash or other programs evaluate.
    fn assignments(&mut self) {
        let part = self.part;
        for index in 0..self.places.len() {
            let at = self.places.get(index).copied().unwrap_or_default();
            if let Some(name) = part.target(at) {
                self.given(name, index);
            }
        }
        for assignment in part.assignments() {
            for index in self.within(assignment.value.span) {
                if !self.is_inner(index, assignment.value.span) {
                    self.given(&assignment.name, index);
                }
            }
        }
    }

    fn given(&mut self, name: &str, index: usize) {
        let Some(demand) = self.demands.get_mut(index) else {
            return;
        };
        demand.is_number |= self.attributes.is_integer(name);
        if let Some(objection) = objection_to_setting(name, self.attributes) {
            demand.objection.get_or_insert(objection);
        }
    }

    fn call(&mut self, call: &Call) {
        let Some(first) = call.arguments.first() else {
            return;
        };
        let name = first.program();
        // The parser gives these the place of their operand.
        let leaves = matches!(name, "exit" | "return" | "break" | "continue");
        if leaves || matches!(name, "wait" | "ulimit") {
            for word in call.operands() {
                for demand in self.demands_in(word.span) {
                    demand.is_number = true;
                }
            }
            if leaves {
                return;
            }
        }
        self.object(first.span, &NAME);
        if code::reads_code(name, call, &self.part.facts.calls) {
            self.fed(&call.input, 0);
        }
        if !call
            .arguments
            .iter()
            .any(|word| !self.within(word.span).is_empty())
        {
            return;
        }
        for (index, objection) in self.builtin(name, call) {
            if let Some(word) = call.arguments.get(index) {
                self.object_to_itself(word.span, &objection);
            }
        }
        let mut codes = code::words(name, &call.arguments);
        for index in code_words(name, &call.arguments) {
            codes.push((index, OPTION));
        }
        for (index, objection) in codes {
            if let Some(word) = call.arguments.get(index) {
                self.object(word.span, &objection);
            }
        }
        self.narrow(name, call);
    }

    /// Refuses what a program reads that runs what it reads.
    fn fed(&mut self, input: &Input, depth: usize) {
        match input {
            Input::Inherited => {}
            Input::Text(word) | Input::File(word) => self.object(word.span, &INPUT),
            Input::Pipe(range) => {
                let part = self.part;
                for call in part.facts.calls.get(range.clone()).unwrap_or_default() {
                    for word in &call.arguments {
                        self.object(word.span, &INPUT);
                    }
                    if depth < 16 {
                        self.fed(&call.input, depth + 1);
                    }
                }
            }
        }
    }

    /// Refuses lists and options where the words of a call decide what it runs.
    fn narrow(&mut self, name: &str, call: &Call) {
        let inner = self.started_at(name, call);
        let fixed = matches!(name, "test" | "[" | "find" | "fd");
        let risky = is_wrapper(name) || code::permutes(name) || runs_commands(name);
        let mut open = true;
        for word in call.operands() {
            // From there on they are words of what it starts, which is a call of its own.
            let own = inner.is_none_or(|at| word.span.0 < at);
            let one_word = fixed || inner.is_some() && own;
            open &= own && !(word.text == "--" && ends_options(name));
            for index in self.within(word.span) {
                let at = self.places.get(index).copied().unwrap_or_default();
                let before = self.part.slice((word.span.0, at)).trim_matches(['"', '\'']);
                let chooses = !before.is_empty() && before.bytes().all(|byte| byte == b'-');
                // An expansion before it can be empty, and of braces each item is a word.
                let starts = before.is_empty() || before.starts_with(['$', '`', '{']);
                let inner = self.is_inner(index, word.span);
                let Some(demand) = self.demands.get_mut(index) else {
                    continue;
                };
                demand.one_word |= one_word;
                if risky && open && starts && !inner {
                    demand.no_dash_for = Some(name.to_owned());
                }
                if risky && open && chooses {
                    demand.objection.get_or_insert(CHOOSES_OPTION);
                }
            }
        }
    }

    /// Where the program stands that a wrapper starts.
    fn started_at(&self, name: &str, call: &Call) -> Option<usize> {
        let calls = self.part.facts.calls.iter();
        let started = calls.filter(|other| other.wrappers.iter().any(|outer| outer == name));
        let words = started.filter_map(|other| other.arguments.first());
        let places = words.map(|word| word.span.0);
        let (start, end) = call.span;
        places.filter(|at| start <= *at && *at < end).min()
    }
}

/// Why a variable of this name must not be given a value.
pub(super) fn objection_to_setting(name: &str, attributes: &Attributes) -> Option<Objection> {
    let changes = hijack::is_listed(name) || attributes.is_reference(name);
    changes.then(|| Objection {
        why: format!("would set `{name}`, which changes what other commands do").into(),
        instead: "give the value to a variable of your own".into(),
    })
}

/// Whether `--` ends the options of a program, as it usually does.
pub(super) fn ends_options(name: &str) -> bool {
    !matches!(name, "find" | "convert" | "magick" | "ffmpeg" | "java")
}

pub(super) const NAME: Objection = Objection::new(
    "would choose the command that runs",
    "write the command's name, and give the value as an argument",
);
const SCRIPT: Objection = Objection::new(
    "would become part of a text that a shell runs",
    "give it as an argument: `bash -c 'printf \"%s\" \"$1\"' _ ${…}`, or put it in a variable \
     first and use that in single quotes",
);
const FILE: Objection = Objection::new(
    "would choose the file that a shell runs",
    "write the file's name, and give the value as an argument",
);
const OPTION: Objection = Objection::new(
    "would be a command in an option of this program",
    "write the command, and give the value as an argument of its own",
);
const CHOOSES_OPTION: Objection = Objection::new(
    "would choose an option of a program that has options which run commands",
    "write the option's name: `--name=${…}`",
);
const INPUT: Objection = Objection::new(
    "would be read as code by the program that gets this as its input",
    "give it as an argument, as in `python3 - ${…}`, with the code in a quoted here-document",
);

//! Templates among the words of commands: which of them some program would take for code.

use std::borrow::Cow;

use super::flow::{Flow, Holder, Place, Starts, counts_one_file, starts};
use super::part::Part;
use super::script::Attributes;
use super::site::DUPLICATE;
use crate::facts::{self, Argument, Call, Span, UnknownKind, is_shell};
use crate::hijack;
use crate::shell::{Role, Usage};

mod builtins;
mod dashes;

pub(super) use dashes::ends_options;
mod fed;
mod languages;
mod remote;

/// Why a value must not stand somewhere, and what to write instead.
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

/// What the commands around a template demand of it.
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
    /// Why it must be one, where that is in another line.
    pub(super) number_because: Option<String>,
}

/// The values of a part, by their places, and what was found about each.
pub(super) struct Inquiry<'c, 's> {
    pub(super) part: &'c Part<'s>,
    pub(super) flow: &'c Flow<'s>,
    pub(super) attributes: &'c Attributes,
    /// Where values stand, in order.
    pub(super) places: &'c [Place],
    pub(super) demands: Vec<Demand>,
}

/// A position among the words of a call that is code, with why.
pub(super) type Codes = Vec<(usize, Objection)>;

/// What all of a part demands of the values in it.
pub(super) fn demands(part: &Part<'_>, flow: &Flow<'_>, places: &[Place]) -> Vec<Demand> {
    let mut inquiry = Inquiry {
        part,
        flow,
        attributes: &flow.attributes,
        places,
        demands: vec![Demand::default(); places.len()],
    };
    inquiry.evaluations();
    inquiry.assignments();
    for call in &part.facts.calls {
        inquiry.call(call);
    }
    // What the walk found comes last, for it knows less about what to write instead.
    inquiry.unknowns();
    inquiry.demands
}

/// Whether an objection holds for what only names a file, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// For all that stands there.
    Mention,
    /// Only for what can be in the outcome.
    Outcome,
}

impl Inquiry<'_, '_> {
    /// The values that stand in a span.
    fn within(&self, span: Span) -> std::ops::Range<usize> {
        let from = self.places.partition_point(|place| place.at < span.0);
        let to = self.places.partition_point(|place| place.at < span.1);
        from..to.max(from)
    }

    pub(super) fn has(&self, span: Span) -> bool {
        !self.within(span).is_empty()
    }

    pub(super) fn object(&mut self, span: Span, objection: &Objection) {
        self.object_to(span, objection, Reach::Mention);
    }

    fn object_to(&mut self, span: Span, objection: &Objection, reach: Reach) {
        for index in self.within(span) {
            let Some(place) = self.places.get(index) else {
                continue;
            };
            if reach == Reach::Outcome && !self.part.reaches(place.at, span) {
                continue;
            }
            // `"$@"` runs its first word, and the others are data to this shell.
            let names = *objection == NAME || *objection == UNKNOWN_PROGRAM;
            let all = matches!(&place.holder, Holder::Variable(name) if name == "@" || name == "*");
            // A call of a function prints a value, and is not chosen by it.
            let own = matches!(place.holder, Holder::Function(_)) && place.word == span;
            if own {
                continue;
            }
            if names && all && !self.flow.can_be_command(self.part, place.at) {
                continue;
            }
            if let Some(demand) = self.demands.get_mut(index) {
                demand.objection.get_or_insert_with(|| objection.clone());
            }
        }
    }

    fn demand_number(&mut self, span: Span) {
        for index in self.within(span) {
            let reaches = self
                .places
                .get(index)
                .is_some_and(|place| self.part.reaches(place.at, span));
            if let Some(demand) = self.demands.get_mut(index).filter(|_| reaches) {
                demand.is_number = true;
            }
        }
    }

    /// What the walk itself found to be evaluated.
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

    /// What bash evaluates itself: variables by where they stand, and what is substituted there.
    fn evaluations(&mut self) {
        for (place, demand) in self.places.iter().zip(&mut self.demands) {
            if matches!(place.holder, Holder::Variable(_) | Holder::File(_)) {
                match place.usage {
                    Usage::Prompt => demand.objection = Some(PROMPT),
                    Usage::Name => demand.objection = Some(INDIRECT),
                    Usage::Value => evaluate(place.role, demand),
                }
            }
            for around in self.part.around(place.at) {
                if !self.part.leaks(around.span, place.at) {
                    break;
                }
                evaluate(around.role, demand);
            }
        }
    }

    /// What variables are given, by assignments and by what else sets one.
    fn assignments(&mut self) {
        for index in 0..self.places.len() {
            let Some(place) = self.places.get(index) else {
                continue;
            };
            if let Some(name) = &place.target {
                self.given(name, index);
            }
            for around in self.part.around(place.at) {
                if !self.part.leaks(around.span, place.at) {
                    break;
                }
                if let Some(name) = &around.target {
                    self.given(name, index);
                }
            }
        }
        // Words that are assignments only after their quotes are gone.
        let part = self.part;
        for assignment in &part.facts.assignments {
            for index in self.within(assignment.value.span) {
                let at = self.places.get(index).map_or(0, |place| place.at);
                if part.is_word_of(assignment) && part.reaches(at, assignment.value.span) {
                    self.given(&assignment.name, index);
                }
            }
        }
    }

    /// Notes that a variable is given the value at a place.
    pub(super) fn given(&mut self, name: &str, index: usize) {
        let Some(demand) = self.demands.get_mut(index) else {
            return;
        };
        if hijack::is_listed(name) || self.attributes.is_reference(name) {
            demand.objection.get_or_insert_with(|| Objection {
                why: format!("would set `{name}`, which changes what other commands do").into(),
                instead: "give the value to a variable of your own".into(),
            });
        }
        demand.is_number |= self.attributes.is_integer(name);
    }

    fn call(&mut self, call: &Call) {
        let Some(first) = call.arguments.first() else {
            return;
        };
        let name = first.program().to_owned();
        // The parser gives these the place of their operand.
        if matches!(name.as_str(), "exit" | "return" | "break" | "continue") {
            for word in call.operands() {
                self.demand_number(word.span);
            }
            return;
        }
        self.object(first.span, &NAME);
        self.fed(&name, call);
        if !call.arguments.iter().any(|word| self.has(word.span)) {
            return;
        }
        if name.is_empty() {
            for word in &call.arguments {
                self.object(word.span, &UNKNOWN_PROGRAM);
            }
            return;
        }
        for (index, objection) in self.builtin(&name, call) {
            if let Some(word) = call.arguments.get(index) {
                self.object_to(word.span, &objection, builtins::reach(&objection));
            }
        }
        if matches!(name.as_str(), "wait" | "ulimit") {
            for word in call.operands() {
                self.demand_number(word.span);
            }
        }
        let mut codes = languages::codes(&name, &call.arguments);
        codes.extend(remote::codes(&name, &call.arguments));
        // Behind a wrapper that no table knows there can be a shell or an interpreter.
        for at in 1..call.arguments.len() {
            let Some(rest) = call.arguments.get(at..) else {
                break;
            };
            let inner = rest.first().map_or("", Argument::program);
            if (is_shell(inner) || languages::is_inline(inner)) && !has_files(&name) {
                let inner = languages::codes(inner, rest);
                codes.extend(inner.into_iter().map(|(index, why)| (index + at, why)));
            }
        }
        for (index, objection) in codes {
            if let Some(word) = call.arguments.get(index) {
                self.object(word.span, &objection);
            }
        }
        self.narrow(&name, call);
        self.handed_on(&name, call);
    }

    /// A function that runs its arguments: the words behind it are a call of their own.
    fn handed_on(&mut self, name: &str, call: &Call) {
        let Some(from) = self.flow.runs_arguments(name) else {
            return;
        };
        if let Some(words) = call.arguments.get(from..).filter(|words| !words.is_empty()) {
            let mut inner = call.clone();
            inner.arguments = words.to_vec();
            if inner.program() != name {
                self.call(&inner);
            }
        }
    }

    /// Refuses lists and options where the words of a call decide what it runs.
    fn narrow(&mut self, name: &str, call: &Call) {
        let calls = &self.part.facts.calls;
        let wraps = calls
            .iter()
            .any(|other| other.wrappers.iter().any(|wrapper| wrapper == name));
        let one_word =
            wraps || matches!(name, "test" | "[" | "find" | "fd") || counts_one_file(call);
        let risky = dashes::runs_commands(name);
        let mut open = true;
        for word in call.operands() {
            if word.text == "--" && dashes::ends_options(name) {
                open = false;
            }
            let text = self.part.slice(word.span);
            for index in self.within(word.span) {
                let Some(place) = self.places.get(index) else {
                    continue;
                };
                let before = self
                    .part
                    .text
                    .get(word.span.0..place.at)
                    .unwrap_or_default();
                let dashes = before.trim_matches(['"', '\'']);
                let chooses = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
                let starts = starts(&self.part.text, word.span, place.at) == Starts::Yes;
                let reaches = place.is_in_outcome() && self.part.reaches(place.at, word.span);
                let Some(demand) = self.demands.get_mut(index) else {
                    continue;
                };
                demand.one_word |= one_word;
                // Bash makes several words of it, and each can be an option or a command.
                let splits = reaches && place.is_variable() && !is_quoted(before);
                if splits && (wraps || name == "find" || (risky && open)) {
                    demand.objection.get_or_insert(SPLITS);
                }
                if risky && open && starts && reaches {
                    demand.no_dash_for = Some(name.to_owned());
                }
                if risky && open && chooses && reaches && !text.is_empty() {
                    demand.objection.get_or_insert(CHOOSES_OPTION);
                }
            }
        }
    }
}

/// Whether what comes behind this beginning of a word stands in double quotes.
fn is_quoted(before: &str) -> bool {
    let outer = before.find("$(").or_else(|| before.find('`'));
    let outer = before.get(..outer.unwrap_or(before.len()));
    let quotes = outer.unwrap_or_default().replace("\\\"", "");
    quotes.matches('"').count() % 2 == 1
}

/// What bash makes of what stands in a role.
fn evaluate(role: Role, demand: &mut Demand) {
    match role {
        Role::Arithmetic | Role::Subscript => demand.is_number = true,
        Role::TestedName => demand.objection = Some(INDIRECT),
        Role::Duplicate => demand.objection = Some(DUPLICATE),
        _ => {}
    }
}

/// Programs whose operands are names of files, which can be called like an interpreter.
fn has_files(name: &str) -> bool {
    matches!(
        name,
        "echo" | "printf" | "grep" | "which" | "type" | "command" | "apt-get" | "apt" | "pip"
    )
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
const SPLITS: Objection = Objection::new(
    "is split into words, each of which can be an option or a command",
    "write it in double quotes",
);
const CHOOSES_OPTION: Objection = Objection::new(
    "would choose an option of a program that has options which run commands",
    "write the option's name: `--name=${…}`",
);
const INDIRECT: Objection = Objection::new(
    "would be the name of a variable, and bash evaluates what is in `name[…]`",
    "write the variable's name, or choose it with `case`",
);
const PROMPT: Objection = Objection::new(
    "would be expanded as a prompt, in which commands run",
    "leave out the `@P`",
);
const UNKNOWN_PROGRAM: Objection = Objection::new(
    "would go to a program that is not known before the script runs",
    "write the program's name",
);

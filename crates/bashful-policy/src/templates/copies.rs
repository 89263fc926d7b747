//! Copies: where the value of a template, once a script has put it into a variable, stands in a
//! place that is code. This is for a warning, and no boundary: it looks at names alone, without
//! regard to order, and not at what programs print that work on a value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::calls::{self, Objection};
use super::error::Position;
use super::name::{self, Candidate, is_identifier};
use super::part::Part;
use super::script::Attributes;
use crate::facts::{Call, Input, Span};
use crate::read::on_enough_stack;
use crate::shell::{Role, Usage};

/// A copy of a value in a place that is code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedValue {
    /// The template, or the variable that is set before the script.
    pub source: String,
    /// What holds the copy: a variable, or a parameter.
    pub holder: String,
    /// The line, from one.
    pub line: usize,
    /// What would happen to it.
    pub why: Cow<'static, str>,
    /// How to write it.
    pub instead: Cow<'static, str>,
}

impl fmt::Display for CopiedValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            holder,
            why,
            instead,
            ..
        } = self;
        write!(
            formatter,
            "the value of `{source}` comes here in `${holder}`, which {why}; {instead}"
        )
    }
}

/// What a declared variable or template can hold by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Any text.
    Text,
    /// Numbers and the like, which are no code anywhere.
    Numbers,
}

/// Where copies of values stand in places that are code, in order: of the templates of a script,
/// and of variables that are set before it.
pub fn copied_values(script: &str, declared: &[(&str, Holds)]) -> Vec<CopiedValue> {
    let candidates = name::candidates(script);
    let masked = name::masked(script, &candidates);
    let look = || {
        let part = Part::read(&masked, 0, &candidates).ok()?;
        let mut copies = Copies::new(&part, &candidates, declared);
        copies.follow();
        Some(copies.found())
    };
    on_enough_stack(&[script], look)
        .flatten()
        .unwrap_or_default()
}

/// One expansion of a variable, or one template.
struct Mention<'p> {
    at: usize,
    /// The name, for a variable.
    variable: Option<(&'p str, Usage)>,
    /// Where it stands: by itself, and in the substitutions around it that print it.
    outlets: Vec<Outlet<'p>>,
    /// The template, or the declared variable, whose value can be here.
    source: Option<String>,
}

struct Outlet<'p> {
    at: usize,
    role: Role,
    target: Option<&'p str>,
}

struct Copies<'p, 's> {
    part: &'p Part<'s>,
    attributes: Attributes,
    /// In order of their places.
    mentions: Vec<Mention<'p>>,
    /// Variables, and parameters as `function number`, with the source of what they hold.
    held: BTreeMap<String, String>,
    warnings: Vec<(usize, CopiedValue)>,
}

impl<'p, 's> Copies<'p, 's> {
    fn new(part: &'p Part<'s>, candidates: &[Candidate], declared: &[(&str, Holds)]) -> Self {
        let numbers = |name: &str| declared.contains(&(name, Holds::Numbers));
        let templates = part.templates.iter().zip(candidates);
        let templates = templates.filter_map(|(span, candidate)| {
            let mark = part.mark(span.0)?;
            let name = candidate.name.as_str();
            Some(Mention {
                at: span.0,
                variable: None,
                outlets: outlets(part, span.0, mark.role, mark.target.as_deref()),
                source: (!numbers(name)).then(|| name.to_owned()),
            })
        });
        let is_template = |at: usize| part.templates.iter().any(|span| span.0 == at);
        let variables = part.references.iter().filter(|next| {
            // The keys of an array and a length are none of its values.
            let text = part.slice(next.span);
            let counts = text.starts_with("${#") || text.starts_with("${!") && text.contains('[');
            !counts && !is_template(next.span.0)
        });
        let variables = variables.map(|next| Mention {
            at: next.span.0,
            variable: Some((&next.name, next.usage)),
            outlets: outlets(part, next.span.0, next.role, next.target.as_deref()),
            source: None,
        });
        let mut mentions: Vec<Mention<'p>> = templates.chain(variables).collect();
        mentions.sort_by_key(|mention| mention.at);
        let texts = declared.iter().filter(|(_, holds)| *holds == Holds::Text);
        let texts = texts.map(|(name, _)| ((*name).to_owned(), (*name).to_owned()));
        Self {
            part,
            attributes: Attributes::of(part.text),
            mentions,
            held: texts.collect(),
            warnings: Vec::new(),
        }
    }

    /// Notes who can hold a value, until nothing is added.
    fn follow(&mut self) {
        loop {
            let before = self.held.len();
            for index in 0..self.mentions.len() {
                let source = self.mentions.get(index).and_then(|next| self.source(next));
                if let (Some(mention), Some(source)) = (self.mentions.get_mut(index), source) {
                    mention.source = Some(source);
                }
            }
            let part = self.part;
            for mention in std::mem::take(&mut self.mentions) {
                for outlet in &mention.outlets {
                    if let (Some(target), Some(source)) = (outlet.target, &mention.source)
                        && !outlet.role.is_evaluated()
                    {
                        self.give(target, source.clone(), mention.variable.map(|_| mention.at));
                    }
                }
                self.mentions.push(mention);
            }
            for assignment in part.assignments() {
                if let Some(source) = self.standing_in(assignment.value.span) {
                    self.give(&assignment.name, source, None);
                }
            }
            for call in &part.facts.calls {
                self.call(call);
            }
            if self.held.len() == before {
                return;
            }
        }
    }

    /// The source of what a mention can hold by now.
    fn source(&self, mention: &Mention<'_>) -> Option<String> {
        let (name, usage) = mention.variable?;
        let scope = self.scope_at(mention.at);
        let key = if is_identifier(name) {
            // What the name in a variable stands for can be any of them.
            let any = usage == Usage::Name || self.attributes.is_reference(name);
            let first = self.held.values().next().filter(|_| any);
            return self.held.get(name).or(first).cloned();
        } else if matches!(name, "@" | "*") || self.is_shifted(scope, mention.at) {
            format!("{scope} ")
        } else {
            format!("{scope} {name}")
        };
        let mut from = self.held.range(key.clone()..);
        let (found, source) = from.next()?;
        (*found == key || key.ends_with(' ') && found.starts_with(&key)).then(|| source.clone())
    }

    /// The source of a value that stands in a span, and not only in a substitution there whose
    /// outcome is another text.
    fn standing_in(&self, span: Span) -> Option<String> {
        let from = self.mentions.partition_point(|next| next.at < span.0);
        let inside = self.mentions.iter().skip(from);
        let mut inside = inside.take_while(|next| next.at < span.1);
        inside.find_map(|mention| {
            let source = mention.source.as_ref()?;
            let direct = |outlet: &Outlet<'_>| {
                let within = |inner: Span| span.0 <= inner.0 && inner.1 <= span.1;
                let mut around = self.part.around(outlet.at);
                let in_outcome = !outlet.role.is_evaluated() && outlet.role != Role::Pattern;
                in_outcome
                    && span.0 <= outlet.at
                    && !around.any(|next| next.span.0 < outlet.at && within(next.span))
            };
            mention.outlets.iter().any(direct).then(|| source.clone())
        })
    }

    /// What built-ins and functions give to variables and parameters.
    fn call(&mut self, call: &Call) {
        let words = call.operands();
        let at = call.span.0;
        match call.program() {
            "read" | "mapfile" | "readarray" => {
                let Some(source) = self.fed(call) else { return };
                let names = words.iter().map(|word| word.text.as_str());
                for name in names.filter(|name| is_identifier(name)) {
                    self.give(name, source.clone(), Some(at));
                }
                self.give("REPLY", source.clone(), None);
                self.give("MAPFILE", source, None);
            }
            "printf" => {
                let name = match words {
                    [option, name, ..] if option.text == "-v" => Some(name.text.as_str()),
                    [option, ..] => option.text.strip_prefix("-v"),
                    [] => None,
                };
                let name = name.and_then(|name| name.split('[').next());
                let mut rest = words.iter().skip(1);
                if let Some(name) = name
                    && let Some(source) = rest.find_map(|word| self.standing_in(word.span))
                {
                    self.give(name, source, Some(at));
                }
            }
            "set" => self.parameters(self.scope_at(at), call),
            name if self
                .part
                .facts
                .functions
                .iter()
                .any(|next| next.name == name) =>
            {
                self.parameters(name, call);
            }
            _ => {}
        }
    }

    fn parameters(&mut self, scope: &str, call: &Call) {
        let words = call.operands().iter().filter(|word| word.text != "--");
        for (index, word) in words.enumerate() {
            if let Some(source) = self.standing_in(word.span) {
                self.held
                    .entry(format!("{scope} {}", index + 1))
                    .or_insert(source);
            }
        }
    }

    /// The source of what a call reads.
    fn fed(&self, call: &Call) -> Option<String> {
        match &call.input {
            Input::Text(word) | Input::File(word) => self.standing_in(word.span),
            Input::Pipe(range) => {
                let calls = self.part.facts.calls.get(range.clone())?;
                let mut words = calls.iter().filter(|call| prints(call.program()));
                words.find_map(|call| {
                    let mut words = call.operands().iter();
                    words.find_map(|word| self.standing_in(word.span))
                })
            }
            Input::Inherited => None,
        }
    }

    /// Notes that a variable holds a value, given at a place of a copy.
    fn give(&mut self, name: &str, source: String, at: Option<usize>) {
        if !is_identifier(name) || self.held.contains_key(name) {
            return;
        }
        self.held.insert(name.to_owned(), source.clone());
        let Some(at) = at else { return };
        if let Some(objection) = calls::objection_to_setting(name, &self.attributes) {
            self.warn(at, (source, name), objection);
        } else if self.attributes.is_integer(name) {
            self.warn(at, (source, name), NUMBER);
        }
    }

    /// The function around a place.
    fn scope_at(&self, at: usize) -> &'p str {
        let functions = self.part.facts.functions.iter();
        let around = functions.filter(|next| next.span.0 <= at && at < next.span.1);
        let inner = around.min_by_key(|next| next.span.1 - next.span.0);
        inner.map_or("", |function| &function.name)
    }

    /// Whether parameters have other numbers at a place in a function than they were given.
    fn is_shifted(&self, scope: &str, at: usize) -> bool {
        let mut before = self.part.facts.calls.iter().filter(|call| call.span.0 < at);
        before.any(|call| call.program() == "shift" && self.scope_at(call.span.0) == scope)
    }

    fn warn(&mut self, at: usize, (source, holder): (String, &str), objection: Objection) {
        let line = Position::of(self.part.text, at).line;
        let named = format!("${holder}");
        let instead = objection.instead.replace("${…}", &named);
        let warning = CopiedValue {
            instead: instead.replace("NAME", &source).into(),
            source,
            holder: holder.to_owned(),
            line,
            why: objection.why,
        };
        self.warnings.push((at, warning));
    }

    /// What all commands would do with the copies.
    fn found(mut self) -> Vec<CopiedValue> {
        let mentions: Vec<Mention<'p>> = std::mem::take(&mut self.mentions);
        let copies: Vec<&Mention<'p>> = mentions
            .iter()
            .filter(|mention| mention.source.is_some())
            .collect();
        let places: Vec<usize> = copies.iter().map(|mention| mention.at).collect();
        let demands = calls::demands(self.part, &self.attributes, &places);
        for (mention, demand) in copies.into_iter().zip(demands) {
            let source = mention.source.clone().unwrap_or_default();
            let (holder, usage) = mention.variable.unwrap_or((&source, Usage::Value));
            // What a template itself demands is refused where it stands.
            let is_copy = mention.variable.is_some();
            // `"$@"` runs its first word, and which one that is has another number.
            let all = matches!(holder, "@" | "*");
            let objection = demand.objection.filter(|_| is_copy);
            let objection = objection.filter(|objection| !all || *objection != calls::NAME);
            let outlets = mention.outlets.iter().skip(usize::from(!is_copy));
            let roles = outlets.map(|outlet| outlet.role);
            // A key is a text.
            let keyed = self.attributes.has_keys();
            let mut roles = roles.filter(|role| !keyed || *role != Role::Subscript);
            let evaluated = roles.find_map(evaluated);
            let used = match usage {
                Usage::Value => None,
                Usage::Name => Some(NAMED),
                Usage::Prompt => Some(PROMPT),
            };
            let number = (is_copy && demand.is_number).then_some(NUMBER);
            if let Some(objection) = objection.or(used).or(evaluated).or(number) {
                self.warn(mention.at, (source.clone(), holder), objection);
            }
        }
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.sort_by_key(|(at, _)| *at);
        let mut found: Vec<CopiedValue> = warnings.into_iter().map(|(_, next)| next).collect();
        found.dedup();
        found
    }
}

/// Where a value stands: at its own place, and in each substitution around it that prints it.
fn outlets<'p>(
    part: &'p Part<'_>,
    at: usize,
    role: Role,
    target: Option<&'p str>,
) -> Vec<Outlet<'p>> {
    let mut outlets = vec![Outlet { at, role, target }];
    let mut at = at;
    for around in part.around(at).collect::<Vec<_>>() {
        if !leaves(part, around.span, at) {
            break;
        }
        at = around.span.0;
        outlets.push(Outlet {
            at,
            role: around.role,
            target: around.target.as_deref(),
        });
    }
    outlets
}

/// Whether what stands at a place comes out of a substitution: a command prints it, and those that
/// read it pass it on.
fn leaves(part: &Part<'_>, substitution: Span, at: usize) -> bool {
    let holds = |span: Span| span.0 <= at && at < span.1;
    let within = |span: Span| substitution.0 <= span.0 && span.1 <= substitution.1;
    let calls = || part.facts.calls.iter().enumerate();
    let speaks = |call: &Call| {
        let printed = call.arguments.iter().skip(1).any(|word| holds(word.span));
        let text = matches!(&call.input, Input::Text(word) if holds(word.span));
        printed && prints(call.program()) || text && passes_on(call.program())
    };
    let speaker = calls().filter(|(_, call)| within(call.span) && speaks(call));
    let speaker = speaker.min_by_key(|(_, call)| call.span.1 - call.span.0);
    let Some((mut index, _)) = speaker else {
        return false;
    };
    let reader = |index: usize| {
        let reads =
            |call: &Call| matches!(&call.input, Input::Pipe(range) if range.contains(&index));
        calls().find(|(_, call)| within(call.span) && reads(call))
    };
    while let Some((next, call)) = reader(index).filter(|(next, _)| *next > index) {
        if !passes_on(call.program()) {
            return false;
        }
        index = next;
    }
    true
}

/// Programs that print their words.
fn prints(name: &str) -> bool {
    matches!(
        name,
        "echo" | "printf" | "basename" | "dirname" | "realpath" | "readlink"
    )
}

/// Programs that print what they read, whole or in parts.
fn passes_on(name: &str) -> bool {
    matches!(
        name,
        "cat" | "cut" | "head" | "tail" | "tee" | "tr" | "sed" | "sort" | "uniq" | "rev" | "tac"
    )
}

/// What bash makes of what stands in a role.
fn evaluated(role: Role) -> Option<Objection> {
    match role {
        Role::Arithmetic | Role::Subscript => Some(NUMBER),
        Role::TestedName => Some(NAMED),
        Role::Duplicate => Some(super::site::DUPLICATE),
        _ => None,
    }
}

const NUMBER: Objection = Objection::new(
    "is evaluated as a number",
    "declare what the value is, as in `--variable NAME:integer`, or look at it before: \
     `[[ ${…} =~ ^[0-9]+$ ]]`",
);
const NAMED: Objection = Objection::new(
    "would be the name of a variable, and bash evaluates what stands in `name[…]`",
    "write the variable's name, or choose it with `case`",
);
const PROMPT: Objection = Objection::new(
    "would be expanded as a prompt, in which commands run",
    "leave the `@P` out",
);

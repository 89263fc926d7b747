//! A rule that allows as little as it can: a shape that is offered with a question, or the very
//! words of one call.

use bashful_policy::{Layer, Rule, escape_arg, parse_rules};

use crate::config::{list, quoted};
use crate::judge::policy::{Argument, Call, Checked};

/// The longest id, without what makes it unique.
const LONGEST_ID: usize = 40;

/// A rule to be learnt.
#[derive(Debug, Clone)]
pub(super) struct Lesson {
    pub(super) matcher: Matcher,
    /// The program that it is about, without its directory.
    pub(super) program: String,
    /// The same as the policy has it.
    pub(super) rule: Rule,
}

/// What a learnt rule looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Matcher {
    /// The words of a call; a final `…` stands for more.
    Command(Vec<String>),
    /// The line of a call, where words would be taken for patterns.
    Regex(String),
}

impl Matcher {
    /// The field of a rule, as it stands in a file.
    pub(super) fn field(&self) -> String {
        match self {
            Self::Command(words) => format!("command = {}", list(words)),
            Self::Regex(expression) => format!("regex = {}", quoted(expression)),
        }
    }

    /// What a rule is called that has it.
    fn name(&self) -> String {
        let text = match self {
            Self::Command(words) => words.join(" "),
            Self::Regex(expression) => expression.replace('\\', ""),
        };
        let mut name = String::new();
        for next in text.chars() {
            if name.len() == LONGEST_ID {
                break;
            }
            if next.is_ascii_alphanumeric() {
                name.push(next.to_ascii_lowercase());
            } else if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
        }
        let name = name.trim_end_matches('-');
        if name.is_empty() { "learnt" } else { name }.to_owned()
    }
}

impl Lesson {
    /// The rule that covers what a judgement asks about; none if no narrow one does.
    pub(super) fn from_question(checked: &Checked, learnt: &[Self]) -> Option<Self> {
        let decision = &checked.judgement.decision;
        let calls = checked.facts.calls.iter();
        let asked = calls.filter(|call| Some(call.span) == decision.span);
        let exact = asked.filter_map(exactly);
        let offered = decision
            .remember
            .as_ref()
            .map(|offer| (offer.shape.clone(), offer.exact));
        let words = offered.into_iter().chain(exact);
        let mut new = words.filter_map(|(words, exact)| {
            let matcher = matcher(&words, exact)?;
            let known = learnt.iter().any(|one| one.matcher == matcher);
            (!known).then_some((words, matcher))
        });
        let (words, matcher) = new.next()?;
        let program = words.first()?.rsplit('/').next()?.to_owned();
        Self::new(matcher, program, learnt)
    }

    fn new(matcher: Matcher, program: String, learnt: &[Self]) -> Option<Self> {
        let name = matcher.name();
        let taken = |id: &String| learnt.iter().any(|one| one.rule.id == *id);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let id = std::iter::once(name.clone())
            .chain(numbered)
            .find(|id| !taken(id))?;
        let text = format!(
            "[[rule]]\nid = {}\neffect = \"allow\"\n{}\n",
            quoted(&id),
            matcher.field()
        );
        // It is read as a file would be, so that what is tried is what is written.
        let rule = parse_rules(&text, "learnt.toml", Layer::User).ok()?.pop()?;
        Some(Self {
            matcher,
            program,
            rule,
        })
    }
}

/// The matcher for words, each taken as it stands, but for a final `…` of a shape that is open.
fn matcher(words: &[String], exact: bool) -> Option<Matcher> {
    // What was masked is not what ran.
    if words.iter().any(|word| word.contains("***")) {
        return None;
    }
    let fixed = if exact {
        words
    } else {
        words.split_last().map(|(_, fixed)| fixed)?
    };
    let is_rest = |word: &String| word == "…" || word == "...";
    let pattern = |word: &String| word.is_empty() || word.contains('*') || is_rest(word);
    if !fixed.iter().any(pattern) {
        return Some(Matcher::Command(words.to_vec()));
    }
    exact.then(|| Matcher::Regex(expression(words)))
}

/// Exactly the words of a call, if all of them are known.
fn exactly(call: &Call) -> Option<(Vec<String>, bool)> {
    let known = |word: &Argument| {
        word.is_literal()
            && !(word.splits || word.from_variable || word.is_pipe)
            && word.sources.is_empty()
    };
    if call.open_ended || !call.arguments.iter().all(known) {
        return None;
    }
    let words = call.arguments.iter().map(|word| word.text.clone());
    Some((words.collect(), true))
}

/// An expression for exactly these words, which the policy joins with blanks and quotes where a
/// word could pass for another.
fn expression(words: &[String]) -> String {
    let plain = |next: char| next.is_alphanumeric() || "_-+=:,./@%^~".contains(next);
    let shown = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            escape_arg(word)
        }
    });
    let line = shown.collect::<Vec<_>>().join(" ");
    let mut expression = String::new();
    for next in line.chars() {
        if r"\.+*?()|[]{}^$".contains(next) {
            expression.push('\\');
        }
        expression.push(next);
    }
    expression
}

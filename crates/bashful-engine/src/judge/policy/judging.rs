//! Judging a text by a policy, and remembering what was judged.
//!
//! An agent says the same things again and again. `bashful-policy` is pure, so a text that was
//! judged by the same policy in the same context is judged the same; but where its paths lead is
//! looked up for every run, for a link can be another by then.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bashful_policy::{
    Class, Context, Effect, Facts, Judgement, Openable, Policy, ShellMemory, Unknown, UnknownKind,
    decide, read,
};

use super::links;
use crate::request::openable::Surroundings;

/// The most judgements that are remembered. One that is not costs a fraction of a millisecond.
const MOST_REMEMBERED: usize = 32;
/// A longer text is not remembered, nor is one in a shell that remembers more than this.
const LONGEST_TEXT: usize = 4 << 10;
/// A text with more calls, or with more of anything else, is not remembered either.
const MOST_FACTS: usize = 64;

/// Reads a text and judges it by a policy, with its paths looked up.
pub(crate) fn judge_by_profile(
    text: &str,
    policy: &Policy,
    mut context: Context,
) -> (Facts, Judgement) {
    let (facts, paths) = read_with_paths(text, &context);
    context.links = links::of(&paths);
    let judgement = decide(&facts, policy, &context);
    (facts, judgement)
}

/// The most paths outside of the roots for which is looked up what a yes could open.
const MOST_OPENABLE: usize = 64;

/// Whether a judgement refuses or asks because of what is written outside, and does not know what
/// a yes could open for that.
pub(super) fn wants_directories(judgement: &Judgement) -> bool {
    let mut findings = judgement.findings.iter();
    findings.any(|finding| finding.effect != Effect::Allow && finding.rule == OUTSIDE)
}

/// The same as [`judge_by_profile`], with what a yes could open.
pub(super) fn judge_with_directories(
    text: &str,
    policy: &Policy,
    mut context: Context,
    surroundings: &Surroundings,
) -> (Facts, Judgement) {
    let (facts, paths) = read_with_paths(text, &context);
    context.links = links::of(&paths);
    let is_outside = |path: &&str| {
        let inside = |root: &String| Path::new(path).starts_with(root);
        !context.write_roots.iter().any(inside)
    };
    let real = paths.iter().filter_map(|path| context.links.get(path));
    let all = paths.iter().chain(real).map(String::as_str);
    let openable: BTreeMap<String, Openable> = all
        .filter(is_outside)
        .take(MOST_OPENABLE)
        .map(|path| (path.to_owned(), surroundings.openable(Path::new(path))))
        .collect();
    context.openable = openable;
    let judgement = decide(&facts, policy, &context);
    (facts, judgement)
}

/// The rule about what is written outside.
const OUTSIDE: &str = Class::WriteOutsideRoots.as_str();

/// What a text says it would do, and the paths whose real places matter.
fn read_with_paths(text: &str, context: &Context) -> (Facts, Vec<String>) {
    let mut facts = read(text, context);
    let paths = facts.paths(text, context);
    if paths.is_none() {
        facts.unknowns.push(Unknown {
            span: (0, text.len()),
            kind: UnknownKind::TooComplex,
            fact: "more paths than are looked up".to_owned(),
        });
    }
    (facts, paths.unwrap_or_default())
}

/// A text that was judged, with everything that the judgement came from.
#[derive(Debug)]
struct Judged {
    text: String,
    /// Held, so that no other policy can be at its address.
    policy: Arc<Policy>,
    /// The context, its links left out.
    context: Context,
    facts: Facts,
    paths: Vec<String>,
    /// Where the paths led when it was judged.
    links: BTreeMap<String, String>,
    judgement: Judgement,
}

/// The judgements of an engine that may come again. What a grant had a part in is not among them:
/// it is judged without this.
#[derive(Debug, Default)]
pub(super) struct Memo(Mutex<VecDeque<Arc<Judged>>>);

impl Memo {
    /// The same as [`judge_by_profile`]. The context comes without links.
    pub(super) fn judge(
        &self,
        text: &str,
        policy: &Arc<Policy>,
        context: Context,
    ) -> (Facts, Judgement) {
        let known = self.find(text, policy, &context);
        let (facts, paths) = match &known {
            Some(known) => (known.facts.clone(), known.paths.clone()),
            None => read_with_paths(text, &context),
        };
        let links = links::of(&paths);
        if let Some(known) = known.filter(|known| known.links == links) {
            return (facts, known.judgement.clone());
        }
        let judgement = {
            let context = Context {
                links: links.clone(),
                ..context.clone()
            };
            decide(&facts, policy, &context)
        };
        if is_worth_it(text, &context, &facts) {
            self.keep(Judged {
                text: text.to_owned(),
                policy: Arc::clone(policy),
                context,
                facts: facts.clone(),
                paths,
                links,
                judgement: judgement.clone(),
            });
        }
        (facts, judgement)
    }

    fn find(&self, text: &str, policy: &Arc<Policy>, context: &Context) -> Option<Arc<Judged>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut same = all.iter().filter(|one| one.is_of(text, policy, context));
        same.next().cloned()
    }

    fn keep(&self, judged: Judged) {
        // The list is whole after every statement, so a panic elsewhere did not tear it.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| !one.is_of(&judged.text, &judged.policy, &judged.context));
        if all.len() >= MOST_REMEMBERED {
            all.pop_front();
        }
        all.push_back(Arc::new(judged));
    }
}

impl Judged {
    fn is_of(&self, text: &str, policy: &Arc<Policy>, context: &Context) -> bool {
        self.text == text && Arc::ptr_eq(&self.policy, policy) && self.context == *context
    }
}

/// Whether a judgement is remembered: only a small one is. What could not be read may be readable
/// the next time, when there is a thread to read it in.
fn is_worth_it(text: &str, context: &Context, facts: &Facts) -> bool {
    let too_complex = |unknown: &Unknown| unknown.kind == UnknownKind::TooComplex;
    let counts = [
        facts.calls.len(),
        facts.redirects.len(),
        facts.assignments.len(),
        facts.functions.len(),
        facts.unknowns.len(),
    ];
    text.len() <= LONGEST_TEXT
        && context.shell.as_ref().is_none_or(is_small)
        && counts.iter().all(|&count| count <= MOST_FACTS)
        && !facts.unknowns.iter().any(too_complex)
}

fn is_small(memory: &ShellMemory) -> bool {
    let variables = memory.variables.iter();
    let values = variables.map(|one| one.value.as_ref().map_or(0, String::len));
    let aliases = memory.aliases.iter().map(|(_, text)| text.len());
    let parameters = memory.parameters.iter().flatten().map(String::len);
    let texts = values.chain(aliases).chain(parameters).sum::<usize>();
    memory.variables.len() <= MOST_FACTS && texts + memory.functions.len() <= LONGEST_TEXT
}

#[cfg(test)]
#[path = "judging/tests.rs"]
mod tests;

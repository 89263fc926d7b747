//! The search for what each template of a script is, in its syntax tree.

use std::ops::Range;

use super::calls::{self, Demand, Objection};
use super::error::{Position, TemplateError};
use super::flow::{Flow, Ground, Holder, Place, Sources};
use super::name::{self, Candidate};
use super::part::{Part, Unreadable};
use super::read::unreadable;
use super::script;
use super::site::{self, Found};
use super::split;
use crate::read::on_enough_stack;

/// How much is parsed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Only the commands that matter to a value.
    Commands,
    Whole,
}

/// Finds out about all candidates.
pub(super) fn find(
    script: &str,
    candidates: &[Candidate],
    way: Way,
) -> Result<Vec<Found>, TemplateError> {
    let masked = name::masked(script, candidates);
    let search = Search {
        text: &masked,
        candidates,
        way,
    };
    aside(script, || search.templates())
}

/// What a script demands of variables that are set before it.
pub(super) fn demands_of(script: &str, names: &[&str]) -> Result<Vec<Demand>, TemplateError> {
    let candidates = name::candidates(script);
    let masked = name::masked(script, &candidates);
    let search = Search {
        text: &masked,
        candidates: &candidates,
        way: Way::Commands,
    };
    aside(script, || search.variables(names))
}

/// Searches, where the stack is large enough for the text.
fn aside<T: Send>(
    script: &str,
    search: impl FnOnce() -> Result<T, Unreadable> + Send,
) -> Result<T, TemplateError> {
    let found = on_enough_stack(&[script], search);
    match found {
        Some(Ok(found)) => Ok(found),
        Some(Err(Unreadable(_))) if script.contains("\r\n") => Err(unreadable(
            script,
            script.find("\r\n").unwrap_or_default(),
            "its lines end with a carriage return (CRLF), which bash takes as part of the text; \
             write it with plain line endings",
        )),
        Some(Err(Unreadable(at))) => Err(unreadable(script, at, "bash could read it otherwise")),
        None => Err(unreadable(script, 0, "it is too deep")),
    }
}

struct Search<'s> {
    /// The script, with names that a parser reads instead of templates.
    text: &'s str,
    candidates: &'s [Candidate],
    way: Way,
}

impl Search<'_> {
    /// Follows the sources, command by command if that can be done.
    fn follow<T>(
        &self,
        sources: Sources<'_>,
        judge: impl Fn(&Flow<'_>) -> T,
    ) -> Result<T, Unreadable> {
        let commands = match self.way {
            Way::Commands => split::commands(self.text),
            Way::Whole => None,
        };
        let ground = |commands: &[Range<usize>]| {
            let ground = Ground {
                text: self.text,
                candidates: self.candidates,
                commands,
            };
            Flow::of(ground, sources).map(|flow| judge(&flow))
        };
        if let Some(found) = commands.and_then(|commands| ground(&commands).ok()) {
            return Ok(found);
        }
        let whole = 0..self.text.len();
        ground(std::slice::from_ref(&whole))
    }

    /// What each candidate is, or where the text could not be read.
    fn templates(&self) -> Result<Vec<Found>, Unreadable> {
        self.follow(Sources::Templates, |flow| {
            let mut found: Vec<Found> = Vec::with_capacity(self.candidates.len());
            let mut parts: Vec<&Part<'_>> = flow.parts.iter().collect();
            parts.sort_by_key(|part| part.offset);
            for part in parts {
                for span in &part.templates {
                    let mut next = site::locate(&part.text, *span, &part.marks);
                    if let Found::Site(site) = &mut next {
                        site.form = site.form.moved(part.offset);
                    }
                    found.push(next);
                }
            }
            let demands = self.judge(flow, self.candidates.len());
            let to_all = script::objection_to_all(&flow.parts);
            for (found, demand) in found.iter_mut().zip(demands) {
                let Found::Site(site) = found else { continue };
                match demand.objection.clone().or_else(|| to_all.clone()) {
                    Some(objection) => *found = Found::Refused(objection),
                    None => site.demand = demand,
                }
            }
            found
        })
    }

    fn variables(&self, names: &[&str]) -> Result<Vec<Demand>, Unreadable> {
        self.follow(Sources::Variables(names), |flow| {
            self.judge(flow, names.len())
        })
    }

    /// What all parts demand of each source.
    fn judge(&self, flow: &Flow<'_>, sources: usize) -> Vec<Demand> {
        let mut all = vec![Demand::default(); sources];
        let mut parts: Vec<&Part<'_>> = flow.parts.iter().collect();
        parts.sort_by_key(|part| part.offset);
        for part in parts {
            let places = flow.places(part);
            if places.is_empty() {
                continue;
            }
            let demands = calls::demands(part, flow, &places);
            for (place, demand) in places.iter().zip(demands) {
                self.blame(part, place, &demand, &mut all);
            }
        }
        all
    }

    /// Passes on what a place demands to those whose values come to stand there.
    fn blame(&self, part: &Part<'_>, place: &Place, demand: &Demand, all: &mut [Demand]) {
        if *demand == Demand::default() {
            return;
        }
        let line = || Position::of(self.text, part.position(place.at)).line;
        for source in &place.taint.any {
            let Some(found) = all.get_mut(*source) else {
                continue;
            };
            if let Some(program) = &demand.no_dash_for
                && place.taint.leading.contains(source)
            {
                found.no_dash_for.get_or_insert_with(|| program.clone());
            }
            let holder = match &place.holder {
                Holder::Template(_) => {
                    found.one_word |= demand.one_word;
                    found.is_number |= demand.is_number;
                    if found.objection.is_none() {
                        found.objection.clone_from(&demand.objection);
                    }
                    continue;
                }
                Holder::Variable(name) => format!("`${name}`"),
                Holder::File(name) => format!("the content of `{name}`"),
                Holder::Function(name) => format!("the output of `{name}`"),
            };
            if demand.is_number {
                found.is_number = true;
                found
                    .number_because
                    .get_or_insert_with(|| format!("line {} evaluates {holder}", line()));
            }
            if let Some(objection) = &demand.objection {
                found.objection.get_or_insert_with(|| Objection {
                    why: format!(
                        "ends up in {holder} in line {}, where it {}",
                        line(),
                        objection.why
                    )
                    .into(),
                    instead: objection
                        .instead
                        .replace("${…}", &holder.replace('`', ""))
                        .into(),
                });
            }
        }
    }
}

//! The search for what each template of a script is, in its syntax tree.

use std::ops::Range;

use super::calls;
use super::error::TemplateError;
use super::name::{self, Candidate};
use super::part::{Part, Unreadable};
use super::read::unreadable;
use super::script::Attributes;
use super::site::{self, Found};
use super::split;
use crate::read::on_enough_stack;

/// How much is parsed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Only the commands that have templates.
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
    let found = on_enough_stack(&[script], || search(&masked, candidates, way));
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

/// Looks command by command if that can be done. `text` has names that a parser reads in the
/// places of the templates.
fn search(text: &str, candidates: &[Candidate], way: Way) -> Result<Vec<Found>, Unreadable> {
    let attributes = Attributes::of(text);
    let look = |commands: &[Range<usize>]| {
        let mut found = Vec::with_capacity(candidates.len());
        for command in commands {
            let from = candidates.partition_point(|next| next.start < command.start);
            let to = candidates.partition_point(|next| next.start < command.end);
            let inside = candidates.get(from..to).unwrap_or_default();
            if !inside.is_empty() {
                let text = text.get(command.clone());
                let text = text.ok_or(Unreadable(command.start))?;
                let part = Part::read(text, command.start, inside)?;
                found.extend(judge(&part, &attributes));
            }
        }
        Ok(found)
    };
    let commands = match way {
        Way::Commands => split::commands(text),
        Way::Whole => None,
    };
    if let Some(found) = commands.and_then(|commands| look(&commands).ok()) {
        return Ok(found);
    }
    look(std::slice::from_ref(&(0..text.len())))
}

/// What each template of a part is.
fn judge(part: &Part<'_>, attributes: &Attributes) -> Vec<Found> {
    let places: Vec<usize> = part.templates.iter().map(|span| span.0).collect();
    let demands = calls::demands(part, attributes, &places);
    let templates = part.templates.iter().zip(demands);
    templates
        .map(|(span, demand)| {
            let found = site::locate(part.text, *span, &part.marks);
            let Found::Site(mut site) = found else {
                return found;
            };
            if let Some(objection) = demand.objection.clone().or_else(|| attributes.objection()) {
                return Found::Refused(objection);
            }
            site.form = site.form.moved(part.offset);
            site.demand = demand;
            Found::Site(site)
        })
        .collect()
}

//! What a yes would be remembered as: the narrowest that is of use.

use bashful_policy::{Class, Effect, Rule};

use crate::judge::apply_grants::{Door, Judged, layer};
use crate::judge::policy::{Case, ExtraRules};
use crate::judge::transfers::Transfers;
use crate::model::error::EngineError;
use crate::model::grant::{Opening, Scope};
use crate::request::context::RunContext;

/// What a yes would leave behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The shapes of the parts that are asked about; empty: this exact command.
    pub(crate) shapes: Vec<Vec<String>>,
    /// It is about directories alone: a lasting yes is for all that the agent does.
    pub(crate) directories: bool,
    /// What it would open.
    pub(crate) opens: Opening,
    /// Every rule and capability that asks.
    pub(crate) asking: Vec<String>,
}

/// The rule about what is written outside of the roots, and its class.
const OUTSIDE: &str = Class::WriteOutsideRoots.as_str();

/// More parts than this are no shape any more.
const MOST_SHAPES: usize = 8;

/// What a yes to this request would leave behind; none if the admin does not give what it needs,
/// so that there is nothing to ask for.
pub(crate) fn offer(
    case: Case<'_>,
    narrow: &RunContext<'_>,
    judged: &Judged<'_>,
) -> Result<Option<Offer>, EngineError> {
    let narrow = judged.context(narrow);
    let transfers = Transfers::of(case, narrow, &judged.checked)?;
    let opens = wanted(judged, transfers);
    let asking = asking(judged);
    let directories = opens.is_only_directories() && asking == [OUTSIDE];
    let exact = Offer {
        shapes: Vec::new(),
        directories,
        opens: opens.clone(),
        asking: asking.clone(),
    };
    if !opens.makes.is_empty() {
        // Without the directory, what a yes would come to cannot be tried.
        let given = narrow.profile.widen(&narrow.granted, &opens.changes());
        return Ok(given.is_ok().then_some(exact));
    }
    let Some(wider) = narrow.widened(&opens) else {
        return Ok(None);
    };
    if directories {
        return Ok(Some(exact));
    }
    let mut shapes: Vec<Vec<String>> = Vec::new();
    let judge = |shapes: &[Vec<String>], careful: bool| {
        let layer = layer(Scope::Session);
        let granted = shapes.iter().map(|shape| Rule::grant(shape, layer));
        let extra = ExtraRules {
            granted: granted.collect(),
            careful,
        };
        case.judge_with(&wider, extra)
    };
    // What was asked for by name gets a shape as well, though opening it is enough: it is opened
    // for that command and no other.
    let first = &judged.checked.judgement.decision;
    shapes.extend(first.remember.iter().map(|offered| offered.shape.clone()));
    let careful = !opens.is_empty();
    loop {
        let decision = judge(&shapes, careful)?.judgement.decision;
        match (decision.effect, decision.remember) {
            (Effect::Allow, _) if !shapes.is_empty() => {
                let door = Door {
                    narrow,
                    wider: &wider,
                    opening: &opens,
                };
                // A lasting yes that would not serve this very command is not offered.
                if !careful || door.opens_for(case, &shapes)? {
                    return Ok(Some(Offer { shapes, ..exact }));
                }
                break;
            }
            (Effect::Ask, Some(offered))
                if shapes.len() < MOST_SHAPES && !shapes.contains(&offered.shape) =>
            {
                shapes.push(offered.shape);
            }
            // Nothing narrow can be said about all of it.
            _ => break,
        }
    }
    Ok(Some(exact))
}

/// Every rule and capability that asks about a part, each once.
fn asking(judged: &Judged<'_>) -> Vec<String> {
    let findings = judged.checked.judgement.findings.iter();
    let findings = findings.filter(|finding| finding.effect == Effect::Ask);
    let mut names: Vec<String> = findings
        .flat_map(|finding| {
            let capabilities = [&finding.capability, &finding.needs];
            let capabilities = capabilities.into_iter().flatten();
            std::iter::once(&finding.rule).chain(capabilities)
        })
        .map(ToString::to_string)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// What the parts that are asked about would have to be given.
fn wanted(judged: &Judged<'_>, transfers: Transfers) -> Opening {
    let mut opening = Opening::default();
    let judgement = &judged.checked.judgement;
    let carried = |span: (usize, usize)| transfers.carried.contains(&span);
    let asked = judgement.findings.iter();
    let asked = asked.filter(|finding| finding.effect == Effect::Ask);
    // What is carried out needs no network of its own.
    let is_needed = |name: &str, span| name != "network" || !carried(span);
    let directories = asked.clone().flat_map(|finding| &finding.directories);
    directories.for_each(|directory| opening.add(directory));
    let has_directories = !opening.paths_write.is_empty();
    let named = asked.flat_map(|finding| {
        let both = [&finding.capability, &finding.needs];
        let named = both.into_iter().filter_map(|name| name.as_deref());
        named.filter(|name| is_needed(name, finding.span))
    });
    let decision = &judgement.decision;
    let decided = decision.capability.as_deref();
    let decided = decided.filter(|name| decision.span.is_none_or(|span| is_needed(name, span)));
    for capability in named.chain(decided) {
        match capability {
            "network" => opening.network = Some("on".to_owned()),
            // A directory is opened, and not all that is outside.
            OUTSIDE if has_directories => {}
            class if opening.classes.iter().any(|known| known == class) => {}
            class => opening.classes.push(class.to_owned()),
        }
    }
    for local in transfers.local {
        let paths = if local.pushes {
            &mut opening.paths_write
        } else {
            &mut opening.paths_read
        };
        if !paths.contains(&local.path) {
            paths.push(local.path);
        }
    }
    opening.git = transfers.all;
    opening
}

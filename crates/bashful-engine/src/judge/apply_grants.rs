//! What becomes of a request, with the grants that it may lean on.
//!
//! A grant never lifts a deny. It covers what is asked about the commands of its shapes, or about
//! exactly its text. What it opens is open for the whole run, so that it is opened only if every
//! part of the command is of the grant's own shapes, or only reads. Whatever runs code of the
//! workspace, is not known, or could change what the granted command obeys, must not come along
//! through a door that was opened for another.

use bashful_policy::{Call, Decision, Effect, Finding, Layer, Redirect, RedirectKind, Rule};

use crate::judge::policy::{Case, Checked, ExtraRules};
use crate::model::error::EngineError;
use crate::model::grant::{Grant, Opening, Scope, Subject};
use crate::request::context::RunContext;

/// A request that was judged with all that persons said.
#[derive(Debug, Clone)]
pub(crate) struct Considered<'a> {
    /// Where it stands, with what was opened for it.
    pub(crate) ground: RunContext<'a>,
    /// What the policy says.
    pub(crate) checked: Checked,
    /// The grants that it leans on.
    pub(crate) leans_on: Vec<Grant>,
}

impl Considered<'_> {
    /// The grant of one call that has to be claimed before a start.
    pub(crate) fn to_claim(&self) -> Option<&Grant> {
        let mut grants = self.leans_on.iter();
        grants.find(|grant| grant.scope == Scope::Call)
    }
}

/// Considers a request. `grants` are those that fit it and hold.
pub(crate) fn consider<'a>(
    case: Case<'_>,
    ground: RunContext<'a>,
    grants: Vec<Grant>,
) -> Result<Considered<'a>, EngineError> {
    let checked = case.judge(&ground)?;
    let plain = Considered {
        ground,
        checked,
        leans_on: Vec::new(),
    };
    if grants.is_empty() {
        return Ok(plain);
    }
    let (once, lasting): (Vec<Grant>, Vec<Grant>) = grants
        .into_iter()
        .partition(|grant| grant.scope == Scope::Call);
    let with_lasting = lean(case, plain, &lasting)?;
    if is_settled(&with_lasting, &once) {
        return Ok(with_lasting);
    }
    // One of them is enough; each is used up by one start.
    for grant in once {
        let mut both = lasting.clone();
        both.push(grant.clone());
        let considered = lean(case, with_lasting.clone(), &both)?;
        let used = considered.leans_on.iter().any(|one| one.id == grant.id);
        if used && considered.checked.judgement.decision.effect == Effect::Allow {
            return Ok(considered);
        }
    }
    Ok(with_lasting)
}

/// Whether nothing is left to be gained from grants of one call.
fn is_settled(considered: &Considered<'_>, once: &[Grant]) -> bool {
    let allowed = considered.checked.judgement.decision.effect == Effect::Allow;
    allowed && once.iter().all(|grant| grant.opens.is_empty())
}

/// Judges a request again with these grants.
fn lean<'a>(
    case: Case<'_>,
    before: Considered<'a>,
    grants: &[Grant],
) -> Result<Considered<'a>, EngineError> {
    let mut ground = before.ground;
    let mut leans_on = before.leans_on;
    let rules: Vec<Rule> = grants.iter().flat_map(rules).collect();
    for grant in grants.iter().filter(|grant| !grant.opens.is_empty()) {
        // What the admin does not give, no grant opens.
        let Some(wider) = ground.widened(&grant.opens) else {
            continue;
        };
        let applies = match &grant.subject {
            Subject::Shapes(shapes) => opens_for(case, (&ground, &wider), shapes, &grant.opens)?,
            Subject::Command { .. } | Subject::Any => true,
        };
        if wider.granted != ground.granted && applies {
            ground = wider;
            leans_on.push(grant.clone());
        }
    }
    let besides = ExtraRules {
        granted: rules,
        careful: false,
    };
    let mut checked = case.judge_besides(&ground, besides)?;
    let covers = |grant: &&Grant| covers(grant, &checked);
    for grant in grants.iter().filter(covers) {
        if !leans_on.iter().any(|one| one.id == grant.id) {
            leans_on.push(grant.clone());
        }
    }
    let exact = |grant: &&Grant| matches!(grant.subject, Subject::Command { .. });
    let decision = &mut checked.judgement.decision;
    if decision.effect == Effect::Ask
        && let Some(grant) = grants.iter().find(exact)
    {
        *decision = granted(grant, decision);
        if !leans_on.iter().any(|one| one.id == grant.id) {
            leans_on.push(grant.clone());
        }
    }
    Ok(Considered {
        ground,
        checked,
        leans_on,
    })
}

/// What can stand beside the command that a grant opens a capability for: programs that only read,
/// and those that only start others. What writes could write what the command obeys, and a
/// built-in could lead it elsewhere.
const HARMLESS: [&str; 2] = ["read-only", "wrapper"];

/// Whether what these shapes were given is opened for this request. `narrow` is its context
/// without that, `wider` the one with it.
pub(crate) fn opens_for(
    case: Case<'_>,
    (narrow, wider): (&RunContext<'_>, &RunContext<'_>),
    shapes: &[Vec<String>],
    opening: &Opening,
) -> Result<bool, EngineError> {
    // Its own rules only: what others were given does not stand beside it either.
    let own: Vec<Rule> = shapes
        .iter()
        .map(|shape| Rule::grant(shape, Layer::Session))
        .collect();
    let besides = || ExtraRules {
        granted: own.clone(),
        careful: true,
    };
    let Checked {
        facts,
        judgement: open,
        ..
    } = case.judge_besides(wider, besides())?;
    let closed = case.judge_besides(narrow, besides())?.judgement;
    let is_own = |finding: &&Finding| own.iter().any(|rule| rule.id == *finding.rule);
    let covered: Vec<_> = open.findings.iter().filter(is_own).collect();
    let harmless = |finding: &Finding| {
        let known = HARMLESS.contains(&finding.rule.as_ref());
        finding.effect == Effect::Allow && known && finding.layer == Layer::Builtin
    };
    // A class that it opens refuses its own command until then.
    let opened = |finding: &Finding| {
        let mut opens = opening.classes.iter();
        let names = |name: &str| opens.any(|class| class == name);
        finding.capability.as_deref().is_some_and(names)
            && covered.iter().any(|one| one.span == finding.span)
    };
    // Nor does the text itself change what the command will find: variables, functions, files.
    let plain = facts.assignments.is_empty() && facts.functions.is_empty();
    let writes = |redirect: &Redirect| {
        use RedirectKind::{Append, ReadWrite, Write};
        matches!(redirect.kind, Write | Append | ReadWrite) && redirect.target.text != "/dev/null"
    };
    let plain = plain && !facts.redirects.iter().any(writes);
    // And it is not handed a file of the workspace that it would run.
    let handed = |call: &Call| {
        let is_covered = covered.iter().any(|one| one.span == call.span);
        is_covered
            && call
                .arguments
                .iter()
                .skip(1)
                .any(|word| is_local(&word.text))
    };
    if !plain || facts.calls.iter().any(handed) {
        return Ok(false);
    }
    let fits = |finding: &Finding| is_own(&finding) || harmless(finding) || opened(finding);
    let allowed = open.decision.effect == Effect::Allow;
    Ok(allowed && !covered.is_empty() && closed.findings.iter().all(fits))
}

/// Whether a word names a file here rather than elsewhere.
fn is_local(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let begins = |text: &str| text.starts_with(['.', '/', '~']) || text.starts_with("file:");
    begins(word) || begins(value)
}

/// Whether a grant of shapes has a part in a judgement.
fn covers(grant: &Grant, checked: &Checked) -> bool {
    let rules = rules(grant);
    let mut findings = checked.judgement.findings.iter();
    findings.any(|finding| rules.iter().any(|rule| rule.id == *finding.rule))
}

/// The rules that a grant of shapes is.
fn rules(grant: &Grant) -> Vec<Rule> {
    match &grant.subject {
        Subject::Shapes(shapes) => shapes
            .iter()
            .map(|shape| Rule::grant(shape, layer(grant.scope)))
            .collect(),
        Subject::Command { .. } | Subject::Any => Vec::new(),
    }
}

fn granted(grant: &Grant, asked: &Decision) -> Decision {
    Decision {
        effect: Effect::Allow,
        rule: format!("grant: {}", grant.id),
        layer: layer(grant.scope),
        reason: format!("{}, and a person said yes to it", asked.reason),
        remember: None,
        suggestion: None,
        ..asked.clone()
    }
}

pub(crate) fn layer(scope: Scope) -> Layer {
    match scope {
        Scope::Call => Layer::Call,
        Scope::Session => Layer::Session,
        // A project's own file cannot allow; a person's yes in that project can.
        Scope::Project | Scope::User => Layer::User,
    }
}

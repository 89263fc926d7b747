//! What becomes of a request, with the grants that it may lean on.
//!
//! A grant never lifts a deny. It covers what is asked about the commands of its shapes, or about
//! exactly its text. What it opens is open for the whole run, so that it is opened only if every
//! part of the command is of the grant's own shapes, or only reads. Whatever runs code of the
//! workspace, is not known, or could change what the granted command obeys, must not come along
//! through a door that was opened for another.

use bashful_policy::{Call, Decision, Effect, Finding, Layer, Redirect, RedirectKind, Rule};

use crate::judge::policy::{Case, Checked, ExtraRules};
use crate::judge::transfers::Transfers;
use crate::model::error::EngineError;
use crate::model::grant::{Grant, Opening, Scope, Subject};
use crate::request::context::RunContext;

/// A request that was judged with what persons said before.
#[derive(Debug, Clone)]
pub(crate) struct Judged<'a> {
    /// Where it stands with what was opened for it; none where nothing was.
    pub(crate) wider: Option<RunContext<'a>>,
    /// What the policy says.
    pub(crate) checked: Checked,
    /// The grants that had a part in that.
    pub(crate) grants: Vec<Grant>,
}

impl<'a> Judged<'a> {
    /// What the policy says of itself, without any grant.
    pub(crate) fn plain(checked: Checked) -> Self {
        Self {
            wider: None,
            checked,
            grants: Vec::new(),
        }
    }

    /// Where it stands, with what was opened for it.
    pub(crate) fn context<'c>(&'c self, narrow: &'c RunContext<'a>) -> &'c RunContext<'a> {
        self.wider.as_ref().unwrap_or(narrow)
    }

    /// The grant of one call that has to be claimed before a start.
    pub(crate) fn to_claim(&self) -> Option<&Grant> {
        let mut grants = self.grants.iter();
        grants.find(|grant| grant.scope == Scope::Call)
    }

    fn effect(&self) -> Effect {
        self.checked.judgement.decision.effect
    }

    fn uses(&mut self, grant: &Grant) {
        if !self.grants.iter().any(|one| one.id == grant.id) {
            self.grants.push(grant.clone());
        }
    }
}

/// Whether no grant can change this judgement: it is a deny, and either nothing opens it or none of
/// these opens a class.
pub(crate) fn is_final(checked: &Checked, grants: &[Grant]) -> bool {
    let decision = &checked.judgement.decision;
    let opens_a_class = |grant: &Grant| !grant.opens.classes.is_empty();
    decision.effect == Effect::Deny
        && (decision.capability.is_none() || !grants.iter().any(opens_a_class))
}

/// Judges a request again with the grants that fit it and hold.
pub(crate) fn apply_grants<'a>(
    case: Case<'_>,
    narrow: &RunContext<'a>,
    plain: Checked,
    grants: Vec<Grant>,
) -> Result<Judged<'a>, EngineError> {
    let grants = for_these_repositories(case, narrow, &plain, grants)?;
    let plain = Judged::plain(plain);
    if grants.is_empty() {
        return Ok(plain);
    }
    let (once, lasting): (Vec<Grant>, Vec<Grant>) = grants
        .into_iter()
        .partition(|grant| grant.scope == Scope::Call);
    let with_lasting = apply(case, narrow, plain, &lasting)?;
    if is_settled(&with_lasting, &once) {
        return Ok(with_lasting);
    }
    // One of them is enough; each is used up by one start.
    for grant in once {
        let mut both = lasting.clone();
        both.push(grant.clone());
        let judged = apply(case, narrow, with_lasting.clone(), &both)?;
        let used = judged.grants.iter().any(|one| one.id == grant.id);
        if used && judged.effect() == Effect::Allow {
            return Ok(judged);
        }
    }
    Ok(with_lasting)
}

/// The grants without those that were given for other repositories than the command leads to now.
fn for_these_repositories(
    case: Case<'_>,
    narrow: &RunContext<'_>,
    plain: &Checked,
    mut grants: Vec<Grant>,
) -> Result<Vec<Grant>, EngineError> {
    if grants.iter().any(|grant| !grant.opens.git.is_empty()) {
        let now = Transfers::of(case, narrow, plain)?.all;
        grants.retain(|grant| grant.opens.git.is_empty() || grant.opens.git == now);
    }
    Ok(grants)
}

/// Whether nothing is left to be gained from grants of one call.
fn is_settled(judged: &Judged<'_>, once: &[Grant]) -> bool {
    judged.effect() == Effect::Allow && once.iter().all(|grant| grant.opens.is_empty())
}

/// Judges a request again with these grants.
fn apply<'a>(
    case: Case<'_>,
    narrow: &RunContext<'a>,
    mut judged: Judged<'a>,
    grants: &[Grant],
) -> Result<Judged<'a>, EngineError> {
    for grant in grants.iter().filter(|grant| !grant.opens.is_empty()) {
        let before = judged.context(narrow);
        // What the admin does not give, no grant opens.
        let Some(wider) = before.widened(&grant.opens) else {
            continue;
        };
        let applies = match &grant.subject {
            Subject::Shapes(shapes) => Door {
                narrow: before,
                wider: &wider,
                opening: &grant.opens,
            }
            .opens_for(case, shapes)?,
            Subject::Command { .. } | Subject::Any => true,
        };
        let opens_more = (&wider.granted, &wider.git) != (&before.granted, &before.git);
        if opens_more && applies {
            judged.wider = Some(wider);
            judged.uses(grant);
        }
    }
    let extra = ExtraRules {
        granted: grants.iter().flat_map(rules).collect(),
        careful: false,
    };
    judged.checked = case.judge_with(judged.context(narrow), extra)?;
    for grant in grants {
        if covers(grant, &judged.checked) {
            judged.uses(grant);
        }
    }
    let exact = |grant: &&Grant| matches!(grant.subject, Subject::Command { .. });
    let decision = &mut judged.checked.judgement.decision;
    if decision.effect == Effect::Ask
        && let Some(grant) = grants.iter().find(exact)
    {
        *decision = granted(grant, decision);
        judged.uses(grant);
    }
    Ok(judged)
}

/// What can stand beside the command that a grant opens a capability for: programs that only read,
/// and those that only start others. What writes could write what the command obeys, and a
/// built-in could lead it elsewhere.
const HARMLESS: [&str; 2] = ["read-only", "wrapper"];

/// What a yes to some shapes opens.
pub(crate) struct Door<'d, 'a> {
    /// The context of a request without it.
    pub(crate) narrow: &'d RunContext<'a>,
    /// The context with it.
    pub(crate) wider: &'d RunContext<'a>,
    pub(crate) opening: &'d Opening,
}

impl Door<'_, '_> {
    /// Whether it is open for this request, because of these shapes.
    pub(crate) fn opens_for(
        &self,
        case: Case<'_>,
        shapes: &[Vec<String>],
    ) -> Result<bool, EngineError> {
        // Its own rules only: what others were given does not stand beside it either.
        let own: Vec<Rule> = shapes
            .iter()
            .map(|shape| Rule::grant(shape, Layer::Session))
            .collect();
        let extra = || ExtraRules {
            granted: own.clone(),
            careful: true,
        };
        let Checked {
            facts,
            judgement: open,
            ..
        } = case.judge_with(self.wider, extra())?;
        let closed = case.judge_with(self.narrow, extra())?.judgement;
        let is_own = |finding: &&Finding| own.iter().any(|rule| rule.id == *finding.rule);
        let covered: Vec<_> = open.findings.iter().filter(is_own).collect();
        let harmless = |finding: &Finding| {
            let known = HARMLESS.contains(&finding.rule.as_ref());
            finding.effect == Effect::Allow && known && finding.layer == Layer::Builtin
        };
        // A class that it opens refuses its own command until then.
        let opened = |finding: &Finding| {
            let mut opens = self.opening.classes.iter();
            let names = |name: &str| opens.any(|class| class == name);
            finding.capability.as_deref().is_some_and(names)
                && covered.iter().any(|one| one.span == finding.span)
        };
        // Nor does the text itself change what the command will find: variables, functions, files.
        let plain = facts.assignments.is_empty() && facts.functions.is_empty();
        let writes = |redirect: &Redirect| {
            use RedirectKind::{Append, ReadWrite, Write};
            matches!(redirect.kind, Write | Append | ReadWrite)
                && redirect.target.text != "/dev/null"
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

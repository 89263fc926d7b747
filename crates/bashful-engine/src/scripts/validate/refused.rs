//! What the policy would refuse of a script, even if a person approved it.

use bashful_policy::{
    Capabilities, CommandValidator, Context, Decision, Effect, Finding, Policy, Reading,
};

use super::line_of;
use super::paths::Home;
use crate::judge::policy::judge_by_profile;
use crate::model::script::finding::{ScriptFinding, Severity};
use crate::request::settings::Settings;

/// The name of such a finding.
pub(super) const REFUSED: &str = "refused";

/// The most of them that are told; the first is enough to stop a run.
const MOST: usize = 20;

/// What the policy refuses of this text with these capabilities, by line.
pub(super) fn look(
    settings: &Settings,
    text: &str,
    capabilities: &Capabilities,
) -> Vec<ScriptFinding> {
    let config = &settings.config;
    let profile = config.profile_for(&settings.agent);
    let granted = match profile.grant_script(capabilities) {
        Ok(granted) => granted.capabilities,
        Err(passes) => {
            let message = format!("would never run: {passes}");
            return vec![ScriptFinding::own(Severity::Error, REFUSED, message)];
        }
    };
    let home = Home::of(settings);
    let real = |paths: &[String]| -> Vec<String> {
        let absolute = paths.iter().filter_map(|path| home.absolute(path));
        let real = absolute.map(|path| path.canonicalize().unwrap_or(path));
        real.filter_map(|path| path.to_str().map(str::to_owned))
            .collect()
    };
    let own = [super::needs::HERE, "/tmp", "/dev/shm"].map(str::to_owned);
    let context = Context {
        directory: Some(super::needs::HERE.to_owned()),
        workspace: Some(super::needs::HERE.to_owned()),
        write_roots: own.into_iter().chain(real(&granted.paths_write)).collect(),
        read_roots: real(&granted.paths_read),
        home: home.text(),
        network: granted.network,
        classes: granted.classes,
        enforced: true,
        reading: Reading::Script,
        ..Context::default()
    };
    let policy = Policy {
        profile: config.profile_name(&settings.agent).to_owned(),
        unknown: profile.default,
        rules: profile.ruleset(),
        asks: Vec::new(),
    };
    let (_, judgement) = judge_by_profile(text, &policy, context);
    let denied = judgement.findings.iter();
    let denied = denied.filter(|finding| finding.effect == Effect::Deny);
    let mut told: Vec<ScriptFinding> = denied
        .take(MOST)
        .map(|finding| refused(text, finding))
        .collect();
    let validator = CommandValidator::new(&config.blocked_commands);
    if told.is_empty()
        && let Some(decision) = validator.check_patterns(text, Reading::Script)
    {
        told.push(blocked(text, &decision));
    }
    told
}

fn refused(text: &str, finding: &Finding) -> ScriptFinding {
    let way = way(finding.capability.as_deref(), &finding.rule);
    let message = format!(
        "is refused whenever it runs (rule {}, {}): {}{way}",
        finding.rule, finding.layer, finding.reason
    );
    let line = Some(line_of(text, finding.span.0));
    ScriptFinding::own(Severity::Error, REFUSED, message).at_line(line)
}

fn blocked(text: &str, decision: &Decision) -> ScriptFinding {
    let pattern = decision.fact.as_deref().unwrap_or_default();
    let line = text.find(pattern).map(|at| line_of(text, at));
    let message = format!(
        "is refused whenever it runs (rule {}, {}): {}",
        decision.rule, decision.layer, decision.reason
    );
    ScriptFinding::own(Severity::Error, REFUSED, message).at_line(line)
}

/// What would change it.
fn way(capability: Option<&str>, rule: &str) -> String {
    match (capability, rule) {
        (Some("write-outside-roots"), _) => {
            "; declare what it writes with `--write PATH`".to_owned()
        }
        (Some("secret-read"), _) => "; declare what it reads with `--read PATH`".to_owned(),
        (Some("network"), _) => "; declare `--network on`".to_owned(),
        (Some(class), _) => format!("; `--allow {class}` would declare it"),
        (None, "too-complex") => "; split it into several scripts".to_owned(),
        (None, _) => String::new(),
    }
}

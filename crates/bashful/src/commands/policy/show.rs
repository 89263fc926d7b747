//! `bashful policy show`: the rules.

use bashful_engine::config::Choice as _;
use bashful_engine::policy::BUILTIN_RULES;
use serde_json::{Value, json};

use super::rules;
use crate::commands::load_config;
use crate::commands::place::here;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{RuleRow, show_rules};

pub(super) fn show(profile: Option<&str>, json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    if profile.is_none() && !json {
        printer.data(BUILTIN_RULES.as_bytes())?;
        return Ok(Exit::Success);
    }
    let config = load_config(&here()?, printer)?.config;
    let name = profile.unwrap_or_else(|| config.profile_name(&config.agent));
    let known = config.profile_named(name);
    let profile = known.map_err(|error| UsageError(error.to_string()))?;
    let ruleset = profile.ruleset();
    if json {
        let rules: Vec<Value> = ruleset.rules().map(rules::json).collect();
        printer.json(&json!({
            "v": 1,
            "profile": name,
            "default": profile.default.as_str(),
            "rules": rules,
        }))?;
        return Ok(Exit::Success);
    }
    let rows = ruleset.rules().map(|rule| RuleRow {
        effect: rule.effect.as_str(),
        id: rule.id.clone(),
        place: format!("{} {}", rule.layer, rules::place(rule)),
        reason: rule.reason.clone(),
    });
    let mut out = Vec::new();
    show_rules(&rows.collect::<Vec<_>>(), printer.data_style(), &mut out);
    let last = format!("What no rule knows: {}\n", profile.default.as_str());
    out.extend(last.as_bytes());
    printer.data(&out)?;
    Ok(Exit::Success)
}

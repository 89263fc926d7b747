//! `bashful policy explain`: what a rule, class or check does, and what opens it.

use std::str::FromStr as _;

use bashful_engine::policy::{CHECKS, Class, Rule, nearest};
use serde_json::json;

use super::rules;
use crate::commands::load_config;
use crate::commands::place::here;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_sections;

pub(super) fn explain(name: &str, as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let config = load_config(&here()?, printer)?.config;
    let ruleset = config.profile_for(&config.agent).ruleset();
    let found: Vec<&Rule> = ruleset.rules().filter(|rule| rule.id == name).collect();
    let class = Class::from_str(name).ok();
    let check = CHECKS.iter().find(|(known, _)| *known == name);
    if found.is_empty() && class.is_none() && check.is_none() {
        let mut names: Vec<&str> = ruleset.rules().map(|rule| rule.id.as_str()).collect();
        names.extend(Class::ALL.map(Class::as_str));
        names.extend(CHECKS.iter().map(|(known, _)| *known));
        let near = nearest(name, names.into_iter());
        let hint = near.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
        let text = format!("there is no rule, class or check `{name}`{hint}");
        return Err(UsageError(text).into());
    }
    if as_json {
        let rules: Vec<_> = found.iter().map(|rule| rules::json(rule)).collect();
        let class = class.map(|class| {
            json!({
                "name": class.as_str(),
                "reason": class.reason(),
                "advice": class.advice(),
            })
        });
        let check = check.map(|(name, does)| json!({ "name": name, "does": does }));
        let all = [
            ("rules", json!(rules)),
            ("class", json!(class)),
            ("check", json!(check)),
        ];
        let mut object = json!({ "v": 1, "name": name });
        for (key, value) in all {
            if !value.is_null() {
                object[key] = value;
            }
        }
        printer.json(&object)?;
        return Ok(Exit::Success);
    }
    let mut out = Vec::new();
    let style = printer.data_style();
    for rule in found {
        show_sections(&of_rule(rule), style, &mut out);
    }
    if let Some(class) = class {
        let flag = match class {
            Class::WriteOutsideRoots => {
                "--write DIR, or `paths_write` in `capabilities` of a profile".to_owned()
            }
            _ => format!("--allow {class}, or `{class}` in `capabilities.classes` of a profile"),
        };
        let sections = [
            ("Class", class.to_string()),
            ("Does", format!("refuses what {}", class.reason())),
            ("Instead", class.advice().to_owned()),
            ("Opened by", flag),
        ];
        show_sections(&sections, style, &mut out);
    } else if let Some((name, does)) = check {
        let sections = [("Check", (*name).to_owned()), ("Does", (*does).to_owned())];
        show_sections(&sections, style, &mut out);
    }
    printer.data(&out)?;
    Ok(Exit::Success)
}

fn of_rule(rule: &Rule) -> Vec<(&'static str, String)> {
    let mut sections = vec![
        ("Rule", rule.id.clone()),
        ("Does", rule.effect.as_str().to_owned()),
        ("Why", rule.reason.clone()),
        ("From", format!("{} {}", rule.layer, rules::place(rule))),
    ];
    let advice = rule.advice.clone().map(|advice| ("Instead", advice));
    sections.extend(advice);
    let opened = rule
        .capability
        .as_deref()
        .map(|capability| match capability {
            "network" => "--network on, or `network` in `capabilities` of a profile".to_owned(),
            class => {
                format!("--allow {class}, or `{class}` in `capabilities.classes` of a profile")
            }
        });
    sections.extend(opened.map(|opened| ("Opened by", opened)));
    let examples = rule
        .examples
        .iter()
        .map(|example| ("Matches", example.clone()));
    sections.extend(examples);
    let others = rule.counterexamples.iter();
    sections.extend(others.map(|example| ("Not", example.clone())));
    sections
}

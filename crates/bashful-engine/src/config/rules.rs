//! The rules of profiles: read by the policy, kept with what the file says.

use std::str::FromStr as _;

use bashful_policy::{
    Class, Layer as PolicyLayer, Rule, RuleEffect, RuleSource, Ruleset, read_rules,
};
use serde_json::{Map, Value};
use toml::de::DeValue;

use super::choice::nearest;
use super::error::ConfigError;
use super::place::{Layer, shown, shown_path};
use super::profile::Profile;
use super::raw::Said;
use super::reader::{Reader, Spanned};

/// A rule of a configuration file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConfiguredRule {
    /// The rule, with its layer and place.
    pub rule: Rule,
    /// What the file says, field by field.
    pub(super) source: Value,
}

/// Two rules are the same if the same layer says the same.
impl PartialEq for ConfiguredRule {
    fn eq(&self, other: &Self) -> bool {
        self.rule.layer == other.rule.layer && self.source == other.source
    }
}

impl Eq for ConfiguredRule {}

impl ConfiguredRule {
    /// Whether it only ever makes a decision stricter.
    pub(super) fn narrows(&self) -> bool {
        self.rule.effect != RuleEffect::Allow
    }
}

impl Profile {
    /// The shipped rules and those of this profile.
    pub fn ruleset(&self) -> Ruleset {
        let of = |layer: PolicyLayer| {
            let rules = self.rules.iter().map(|configured| &configured.rule);
            rules.filter(move |rule| rule.layer == layer).cloned()
        };
        [Layer::Admin, Layer::User, Layer::Project]
            .map(Layer::of_policy)
            .into_iter()
            .fold(Ruleset::builtin(), |rules, layer| {
                rules.with(layer, of(layer))
            })
    }

    /// Whether a class exists: a built-in one, or one that a rule of this profile names.
    pub fn check_class(&self, name: &str) -> Result<(), UnknownClass> {
        let named = self
            .rules
            .iter()
            .map(|rule| rule.rule.capability.as_deref());
        known_class(name, named.flatten())
    }
}

/// Whether a class is built in or among those that rules name.
pub(super) fn known_class<'a>(
    name: &str,
    named: impl Iterator<Item = &'a str>,
) -> Result<(), UnknownClass> {
    let Err(unknown) = Class::from_str(name) else {
        return Ok(());
    };
    let named: Vec<&str> = named.collect();
    if named.contains(&name) {
        return Ok(());
    }
    let near = nearest(name, named.into_iter());
    Err(UnknownClass {
        name: shown(name),
        suggestion: unknown.suggestion.or(near).map(str::to_owned),
    })
}

/// A class that neither Bashful nor a rule knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no class `{name}`{}",
    .suggestion.as_ref().map_or_else(String::new, |near| format!(": did you mean `{near}`?"))
)]
#[non_exhaustive]
pub struct UnknownClass {
    /// The name as given, with unprintable characters escaped.
    pub name: String,
    /// The nearest name that exists.
    pub suggestion: Option<String>,
}

impl Layer {
    /// The same layer in the words of the policy.
    pub fn of_policy(self) -> PolicyLayer {
        match self {
            Self::Admin => PolicyLayer::Admin,
            Self::User => PolicyLayer::User,
            Self::Project => PolicyLayer::Project,
        }
    }
}

impl Reader<'_> {
    /// The rules of a profile.
    pub(super) fn rules(
        &self,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<ConfiguredRule>>, ConfigError> {
        let source = RuleSource {
            text: self.text,
            file: &shown_path(&self.path),
            layer: self.layer.of_policy(),
        };
        let rules = read_rules(value, source).map_err(|errors| ConfigError::Rules { errors })?;
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.wrong_type("rule".to_owned(), "a list of tables", value));
        };
        let sources = array.iter().map(|item| written(item.get_ref()));
        let rules = rules.into_iter().zip(sources);
        let rules = rules.map(|(rule, source)| ConfiguredRule { rule, source });
        Ok(Said {
            value: rules.collect(),
            place: self.place(value.span().start),
        })
    }
}

/// A value as a file has it. Rules have no numbers and no dates in them.
fn written(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Array(items) => items.iter().map(|item| written(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let field = |(key, value): (&toml::Spanned<_>, &Spanned<'_>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                (key.to_string(), written(value.get_ref()))
            };
            Value::Object(table.iter().map(field).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}

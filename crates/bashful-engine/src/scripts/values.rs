//! From the variables of a call to what a script is bound to: every value checked, none missing.

use crate::model::script::variable::bindable;
use std::cell::RefCell;
use std::collections::BTreeSet;

use bashful_policy::{
    Declared, Missing, Origin, Resolved, TemplateName, Value as Bindable, has_references,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::templates::{self, BoundScript};
use crate::model::error::script::ScriptError;
use crate::model::script::Script;
use crate::model::script::variable::{Variable, VariableError, check_text, check_value, is_dotted};

/// A template with what it is bound to, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShownBinding {
    /// The template, or the variable that is set before the script.
    pub name: String,
    /// The line it stands in; absent for a variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in that line; absent for a variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What it holds. It may be anything: make it visible first.
    pub value: Value,
}

/// What happens to templates of a call that have no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingValues {
    /// Nothing runs, and all of them are told.
    #[default]
    Refuse,
    /// Their text stays as it is.
    Keep,
}

/// The variables of one call.
pub(crate) struct Given<'a> {
    pub(crate) script: &'a Script,
    pub(crate) variables: &'a Map<String, Value>,
    /// Those of them that are meant character by character.
    pub(crate) exact: &'a BTreeSet<String>,
}

impl Given<'_> {
    /// Binds the text of the script to what was given.
    pub(crate) fn bind(
        &self,
        text: &str,
        missing: MissingValues,
    ) -> Result<BoundScript, ScriptError> {
        self.check_names()?;
        let mut absent: Vec<String> = Vec::new();
        let declared = self.declared(&mut absent)?;
        let template = templates::read(text)?;
        let unfit = RefCell::new(None);
        let values = |name: &TemplateName| match self.template(name.as_str()) {
            Ok(value) => value,
            Err(error) => {
                unfit.borrow_mut().get_or_insert(error);
                None
            }
        };
        let resolved = declared.resolve(&template.names(), &values);
        if let Some(error) = unfit.take() {
            return Err(error.into());
        }
        let resolved = resolved.map_err(templates::refused)?;
        absent.extend(resolved.missing.iter().map(ToString::to_string));
        if missing == MissingValues::Refuse && !absent.is_empty() {
            return Err(VariableError::Missing { names: absent }.into());
        }
        self.check_resolved(&resolved)?;
        let keep = match missing {
            MissingValues::Keep => Missing::Keep,
            MissingValues::Refuse => Missing::Refuse,
        };
        templates::bind(&template, resolved, keep)
    }

    /// Checks that the script knows every name that was given.
    fn check_names(&self) -> Result<(), VariableError> {
        let unknown = |(name, value): &(&String, &Value)| {
            !is_dotted(name) && !value.is_object() && self.variable(name).is_none()
        };
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(unknown)
            .map(|(name, _)| name.chars().take(80).collect())
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        Err(VariableError::Unknown { names })
    }

    /// The declared variable of this name.
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.script.variables.iter().find(|one| one.name == name)
    }

    /// What the script declares, with what was given for it; variables without a value are added
    /// to `absent`.
    fn declared(&self, absent: &mut Vec<String>) -> Result<Declared, ScriptError> {
        let mut declared = usual(&self.script.variables)?;
        let plain = self.script.variables.iter();
        for variable in plain.filter(|one| !is_dotted(&one.name)) {
            let name = &variable.name;
            match self.variables.get(name) {
                None if variable.default.is_none() => absent.push(name.clone()),
                None => {}
                Some(value) if is_reference(value) && !self.exact.contains(name) => {
                    check_text(name, value)?;
                    let added = declared.add(name, bindable(value), Origin::Call);
                    added.map_err(templates::refused)?;
                }
                Some(value) => {
                    check_value(variable, value)?;
                    let added = declared.add(name, bindable(value), Origin::Exact);
                    added.map_err(templates::refused)?;
                }
            }
        }
        Ok(declared)
    }

    /// What a call gives for a template: a key with its whole name, or a field of a field.
    fn template(&self, name: &str) -> Result<Option<Bindable>, VariableError> {
        let nested = || {
            let mut parts = name.split('.');
            let first = self.variables.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get(part))
        };
        let Some(value) = self.variables.get(name).or_else(nested) else {
            return Ok(None);
        };
        match self.variable(name) {
            Some(variable) => check_value(variable, value)?,
            None => check_text(name, value)?,
        }
        Ok(Some(bindable(value)))
    }

    /// Checks that a value that refers to others has the type of its variable once they are
    /// known.
    fn check_resolved(&self, resolved: &Resolved) -> Result<(), VariableError> {
        let templates = resolved.templates.iter();
        let templates = templates.map(|(name, value)| (name.as_str(), value));
        let variables = resolved.variables.iter();
        let variables = variables.map(|(name, value)| (name.as_str(), value));
        for (name, value) in variables.chain(templates) {
            if let Some(variable) = self.variable(name) {
                check_value(variable, &as_json(value))?;
            }
        }
        Ok(())
    }
}

/// What variables hold that a call gives no value. The author of the script wrote it.
pub(super) fn usual(variables: &[Variable]) -> Result<Declared, ScriptError> {
    let mut declared = Declared::new();
    for variable in variables {
        let Some(value) = &variable.default else {
            continue;
        };
        let value = bindable(value);
        let added = match TemplateName::parse(&variable.name) {
            Some(name) => declared.add_usual(name, value),
            None => declared.add(&variable.name, value, Origin::Author),
        };
        added.map_err(templates::refused)?;
    }
    Ok(declared)
}

/// Checks that what variables usually hold can be found out: nothing goes round in a circle, and
/// everything that is named is declared or a template.
pub(crate) fn check_usual(variables: &[Variable]) -> Result<(), ScriptError> {
    let mut declared = usual(variables)?;
    for variable in variables.iter().filter(|one| one.default.is_none()) {
        if !is_dotted(&variable.name) {
            let given = Bindable::Text(String::new());
            let added = declared.add(&variable.name, given, Origin::Exact);
            added.map_err(templates::refused)?;
        }
    }
    let names = variables.iter().map(|one| one.name.as_str());
    let names: Vec<TemplateName> = names.filter_map(TemplateName::parse).collect();
    let wanted: Vec<&TemplateName> = names.iter().collect();
    declared
        .resolve(&wanted, &|_| None)
        .map_err(templates::refused)?;
    Ok(())
}

/// Whether a value of a call may stand for another one.
fn is_reference(value: &Value) -> bool {
    has_references(&bindable(value))
}

/// What is bound where, for people.
pub(crate) fn shown(bound: &BoundScript) -> Vec<ShownBinding> {
    let templates = bound.bindings.iter().map(|binding| ShownBinding {
        name: binding.template.to_string(),
        line: Some(binding.position.line),
        column: Some(binding.position.column),
        value: as_json(&binding.value),
    });
    let variables = bound.declared.iter().map(|(name, value)| ShownBinding {
        name: name.clone(),
        line: None,
        column: None,
        value: as_json(value),
    });
    variables.chain(templates).collect()
}

fn as_json(value: &Bindable) -> Value {
    match value {
        Bindable::Text(text) => text.clone().into(),
        Bindable::List(texts) => texts.clone().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::script::examples::script;
    use serde_json::json;

    fn bound(declared: &Value, given: &Value) -> Result<BoundScript, String> {
        let mut script = script("a", "echo");
        script.variables = serde_json::from_value(declared.clone()).unwrap();
        let variables = given.as_object().unwrap().clone();
        let given = Given {
            script: &script,
            variables: &variables,
            exact: &BTreeSet::new(),
        };
        let bound = given.bind("echo", MissingValues::Refuse);
        bound.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_given_is_what_is_declared() {
        let declared = json!([{"name": "A"}, {"name": "N", "type": "number", "default": 3}]);
        let found = bound(&declared, &json!({"A": "it's", "trigger": {"x": 1}})).unwrap();
        let text = |text: &str| Bindable::Text(text.to_owned());
        assert_eq!(
            found.declared,
            [("A".to_owned(), text("it's")), ("N".to_owned(), text("3"))]
        );
        let cases = [
            (json!({}), "there is no value for `A`"),
            (
                json!({"A": "x", "B": 1}),
                "the script declares no variable `B`",
            ),
            (
                json!({"A": "x", "N": "y"}),
                "the variable `N` is of type number, and `y` is not",
            ),
            (
                json!({"A": null}),
                "the variable `A` is of type string, and null is not",
            ),
            (
                json!({"A": {"x": 1}}),
                "the variable `A` is of type string, and an object is not",
            ),
        ];
        for (given, expected) in cases {
            let refused = bound(&declared, &given).unwrap_err();
            assert_eq!(refused, expected, "{given}");
        }
        let two = json!([{"name": "A"}, {"name": "B"}]);
        assert_eq!(
            bound(&two, &json!({})).unwrap_err(),
            "there is no value for `A`, `B`"
        );
    }
}

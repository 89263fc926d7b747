//! What a script would be able to reach, for a person who is to say yes to it ahead of time.

use serde_json::{Map, Value, json};

use super::Scripts;
use super::action::BashRun;
use super::values::MissingValues;
use crate::model::ask::Reachable;
use crate::model::error::script::ScriptError;
use crate::model::script::variable::{Variable, VariableKind};

impl Scripts<'_> {
    /// What a script would be able to reach if it ran now, as the question of a run tells it.
    pub fn reach(&self, which: &str) -> Result<Reachable, ScriptError> {
        let view = self.show(which)?;
        let mut action = BashRun::of(&view.script.id.to_string());
        let needed = view.script.variables.iter();
        let needed = needed.filter(|variable| variable.default.is_none());
        action.variables = needed.map(any_value).collect::<Map<_, _>>();
        let invocation = self.invocation(&action, MissingValues::Keep)?;
        Ok(self.engine.reach(invocation)?)
    }
}

/// Some value for a variable that has to have one: what can be reached does not depend on it.
fn any_value(variable: &Variable) -> (String, Value) {
    let value = match variable.kind {
        VariableKind::Number | VariableKind::Integer => json!(0),
        VariableKind::Boolean => json!(false),
        VariableKind::List => json!([]),
        VariableKind::String | VariableKind::Path => json!("x"),
    };
    (variable.name.clone(), value)
}

//! Variables as people and models write them: a list, or an object with a value for each name.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::model::script::variable::{Variable, VariableKind};

/// Variables that a script declares, as they were written: `[{"name": "DAYS", "type": "integer"}]`,
/// or shorter `{"DAYS": {"type": "integer"}, "LOG_PATH": "${trigger.file.path}"}`, where what is no
/// object is what the variable holds unless it is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenVariables(pub Vec<Variable>);

impl<'de> Deserialize<'de> for WrittenVariables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = |(name, about): (String, Value)| {
            variable(name, about).map_err(|error| D::Error::custom(error.to_string()))
        };
        match Value::deserialize(deserializer)? {
            Value::Object(all) => Ok(Self(all.into_iter().map(named).collect::<Result<_, _>>()?)),
            list => serde_json::from_value(list)
                .map(Self)
                .map_err(D::Error::custom),
        }
    }
}

fn variable(name: String, about: Value) -> Result<Variable, serde_json::Error> {
    let kind = match &about {
        Value::Number(_) => VariableKind::Number,
        Value::Bool(_) => VariableKind::Boolean,
        Value::Array(_) => VariableKind::List,
        Value::Null | Value::String(_) | Value::Object(_) => VariableKind::String,
    };
    match about {
        Value::Object(about) => {
            let mut whole = Map::from_iter([("name".to_owned(), Value::String(name))]);
            whole.extend(about);
            serde_json::from_value(Value::Object(whole))
        }
        about => Ok(Variable {
            name,
            kind,
            description: None,
            default: Some(about).filter(|about| !about.is_null()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_and_an_object_say_the_same() {
        let read = |value: Value| serde_json::from_value::<WrittenVariables>(value);
        let list = json!([
            {"name": "DAYS", "type": "integer"},
            {"name": "DEEP", "type": "boolean", "default": true},
            {"name": "LOG_PATH", "default": "${trigger.file.path}"},
            {"name": "MUST"},
            {"name": "ONLY", "type": "list", "default": ["a"]},
        ]);
        let object = json!({
            "DAYS": {"type": "integer"}, "DEEP": true, "LOG_PATH": "${trigger.file.path}",
            "MUST": null, "ONLY": ["a"],
        });
        assert_eq!(read(list).unwrap(), read(object).unwrap());
        for bad in [
            json!("x"),
            json!(3),
            json!([1]),
            json!({"A": {"typ": "list"}}),
            json!({"A": {"type": "thing"}}),
        ] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }
}

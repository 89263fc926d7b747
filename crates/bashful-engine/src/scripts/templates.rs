//! Templates of a script, `${trigger.file.path}`: what the policy crate knows about them, in the
//! words of scripts.

use bashful_policy::{
    CopiedValue, Holds, Missing, Resolved, Template, TemplateError, TemplateName, Value,
    check_template, copied_values, read_template,
};
use bashful_sandbox::FIRST_INHERITED;

use crate::model::error::body::UnfitBody;
use crate::model::error::script::ScriptError;
use crate::model::script::variable::{Variable, VariableError, VariableKind};

/// A script with everything in its place.
#[derive(Debug, Clone)]
pub(crate) struct BoundScript {
    /// The whole text that bash runs.
    pub(crate) text: String,
    /// The script as the policy reads it: variables of ours where templates were.
    pub(crate) judged: String,
    /// Variables that are set before it, ours and those that it declares.
    pub(crate) set: Vec<(String, Value)>,
    /// Variables that it declares.
    pub(crate) declared: Vec<(String, Value)>,
    /// What is bound where.
    pub(crate) bindings: Vec<bashful_policy::Binding>,
}

/// The text with each template replaced by a variable, line by line as it was, which bash can
/// read. Every template is read in two ways, which have to agree.
pub(crate) fn with_placeholders(text: &str) -> Result<String, UnfitBody> {
    let unfit = |error: TemplateError| UnfitBody::Template {
        detail: error.to_string(),
    };
    let template = check_template(text).map_err(unfit)?;
    // A number fits everywhere.
    let bound = template.bind(&|_| Some(Value::Text("1".to_owned())), Missing::Refuse);
    Ok(bound.map_err(unfit)?.script)
}

/// Where copies of values stand in places of a script that are code: of its templates, and of the
/// variables that are set before it.
pub(crate) fn copies(text: &str, variables: &[Variable]) -> Vec<CopiedValue> {
    let declared: Vec<(&str, Holds)> = variables
        .iter()
        .map(|one| {
            let holds = match one.kind {
                VariableKind::Integer | VariableKind::Number | VariableKind::Boolean => {
                    Holds::Numbers
                }
                VariableKind::String | VariableKind::List | VariableKind::Path => Holds::Text,
            };
            (one.name.as_str(), holds)
        })
        .collect();
    copied_values(text, &declared)
}

/// What a bound text begins with: bash has opened it and needs the descriptor no longer, in which
/// every program could read all values.
fn close_script() -> String {
    format!("exec {FIRST_INHERITED}<&-; ")
}

/// Reads a script for its templates.
pub(crate) fn read(text: &str) -> Result<Template, ScriptError> {
    read_template(text).map_err(refused)
}

/// The names of all templates of a script.
pub(crate) fn names(template: &Template) -> Vec<String> {
    template.names().iter().map(ToString::to_string).collect()
}

/// Binds a script to its values, and sets what it declares before it.
pub(crate) fn bind(
    template: &Template,
    resolved: Resolved,
    missing: Missing,
) -> Result<BoundScript, ScriptError> {
    let values = |name: &TemplateName| resolved.templates.get(name).cloned();
    let bound = template.bind(&values, missing).map_err(refused)?;
    let declared = resolved.variables;
    Ok(BoundScript {
        text: bound.text_behind(&close_script(), &declared),
        judged: bound.script,
        set: bound
            .variables
            .into_iter()
            .chain(declared.clone())
            .collect(),
        declared,
        bindings: bound.shown,
    })
}

pub(super) fn refused(error: TemplateError) -> ScriptError {
    match error {
        TemplateError::Missing(names) => VariableError::Missing {
            names: names.iter().map(ToString::to_string).collect(),
        }
        .into(),
        TemplateError::Circular(names) => VariableError::Circular { names }.into(),
        other => UnfitBody::Template {
            detail: other.to_string(),
        }
        .into(),
    }
}

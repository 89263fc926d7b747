//! `bashful scripts validate`: what can be told about a script before it runs.

use bashful_engine::Capabilities;
use bashful_engine::scripts::{Draft, Needs, Scripts, Validation};

use super::read_bytes;
use crate::cli::ValidateArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{show_inferred, show_validation};

/// The script has errors.
const NOT_VALID: Exit = Exit::Command(1);

pub(super) fn validate(
    scripts: &Scripts<'_>,
    arguments: &ValidateArguments,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let validation = looked_at(scripts, arguments)?;
    if arguments.json {
        printer.json(&serde_json::to_value(&validation)?)?;
    } else {
        let mut out = Vec::new();
        show_validation(&validation, printer.data_style(), &mut out);
        let is_read = validation.needs != Needs::default() || validation.valid;
        if arguments.infer && is_read {
            show_inferred(&validation.inferred, printer.data_style(), &mut out);
        }
        printer.data(&out)?;
    }
    Ok(if validation.valid {
        Exit::Success
    } else {
        NOT_VALID
    })
}

fn looked_at(scripts: &Scripts<'_>, arguments: &ValidateArguments) -> anyhow::Result<Validation> {
    let declared = &arguments.declared;
    let (content, capabilities, variables) = match (&arguments.file, &arguments.script) {
        (Some(file), _) => (read_bytes(file)?, Capabilities::default(), Vec::new()),
        (None, which) => {
            let which = which.as_deref().unwrap_or_default();
            if declared.is_empty() {
                return Ok(scripts.validate(which)?);
            }
            // As it would be with what the flags say.
            let view = scripts.show(which)?;
            let content = view.content.unwrap_or_default();
            let script = view.script;
            (content.into_bytes(), script.capabilities, script.variables)
        }
    };
    let changed = declared.capabilities_from(&capabilities)?;
    let capabilities = changed.unwrap_or(capabilities);
    let variables = declared.variables()?.unwrap_or(variables);
    Ok(scripts.validate_draft(Draft {
        content: &content,
        capabilities: &capabilities,
        variables: &variables,
    })?)
}

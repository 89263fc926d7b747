//! Carrying scripts elsewhere and bringing them here.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use bashful_engine::Capabilities;
use bashful_engine::scripts::{
    CreatedBy, NewScript, ScriptDocument, ScriptError, ScriptId, ScriptName, ScriptView, Scripts,
};

use crate::cli::ImportArguments;
use crate::errors::UsageError;
use crate::printer::Printer;
use crate::view::harmless_json;

/// The longest document that is read: six bytes for each of a text in its longest form, and more.
const MOST_DOCUMENT: u64 = 16 << 20;

pub(super) fn export(
    scripts: &Scripts<'_>,
    which: &str,
    output: Option<&Path>,
    printer: &Printer,
) -> anyhow::Result<()> {
    let document = serde_json::to_string_pretty(&scripts.export(which)?)?;
    // The same document, and nothing in it acts on a terminal.
    let lines = document.lines().map(harmless_json);
    let document = lines.collect::<Vec<_>>().join("\n") + "\n";
    let Some(path) = output else {
        printer.data(document.as_bytes())?;
        return Ok(());
    };
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    let mut file =
        file.map_err(|error| UsageError(format!("cannot write `{}`: {error}", path.display())))?;
    file.write_all(document.as_bytes())
        .and_then(|()| file.sync_all())
        .with_context(|| format!("cannot write `{}`", path.display()))
}

pub(super) fn import(
    scripts: &Scripts<'_>,
    arguments: &ImportArguments,
) -> anyhow::Result<ScriptView> {
    let name = arguments.name.as_deref();
    let name: Option<ScriptName> = name
        .map(str::parse)
        .transpose()
        .map_err(ScriptError::from)?;
    let id = arguments.source.to_str();
    if let Some(id) = id.and_then(|text| text.parse::<ScriptId>().ok()) {
        return adopt(scripts, id, name, arguments);
    }
    let mut document = read(&arguments.source)?;
    if let Some(name) = name {
        document.name = name;
    }
    if let Some(description) = &arguments.description {
        document.description.clone_from(description);
    }
    let declared = &arguments.declared;
    if let Some(capabilities) = declared.capabilities_from(&document.capabilities)? {
        document.capabilities = capabilities;
    }
    if let Some(variables) = declared.variables()? {
        document.variables = variables;
    }
    Ok(scripts.import(document)?)
}

/// Makes a script of a file that a person put into the folder.
fn adopt(
    scripts: &Scripts<'_>,
    id: ScriptId,
    name: Option<ScriptName>,
    arguments: &ImportArguments,
) -> anyhow::Result<ScriptView> {
    let unnamed = || UsageError("a file from the folder needs a name: --name NAME".to_owned());
    let declared = &arguments.declared;
    let capabilities = declared.capabilities_from(&Capabilities::default())?;
    let new = NewScript {
        name: name.ok_or_else(unnamed)?,
        description: arguments.description.clone().unwrap_or_default(),
        // The file is the text.
        content: Vec::new(),
        capabilities: capabilities.unwrap_or_default(),
        variables: declared.variables()?.unwrap_or_default(),
        created_by: CreatedBy::User,
    };
    Ok(scripts.adopt(id, new)?)
}

fn read(path: &Path) -> anyhow::Result<ScriptDocument> {
    let usage = |problem: String| UsageError(format!("cannot use `{}`: {problem}", path.display()));
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin()
            .take(MOST_DOCUMENT)
            .read_to_string(&mut text)
    } else {
        let file = std::fs::File::open(path);
        file.and_then(|file| file.take(MOST_DOCUMENT).read_to_string(&mut text))
    };
    read.map_err(|error| usage(error.to_string()))?;
    let document = serde_json::from_str(&text);
    Ok(document.map_err(|error| {
        usage(format!(
            "it is not an exported script: {error}; to make a script from a plain file, use `bashful scripts create \
             --name NAME FILE`"
        ))
    })?)
}

//! `bashful scripts`: scripts that are kept, approved by content and run.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bashful_engine::Engine;
use bashful_engine::scripts::{
    Deletion, MAX_SCRIPT_BYTES, ScriptName, ScriptView, Scripts, Severity,
};
use serde_json::json;

use crate::cli::{ScriptsArguments, ScriptsCommand};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{show_change, show_script, show_script_text, show_scripts, visible};

mod approve;
mod carry;
mod run;
mod validate;
mod versions;
mod write;

pub(super) use run::{Shown, run_action};
pub(super) use write::in_editor;

/// What the text of a script may come from.
const MOST_TEXT: u64 = MAX_SCRIPT_BYTES as u64 + 1;

pub(crate) fn scripts(arguments: &ScriptsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if let ScriptsCommand::Run(arguments) = &arguments.what {
        return run::run(arguments, printer);
    }
    let config = super::load_config(&super::place::here()?, printer)?.config;
    let engine = Engine::builder().config(config).one_call().build()?;
    let scripts = engine.scripts();
    let tell = Teller { printer };
    match &arguments.what {
        ScriptsCommand::List { all, json } => list(&scripts, *all, *json, printer)?,
        ScriptsCommand::Show {
            script,
            version,
            json,
        } => show(&scripts, (script, version.as_deref()), *json, printer)?,
        ScriptsCommand::Create(arguments) => {
            let made = write::create(&scripts, arguments, printer)?;
            tell.change("Made; not approved yet", &made, arguments.json)?;
            tell.findings(&scripts, &made);
        }
        ScriptsCommand::Edit(arguments) => {
            let (changed, outcome) = write::edit(&scripts, arguments, printer)?;
            let title = match outcome {
                write::Outcome::Same => "Nothing was changed",
                write::Outcome::Changed if changed.approved => "Changed; the approval still holds",
                write::Outcome::Changed => "Changed; not approved in this form",
            };
            tell.change(title, &changed, arguments.json)?;
            tell.findings(&scripts, &changed);
        }
        ScriptsCommand::Run(arguments) => return run::run(arguments, printer),
        ScriptsCommand::Validate(arguments) => {
            return validate::validate(&scripts, arguments, printer);
        }
        ScriptsCommand::Approve {
            script,
            yes,
            digest,
            json,
        } => {
            let wish = approve::Wish {
                script,
                asks: if *yes {
                    approve::Asks::Nobody
                } else {
                    approve::Asks::Here
                },
                digest: digest.as_deref(),
                json: *json,
            };
            return approve::approve(&engine, &wish, &tell);
        }
        ScriptsCommand::Revoke { script, json } => {
            let revoked = scripts.revoke(script, &approve::witness()?)?;
            tell.change("Approval taken back: it asks again", &revoked, *json)?;
        }
        ScriptsCommand::Rename { script, name, json } => {
            let name: ScriptName = name
                .parse()
                .map_err(bashful_engine::scripts::ScriptError::from)?;
            let renamed = scripts.rename(script, &name)?;
            tell.change("Renamed", &renamed, *json)?;
        }
        ScriptsCommand::History { script, json } => {
            versions::history(&scripts, script, *json, printer)?;
        }
        ScriptsCommand::Diff {
            script,
            before,
            after,
            json,
        } => {
            let two = (before.as_deref(), after.as_deref());
            versions::diff(&scripts, script, two, *json, printer)?;
        }
        ScriptsCommand::Restore {
            script,
            version,
            json,
        } => {
            let restored = scripts.restore(script, version.as_deref())?;
            tell.change("Restored", &restored, *json)?;
        }
        ScriptsCommand::Delete {
            script,
            force,
            json,
        } => delete(&scripts, script, deletion(*force), *json, printer)?,
        ScriptsCommand::Export { script, output, .. } => {
            carry::export(&scripts, script, output.as_deref(), printer)?;
        }
        ScriptsCommand::Import(arguments) => {
            let made = carry::import(&scripts, arguments)?;
            tell.change("Imported; not approved here yet", &made, arguments.json)?;
        }
    }
    Ok(Exit::Success)
}

/// Tells what became of a script.
struct Teller<'a> {
    printer: &'a Printer,
}

impl Teller<'_> {
    /// Tells what keeps a script from running, so that the person does not approve it for nothing.
    fn findings(&self, scripts: &Scripts<'_>, view: &ScriptView) {
        // It was looked at a moment ago; what fails now is told when the person is asked.
        let Ok(validation) = scripts.validate(&view.script.id.to_string()) else {
            return;
        };
        let found = validation.findings.iter();
        for finding in found.filter(|one| one.severity == Severity::Error) {
            let line = finding.line.map(|line| format!("line {line}: "));
            let text = format!("{}{}", line.unwrap_or_default(), finding.message);
            self.printer.note("warning", &visible(&text));
        }
    }

    fn change(&self, title: &str, view: &ScriptView, as_json: bool) -> anyhow::Result<()> {
        if as_json {
            // The caller that made the change knows its text.
            let mut view = view.clone();
            view.content = None;
            self.printer.json(&json!({ "v": 1, "script": view }))?;
            return Ok(());
        }
        let mut out = Vec::new();
        show_change(title, view, now_ms(), self.printer.data_style(), &mut out);
        self.printer.data(&out)?;
        Ok(())
    }
}

fn list(scripts: &Scripts<'_>, all: bool, as_json: bool, printer: &Printer) -> anyhow::Result<()> {
    let mut list = scripts.list()?;
    if as_json {
        if !all {
            list.deleted.clear();
        }
        let mut told = serde_json::to_value(&list)?;
        told["v"] = 1.into();
        printer.json(&told)?;
        return Ok(());
    }
    let mut out = Vec::new();
    show_scripts(&list, all, now_ms(), printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(())
}

fn show(
    scripts: &Scripts<'_>,
    (which, version): (&str, Option<&str>),
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut out = Vec::new();
    let style = printer.data_style();
    if let Some(version) = version {
        let (version, content) = scripts.version(which, version)?;
        if as_json {
            printer.json(&json!({ "v": 1, "version": version, "content": content }))?;
            return Ok(());
        }
        let title = format!("Version {}", version.number);
        show_script_text(&title, &content, style, &mut out);
    } else {
        let view = scripts.show(which)?;
        if as_json {
            printer.json(&json!({ "v": 1, "script": view }))?;
            return Ok(());
        }
        show_script("A script", &view, now_ms(), style, &mut out);
    }
    printer.data(&out)?;
    Ok(())
}

fn deletion(force: bool) -> Deletion {
    if force {
        Deletion::Forced
    } else {
        Deletion::IfUnused
    }
}

fn delete(
    scripts: &Scripts<'_>,
    which: &str,
    how: Deletion,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let script = scripts.delete(which, how)?;
    if as_json {
        printer.json(&json!({ "v": 1, "deleted": script }))?;
        return Ok(());
    }
    let words = format!(
        "Deleted {}; `bashful scripts restore {}` brings it back.\n",
        crate::view::visible(script.name.as_str()),
        script.id
    );
    printer.data(words.as_bytes())?;
    Ok(())
}

/// All bytes of a file or of our standard input, and one more than a script may have.
fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let usage = |error: io::Error| UsageError(format!("cannot use `{}`: {error}", path.display()));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(usage)?)
    };
    let mut bytes = Vec::new();
    source
        .take(MOST_TEXT)
        .read_to_end(&mut bytes)
        .map_err(usage)?;
    Ok(bytes)
}

//! What can be told about a script before it runs: by bash, by our own reading, by shellcheck.

use bashful_policy::Capabilities;
use serde::Serialize;

use super::Scripts;
use super::body::text;
use super::check::check_syntax;
use super::look::FileState;
use super::templates;
use super::values::check_usual;
use crate::model::error::body::UnfitBody;
use crate::model::error::script::ScriptError;
use crate::model::script::Script;
use crate::model::script::content_hash;
use crate::model::script::finding::{FindingSource, ScriptFinding, Severity};
use crate::model::script::variable::{self, Variable};
use crate::request::settings::Settings;

mod archive;
mod compare;
mod needs;
mod passing;
mod paths;
mod refused;
mod shellcheck;

pub use needs::Needs;
use paths::Home;

/// What can be told about a script.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Validation {
    /// The version of this shape.
    pub v: u32,
    /// Whether nothing is wrong with it: nothing that was found is an error.
    pub valid: bool,
    /// SHA-256 of the text.
    pub content_hash: String,
    /// What was found, by line.
    pub findings: Vec<ScriptFinding>,
    /// What it seems to need.
    pub needs: Needs,
    /// What it declares.
    pub declared: Capabilities,
    /// Capabilities that it seems to need, as little as that is.
    pub inferred: Capabilities,
    /// The templates in it.
    pub templates: Vec<String>,
    /// Whether shellcheck was there to look at it.
    pub shellcheck: bool,
}

/// A text with what it declares, stored or not.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// The text, which need not be UTF-8 yet.
    pub content: &'a [u8],
    /// What it would declare.
    pub capabilities: &'a Capabilities,
    /// The variables that it would declare.
    pub variables: &'a [Variable],
}

/// How many findings a person is shown with a question, at most.
const MOST_SHOWN: usize = 100;

impl Scripts<'_> {
    /// Looks at a script.
    pub fn validate(&self, which: &str) -> Result<Validation, ScriptError> {
        let library = self.library()?;
        let looked = library.look(library.find(which)?)?;
        // A person wants to hear what is wrong with a text that was changed by hand.
        let (script, text) = match (&looked.file, &looked.text) {
            (FileState::Unfit { .. }, Some(text)) => (looked.script.clone(), text.clone()),
            _ => looked.usable()?,
        };
        self.validate_draft(Draft {
            content: text.as_bytes(),
            capabilities: &script.capabilities,
            variables: &script.variables,
        })
    }

    /// Looks at a text that need not be stored. What makes it unfit to be a script is a finding.
    pub fn validate_draft(&self, draft: Draft<'_>) -> Result<Validation, ScriptError> {
        validate(self.settings(), draft)
    }
}

/// What a person is told who is asked about a script. They are also told when a script cannot be
/// looked at.
pub(crate) fn for_ask(settings: &Settings, script: &Script, text: &str) -> Vec<ScriptFinding> {
    let draft = Draft {
        content: text.as_bytes(),
        capabilities: &script.capabilities,
        variables: &script.variables,
    };
    match validate(settings, draft) {
        Ok(validation) => {
            let mut findings = validation.findings;
            // What matters most is not what is left out.
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            findings.truncate(MOST_SHOWN);
            findings.sort_by_key(|finding| finding.line);
            findings
        }
        Err(error) => vec![ScriptFinding::own(
            Severity::Warning,
            "not-validated",
            error.to_string(),
        )],
    }
}

fn validate(settings: &Settings, draft: Draft<'_>) -> Result<Validation, ScriptError> {
    let mut validation = Validation {
        v: 1,
        valid: false,
        content_hash: content_hash(draft.content),
        findings: Vec::new(),
        needs: Needs::default(),
        declared: draft.capabilities.clone(),
        inferred: Capabilities::default(),
        templates: Vec::new(),
        shellcheck: false,
    };
    let findings = &mut validation.findings;
    let variables = variable::check(draft.variables).map_err(ScriptError::from);
    if let Err(error) = variables.and_then(|()| check_usual(draft.variables)) {
        let found = ScriptFinding::own(Severity::Error, "variables", error.to_string());
        findings.push(found);
    }
    let content = match text(draft.content.to_vec()) {
        Ok(content) => content,
        Err(unfit) => {
            findings.push(unfit_finding(&unfit));
            return Ok(validation);
        }
    };
    if let Err(unfit) = check_syntax(settings, &content)? {
        findings.push(unfit_finding(&unfit));
        return Ok(validation);
    }
    for copy in templates::copies(&content, draft.variables) {
        let found = ScriptFinding::own(Severity::Warning, "copied-value", copy.to_string());
        findings.push(found.at_line(Some(copy.line)));
    }
    // With variables in place of templates, line by line as it is.
    let plain = templates::with_placeholders(&content)?;
    validation.templates = templates::names(&templates::read(&content)?);
    let home = Home::of(settings);
    let mut read = needs::read(settings, &plain);
    findings.append(&mut read.findings);
    findings.extend(paths::impossible(settings, draft.capabilities));
    let refused = refused::look(settings, &plain, draft.capabilities);
    let compared = compare::compare(&plain, &read, draft.capabilities, &home);
    // What is refused is told once.
    let is_told = |finding: &ScriptFinding| {
        let same = |other: &ScriptFinding| other.line == finding.line;
        let closed = ["undeclared-class", "undeclared-network"];
        closed.contains(&finding.code.as_str()) && refused.iter().any(same)
    };
    findings.extend(compared.into_iter().filter(|finding| !is_told(finding)));
    findings.extend(refused);
    if let Some(found) = shellcheck::look(settings, &plain, draft.variables)? {
        validation.shellcheck = true;
        findings.extend(found);
    }
    findings.sort_by_key(|finding| (finding.line, std::cmp::Reverse(finding.severity)));
    validation.inferred = read.needs.capabilities(&home);
    validation.needs = read.needs;
    let wrong = |finding: &ScriptFinding| finding.severity == Severity::Error;
    validation.valid = !validation.findings.iter().any(wrong);
    Ok(validation)
}

fn unfit_finding(unfit: &UnfitBody) -> ScriptFinding {
    let (source, code, line) = match unfit {
        UnfitBody::Syntax { line, .. } => (FindingSource::Bash, "syntax", *line),
        UnfitBody::Template { .. } => (FindingSource::Bashful, "template", None),
        _ => (FindingSource::Bashful, "unfit", None),
    };
    let message = match unfit {
        // The line has a place of its own.
        UnfitBody::Syntax { detail, .. } => format!("the script does not parse: {detail}"),
        other => other.to_string(),
    };
    let mut finding = ScriptFinding::own(Severity::Error, code, message).at_line(line);
    finding.source = source;
    finding
}

/// The line of a byte of a text, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

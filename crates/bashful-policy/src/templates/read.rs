//! From a script to its templates, each with what may stand there.

use super::calls::Objection;
use super::error::{Position, Refusal, TemplateError};
use super::misuse;
use super::name::{self, Candidate, RESERVED, TemplateName};
use super::search::{Way, find};
use super::site::{self, Found, Site};

/// A script and its templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub(super) script: String,
    pub(super) sites: Vec<(Candidate, Site)>,
}

impl Template {
    /// The names of all templates that need a value, in the order of their first use.
    pub fn names(&self) -> Vec<&TemplateName> {
        let mut names: Vec<&TemplateName> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (candidate, _) in &self.sites {
            if seen.insert(&candidate.name) {
                names.push(&candidate.name);
            }
        }
        names
    }

    /// The script as it was written.
    pub fn script(&self) -> &str {
        &self.script
    }
}

/// Reads a script with templates. One that stands where its value could become code is refused.
///
/// ```
/// use bashful_policy::read_template;
///
/// let template = read_template("tar -czf /tmp/a.tar.gz ${trigger.file.path}").unwrap();
/// assert_eq!(template.names()[0].as_str(), "trigger.file.path");
/// assert!(read_template("eval ${trigger.file.path}").is_err());
/// ```
pub fn read_template(script: &str) -> Result<Template, TemplateError> {
    read_by(script, Way::Commands)
}

/// Reads a script in two ways, one of which sees all of it at once, and refuses it when they do
/// not agree. It takes longer, and is meant for when a script is stored or approved.
pub fn check_template(script: &str) -> Result<Template, TemplateError> {
    let template = read_by(script, Way::Commands)?;
    let whole = read_by(script, Way::Whole)?;
    if template == whole {
        Ok(template)
    } else {
        Err(TemplateError::Unreadable {
            position: Position { line: 1, column: 1 },
            why: "its commands do not end where they seem to",
        })
    }
}

fn read_by(script: &str, way: Way) -> Result<Template, TemplateError> {
    let reserved = script.find(RESERVED).map(|at| Position::of(script, at));
    if let Some(position) = reserved {
        return Err(TemplateError::ReservedName { position });
    }
    misuse::check(script)?;
    let candidates = name::candidates(script);
    let mut template = Template {
        script: script.to_owned(),
        sites: Vec::new(),
    };
    if candidates.is_empty() {
        return Ok(template);
    }
    if let Some(at) = script.find('\0') {
        return Err(unreadable(script, at, "it contains a NUL byte"));
    }
    let found = find(script, &candidates, way)?;
    let mut refusals = Vec::new();
    for (candidate, found) in candidates.into_iter().zip(found) {
        let objection = match found {
            Found::Text => continue,
            Found::Site(site) => {
                template.sites.push((candidate, site));
                continue;
            }
            Found::Refused(objection) => objection,
            Found::Unknown => site::unknown(script, candidate.start),
        };
        refusals.push(refusal(script, &candidate, objection));
    }
    if !refusals.is_empty() {
        return Err(TemplateError::Refused(refusals));
    }
    Ok(template)
}

/// What an objection to a template comes to, in words.
pub(super) fn refusal(script: &str, candidate: &Candidate, objection: Objection) -> Refusal {
    let written = format!("${{{}}}", candidate.name);
    Refusal {
        template: candidate.name.clone(),
        position: Position::of(script, candidate.start),
        why: objection.why,
        instead: objection.instead.replace("${…}", &written).into(),
    }
}

pub(super) fn unreadable(script: &str, at: usize, why: &'static str) -> TemplateError {
    TemplateError::Unreadable {
        position: Position::of(script, at),
        why,
    }
}

//! What a person has to know about a script before they say yes to it.

use bashful_engine::Capabilities;
use bashful_engine::scripts::{ScriptFinding, Severity, Variable};

use super::words::{capability_rows, finding_words, variable_words};
use super::{NUMBERS, numbered, short};
use crate::view::{
    ask::between,
    block::Block,
    diff::{Difference, show_diff},
    style::{Colour, Style, Tone},
    text::whole_seconds,
};

/// The columns of the names.
const NAMES: usize = 12;
/// The most rows of one entry.
const ROWS: usize = 60;

/// A script that a person is to say yes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptCard<'a> {
    pub(crate) name: &'a str,
    pub(crate) hash: &'a str,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) variables: &'a [Variable],
    pub(crate) findings: &'a [ScriptFinding],
    /// What it will be able to reach, in rows of a name and what is said about it.
    pub(crate) reach: &'a [(&'static str, String)],
    /// What a person said yes to before.
    pub(crate) before: Option<ScriptBefore<'a>>,
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
}

/// A script as a person approved it before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptBefore<'a> {
    /// The text, if it was another one and is still kept.
    pub(crate) text: Option<&'a str>,
    pub(crate) is_same_text: bool,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) variables: &'a [Variable],
    pub(crate) at_ms: u64,
}

impl ScriptCard<'_> {
    /// Writes all of it with the whole text, as a block of its own.
    pub(crate) fn write_whole(&self, text: &str, style: Style, out: &mut Vec<u8>) {
        let title = (
            Tone::Warning,
            "? May this script run whenever it is asked for?",
        );
        let mut block = Block::open(style, title, NAMES, out);
        block.text("Script", Tone::Plain, self.name, ROWS);
        block.heading("Its whole text", NUMBERS);
        numbered(&mut block, text);
        block.heading("What it declares", NAMES);
        self.write_rows(text, &mut block);
        block.heading("What it will be able to reach", NAMES);
        for (name, content) in self.reach {
            block.text(name, Tone::Plain, content, ROWS);
        }
        block.close();
    }

    /// Writes what there is to know besides the text.
    pub(in crate::view) fn write_rows(&self, text: &str, block: &mut Block<'_>) {
        block.text("Hash", Tone::Plain, short(self.hash), ROWS);
        let before = self.before.map(|before| before.capabilities);
        let changed = before.filter(|before| *before != self.capabilities);
        let old = changed.map(capability_rows);
        for (name, content) in capability_rows(self.capabilities) {
            block.text(name, Tone::Plain, &content, ROWS);
            let was = old.iter().flatten().find(|(old, _)| *old == name);
            match (&old, was) {
                (Some(_), None) => block.text("", Tone::Warning, "new: it had nothing here", ROWS),
                (_, Some((_, was))) if *was != content => {
                    block.text("", Tone::Warning, &format!("was: {was}"), ROWS);
                }
                _ => {}
            }
        }
        self.write_variables(block);
        let mut name = "Found";
        for finding in self.findings {
            let tone = match finding.severity {
                Severity::Error => Tone::Error,
                Severity::Warning => Tone::Warning,
                Severity::Info => Tone::Plain,
            };
            block.text(name, tone, &finding_words(finding), ROWS);
            name = "";
        }
        if self.findings.is_empty() {
            block.text(name, Tone::Plain, "nothing worth noting", ROWS);
        }
        self.write_change(text, block);
    }

    /// The variables, and what they were when the person said yes.
    fn write_variables(&self, block: &mut Block<'_>) {
        let before = self.before.map(|before| before.variables);
        let old = |name: &str| before?.iter().find(|old| old.name == name);
        let mut label = "Variables";
        for variable in self.variables {
            block.text(label, Tone::Plain, &variable_words(variable), ROWS);
            label = "";
            match (before, old(&variable.name)) {
                (Some(_), None) => block.text("", Tone::Warning, "new: it did not exist", ROWS),
                (_, Some(was)) if was != variable => {
                    let was = format!("was: {}", variable_words(was));
                    block.text("", Tone::Warning, &was, ROWS);
                }
                _ => {}
            }
        }
        let is_there = |old: &Variable| self.variables.iter().any(|now| now.name == old.name);
        for gone in before.into_iter().flatten().filter(|old| !is_there(old)) {
            let was = format!("gone: {}", variable_words(gone));
            block.text(label, Tone::Warning, &was, ROWS);
            label = "";
        }
    }

    /// Whether all that a yes is about is what it was.
    fn is_unchanged(&self, before: &ScriptBefore<'_>) -> bool {
        before.is_same_text
            && before.capabilities == self.capabilities
            && before.variables == self.variables
    }

    /// What changed since the person said yes.
    fn write_change(&self, text: &str, block: &mut Block<'_>) {
        let Some(before) = &self.before else { return };
        let ago = whole_seconds(between(before.at_ms, self.now_ms));
        let words = match (before.is_same_text, before.text) {
            (true, _) if self.is_unchanged(before) => {
                let words = format!("nothing: {ago} ago exactly this was approved");
                block.text("Changed", Tone::Plain, &words, ROWS);
                return;
            }
            (true, _) => {
                format!("{ago} ago it was approved with this text, and with what it declared then")
            }
            (false, Some(_)) => format!("{ago} ago another text was approved; this changed since:"),
            (false, None) => {
                format!("{ago} ago another text was approved, which has not been kept")
            }
        };
        block.text("Changed", Tone::Warning, &words, ROWS);
        let Some(old) = before.text else { return };
        let mut out = Vec::new();
        let style = Style {
            width: block.room(),
            colour: Colour::Off,
        };
        let difference = Difference {
            path: self.name,
            before: Some(old),
            after: Some(text),
        };
        show_diff(&difference, style, &mut out);
        let shown = String::from_utf8_lossy(&out).into_owned();
        // The two lines with names say nothing here.
        for line in shown.lines().skip(2) {
            let tone = match line.as_bytes().first() {
                Some(b'-') => Tone::Error,
                Some(b'+') => Tone::Success,
                _ => Tone::Plain,
            };
            block.rows("", [(tone, line.to_owned())]);
        }
    }
}

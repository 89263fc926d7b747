//! Rules for people: a table, one row each.

use super::{
    sheet::Sheet,
    style::{Style, Tone},
    text,
};

/// The widest column of names.
const WIDEST: usize = 32;

/// One rule, as a row of the table.
#[derive(Debug)]
pub(crate) struct RuleRow {
    /// What the rule makes of a command, such as `ask`.
    pub(crate) effect: &'static str,
    /// The id under which `bashful policy explain` knows it.
    pub(crate) id: String,
    /// Whose it is, and where it stands.
    pub(crate) place: String,
    /// Why it is there.
    pub(crate) reason: String,
}

/// Writes a table of rules.
pub(crate) fn show_rules(rows: &[RuleRow], style: Style, out: &mut Vec<u8>) {
    let widest = rows.iter().map(|row| row.id.chars().count()).max();
    let names = widest.unwrap_or(0).min(WIDEST);
    for row in rows {
        let tone = match row.effect {
            "allow" => Tone::Success,
            "ask" => Tone::Warning,
            _ => Tone::Error,
        };
        style.paint(tone, &format!("{:<8}", row.effect), out);
        let id = text::shorten(&text::visible(&row.id), WIDEST);
        style.paint(Tone::Literal, &format!("{id:<names$}"), out);
        let rest = format!("  {}  ({})", row.reason, row.place);
        let room = style.columns().saturating_sub(names + 8);
        let rest = text::shorten(&text::visible(&rest), room.max(WIDEST));
        style.paint(Tone::Plain, &rest, out);
        out.push(b'\n');
    }
}

/// The columns of the names of sections.
const NAMES: usize = 12;
/// The most rows of a section.
const ROWS: usize = 8;

/// Writes named texts, then a blank line.
pub(crate) fn show_sections(sections: &[(&str, String)], style: Style, out: &mut Vec<u8>) {
    let mut sheet = Sheet {
        style,
        out,
        names: NAMES,
        rows: ROWS,
    };
    for (name, text) in sections {
        sheet.section(name, Tone::Plain, text);
    }
    sheet.blank();
}

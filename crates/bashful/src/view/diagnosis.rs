//! What the doctor says.

use bashful_engine::{Diagnosis, Finding, FindingState, Level};

use super::{
    sheet::Sheet,
    style::{Style, Tone},
};

/// Writes a diagnosis for people.
pub(crate) fn show_diagnosis(diagnosis: &Diagnosis, style: Style, out: &mut Vec<u8>) {
    let mut sheet = Sheet {
        style,
        out,
        names: 0,
        rows: 8,
    };
    sheet.heading("This host");
    findings(&mut sheet, &diagnosis.host);
    if !diagnosis.checks.is_empty() {
        sheet.blank();
        sheet.heading(if diagnosis.remembered {
            "A run in a sandbox (tried earlier since the last boot; --again tries anew)"
        } else {
            "A run in a sandbox"
        });
        findings(&mut sheet, &diagnosis.checks);
    }
    sheet.blank();
    sheet.heading("What will be enforced");
    for (name, level) in super::explanation::levels(&diagnosis.enforcement) {
        let (sign, tone, word) = level_sign(level);
        sheet.item(sign, tone, &format!("{name:<12}{word}"));
    }
    if !diagnosis.kept.is_empty() {
        sheet.blank();
        sheet.heading("What is kept");
        findings(&mut sheet, &diagnosis.kept);
    }
    for missing in &diagnosis.missing {
        sheet.blank();
        let sign = if diagnosis.ok { "!" } else { "✗" };
        let tone = if diagnosis.ok {
            Tone::Warning
        } else {
            Tone::Error
        };
        sheet.item(sign, tone, &format!("{}: {}", missing.what, missing.reason));
        for mend in &missing.mend {
            sheet.item("  →", Tone::Literal, mend);
        }
    }
    sheet.blank();
    let (tone, verdict) = if diagnosis.ok {
        (
            Tone::Success,
            "✓ Everything that the default profile needs is enforced",
        )
    } else {
        (
            Tone::Error,
            "✗ The default profile cannot be enforced on this host",
        )
    };
    style.paint(tone, verdict, sheet.out);
    sheet.blank();
}

fn findings(sheet: &mut Sheet<'_>, findings: &[Finding]) {
    for finding in findings {
        let (sign, tone) = match finding.state {
            FindingState::Ok => ("✓", Tone::Success),
            FindingState::Weak => ("!", Tone::Warning),
            FindingState::Failed => ("✗", Tone::Error),
        };
        sheet.item(sign, tone, &finding.words);
    }
}

/// How a level looks.
pub(super) fn level_sign(level: Level) -> (&'static str, Tone, &'static str) {
    match level {
        Level::Full => ("✓", Tone::Success, "full"),
        Level::Partial => ("!", Tone::Warning, "partial"),
        Level::None => ("✗", Tone::Error, "none"),
    }
}

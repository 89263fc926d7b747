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
    section(&mut sheet, "Programs", &diagnosis.programs);
    if !diagnosis.checks.is_empty() {
        sheet.blank();
        sheet.heading(if diagnosis.remembered {
            "A run in a sandbox (tried earlier since the last boot; --again tries it again)"
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
    section(&mut sheet, "What will be used", &diagnosis.used);
    sheet.blank();
    sheet.heading("What each backend would enforce");
    for offer in &diagnosis.backends {
        let (sign, tone) = state_sign(offer.state);
        sheet.item(sign, tone, &offer.words);
    }
    section(&mut sheet, "Directories and keepers", &diagnosis.places);
    if !diagnosis.kept.is_empty() {
        sheet.blank();
        sheet.heading("What is kept");
        findings(&mut sheet, &diagnosis.kept);
    }
    section(&mut sheet, "Clients", &diagnosis.clients);
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
            "✓ Everything that the profile needs is enforced",
        )
    } else if is_broken(diagnosis) {
        (
            Tone::Error,
            "✗ Nothing can run until what is marked ✗ above is fixed",
        )
    } else {
        (Tone::Error, "✗ The profile cannot be enforced on this host")
    };
    style.paint(tone, verdict, sheet.out);
    sheet.blank();
}

/// Whether anything but the host is in the way.
fn is_broken(diagnosis: &Diagnosis) -> bool {
    let of_host = ["backend", "profile"];
    let used = diagnosis.used.iter();
    let used = used.filter(|row| !of_host.contains(&row.name));
    let mut rows = used.chain(&diagnosis.places);
    rows.any(|row| row.state == FindingState::Failed)
}

/// Findings below a heading, each with what mends it; nothing if there are none.
fn section(sheet: &mut Sheet<'_>, heading: &str, all: &[Finding]) {
    if all.is_empty() {
        return;
    }
    sheet.blank();
    sheet.heading(heading);
    for finding in all {
        findings(sheet, std::slice::from_ref(finding));
        for mend in &finding.mend {
            sheet.item("  →", Tone::Literal, mend);
        }
    }
}

fn findings(sheet: &mut Sheet<'_>, findings: &[Finding]) {
    for finding in findings {
        let (sign, tone) = state_sign(finding.state);
        sheet.item(sign, tone, &finding.words);
    }
}

fn state_sign(state: FindingState) -> (&'static str, Tone) {
    match state {
        FindingState::Ok => ("✓", Tone::Success),
        FindingState::Weak => ("!", Tone::Warning),
        FindingState::Failed => ("✗", Tone::Error),
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

//! What was mended.

use bashful_engine::{Repaired, RepairedDatabase, Restored};

use super::sheet::Sheet;
use super::style::{Style, Tone};

/// How many names of directories are shown.
const SOME: usize = 5;

pub(crate) fn show_repaired(repaired: &Repaired, style: Style, out: &mut Vec<u8>) {
    let mut sheet = Sheet {
        style,
        out,
        names: 0,
        rows: 8,
    };
    match &repaired.database {
        RepairedDatabase::Damaged { detail, moved_to } => {
            sheet.item(
                "!",
                Tone::Warning,
                &format!("The database was damaged: {detail}"),
            );
            let moved = format!("What was damaged is in {}", moved_to.display());
            sheet.item(" ", Tone::Plain, &moved);
            sheet.item("✓", Tone::Success, "There is a new database");
        }
        RepairedDatabase::Absent => {
            sheet.item(
                "✓",
                Tone::Success,
                "There was no database, and there is one now",
            );
        }
        _ => sheet.item("✓", Tone::Success, "The database is fine"),
    }
    if let Some(restored) = &repaired.restored {
        show_restored(restored, &mut sheet);
    }
    let index = &repaired.index;
    let counts = format!(
        "The index holds what the task directories say: {} running, {} finished, {} lost",
        index.running, index.finished, index.lost
    );
    sheet.item("✓", Tone::Success, &counts);
    for moved in repaired.moved_tasks.iter().take(SOME) {
        let words = format!("A task with a damaged record is now in {}", moved.display());
        sheet.item("!", Tone::Warning, &words);
    }
    if repaired.moved_tasks.len() > SOME {
        let words = format!(
            "… and {} more next to it",
            repaired.moved_tasks.len() - SOME
        );
        sheet.item(" ", Tone::Plain, &words);
    }
    for closed in &repaired.closed {
        let words = format!(
            "Other users could enter {}, and no longer can",
            closed.display()
        );
        sheet.item("✓", Tone::Success, &words);
    }
    if !repaired.removed_sockets.is_empty() {
        let words = format!(
            "Sockets that dead keepers left are removed: {}",
            repaired.removed_sockets.len()
        );
        sheet.item("✓", Tone::Success, &words);
    }
    if !repaired.removed_groups.is_empty() {
        let words = format!(
            "Control groups that dead keepers left are removed: {}",
            repaired.removed_groups.len()
        );
        sheet.item("✓", Tone::Success, &words);
    }
    if !index.unreadable.is_empty() {
        let some: Vec<&str> = index
            .unreadable
            .iter()
            .take(SOME)
            .map(String::as_str)
            .collect();
        let unreadable = format!(
            "Directories that cannot be read: {}, such as {}",
            index.unreadable.len(),
            some.join(", ")
        );
        sheet.item("!", Tone::Warning, &unreadable);
    }
}

fn show_restored(restored: &Restored, sheet: &mut Sheet<'_>) {
    let counts = format!(
        "Restored from the audit trail: {} asks, {} grants",
        restored.asks, restored.grants
    );
    sheet.item("✓", Tone::Success, &counts);
    if let Some(broken) = &restored.broken {
        let words = format!(
            "The audit trail is damaged at record {}: {}. What came later was not restored",
            broken.at, broken.detail
        );
        sheet.item("!", Tone::Warning, &words);
    }
}

//! A plan for people: what matters most comes first.

use std::path::Path;

use bashful_engine::{
    Decision, Enforcement, Level, Network, PlannedCommands, PlannedRun, Seen, SeenAs,
};

use super::{
    diagnosis::level_sign,
    notice::warn_not_enforced,
    sheet::Sheet,
    style::{Style, Tone},
};

mod words;

use words::{limit, word};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The rows that matter, and long lists cut short.
    Short,
    /// Every row, and lists in full.
    All,
}

/// The columns of the names.
const NAMES: usize = 12;
/// The most rows of a section in the short form.
const ROWS: usize = 6;
/// How many of a long list are named in the short form.
const SOME: usize = 4;

/// Writes a plan.
pub(crate) fn show_plan(
    command: &str,
    decision: Option<&Decision>,
    plan: &PlannedRun,
    detail: Detail,
    style: Style,
    out: &mut Vec<u8>,
) {
    if plan.enforcement.backend == "none" {
        warn_not_enforced("no sandbox, as asked", style, out);
        out.push(b'\n');
    }
    let mut sheet = Sheet {
        style,
        out,
        names: NAMES,
        rows: match detail {
            Detail::Short => ROWS,
            Detail::All => usize::MAX,
        },
    };
    sheet.section("Command", Tone::Literal, command);
    if let Some(decision) = decision {
        let Decision {
            rule,
            layer,
            reason,
            ..
        } = decision;
        let text = format!("it may run: {reason} ({rule}, {layer})");
        sheet.section("Decision", Tone::Plain, &text);
    }
    sheet.section("In", Tone::Plain, &path(&plan.cwd));
    sheet.section("Runs as", Tone::Plain, &plan.identity.words);
    sheet.blank();
    rights(&mut sheet, plan);
    sheet.list("May use", &limits(plan));
    sheet.blank();
    kept_away(&mut sheet, plan, detail);
    sheet.list("Variables", &plan.environment);
    sheet.blank();
    enforced(&mut sheet, plan);
    if detail == Detail::All {
        everything(&mut sheet, plan);
    }
}

/// What it can read, write, reach and run.
fn rights(sheet: &mut Sheet<'_>, plan: &PlannedRun) {
    let confined = plan.backend != "none";
    if confined {
        sheet.list("Can read", &paths(plan, SeenAs::ReadOnly));
        sheet.list("Can write", &paths(plan, SeenAs::Writable));
        let own = plan.view.iter().filter(|seen| is_own_storage(seen));
        let own: Vec<String> = own.map(|seen| path(&seen.path)).collect();
        let own = match own.join(", ") {
            none if none.is_empty() => "a directory that TMPDIR names".to_owned(),
            some => some,
        };
        let text = format!("{own} (its own, and gone with the room)");
        sheet.section("", Tone::Plain, &text);
    } else {
        sheet.section("Can read", Tone::Warning, "all that this user can");
        sheet.section("Can write", Tone::Warning, "all that this user can");
    }
    match plan.network {
        Network::Off => sheet.section("Can reach", Tone::Plain, "nothing but its own loopback"),
        Network::On => sheet.section("Can reach", Tone::Warning, "the network of this host"),
        Network::Named => sheet.section("Can reach", Tone::Plain, &plan.hosts.join(", ")),
    }
    match &plan.commands {
        PlannedCommands::Any => sheet.section("Can run", Tone::Plain, "any program it can see"),
        PlannedCommands::Listed(programs) => {
            let programs: Vec<String> = programs.iter().map(|one| path(one)).collect();
            let text = format!("{} and the shell's built-ins only", programs.join(", "));
            sheet.section("Can run", Tone::Plain, &text);
        }
    }
}

/// What it cannot see or change.
fn kept_away(sheet: &mut Sheet<'_>, plan: &PlannedRun, detail: Detail) {
    let open = |what| {
        let chosen = plan.open.iter().filter(move |seen| seen.what == what);
        chosen
            .map(|seen| below(plan, &seen.path))
            .collect::<Vec<_>>()
    };
    sheet.list("Not hidden", &open(SeenAs::Hidden));
    sheet.list("Unprotected", &open(SeenAs::Protected));
    sheet.list("Hidden", &paths(plan, SeenAs::Hidden));
    sheet.list("Protected", &paths(plan, SeenAs::Protected));
    sheet.list("Copied", &paths(plan, SeenAs::PrivateCopy));
    if !plan.watched.is_empty() {
        let names = plan
            .watched
            .iter()
            .map(|watched| below(plan, &watched.path));
        let held: Vec<String> = match detail {
            Detail::All => names.collect(),
            Detail::Short => names.take(SOME).collect(),
        };
        let more = plan.watched.len() - held.len();
        let mut text = format!("if it appears: {}", held.join(", "));
        if more > 0 {
            text = format!("{text} and {more} more (--all)");
        }
        sheet.section("Held back", Tone::Plain, &text);
    }
    let calls: usize = plan.refused_calls.iter().map(|one| one.calls.len()).sum();
    if calls > 0 && detail == Detail::Short {
        let text = format!("{calls} system calls (--all)");
        sheet.section("Refused", Tone::Plain, &text);
    }
}

/// What the kernel enforces of all this, and what not, and why.
fn enforced(sheet: &mut Sheet<'_>, plan: &PlannedRun) {
    let full = levels(&plan.enforcement);
    let full: Vec<&str> = full
        .iter()
        .filter(|(_, level)| *level == Level::Full)
        .map(|(name, _)| *name)
        .collect();
    if !full.is_empty() {
        let text = format!("✓ {}", full.join(", "));
        sheet.section("Enforced", Tone::Success, &text);
    }
    if plan.backend == "none" {
        let text = "✗ nothing: no sandbox, as asked";
        return sheet.section("Enforced", Tone::Error, text);
    }
    let mut name = "Not so";
    for shortfall in &plan.shortfalls {
        let what = shortfall.protection.as_str();
        let (sign, tone, word) = level_sign(shortfall.level);
        let text = format!("{sign} {what}: {word} ({})", shortfall.reason);
        sheet.section(name, tone, &text);
        name = "";
    }
}

/// The long lists.
fn everything(sheet: &mut Sheet<'_>, plan: &PlannedRun) {
    if !plan.view.is_empty() {
        sheet.blank();
        sheet.heading("File tree, in order");
        for seen in &plan.view {
            let mut line = format!("{:<18}{}", word(seen.what), path(&seen.path));
            if let Some(target) = &seen.target {
                line = format!("{line} → {}", path(target));
            }
            if let Some(count) = seen.without_programs {
                line = format!("{line} without {count} programs");
            }
            sheet.item("·", Tone::Rule, &line);
        }
    }
    if !plan.refused_calls.is_empty() {
        sheet.blank();
        sheet.heading("System calls that are refused");
        for refused in &plan.refused_calls {
            let calls = refused.calls.join(", ");
            let when = refused.condition.as_ref();
            let when = when.map_or_else(String::new, |when| format!(" if {when}"));
            let line = format!("{calls}{when}: {} ({})", refused.answer, refused.reason);
            sheet.item("·", Tone::Rule, &line);
        }
    }
}

/// The protections by name, in the order of a result.
pub(super) fn levels(enforcement: &Enforcement) -> [(&'static str, Level); 6] {
    [
        ("filesystem", enforcement.filesystem),
        ("network", enforcement.network),
        ("commands", enforcement.commands),
        ("processes", enforcement.processes),
        ("resources", enforcement.resources),
        ("identity", enforcement.identity),
    ]
}

fn paths(plan: &PlannedRun, what: SeenAs) -> Vec<String> {
    let chosen = plan.view.iter().filter(|seen| seen.what == what);
    let mut paths: Vec<String> = chosen.map(|seen| below(plan, &seen.path)).collect();
    paths.dedup();
    paths
}

/// The private file systems that a person would store files in.
fn is_own_storage(seen: &Seen) -> bool {
    let places = ["/tmp", "/dev/shm"];
    seen.what == SeenAs::Private && places.iter().any(|place| seen.path == Path::new(place))
}

/// A path in the workspace is told from there.
fn below(plan: &PlannedRun, whole: &Path) -> String {
    match whole.strip_prefix(&plan.workspace) {
        Ok(rest) if rest.as_os_str().is_empty() => path(whole),
        Ok(rest) => path(rest),
        Err(_) => path(whole),
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn limits(plan: &PlannedRun) -> Vec<String> {
    plan.limits.iter().map(limit).collect()
}

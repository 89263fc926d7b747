//! What a person reads in a client's dialogue about a managed script.

use std::fmt::Write;

use bashful_engine::Capabilities;
use bashful_engine::approvals::AskScript;

use super::{behind_a_bar, visible};

/// If more lines than this have changed, they are not shown: the person answers at a terminal.
const MOST_CHANGED: usize = 60;

/// What there is to know about a script besides its text; none if it cannot be shown whole.
pub(super) fn about(script: &AskScript, text: &str) -> Option<String> {
    let mut about = String::new();
    let mut row = |name: &str, words: &str| {
        let _ = writeln!(about, "{name}: {words}");
    };
    row("Script", &visible(script.name.as_str()));
    row("SHA-256", &visible(&script.content_hash));
    row("It declares", &declared(&script.capabilities));
    for variable in &script.variables {
        let words = format!("{} ({})", variable.name, variable.kind);
        row("Variable", &visible(&words));
    }
    for finding in &script.findings {
        let line = finding.line.map(|line| format!("line {line}: "));
        let words = format!("{}{}", line.unwrap_or_default(), finding.message);
        row("Found", &visible(&words));
    }
    let Some(before) = &script.approved_before else {
        return Some(about);
    };
    if before.capabilities != script.capabilities {
        row("It declared before", &declared(&before.capabilities));
    }
    if before.content_hash == script.content_hash {
        return Some(about);
    }
    let old = before.content.as_deref()?;
    let (gone, come) = changed(old, text);
    if gone.len() + come.len() > MOST_CHANGED {
        return None;
    }
    about.push_str("\nIt was approved before. Since then these lines were removed:\n\n");
    behind_a_bar(&mut about, &gone.join("\n"));
    about.push_str("\nand these were added:\n\n");
    behind_a_bar(&mut about, &come.join("\n"));
    about.push('\n');
    Some(about)
}

/// The lines between the first and the last that differ.
fn changed<'a>(old: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let ahead = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - ahead;
    let behind = old.iter().rev().zip(new.iter().rev()).take_while(same);
    let behind = behind.count().min(most);
    let between = |lines: &[&'a str]| {
        let inside = lines.get(ahead..lines.len() - behind);
        inside.unwrap_or_default().to_vec()
    };
    (between(&old), between(&new))
}

/// Capabilities as JSON writes them, which leaves nothing out.
fn declared(capabilities: &Capabilities) -> String {
    visible(&serde_json::to_string(capabilities).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_what_differs() {
        let found = changed("a\nb\nc\nd", "a\nx\ny\nd");
        assert_eq!(found, (vec!["b", "c"], vec!["x", "y"]));
        assert_eq!(changed("a\na", "a\na\na"), (vec![], vec!["a"]));
        assert_eq!(changed("", "a"), (vec![], vec!["a"]));
    }
}

//! Paths that a command spells out, that the host has and that its run did not see.
//!
//! Reading is not watched, because programs look for files that are not there all the time. So
//! this is guessed from the text, after a failure: it is a hint and opens nothing.

use std::path::{Path, PathBuf};

use crate::notices::Glance;
use crate::plan::{Entry, Plan};
use crate::profile::Hint;
use crate::room::Confined;
use crate::{Ended, ExitStatus};

/// Words of a text that are looked at.
const MOST_WORDS: usize = 16;
/// Hints about one run.
const MOST_HINTS: usize = 2;

impl Confined {
    /// What a run that failed may have looked for in vain; `directory` is where it began.
    pub fn unseen(plan: &Plan, ended: Option<Ended>, command: &str, directory: &Path) -> Vec<Hint> {
        // Git ends with 128 where it cannot go on; higher ones stand for signals.
        let failed = |ended: Ended| matches!(ended.status, ExitStatus::Code(1..=128));
        if !plan.has_own() || !ended.is_some_and(failed) {
            return Vec::new();
        }
        let host = Glance::default();
        let mut found: Vec<PathBuf> = Vec::new();
        for path in paths(command, directory) {
            let real = host.real(&path).filter(|real| !is_shown(plan, real));
            if let Some(real) = real.filter(|real| !found.contains(real)) {
                found.push(real);
            }
        }
        found.truncate(MOST_HINTS);
        found.into_iter().map(hint).collect()
    }
}

fn hint(path: PathBuf) -> Hint {
    Hint {
        kind: "read".to_owned(),
        missing: "paths_read".to_owned(),
        source: "exit_code".to_owned(),
        note: format!(
            "`{}` is there on the host, and is not visible in the sandbox",
            path.display()
        ),
        path: Some(path),
        limit: None,
        flag: None,
    }
}

/// Whether the run's tree has what the host has at this path, or it was hidden on purpose.
fn is_shown(plan: &Plan, real: &Path) -> bool {
    let decides = |entry: &&Entry| {
        !matches!(
            entry,
            Entry::Pin { .. } | Entry::Freeze { .. } | Entry::Directory { .. }
        ) && real.starts_with(entry.path())
    };
    let entries = plan.view.iter().filter(decides);
    let nearest = entries.max_by_key(|entry| entry.path().components().count());
    // A directory on the way to what is shown is there, too.
    let is_above = || plan.view.iter().any(|entry| entry.path().starts_with(real));
    match nearest {
        Some(Entry::Private { .. }) | None => is_above(),
        Some(_) => true,
    }
}

/// Paths in a text that are spelled out: whole ones, and those that lead up from where it begins.
fn paths(command: &str, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let ends = |c: char| c.is_whitespace() || "'\"=:;|&()<>,".contains(c);
    let words = command.split(ends).filter(|word| {
        let is_plain = !word.contains(['*', '?', '$', '[', '{', '`', '\\', '#']);
        let leads_up = || word.starts_with("../") || word.contains("/../");
        word.len() > 1 && (word.starts_with('/') || leads_up()) && is_plain
    });
    words.take(MOST_WORDS).map(|word| directory.join(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_as_they_are_spelled_out() {
        let text = "cat /a/b --file=/c '/d e' | x >/f/*.c; /g; y $/h ./i /$j";
        let found = |text| paths(text, Path::new("/w")).collect::<Vec<PathBuf>>();
        assert_eq!(found(text), ["/a/b", "/c", "/d", "/g"].map(PathBuf::from));
        let text = "cat ../a b/../../c; git log one..two ./d .. >../*/e";
        assert_eq!(found(text), ["/w/../a", "/w/b/../../c"].map(PathBuf::from));
    }
}

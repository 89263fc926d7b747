//! Rule: nothing in the repository knows the machine that it was written on.

use std::path::Path;

use super::{Finding, Texts};

/// What is looked for: where this checkout lies, and the home of the user who checks.
pub(super) fn paths_of_this_machine(root: &Path) -> Vec<String> {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let parent = root.parent().map(Path::to_path_buf);
    // The top of the tree and shared places say nothing about a machine.
    let tells = |path: &std::path::PathBuf| path.is_absolute() && !is_common(path);
    let places = [parent, home].into_iter().flatten().filter(tells);
    places.map(|path| format!("{}/", path.display())).collect()
}

fn is_common(path: &Path) -> bool {
    [
        "/",
        "/tmp",
        "/var/tmp",
        "/home",
        "/opt",
        "/srv",
        "/mnt",
        "/usr",
        "/var",
        "/usr/src",
        "/nonexistent",
    ]
    .map(Path::new)
    .contains(&path)
}

/// Test data may well be about a user's home.
fn is_test_data(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/tests/")
}

pub(super) fn check(texts: &Texts, machine: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| !is_test_data(path)) {
        for needle in machine {
            let lines = text.lines().enumerate();
            for (index, _) in lines.filter(|(_, line)| has_path(line, needle)) {
                findings.push(Finding {
                    path: path.clone(),
                    line: index + 1,
                    rule: "machine-path",
                    message: format!("`{needle}` is a path of one machine"),
                });
            }
        }
    }
    findings
}

/// Whether the path starts here, and is not the middle of a longer one.
fn has_path(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(offset, _)| {
        let before = line.get(..offset).and_then(|it| it.chars().next_back());
        !before.is_some_and(|it| it.is_alphanumeric() || "._-~*…}>)".contains(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_of_this_machine() {
        let entry = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let texts = Texts::from([
            entry(
                "README.md",
                "a\nsee /place/main\nin /tmp/…/place/sub and ~/place/x",
            ),
            entry("crates/bashful/src/a.rs", "let a = \"/place/.cargo\";"),
            entry("crates/bashful/tests/a.toml", "path = \"/place/.ssh\""),
        ]);
        let found: Vec<(String, usize)> = check(&texts, &["/place/".to_owned()])
            .into_iter()
            .map(|it| (it.path, it.line))
            .collect();
        let expected = [
            ("README.md".to_owned(), 2),
            ("crates/bashful/src/a.rs".to_owned(), 1),
        ];
        assert_eq!(found, expected);
    }
}

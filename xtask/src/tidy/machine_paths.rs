//! Rule: nothing in the repository knows the machine that it was written on.

use super::{Finding, Texts};

const MACHINE: &[&str] = &["/work/", "/root/"];

/// Where such a path is wanted: the start of the file's path, the path in it, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("xtask/src/tidy/machine_paths.rs", "/work/", "this list"),
    ("xtask/src/tidy/machine_paths.rs", "/root/", "this list"),
];

/// Test data may well be about root's own files.
fn is_test_data(path: &str, needle: &str) -> bool {
    needle == "/root/" && path.starts_with("crates/") && path.contains("/tests/")
}

pub(super) fn check(texts: &Texts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts {
        for needle in MACHINE {
            let allowed = |(start, allowed, _): &(&str, &str, &str)| {
                path.starts_with(start) && needle == allowed
            };
            if ALLOWED.iter().any(allowed) || is_test_data(path, needle) {
                continue;
            }
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
                "a\nsee /work/main\nin /tmp/…/work/sub and ~/work/x",
            ),
            entry("crates/bashful/src/a.rs", "let a = \"/root/.cargo\";"),
            entry("crates/bashful/tests/a.toml", "path = \"/root/.ssh\""),
            entry("crates/bashful/tests/b.toml", "path = \"/work/x\""),
        ]);
        let found: Vec<(String, usize)> = check(&texts)
            .into_iter()
            .map(|it| (it.path, it.line))
            .collect();
        assert_eq!(
            found,
            [
                ("README.md".to_owned(), 2),
                ("crates/bashful/src/a.rs".to_owned(), 1),
                ("crates/bashful/tests/b.toml".to_owned(), 1),
            ]
        );
    }
}

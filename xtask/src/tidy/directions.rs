//! Rule: the engine's folders use each other in one direction, as ARCHITECTURE.md has it.

use super::source::{Source, line_of, modules_behind, occurrences};
use super::{Finding, Texts};

const SOURCES: &str = "crates/bashful-engine/src/";
const PAGE: &str = "ARCHITECTURE.md";

/// The folders from the lowest up, each with those that it may use: only such as stand before it, so
/// there can be no cycle.
const FOLDERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("config", &["base"]),
    ("model", &["base", "config"]),
    ("carry", &["base", "model"]),
    ("store", &["model"]),
    ("record", &["base", "model", "store"]),
    ("request", &["base", "config", "model", "store", "record"]),
    ("confine", &["base", "config", "model", "request"]),
    ("judge", &["base", "config", "model", "request", "confine"]),
    (
        "ask",
        &[
            "base", "config", "model", "store", "record", "request", "judge",
        ],
    ),
    ("shells", &["base", "model"]),
    (
        "launch",
        &[
            "base", "config", "model", "carry", "record", "request", "confine", "ask", "shells",
        ],
    ),
    (
        "run",
        &["base", "model", "record", "ask", "shells", "launch"],
    ),
    (
        "engine",
        &[
            "base", "config", "model", "store", "record", "request", "judge", "ask", "shells",
            "launch", "run",
        ],
    ),
    (
        "tasks",
        &[
            "base", "config", "model", "record", "request", "launch", "run", "engine",
        ],
    ),
    (
        "explain",
        &[
            "config", "model", "request", "judge", "ask", "launch", "engine",
        ],
    ),
    (
        "scripts",
        &[
            "base", "config", "model", "store", "record", "request", "judge", "ask", "run",
            "engine", "explain",
        ],
    ),
    (
        "review",
        &[
            "base", "config", "model", "store", "record", "request", "confine", "judge", "launch",
            "engine", "tasks",
        ],
    ),
    (
        "faces",
        &[
            "base", "config", "model", "store", "record", "request", "confine", "launch", "run",
            "engine", "tasks", "explain", "scripts", "review",
        ],
    ),
];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let Some(module) = source.path.strip_prefix(SOURCES) else {
        return Vec::new();
    };
    let module = module.trim_end_matches(".rs");
    let folder = module.split('/').next().unwrap_or_default();
    if folder == "lib" {
        return Vec::new();
    }
    let Some((_, may_use)) = FOLDERS.iter().find(|(name, _)| *name == folder) else {
        let message = format!("the folder `{folder}` has no place among the others");
        return vec![source.finding("directions", 1, message)];
    };
    let code = &source.shipped;
    let used = occurrences(code, "crate::").into_iter().flat_map(|offset| {
        let modules = modules_behind(code, offset + "crate::".len());
        modules.into_iter().map(move |module| (offset, module))
    });
    let finding = |offset: usize, message: String| {
        source.finding("directions", line_of(code, offset), message)
    };
    let strangers = used
        .filter(|(_, used)| *used != folder && !may_use.contains(used))
        .map(|(offset, used)| finding(offset, format!("`{folder}` may not use `{used}`")));
    // So many steps up from a file lead to the root, from where everything is in reach.
    let up = "super::".repeat(module.split('/').count());
    let through_the_root = occurrences(code, &up)
        .into_iter()
        .map(|offset| finding(offset, "other folders are named by `crate::`".to_owned()));
    strangers.chain(through_the_root).collect()
}

/// Compares the list with the table that people read: rows of a folder, its job, and what it uses.
pub(super) fn check_page(texts: &Texts) -> Vec<Finding> {
    let page = texts.get(PAGE).map_or("", String::as_str);
    let row = |folder: &str| {
        let begin = format!("| `{folder}/` |");
        let lines = page.lines().enumerate();
        lines
            .map(|(number, line)| (number + 1, line))
            .find(|(_, line)| line.starts_with(&begin))
    };
    let checked = FOLDERS.iter().filter_map(|(folder, may_use)| {
        let expected = may_use.join(", ");
        let (line, told) = match row(folder) {
            Some((line, row)) => (line, row.split('|').nth(3).unwrap_or_default().trim()),
            None => (1, "no row"),
        };
        (told != expected).then(|| Finding {
            path: PAGE.to_owned(),
            line,
            rule: "directions",
            message: format!("the row of `{folder}/` must end with `{expected}`, and has `{told}`"),
        })
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_uses_what_stands_above() {
        for (place, (_, may_use)) in FOLDERS.iter().enumerate() {
            let below: Vec<&str> = FOLDERS[..place].iter().map(|(name, _)| *name).collect();
            assert!(may_use.iter().all(|used| below.contains(used)));
        }
    }

    #[test]
    fn ways_up_are_found() {
        let text = "use crate::base::clock;\nuse crate::engine::Engine;\nuse crate::{base, faces};\n\
                    fn x() { crate::run::y() }\nuse super::super::run;\nuse super::deny;\n\
                    // crate::tasks\n#[cfg(test)]\nmod tests { use crate::engine; }\n";
        let lines = |path: &str| -> Vec<usize> {
            let findings = check(&Source::new(path, text));
            findings.iter().map(|finding| finding.line).collect()
        };
        assert_eq!(
            lines("crates/bashful-engine/src/confine/bounds.rs"),
            [2, 3, 4, 5]
        );
        assert_eq!(
            lines("crates/bashful-engine/src/lib.rs"),
            Vec::<usize>::new()
        );
        assert_eq!(lines("crates/bashful-engine/src/rooms/new.rs"), [1]);
    }
}

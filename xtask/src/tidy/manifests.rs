//! Rules: dependencies point down, and the keeper stays without runtime and database.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Texts};

/// Which of our crates a crate may use. One that is missing here is a finding too.
const DIRECTION: &[(&str, &[&str])] = &[
    ("bashful-policy", &[]),
    ("bashful-sandbox", &[]),
    ("bashful-gate", &["bashful-policy", "bashful-sandbox"]),
    ("bashful-keeper", &["bashful-sandbox"]),
    (
        "bashful-engine",
        &[
            "bashful-gate",
            "bashful-keeper",
            "bashful-policy",
            "bashful-sandbox",
        ],
    ),
    ("bashful-server", &["bashful-engine"]),
    ("bashful", &["bashful-engine", "bashful-server"]),
];

const SMALL: &str = "bashful-keeper";
const HEAVY: &[&str] = &[
    "async-std",
    "diesel",
    "libsqlite3-sys",
    "postgres",
    "redb",
    "rusqlite",
    "sled",
    "smol",
    "sqlx",
    "tokio",
    "tokio-postgres",
];

/// A line of a manifest that names a dependency.
#[derive(Debug, PartialEq, Eq)]
struct Dependency {
    line: usize,
    name: String,
    for_tests: bool,
}

pub(super) fn check(texts: &Texts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts {
        let name = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.strip_suffix("/Cargo.toml"));
        let Some(name) = name.filter(|name| !name.contains('/')) else {
            continue;
        };
        let mut push = |rule, line, message| {
            findings.push(Finding {
                path: path.clone(),
                line,
                rule,
                message,
            });
        };
        let Some((_, allowed)) = DIRECTION.iter().find(|(known, _)| *known == name) else {
            push("direction", 1, format!("`{name}` has no line in DIRECTION"));
            continue;
        };
        for dependency in dependencies(text) {
            let other = dependency.name.as_str();
            let is_ours = other == "bashful" || other.starts_with("bashful-");
            if is_ours && !dependency.for_tests && !allowed.contains(&other) {
                let message = format!("`{name}` does not depend on `{other}`");
                push("direction", dependency.line, message);
            }
            if name == SMALL && HEAVY.contains(&other) {
                push(
                    "keeper",
                    dependency.line,
                    format!("no `{other}` in `{name}`"),
                );
            }
        }
    }
    if let Some(lock) = texts.get("Cargo.lock") {
        findings.extend(heavy_behind_the_keeper(lock));
    }
    findings
}

fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut section = String::new();
    for (index, line) in manifest.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let mut add = |name: &str, section: &str| {
            found.push(Dependency {
                line: index + 1,
                name: name.trim_matches(['"', '\'']).to_owned(),
                for_tests: section.contains("dev-dependencies"),
            });
        };
        if let Some(header) = line.strip_prefix('[') {
            header.trim_end_matches(']').clone_into(&mut section);
            // `[dependencies.name]` is a section and a dependency at once.
            if let Some((before, name)) = section.rsplit_once('.')
                && before.ends_with("dependencies")
            {
                add(name, before);
            }
            continue;
        }
        if section.ends_with("dependencies")
            && let Some((key, _)) = line.split_once('=')
        {
            add(key.split('.').next().unwrap_or_default().trim(), &section);
        }
        // `other = { package = "name" }` is the dependency `name`.
        if section.contains("dependencies")
            && let Some((_, rest)) = line.split_once("package = \"")
            && let Some((name, _)) = rest.split_once('"')
        {
            add(name, &section);
        }
    }
    found
}

/// The lock file knows the whole graph, so nothing heavy can come in behind another crate.
fn heavy_behind_the_keeper(lock: &str) -> Option<Finding> {
    let graph = graph(lock);
    let mut seen = BTreeSet::from([SMALL]);
    let mut ways = vec![vec![SMALL]];
    while let Some(way) = ways.pop() {
        let last = way.last()?;
        if HEAVY.contains(last) {
            let message = format!("the keeper reaches `{last}`: {}", way.join(" -> "));
            let offset = lock.find(&format!("name = \"{last}\"")).unwrap_or(0);
            return Some(Finding {
                path: "Cargo.lock".to_owned(),
                line: super::source::line_of(lock, offset),
                rule: "keeper",
                message,
            });
        }
        for &next in graph.get(last).into_iter().flatten() {
            if seen.insert(next) {
                ways.push([way.as_slice(), &[next]].concat());
            }
        }
    }
    None
}

fn graph(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut graph: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut package = "";
    for line in lock.lines() {
        if let Some(name) = line.strip_prefix("name = ") {
            package = name.trim_matches('"');
        } else if let Some(entry) = line.strip_prefix(" \"") {
            // An entry is a name, and its version when there are several.
            let entry = entry.trim_end_matches(['"', ',']);
            let name = entry.split(' ').next().unwrap_or(entry);
            graph.entry(package).or_default().push(name);
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, manifest: &str) -> Vec<(&'static str, usize)> {
        let path = format!("crates/{name}/Cargo.toml");
        let findings = check(&Texts::from([(path, manifest.to_owned())]));
        findings.iter().map(|it| (it.rule, it.line)).collect()
    }

    #[test]
    fn dependencies_point_down() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nbashful-engine.workspace = true\n\
                        [dev-dependencies]\nbashful = { path = \"../bashful\" }\n\
                        [dependencies.bashful-policy]\nworkspace = true\n\
                        [target.'cfg(unix)'.dependencies]\n\
                        below = { package = \"bashful-sandbox\" } # why\n";
        let direction = |lines: &[usize]| -> Vec<(&'static str, usize)> {
            lines.iter().map(|&line| ("direction", line)).collect()
        };
        assert_eq!(found("bashful-sandbox", manifest), direction(&[4, 7, 10]));
        assert_eq!(found("bashful-keeper", manifest), direction(&[4, 7]));
        assert_eq!(found("bashful", manifest), direction(&[7, 10]));
        assert_eq!(found("bashful-new", manifest), direction(&[1]));
    }

    #[test]
    fn the_keeper_stays_small() {
        let manifest =
            "[dependencies]\ntokio = { workspace = true }\n[dev-dependencies]\nsqlx = \"1\"\n";
        assert_eq!(
            found("bashful-keeper", manifest),
            [("keeper", 2), ("keeper", 4)]
        );
        assert_eq!(found("bashful-engine", manifest), []);
    }

    #[test]
    fn heavy_crates_behind_another_are_found() {
        let lock = "[[package]]\nname = \"bashful-keeper\"\ndependencies = [\n \"a 1.0\",\n]\n\
                    [[package]]\nname = \"a\"\ndependencies = [\n \"tokio\",\n \"bashful-keeper\",\n]\n\
                    [[package]]\nname = \"tokio\"\n";
        let finding = heavy_behind_the_keeper(lock).unwrap();
        assert_eq!(
            finding.message,
            "the keeper reaches `tokio`: bashful-keeper -> a -> tokio"
        );
        assert_eq!(finding.line, 13);
        assert_eq!(
            heavy_behind_the_keeper("[[package]]\nname = \"tokio\"\n"),
            None
        );
    }
}

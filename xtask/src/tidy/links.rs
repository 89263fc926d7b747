//! Rule: a link from one of our documents to another leads somewhere.

use std::collections::BTreeMap;

use super::{Finding, Texts};
use crate::repository::has_extension;

/// `exists` answers for targets that are no text file of ours: directories and pictures.
pub(super) fn check(texts: &Texts, exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| has_extension(path, "md")) {
        for (line, target) in links(text) {
            if let Some(message) = problem(texts, &exists, path, &target) {
                findings.push(Finding {
                    path: path.clone(),
                    line,
                    rule: "link",
                    message,
                });
            }
        }
    }
    findings
}

fn problem(
    texts: &Texts,
    exists: &impl Fn(&str) -> bool,
    path: &str,
    target: &str,
) -> Option<String> {
    // `https:`, `mailto:` and the like lead out of the repository.
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() {
        path.to_owned()
    } else {
        match resolve(path, file) {
            Some(file) => file,
            None => return Some(format!("the link `{target}` leaves the repository")),
        }
    };
    let text = texts.get(&file);
    if text.is_none() && !exists(&file) {
        return Some(format!("the link `{target}` leads nowhere"));
    }
    let is_missing = |text: &String| !anchors(text).iter().any(|it| it == anchor);
    let checks_anchor = !anchor.is_empty() && has_extension(&file, "md");
    (checks_anchor && text.is_some_and(is_missing))
        .then(|| format!("`{file}` has no heading for `#{anchor}`"))
}

/// The target as a path from the root of the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let start = if target.starts_with('/') {
        ""
    } else {
        directory
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The targets of `[text](target)` and `[name]: target`, outside of code.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(markdown) {
        let line = without_code(line);
        let after_bracket = line.split("](").skip(1);
        let inline = after_bracket.filter_map(|rest| rest.split_once(')'));
        let mut targets: Vec<&str> = inline.map(|(target, _)| target).collect();
        if line.starts_with('[') && !line.starts_with("[^") {
            targets.extend(line.split_once("]: ").map(|(_, target)| target));
        }
        for target in targets {
            // A title may follow the target.
            if let Some(target) = target.split_whitespace().next() {
                let target = target.trim_matches(['<', '>']);
                links.push((number, target.to_owned()));
            }
        }
    }
    links
}

/// The lines outside of fenced blocks.
fn prose(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<usize> = None;
    markdown
        .lines()
        .enumerate()
        .filter_map(move |(index, line)| {
            let ticks = line
                .trim_start()
                .chars()
                .take_while(|&it| it == '`')
                .count();
            match fence {
                None if ticks >= 3 => fence = Some(ticks),
                None => return Some((index + 1, line)),
                Some(open) if ticks >= open => fence = None,
                Some(_) => {}
            }
            None
        })
}

fn without_code(line: &str) -> String {
    let outside = line.split('`').step_by(2);
    outside.collect::<Vec<_>>().join("`")
}

/// The names that headings get on the usual hosts.
fn anchors(markdown: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(markdown).filter_map(|(_, line)| {
        let text = line.trim_start_matches('#');
        (line.starts_with('#') && text.starts_with(' ')).then(|| text.trim())
    });
    headings
        .map(|heading| {
            let name: String = heading
                .chars()
                .filter(|&it| it.is_alphanumeric() || " -_".contains(it))
                .map(|it| if it == ' ' { '-' } else { it })
                .collect();
            let name = name.to_lowercase();
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            match *count {
                1 => name,
                count => format!("{name}-{}", count - 1),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_somewhere() {
        let readme = "\
# Title
[a](docs/a.md) [b](docs/a.md#a-b-c) ![c](missing.png \"title\") `[d](none)`
[e](https://example.org/x) [f](#title) [g](#titel) [h](docs/)
```text
[i](none)
```
[j]: docs/a.md#two-1
[k]: ../outside
";
        let document = "## A `b`, c!\n## Two\n## Two\n[up](../README.md) [no](./b.md)\n";
        let entry = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let texts = Texts::from([entry("README.md", readme), entry("docs/a.md", document)]);
        let found: Vec<String> = check(&texts, |path| path == "docs")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "README.md:2: the link `missing.png` leads nowhere [link]",
                "README.md:3: `README.md` has no heading for `#titel` [link]",
                "README.md:8: the link `../outside` leaves the repository [link]",
                "docs/a.md:4: the link `./b.md` leads nowhere [link]",
            ]
        );
    }
}

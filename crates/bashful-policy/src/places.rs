//! Paths as text: where they can lead once `.`, `..`, `//` and known links are gone.

use crate::context::Context;
use crate::facts::Argument;

/// Where a path can lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The possible paths, absolute and without `.` and `..`. Where an end is not known, the
    /// directory before it.
    pub(crate) paths: Vec<Place>,
    /// It can also lead anywhere else: a part is not known, or the directory is not.
    pub(crate) unknown: bool,
}

/// One path that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The path that the text names, absolute and without `.` and `..`.
    pub(crate) text: String,
    /// Where that really leads, when it leads elsewhere.
    pub(crate) real: Option<String>,
}

impl Place {
    /// Where it really leads, as far as the engine followed links.
    pub(crate) fn real(&self) -> &str {
        self.real.as_deref().unwrap_or(&self.text)
    }

    /// Whether it is, or lies below, one of these.
    pub(crate) fn is_within_any(&self, roots: &[String]) -> bool {
        roots.iter().any(|root| is_within(self.real(), root))
    }
}

/// Where an argument leads as a path.
pub(crate) fn places(argument: &Argument, directories: &[String], context: &Context) -> Places {
    let argument = argument.as_path();
    let known = argument.known();
    let mut places = Places {
        paths: Vec::new(),
        unknown: argument.unknown_from.is_some(),
    };
    // What is not known can continue a name, so only the directory before it is certain.
    let certain = if places.unknown {
        known
            .rfind('/')
            .map_or("", |at| known.get(..=at).unwrap_or_default())
    } else {
        known
    };
    if places.unknown && certain.is_empty() {
        return places;
    }
    let texts: Vec<String> = if let Some(texts) = through_process(certain, directories) {
        texts
    } else if certain.starts_with('/') {
        vec![normal(certain)]
    } else {
        let joined = directories
            .iter()
            .map(|directory| normal(&format!("{directory}/{certain}")));
        joined.collect()
    };
    places.unknown |= texts.is_empty();
    places.paths = texts
        .into_iter()
        .map(|text| Place {
            real: context.links.get(&text).cloned(),
            text,
        })
        .collect();
    places
}

/// Where `/proc/self/cwd/…` and `/proc/self/root/…` lead; none for any other path.
fn through_process(path: &str, directories: &[String]) -> Option<Vec<String>> {
    // The names before those two: `/proc/self/task/1/root`.
    const MOST: usize = 6;
    let rest = path.strip_prefix('/')?;
    let mut parts = rest.split('/').filter(|part| !matches!(*part, "" | "."));
    if parts.next()? != "proc" {
        return None;
    }
    let at = parts
        .clone()
        .take(MOST)
        .position(|part| matches!(part, "cwd" | "root"))?;
    let is_root = parts.nth(at)? == "root";
    let rest = parts.collect::<Vec<_>>().join("/");
    if is_root {
        return Some(vec![normal(&rest)]);
    }
    let joined = directories
        .iter()
        .map(|directory| normal(&format!("{directory}/{rest}")));
    Some(joined.collect())
}

/// An absolute path without `.`, `..` and `//`.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Whether a normal path is, or lies below, another.
pub(crate) fn is_within(path: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

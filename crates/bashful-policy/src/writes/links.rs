//! Links that a text makes itself, before it writes through them.

use std::borrow::Cow;

use crate::context::Context;
use crate::facts::{Argument, Call};
use crate::places::normal;

use super::options::{Shape, parse};

/// The context with the links that these calls make.
pub(super) fn with_links<'a>(calls: &[Call], context: &'a Context) -> Cow<'a, Context> {
    const MOST: usize = 64;
    let mut context = Cow::Borrowed(context);
    let makers = calls
        .iter()
        .filter(|call| matches!(call.program(), "ln" | "gln" | "cp" | "gcp" | "link"));
    for (link, target) in makers.take(MOST).flat_map(made) {
        context.to_mut().links.insert(link, target);
    }
    context
}

/// The links that one call makes, with where they lead. A hard link is the file itself, so it
/// leads there as well.
fn made(call: &Call) -> Vec<(String, String)> {
    // No ordinary call makes more links than this, and each can be in several directories.
    const MOST: usize = 16;
    let shape = Shape {
        short: "St",
        long: &["suffix", "target-directory"],
        ..Shape::PLAIN
    };
    let parsed = parse(call.operands(), &shape);
    let copies = matches!(call.program(), "cp" | "gcp");
    if copies && !parsed.has(&["-s", "--symbolic-link", "-l", "--link"]) {
        return Vec::new();
    }
    let is_symbolic = parsed.has(&["-s", "--symbolic", "--symbolic-link"]);
    let directory = parsed.values(&["-t", "--target-directory"]).pop();
    let (targets, last) = match (directory, parsed.operands.split_last()) {
        (Some(directory), _) => (parsed.operands.as_slice(), Some(directory)),
        (None, Some((_, []))) => (parsed.operands.as_slice(), None),
        (None, Some((last, targets))) => (targets, Some(last.clone())),
        (None, None) => return Vec::new(),
    };
    let here = Argument::literal("./", call.span);
    let link = last.unwrap_or(here);
    if !is_usable(&link) {
        return Vec::new();
    }
    let mut made = Vec::new();
    for target in targets.iter().take(MOST) {
        // What is not known can lead anywhere.
        let target = if is_usable(target) {
            target.text.as_str()
        } else {
            "/"
        };
        for directory in call.directories.iter().take(MOST) {
            made.extend(places(&link.text, target, directory, is_symbolic));
        }
    }
    made
}

fn is_usable(word: &Argument) -> bool {
    const LONGEST: usize = 4096;
    word.is_literal() && word.text.len() < LONGEST
}

/// A link under its name, and under the target's name inside, for the name can be a directory.
fn places(link: &str, target: &str, directory: &str, is_symbolic: bool) -> Vec<(String, String)> {
    let from = |directory: &str, path: &str| {
        if path.starts_with('/') {
            normal(path)
        } else {
            normal(&format!("{directory}/{path}"))
        }
    };
    let name = target.trim_end_matches('/').rsplit('/').next();
    let name = name.filter(|name| !matches!(*name, "." | ".."));
    let name = name.unwrap_or_default();
    let outer = from(directory, link);
    let inner = normal(&format!("{outer}/{name}"));
    let is_directory = link.ends_with('/') || matches!(link, "." | "..");
    let links = if is_directory || name.is_empty() && !link.is_empty() {
        vec![if name.is_empty() { outer } else { inner }]
    } else {
        vec![outer, inner]
    };
    let lead = |link: String| {
        let parent = link.rsplit_once('/').map_or("", |(parent, _)| parent);
        // A symbolic link is read from where it stands.
        let target = from(if is_symbolic { parent } else { directory }, target);
        (link, target)
    };
    links.into_iter().map(lead).collect()
}

#[cfg(test)]
mod tests {
    use crate::context::testing::in_project;
    use crate::{Effect, Policy, judge};

    #[test]
    fn what_a_link_leads_to_is_what_is_written() {
        let context = in_project();
        let effect = |text: &str| judge(text, &Policy::careful(), &context).decision.effect;
        let outside = [
            "ln -s /etc/x y; echo > y",
            "ln /etc/x y; echo > y",
            "link /etc/x y; echo > y",
            "cp -s /etc/x y; echo > y",
            "cp -l /etc/x y; echo > y",
            "ln -s /etc/x /etc/z .; echo > z",
            "ln -s -t . /etc/x; echo > x",
            "ln -s /etc/x sub; echo > sub/x",
            "ln -s /etc y; touch y/z",
        ];
        for text in outside {
            assert_ne!(effect(text), Effect::Allow, "{text}");
        }
        let inside = [
            "ln -s a b; echo > b",
            "ln -s ../a sub/b; echo > sub/b",
            "ln a b; echo > b",
            "cp /etc/x y; echo > y",
        ];
        for text in inside {
            assert_eq!(effect(text), Effect::Allow, "{text}");
        }
    }
}

//! The allow-list: which variables a run may set on the host, and to what.
//!
//! What is not listed is held, so a variable that a future git executes is held too.

mod shape;

use self::shape::Shape;
use super::address;
use super::syntax::{Document, Name};

/// The longest value that is let through, in bytes.
const VALUE_LIMIT: usize = 4096;

/// How many values a variable has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arity {
    /// The last one counts.
    One,
    /// All of them count.
    Many,
}

/// What may be done with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    shape: Shape,
    pub(super) arity: Arity,
}

impl Rule {
    /// Whether the values are addresses that git contacts.
    pub(super) fn is_address(self) -> bool {
        self.shape == Shape::Address
    }

    /// Whether this value, or none, can execute nothing.
    pub(super) fn allows(self, value: Option<&[u8]>) -> bool {
        match value {
            Some(value) => value.len() <= VALUE_LIMIT && self.shape.fits(value),
            None => matches!(
                self.shape,
                Shape::Boolean | Shape::BooleanOr(_) | Shape::Words
            ),
        }
    }
}

/// The rule for a variable; none if it is not harmless whatever its value.
pub(super) fn rule(name: Name<'_>) -> Option<Rule> {
    let mut parts = name.stem?.splitn(2, |byte| *byte == b'.');
    let section = std::str::from_utf8(parts.next()?).ok()?;
    let key = std::str::from_utf8(name.key).ok()?;
    let shape = match parts.next() {
        None => plain_shape(section, key),
        Some(subsection) if is_subsection_plain(section, subsection) => {
            subsection_shape(section, key)
        }
        Some(_) => None,
    }?;
    let many = matches!(
        (section, key),
        ("remote", "url" | "pushurl" | "fetch")
            | ("branch", "merge")
            | ("submodule", "active")
            | ("log", "excludedecoration")
    );
    let arity = if many { Arity::Many } else { Arity::One };
    Some(Rule { shape, arity })
}

/// The entries of a document that are not harmless, in order.
pub(super) fn exceptions(
    document: &Document,
) -> impl Iterator<Item = (Name<'_>, Option<&[u8]>)> + '_ {
    document
        .entries
        .iter()
        .map(|entry| (document.name(entry), entry.value.as_deref()))
        .filter(|(name, value)| !rule(*name).is_some_and(|rule| rule.allows(*value)))
}

/// Variables of the form `section.key`.
#[expect(
    clippy::match_same_arms,
    reason = "a table is easier to check in the order of its sections"
)]
fn plain_shape(section: &str, key: &str) -> Option<Shape> {
    Some(match (section, key) {
        ("core", key) => return core_shape(key),
        ("extensions", "objectformat") => Shape::Word(&["sha1", "sha256"]),
        ("extensions", "refstorage") => Shape::Word(&["files", "reftable"]),
        ("remote", "pushdefault") => Shape::RemoteName,
        ("extensions", "noop") => Shape::Boolean,
        ("user" | "author" | "committer", "name" | "email") => Shape::Line,
        ("branch", "autosetupmerge") => Shape::BooleanOr(&["always", "inherit", "simple"]),
        ("branch", "autosetuprebase") => Shape::Word(&["never", "local", "remote", "always"]),
        ("push", "default") => Shape::Word(&[
            "nothing", "current", "upstream", "tracking", "simple", "matching",
        ]),
        ("push", "autosetupremote" | "followtags") => Shape::Boolean,
        ("pull", "rebase") => Shape::BooleanOr(&["merges"]),
        ("pull" | "merge", "ff") => Shape::BooleanOr(&["only"]),
        ("fetch", "prune" | "prunetags") => Shape::Boolean,
        ("init", "defaultbranch") => Shape::Reference,
        ("merge", "conflictstyle") => Shape::Word(&["merge", "diff3", "zdiff3"]),
        ("merge" | "diff", "renames") => Shape::BooleanOr(&["copies", "copy"]),
        ("diff", "algorithm") => {
            Shape::Word(&["default", "histogram", "minimal", "myers", "patience"])
        }
        ("diff", "colormoved") => Shape::Words,
        ("diff", "mnemonicprefix") => Shape::Boolean,
        ("rebase", "autostash" | "autosquash" | "updaterefs") => Shape::Boolean,
        ("rerere" | "advice", _) | ("maintenance", "auto") => Shape::Boolean,
        // Showing signatures starts a program for each of them.
        ("log", "showsignature") => return None,
        ("log", "excludedecoration") => Shape::Reference,
        ("color" | "column" | "status" | "log", _) => Shape::Words,
        ("submodule", "active") => Shape::Line,
        ("lfs", "repositoryformatversion") | ("gc", "auto") => Shape::Number,
        _ => return None,
    })
}

fn core_shape(key: &str) -> Option<Shape> {
    Some(match key {
        "repositoryformatversion" => Shape::Word(&["0", "1"]),
        "filemode" | "bare" | "ignorecase" | "symlinks" | "precomposeunicode" | "quotepath"
        | "preloadindex" | "splitindex" | "sparsecheckout" | "sparsecheckoutcone" | "longpaths" => {
            Shape::Boolean
        }
        "logallrefupdates" => Shape::BooleanOr(&["always"]),
        "autocrlf" => Shape::BooleanOr(&["input"]),
        "safecrlf" => Shape::BooleanOr(&["warn"]),
        "untrackedcache" => Shape::BooleanOr(&["keep"]),
        "eol" => Shape::Word(&["lf", "crlf", "native"]),
        "abbrev" => Shape::NumberOr(&["auto", "no"]),
        "compression" => Shape::Number,
        "commentchar" => Shape::Mark,
        "whitespace" => Shape::Words,
        _ => return None,
    })
}

/// Variables of the form `section.subsection.key`.
fn subsection_shape(section: &str, key: &str) -> Option<Shape> {
    Some(match (section, key) {
        ("branch", "remote" | "pushremote") => Shape::RemoteNameOrDot,
        ("remote", "url" | "pushurl") | ("submodule", "url") => Shape::Address,
        ("branch", "merge") | ("remote", "fetch") | ("submodule", "branch") => Shape::Reference,
        // Interactive rebasing starts an editor.
        ("branch", "rebase") => Shape::BooleanOr(&["merges"]),
        ("branch", "description") => Shape::Text,
        ("remote", "tagopt") => Shape::Word(&["--tags", "--no-tags"]),
        // Not `promisor`: git then fetches what is missing, whatever it was asked to do. Nor
        // `mirror`: the next push would take everything away that the run did.
        ("remote", "prune" | "prunetags" | "skipdefaultupdate" | "skipfetchall")
        | ("submodule", "active" | "shallow") => Shape::Boolean,
        ("submodule", "ignore") => Shape::Word(&["none", "untracked", "dirty", "all"]),
        ("submodule", "fetchrecursesubmodules") => Shape::BooleanOr(&["on-demand"]),
        // Any other value can be a command behind an exclamation mark.
        ("submodule", "update") => Shape::Word(&["checkout", "rebase", "merge", "none"]),
        ("color", _) => Shape::Words,
        _ => return None,
    })
}

/// Whether a subsection is no more than a name.
fn is_subsection_plain(section: &str, subsection: &[u8]) -> bool {
    if subsection.is_empty() || subsection.iter().any(u8::is_ascii_control) {
        return false;
    }
    match section {
        // Git takes the name of a remote for its address if there is no other.
        "remote" => address::is_remote_name(subsection),
        // Git makes a path of the name of a submodule.
        "submodule" => {
            let climbs = subsection
                .split(|byte| matches!(byte, b'/' | b'\\'))
                .any(|part| part == b".." || part == b"." || part.is_empty());
            !climbs && !subsection.starts_with(b"-")
        }
        _ => true,
    }
}

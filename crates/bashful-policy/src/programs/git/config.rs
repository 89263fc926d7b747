//! Settings of git: which of them start programs, and which are harmless.

use crate::context::Context;
use crate::facts::{Argument, Call};

use super::super::verdict::Verdict;
use super::{GitCommand, flags_are_known, is_at_home};

/// Whether `-c key=value` changes nothing but how git prints, for any value.
pub(super) fn is_harmless_for_once(setting: &Argument) -> bool {
    let text = setting.known();
    if setting.splits || setting.glob {
        return false;
    }
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, value),
        None if setting.is_literal() => (text, ""),
        None => return false,
    };
    let key = key.to_ascii_lowercase();
    match key.as_str() {
        // A pager is a program that git starts; with these two values it starts none of the user's.
        "core.pager" => setting.is_literal() && matches!(value, "cat" | ""),
        "core.fsmonitor" => setting.is_literal() && matches!(value, "false" | ""),
        "core.hookspath" => setting.is_literal() && matches!(value, "/dev/null" | ""),
        "diff.external" => setting.is_literal() && value.is_empty(),
        _ => is_harmless(&key) || key.starts_with("color."),
    }
}

/// Settings that start nothing and lead nowhere. Sorted.
pub(super) const HARMLESS: &[&str] = &[
    "advice.detachedhead", "apply.whitespace", "blame.date", "column.ui", "commit.gpgsign",
    "commit.verbose", "core.abbrev", "core.autocrlf", "core.bigfilethreshold", "core.eol",
    "core.filemode", "core.ignorecase", "core.longpaths", "core.precomposeunicode",
    "core.quotepath", "core.safecrlf", "core.symlinks", "core.untrackedcache", "core.whitespace",
    "diff.algorithm", "diff.colormoved", "diff.context", "diff.mnemonicprefix", "diff.noprefix",
    "diff.renamelimit", "diff.renames", "diff.submodule", "fetch.prune", "gc.auto",
    "grep.linenumber", "index.version", "init.defaultbranch", "log.date", "log.decorate",
    "log.follow", "log.showsignature", "merge.conflictstyle", "merge.ff", "merge.renamelimit",
    "pack.threads", "pull.ff", "pull.rebase", "push.autosetupremote", "push.default",
    "push.followtags", "rebase.autosquash", "rebase.autostash", "rebase.updaterefs",
    "rerere.enabled", "status.short", "status.showuntrackedfiles", "status.submodulesummary",
    "tag.gpgsign", "tag.sort", "user.email", "user.name",
];

/// Whether a setting, in lower case, starts nothing and leads nowhere.
fn is_harmless(key: &str) -> bool {
    HARMLESS.binary_search(&key).is_ok()
        || key.starts_with("advice.")
        || (key.starts_with("branch.")
            && [".remote", ".merge", ".rebase", ".description", ".pushremote"]
                .iter()
                .any(|end| key.ends_with(end)))
}

/// Whether git starts what this setting, in lower case, names, or reads more settings or hooks
/// from there.
pub(crate) fn executes(key: &str) -> bool {
    const EXACT: &[&str] = &[
        "browser.path", "commit.template", "help.browser", "receive.procreceiverefs", "ssh.variant",
    ];
    const SECTIONS: &[&str] = &[
        "alias.", "browser.", "credential.", "difftool.", "filter.", "include.", "man.",
        "mergetool.", "protocol.", "sendemail.", "tar.", "trailer.", "url.", "http.", "https.",
        "safe.", "extensions.",
    ];
    const ENDS: &[&str] = &[".editor", ".pushurl", ".update", ".url"];
    names_program(key) || is_one_of(key, EXACT, SECTIONS, ENDS)
}

/// Whether the value of this setting, in lower case, is surely a program that git starts or a
/// place where it finds one.
pub(crate) fn names_program(key: &str) -> bool {
    const EXACT: &[&str] = &[
        "core.alternaterefscommand", "core.askpass", "core.attributesfile", "core.editor",
        "core.fsmonitor", "core.gitproxy", "core.hookspath", "core.pager", "core.sshcommand",
        "core.worktree", "diff.external", "diff.tool", "gpg.program", "init.templatedir",
        "instaweb.httpd", "interactive.difffilter", "merge.tool", "protocol.allow",
        "sequence.editor", "uploadpack.packobjectshook", "web.browser",
    ];
    const SECTIONS: &[&str] = &["guitool.", "hook.", "includeif.", "pager."];
    const ENDS: &[&str] = &[
        ".cmd", ".command", ".driver", ".helper", ".insteadof", ".program", ".proxy",
        ".pushinsteadof", ".receivepack", ".textconv", ".uploadpack", ".vcs",
    ];
    is_one_of(key, EXACT, SECTIONS, ENDS)
}

/// Whether a setting is one of these, or begins or ends so.
fn is_one_of(key: &str, exact: &[&str], sections: &[&str], ends: &[&str]) -> bool {
    exact.contains(&key)
        || sections.iter().any(|section| key.starts_with(section))
        || ends.iter().any(|end| key.ends_with(end))
}

/// What `git config` does in this call.
#[derive(Debug, Default)]
struct Setting<'a> {
    operands: [Option<&'a Argument>; 2],
    act: Act,
    /// It is about more than this repository.
    wide: bool,
}

/// Whether it reads or writes, as far as its options say so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Act {
    #[default]
    NotSaid,
    Reads,
    Writes,
    Unclear,
}

impl Act {
    /// Both at once is an error of git, and not read as harmless.
    fn and(self, other: Self) -> Self {
        if self == Self::NotSaid || self == other {
            other
        } else {
            Self::Unclear
        }
    }
}

/// What the tables say about `git config`.
pub(super) fn judge(call: &Call, command: &GitCommand<'_>, context: &Context) -> Option<Verdict> {
    if !flags_are_known(call, command.arguments) {
        return None;
    }
    let setting = setting(command.arguments);
    let [key, value] = setting.operands;
    match setting.act {
        Act::Unclear => return None,
        Act::Reads => return Some(Verdict::READS),
        Act::NotSaid if value.is_none() => return Some(Verdict::READS),
        Act::NotSaid | Act::Writes => {}
    }
    if setting.wide {
        return Some(Verdict::must_ask(
            "git-config",
            "changes the settings of git outside this repository",
            Some("leave out `--global`, so that it holds for this repository alone"),
        ));
    }
    let key = key?;
    if !key.is_literal() {
        return Some(Verdict::asks(
            "git-config",
            "changes a setting of git that is not known",
            None,
        ));
    }
    let key = key.text.to_ascii_lowercase();
    if is_harmless(&key) || key.starts_with("color.") {
        return is_at_home(call, context).then_some(Verdict::GIT_LOCAL);
    }
    // An alias without `!` is an abbreviation of a git command, which rules then do not see.
    executes(&key).then_some(Verdict::must_ask(
        "git-config",
        "changes a setting with which git starts programs or goes elsewhere",
        None,
    ))
}

/// Reads the arguments of `git config`, in the old form and in the one with verbs.
fn setting(arguments: &[Argument]) -> Setting<'_> {
    let mut setting = Setting::default();
    let mut rest = arguments.iter().peekable();
    match rest.peek().map(|first| first.known()) {
        Some("get" | "list") => setting.act = Act::Reads,
        Some("set" | "unset" | "rename-section" | "remove-section") => setting.act = Act::Writes,
        Some("edit") => setting.act = Act::Unclear,
        _ => {}
    }
    if setting.act != Act::NotSaid {
        rest.next();
    }
    while let Some(argument) = rest.next() {
        let text = argument.known();
        let name = text.split('=').next().unwrap_or_default();
        match name {
            _ if !text.starts_with('-') => {
                let free = setting.operands.iter_mut().find(|place| place.is_none());
                if let Some(place) = free {
                    *place = Some(argument);
                }
            }
            "--get" | "--get-all" | "--get-regexp" | "--get-urlmatch" | "--get-color"
            | "--get-colorbool" | "--list" | "-l" => setting.act = setting.act.and(Act::Reads),
            "--add" | "--replace-all" | "--unset" | "--unset-all" | "--rename-section"
            | "--remove-section" | "--append" => {
                setting.act = setting.act.and(Act::Writes);
            }
            "--global" | "--system" => setting.wide = true,
            "-f" | "--file" | "--blob" => {
                setting.wide = true;
                if name == text {
                    rest.next();
                }
            }
            "--type" | "--default" | "--url" | "--value" | "--comment" => {
                if name == text {
                    rest.next();
                }
            }
            "--local" | "--worktree" | "-z" | "--null" | "--name-only" | "--show-origin"
            | "--show-scope" | "--includes" | "--no-includes" | "--bool" | "--int" | "--path"
            | "--bool-or-int" | "--expiry-date" | "--fixed-value" | "--regexp" | "--no-type"
            | "--all" | "--show-names" | "--no-show-names" => {}
            _ => setting.act = Act::Unclear,
        }
    }
    setting
}

//! Becoming another user, most of all root.

use super::View;
use super::line::{Line, has_word, only_asks};
use crate::arguments::Valued;

/// Programs that start others as another user or with more rights.
const PROGRAMS: &[&str] = &[
    "sudo", "sudoedit", "sudo-rs", "doas", "opendoas", "pkexec", "su", "su-rs", "runuser", "run0",
    "gosu", "su-exec", "dzdo", "pfexec", "gksu", "gksudo", "kdesu", "kdesudo", "beesu", "lxsudo",
    "lxqt-sudo", "ksu", "sux", "super", "calife", "please", "rdo", "op-sudo", "setuidgid",
    "s6-setuidgid", "s6-applyuidgid", "visudo", "sudoreplay", "newgrp", "login", "sulogin",
    "setcap", "capsh", "chroot", "nsenter", "doasedit", "pleaseedit", "userv", "suexec",
];

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    if PROGRAMS.contains(&view.name) {
        // Asking these what they are changes nothing; for `sudo` even that shows the intent.
        return !(matches!(
            view.name,
            "chroot" | "nsenter" | "capsh" | "setcap" | "login"
        ) && only_asks(arguments));
    }
    match view.name {
        // Another `sg` searches code; its words differ from the names of groups.
        "sg" => arguments.first().is_some_and(|word| {
            let other = ["run", "scan", "test", "new", "lsp", "completions", "help"];
            !other.contains(&word.text.as_str()) && !word.text.starts_with("--")
        }),
        "unshare" => !only_asks(arguments),
        "machinectl" => has_word(arguments, &["shell", "login"]),
        "setpriv" => {
            let line = Line::read(arguments, &Valued::NONE);
            ["reuid", "regid", "ruid", "euid", "rgid", "egid", "inh-caps", "ambient-caps"]
                .iter()
                .any(|name| line.has_name_like(name))
        }
        "chpst" => Line::read(arguments, &CHPST).has_letter("uU"),
        "start-stop-daemon" => Line::read(arguments, &Valued::NONE).has("c", &["chuid"]),
        "osascript" => arguments
            .iter()
            .any(|argument| argument.text.contains("administrator privileges")),
        _ => false,
    }
}

const CHPST: Valued = Valued::new("uUeb/nmdofplrtc", &[]);

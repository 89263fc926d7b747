//! What is refused by default: the classes, and the search for them in a script.

use crate::decision::{Decision, Effect, Layer};
use crate::script::{Command, Script, Span, Word, program};

mod bomb;
mod delete;
mod devices;
mod download;
mod permissions;
mod writes;

/// One class of commands that is refused until somebody holds its capability.
#[derive(Debug, PartialEq, Eq)]
struct Class {
    rule: &'static str,
    capability: &'static str,
    reason: &'static str,
    suggestion: &'static str,
}

const DELETE_ROOT: Class = Class {
    rule: "delete-root",
    capability: "delete-root",
    reason: "deletes the system, a home directory or everything above the working directory",
    suggestion: "name the directory inside the workspace that should go, such as `rm -rf ./build`",
};
const FORK_BOMB: Class = Class {
    rule: "fork-bomb",
    capability: "fork-bomb",
    reason: "starts copies of itself without end",
    suggestion: "start a fixed number of processes, such as with `xargs -P 4`",
};
const MKFS: Class = Class {
    rule: "mkfs",
    capability: "device-write",
    reason: "formats a disk, which destroys what is on it",
    suggestion: "work with files inside the workspace; a person formats disks",
};
const DEVICE: Class = Class {
    rule: "device-write",
    capability: "device-write",
    reason: "reads or writes a disk or another device directly",
    suggestion: "use an image file inside the workspace instead of the device",
};
const PIPE_TO_SHELL: Class = Class {
    rule: "pipe-to-shell",
    capability: "pipe-to-shell",
    reason: "runs a download without anybody having seen it",
    suggestion: "download to a file, look at it, then run the file",
};
const DECODE_TO_SHELL: Class = Class {
    rule: "decode-to-shell",
    capability: "decode-to-shell",
    reason: "decodes hidden text and runs it",
    suggestion: "decode to a file, look at it, then run the file, or write the command plainly",
};
const PERMISSIONS_WIDE: Class = Class {
    rule: "permissions-wide",
    capability: "permissions-wide",
    reason: "opens a whole tree to every user, or changes the rights of the system's files",
    suggestion: "give the right that is missing to the one file, such as `chmod u+x script.sh`",
};
const WRITE_SYSTEM: Class = Class {
    rule: "write-system",
    capability: "write-outside-roots",
    reason: "changes files of the system",
    suggestion: "write inside the workspace or `/tmp`; reading system files is fine",
};

/// One place where a class was found.
struct Finding {
    class: &'static Class,
    /// The words that matched.
    fact: String,
    span: Span,
}

/// One way to run a simple command: as written, or as a wrapper in it runs it.
#[derive(Clone, Copy)]
struct View<'s> {
    script: &'s Script,
    command: &'s Command,
    /// The program's name without its directory; empty when not known.
    name: &'s str,
    words: &'s [Word],
}

impl<'s> View<'s> {
    fn arguments(&self) -> &'s [Word] {
        self.words.get(1..).unwrap_or_default()
    }

    fn directory(&self) -> Option<&'s str> {
        self.command.directory.as_deref()
    }

    fn finding(&self, class: &'static Class) -> Finding {
        let texts: Vec<&str> = self
            .words
            .iter()
            .take(MAX_FACT)
            .map(|word| word.text.as_str())
            .collect();
        self.finding_of(class, &texts.join(" "))
    }

    fn finding_of(&self, class: &'static Class, fact: &str) -> Finding {
        let fact: String = fact.chars().take(MAX_FACT).collect();
        Finding {
            class,
            fact,
            span: self.command.span,
        }
    }
}

/// A fact is for reading: what is longer is cut.
const MAX_FACT: usize = 200;

/// The checks of one view, in the order in which their answer helps a reader most.
const CHECKS: &[fn(&View) -> Option<Finding>] = &[
    delete::check,
    devices::check,
    permissions::check,
    download::check_view,
    writes::check,
];

/// The first refusal in a script, if there is one.
pub(crate) fn refusal(script: &Script) -> Option<Decision> {
    if script.too_complex {
        return Some(too_complex());
    }
    let commands = script.commands.iter().find_map(|command| {
        let redirects = View {
            script,
            command,
            name: "",
            words: &[],
        };
        let views = command.views().map(|words| View {
            script,
            command,
            name: program(words),
            words,
        });
        std::iter::once(redirects)
            .chain(views)
            .find_map(|view| CHECKS.iter().find_map(|check| check(&view)))
    });
    commands
        .or_else(|| bomb::check(script))
        .or_else(|| download::check_pipelines(script))
        .map(|finding| Decision {
            span: Some(finding.span),
            fact: Some(finding.fact),
            capability: Some(finding.class.capability.to_owned()),
            suggestion: Some(finding.class.suggestion.to_owned()),
            ..Decision::new(
                Effect::Deny,
                Layer::Builtin,
                finding.class.rule,
                finding.class.reason,
            )
        })
}

/// The refusal of what passes the limits of the analysis.
pub(crate) fn too_complex() -> Decision {
    Decision {
        suggestion: Some("split it into simpler commands, or put it into a script file".to_owned()),
        ..Decision::new(
            Effect::Deny,
            Layer::Builtin,
            "too-complex",
            "is nested too deeply to be read before it runs",
        )
    }
}

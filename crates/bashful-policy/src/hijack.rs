//! Variables that change what other programs do, so that a harmless call is one no more.

use std::borrow::Cow;

use crate::decision::{Effect, Layer};
use crate::facts::{Assignment, Call, Facts};
use crate::finding::{Finding, Standing};

mod names;

use names::{HARMLESS, NAMES, PREFIXES};

/// What an assignment would change, if it is one of these.
pub(crate) fn check(facts: &Facts, index: usize) -> Option<Finding> {
    let assignment = facts.assignments.get(index)?;
    let name = assignment.name.as_str();
    if !is_listed(name) || is_usual(facts, index, assignment) {
        return None;
    }
    Some(Finding {
        needs: None,
        directories: Vec::new(),
        effect: Effect::Ask,
        standing: Standing::Unknown,
        rule: Cow::Borrowed("hijack-variable"),
        layer: Layer::Builtin,
        reason: Cow::Owned(format!(
            "sets `{name}`, which changes what other programs do"
        )),
        advice: Some(Cow::Borrowed("leave the variable as it is")),
        capability: None,
        fact: format!("{name}={}", assignment.value.text),
        span: assignment.span,
    })
}

/// Whether a variable of this name changes what other programs do.
pub fn is_hijack_variable(name: &str) -> bool {
    is_listed(name)
}

/// The same, for this crate.
pub(crate) fn is_listed(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !HARMLESS.contains(&name)
}

/// Everyday uses: `PAGER=cat git log`, `IFS= read -r line`.
fn is_usual(facts: &Facts, index: usize, assignment: &Assignment) -> bool {
    let value = assignment.value.text.as_str();
    let known = assignment.value.is_literal();
    match assignment.name.as_str() {
        "PAGER" | "GIT_PAGER" | "MANPAGER" => known && matches!(value, "" | "cat"),
        "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" => {
            known && matches!(value, ":" | "true" | "cat")
        }
        "IFS" => {
            let reads = |call: &Call| matches!(call.program(), "read" | "mapfile" | "readarray");
            let mut calls = facts.calls.iter();
            assignment.for_call
                && calls.any(|call| call.assignments.contains(&index) && reads(call))
        }
        // `zgrep` and its kin are scripts that start what these name; to others they are nothing.
        "GREP" | "DIFF" | "CMP" => {
            let passes = |call: &Call| {
                let program = call.program();
                matches!(program, "export" | "declare" | "typeset")
                    || program.starts_with(['z', 'x', 'b', 'l'])
                        && ["grep", "diff", "cmp"]
                            .iter()
                            .any(|end| program.ends_with(end))
            };
            !assignment.for_call && !facts.calls.iter().any(passes)
        }
        // A compiler by its name is the system's.
        "CC" | "CXX" | "CPP" | "LD" | "AR" | "AS" | "NM" | "STRIP" | "RANLIB" | "FC"
        | "OBJCOPY" => {
            let plain = |word: &str| {
                word.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-+._=".contains(&byte))
            };
            known && !value.is_empty() && value.split(' ').all(plain)
        }
        "MAKEFLAGS" | "GNUMAKEFLAGS" => {
            let jobs = value.strip_prefix("-j").or_else(|| value.strip_prefix('j'));
            known && jobs.is_some_and(|jobs| jobs.bytes().all(|byte| byte.is_ascii_digit()))
        }
        "RUSTFLAGS" | "RUSTDOCFLAGS" => {
            let runs = ["link", "wrapper", "plugin", "backend", "llvm-args", "/", "-Z", "-L", "@"];
            known && !runs.iter().any(|word| value.contains(word))
        }
        "GOFLAGS" => {
            let usual = |word: &str| {
                ["-mod=", "-count=", "-tags=", "-race", "-v"]
                    .iter()
                    .any(|usual| word.starts_with(usual))
            };
            known && value.split_whitespace().all(usual)
        }
        "NODE_OPTIONS" => {
            const USUAL: [&str; 5] = [
                "--max-old-space-size=", "--no-warnings", "--trace-warnings",
                "--enable-source-maps", "--unhandled-rejections=",
            ];
            let usual = |word: &str| USUAL.iter().any(|usual| word.starts_with(usual));
            known && value.split_whitespace().all(usual)
        }
        "JAVA_HOME" | "GOROOT" => {
            let system = ["/usr", "/opt", "/Library"];
            let value = crate::places::normal(value);
            known
                && system
                    .iter()
                    .any(|root| crate::places::is_within(&value, root))
        }
        "RUSTUP_TOOLCHAIN" => known && !value.contains('/'),
        "TMPDIR" => known && crate::places::is_within(&crate::places::normal(value), "/tmp"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::read::read;

    fn asks(text: &str) -> bool {
        let facts = read(text, &Context::default());
        (0..facts.assignments.len()).any(|index| check(&facts, index).is_some())
    }

    #[test]
    fn the_names_are_sorted() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn what_changes_other_programs_is_asked() {
        let cases = [
            ("LD_PRELOAD=./x.so ls", true),
            ("env LD_LIBRARY_PATH=. ls", true),
            ("export PATH=/x:$PATH", true),
            ("export \"PA\"TH=/tmp; ls", true),
            ("export {PATH,FOO}=/tmp; ls", true),
            ("for PATH in /tmp; do ls; done", true),
            ("read PATH <<< /tmp; ls", true),
            ("printf -v PATH /tmp; ls", true),
            (": ${BASH_ENV:=/tmp/x}", true),
            ("BASH_CMDS[ls]=/tmp/x; ls", true),
            ("declare -A BASH_CMDS=([ls]=/tmp/x)", true),
            ("GIT_SSH_COMMAND=x git fetch", true),
            ("CC=./evil make", true),
            ("CC='sh -c id' make", false),
            ("CC=clang make", false),
            ("PAGER=cat git log", false),
            ("GIT_AUTHOR_NAME=x git commit", false),
            ("while IFS= read -r line; do :; done", false),
            ("IFS=,; echo $x", true),
            ("RUST_BACKTRACE=1 cargo test", false),
            ("RUSTFLAGS='-D warnings' cargo check", false),
            ("RUSTFLAGS='-C linker=./x' cargo check", true),
            ("NODE_OPTIONS=--max-old-space-size=4096 npm test", false),
            ("NODE_OPTIONS='--require ./x' npm test", true),
            ("MAKEFLAGS=-j4 make", false),
            ("HGRCPATH=/tmp/x make", true),
            ("JAVA_HOME=/usr/lib/jvm/x mvn test", false),
            ("JAVA_HOME=/tmp/x mvn test", true),
            ("FOO=bar; export CI=1", false),
            ("GREP=./x zgrep one f", true),
            ("export GREP=./x", true),
            ("DIFF=$(git diff); echo $DIFF", false),
        ];
        for (text, expected) in cases {
            assert_eq!(asks(text), expected, "{text}");
        }
    }
}

//! Tools of a project that are told to work on other things: files outside of the project,
//! addresses on the network, or programs of the caller's choice.
//!
//! The rules let these tools pass because they run the project's own code. A word that leads
//! elsewhere takes that reason away.

use crate::context::Context;
use crate::facts::{Argument, Call};
use crate::places;

use super::verdict::Verdict;

mod tools;

use tools::{STARTERS, TOOLS};

/// What a tool of the project is told to do elsewhere.
pub(super) fn judge(call: &Call, context: &Context) -> Option<Verdict> {
    const STARTS: Verdict = Verdict::asks(
        "exec-sink",
        "has an option that starts another program",
        Some("leave the option out, and run the other program by itself"),
    );
    const ELSEWHERE: Verdict = Verdict::asks(
        "works-elsewhere",
        "works with files outside the workspace",
        Some("name only files in the workspace"),
    );
    let (name, arguments) = tool(call);
    if !is_tool(name) {
        return None;
    }
    if starts(name, arguments) {
        return Some(STARTS);
    }
    // What these make is what they are given.
    let mut before = if matches!(name, "venv" | "virtualenv") {
        "venv"
    } else {
        ""
    };
    for argument in arguments {
        let text = argument.known();
        if !is_pattern(name, before) && leads_elsewhere(argument, before, call, context) {
            return Some(ELSEWHERE);
        }
        before = text;
    }
    None
}

/// The tool that a call runs, and what that gets: `python -m pytest` is `pytest`.
fn tool(call: &Call) -> (&str, &[Argument]) {
    let (name, arguments) = (call.program(), call.operands());
    match arguments {
        [option, module, rest @ ..]
            if option.text == "-m" && (name.starts_with("python") || name.starts_with("pypy")) =>
        {
            (module.known(), rest)
        }
        _ => (name, arguments),
    }
}

/// Whether the rules know a program as a tool of the project.
fn is_tool(name: &str) -> bool {
    // Compilers carry their version in their name.
    let plain =
        name.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter));
    TOOLS.binary_search(&name).is_ok() || TOOLS.binary_search(&plain).is_ok()
}

/// Whether an option is given that names a program, or holds code.
fn starts(name: &str, arguments: &[Argument]) -> bool {
    let mut words = arguments.iter().map(Argument::known);
    let mut rows = STARTERS.iter().filter(|row| row.tools.contains(&name));
    rows.any(|row| {
        let listed = |text: &str| row.words.iter().any(|word| is_word(text, word));
        words.clone().any(listed)
    }) || words.any(|text| text.contains("$(") || text.contains('`'))
}

/// Whether a word is this one, or begins with it where it ends in a sign.
fn is_word(text: &str, word: &str) -> bool {
    if word.ends_with(['=', ':', '!', ' ']) {
        text.starts_with(word)
    } else {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || word.starts_with("--") && rest.starts_with('='))
    }
}

/// Whether the word after this option is a pattern or a name of tests.
fn is_pattern(name: &str, option: &str) -> bool {
    match option {
        "--xpath" | "-k" | "-run" | "-bench" | "-skip" | "--grep" | "--testNamePattern"
        | "--filter" => true,
        "-t" => matches!(name, "jest" | "vitest"),
        "-g" | "-f" => name == "mocha",
        "-e" => name == "rspec",
        _ => false,
    }
}

/// Whether a word names a place outside of the project, or an address on the network.
fn leads_elsewhere(argument: &Argument, before: &str, call: &Call, context: &Context) -> bool {
    let text = argument.known();
    if has_address(text) {
        return true;
    }
    if text.contains(' ') && !text.contains('=') && !text.starts_with('-') {
        // A sentence is no path, such as the name of a test.
        return false;
    }
    // Labels of these tools begin with two slashes.
    let labels = matches!(call.program(), "bazel" | "bazelisk" | "buck2" | "pants");
    paths(text)
        .filter(|path| !(labels && path.starts_with("//")))
        .any(|path| {
            let word = Argument::literal(path, argument.span);
            let places = places::places(&word, &call.directories, context);
            places.unknown
                || places
                    .paths
                    .iter()
                    .any(|place| !is_at_home(place.real(), text, before, context))
        })
}

fn has_address(text: &str) -> bool {
    const SCHEMES: &[&str] = &["http", "https", "ftp", "git", "ssh", "oci", "s3", "gs", "file"];
    let Some((before, _)) = text.split_once("://") else {
        return false;
    };
    let scheme = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric());
    scheme.take(1).any(|scheme| SCHEMES.contains(&scheme))
}

/// The parts of a word that are paths which can lead out of the directory: `/etc` in `-o/etc`,
/// `--output=/etc` and `html:/etc`, and `../x`.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_sign = |letter: char| "=,:;@ '\"(".contains(letter);
    text.split(is_sign).filter_map(|part| {
        if part.starts_with('/') || part == ".." || part.starts_with("../") || part.contains("/../")
        {
            return Some(part);
        }
        // The value of an option can be attached to its letters.
        let at = part.find('/').filter(|_| part.starts_with(['-', '+']))?;
        let letters = part.get(1..at)?;
        let option = letters.chars().all(|letter| letter.is_ascii_alphabetic());
        let dots = letters.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        if option {
            part.get(at..)
        } else if dots == ".." {
            part.get(at.saturating_sub(2)..)
        } else {
            None
        }
    })
}

/// Whether a place belongs to the project or to the system's own tools and libraries. Where else
/// one may write, output may go.
fn is_at_home(path: &str, text: &str, before: &str, context: &Context) -> bool {
    const SYSTEM: &[&str] = &[
        "/usr", "/opt", "/lib", "/lib64", "/bin", "/nix/store", "/Library", "/Applications",
        "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/shm",
    ];
    const OUTPUTS: &[&str] = &[
        "out", "build", "dest", "target", "cache", "report", "log", "junit", "basetemp", "dist",
        "prof", "tmp", "temp", "results", "cov", "venv",
    ];
    let within = |root: &str| places::is_within(path, root);
    if SYSTEM.iter().any(|root| within(root)) {
        return true;
    }
    let workspace = context.workspace.as_deref();
    if workspace.is_some_and(within)
        || workspace.is_none() && context.directory.as_deref().is_some_and(within)
    {
        return true;
    }
    let option = if text.starts_with('-') || text.contains('=') {
        text.split('/').next().unwrap_or_default()
    } else {
        before
    };
    let is_output = matches!(option, "-o" | "-B" | "-d" | "-O=" | "O=")
        || option.starts_with("-o")
        || matches!(option, "PREFIX=" | "DESTDIR=")
        || OUTPUTS
            .iter()
            .any(|word| option.to_ascii_lowercase().contains(word));
    is_output && context.write_roots.iter().any(|root| within(root))
}

#[cfg(test)]
mod tests {
    use super::TOOLS;
    use crate::context::testing::in_project;
    use crate::{Effect, Policy, judge};

    fn effect(text: &str) -> Effect {
        let context = in_project();
        judge(text, &Policy::careful(), &context).decision.effect
    }

    #[test]
    fn the_tools_are_sorted() {
        assert!(TOOLS.is_sorted());
    }

    #[test]
    fn what_leads_elsewhere_is_asked_about() {
        let texts = [
            "make -C /tmp/x",
            "make x='$(shell id)'",
            "cargo test --manifest-path ../other/Cargo.toml",
            "cargo +/tmp/x build",
            "npm --prefix /tmp/x test",
            "eslint -c /tmp/x.js .",
            "eslint --format=/tmp/x.js .",
            "mocha -r/tmp/x.js",
            "pytest -p/tmp/x",
            "pytest /home/u/other",
            "pylint --init-hook='import os' .",
            "tsup --onSuccess 'rm -rf x'",
            "zig test x.zig --test-cmd rm",
            "tox -x testenv.commands=rm",
            "mvn -Dmaven.ext.class.path=/tmp/x test",
            "dotnet build -p:PreBuildEvent=rm",
            "gcc -MF/etc/x a.c",
            "gcc -Wl,-Map=/etc/x a.c",
            "clang-12 --config=/tmp/x a.c",
            "protoc --cpp_out=/etc a.proto",
            "rustfmt /home/u/other/a.rs",
            "black ../other",
            "kustomize build https://x.example/y",
            "cmake -DCMAKE_PROJECT_INCLUDE=/tmp/x .",
            "./gradlew -p /tmp/x build",
            "ocamlc -pp ./x a.ml",
            "gotestsum -- -exec ./x",
            "python3 -m pylint --init-hook=x",
            "python3 -m compileall /home/u/other",
        ];
        for text in texts {
            assert_ne!(effect(text), Effect::Allow, "{text}");
        }
    }

    #[test]
    fn what_stays_in_the_project_passes() {
        let texts = [
            "make -C sub CC=clang all",
            "make INCLUDES=-I/usr/include",
            "cmake -S . -B /tmp/build -DENABLE_X=ON",
            "cmake --build /tmp/build",
            "gcc -I/usr/include -I../proj/include -o /tmp/a a.c",
            "cargo test --manifest-path /home/u/proj/Cargo.toml",
            "cargo build --target-dir /tmp/target",
            "cd sub && cargo test --manifest-path ../Cargo.toml",
            "pytest -k 'a or /b' tests/test_x.py::test_y",
            "pytest -p no:cacheprovider --junitxml=/tmp/out.xml",
            "mocha test/a.test.ts",
            "bazel test //a/b:c //...",
            "jest -t '/api works' src/a.test.js",
            "go test ./... -run 'TestX/sub'",
            "go test -coverprofile=/tmp/cover.out ./...",
            "tsc --noEmit -p tsconfig.json",
            "prettier --write src",
            "./gradlew test --tests 'a.b.C'",
        ];
        for text in texts {
            assert_eq!(effect(text), Effect::Allow, "{text}");
        }
    }
}

//! Agreement with `bash -n`: what a script is to bash, it is to the reader.
//!
//! A disagreement about a script of the repository fails the test. The scripts of the machine are
//! read as well, and a disagreement there is only printed: which scripts a machine has says nothing
//! about the reader. A test run takes a few hundred of them; `cargo xtask soak` takes all.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compare with real bash; the crate itself reads no file"
)]

use crate::support::context;
use crate::support::whole;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bashful_policy::{Effect, Policy, Unknown, UnknownKind, decide, read};

use whole::is_whole;

/// How many files a test run takes.
const CHOICE: usize = 400;

/// A longer file is not a command that an agent would hand to a shell.
const LONGEST: u64 = 256 * 1024;

/// Where scripts are looked for in a test run; a soak takes the whole file system.
const DIRECTORIES: &[&str] = &["/usr", "/etc", "/opt"];

#[test]
fn heavy_bash_and_the_reader_agree_on_what_is_valid() {
    let mut problems = Vec::new();
    for script in kept_scripts() {
        match bash_reads_text(&script.text) {
            None => {
                eprintln!("skipped: bash is not installed");
                return;
            }
            // This bash disagrees with the one that we compared with.
            Some(valid) if valid != script.valid => eprintln!("bash differs: {}", script.name),
            Some(valid) => {
                if let Some(problem) = disagreement(&script.text, valid) {
                    problems.push(format!("{}: {problem}", script.name));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is found on this machine is printed, and not judged.
#[test]
fn heavy_what_bash_and_the_reader_make_of_this_machine_is_told() {
    let mut scripts: Vec<(PathBuf, String)> = scripts().into_iter().collect();
    let all = scripts.len();
    if !is_whole() && all > CHOICE {
        // Takes one file in every few, so that no directory is left out.
        let mut index = 0;
        scripts.retain(|_| {
            index += 1;
            index * CHOICE / all != (index - 1) * CHOICE / all
        });
    }
    let mut disagreements = Vec::new();
    let mut invalid = 0;
    for (path, text) in &scripts {
        let Some(valid) = bash_reads(path) else {
            eprintln!("skipped: bash is not installed");
            return;
        };
        invalid += usize::from(!valid);
        if let Some(problem) = disagreement(text, valid) {
            disagreements.push(format!("{}: {problem}", path.display()));
        }
    }
    eprintln!(
        "{} scripts of {all}, {invalid} of them invalid: {} disagreements",
        scripts.len(),
        disagreements.len()
    );
    for line in &disagreements {
        eprintln!("{line}");
    }
}

/// What the reader makes of a text that is valid to bash, or not, if it disagrees.
fn disagreement(text: &str, valid: bool) -> Option<String> {
    let facts = read(text, &context::context());
    let error = facts
        .unknowns
        .iter()
        .find(|unknown| unknown.kind == UnknownKind::Syntax);
    if valid != error.is_some() {
        return None;
    }
    let ways = if valid {
        "bash reads it"
    } else {
        "bash does not read it"
    };
    let error = error.map(|unknown| (unknown.span, unknown.fact.chars().take(80)));
    let error = error.map(|(span, fact)| (span, fact.collect::<String>()));
    Some(format!("{ways}; {error:?}"))
}

/// A script of the repository.
struct Kept {
    name: &'static str,
    valid: bool,
    text: String,
}

/// All of them: `#### valid: its name`, or `#### invalid: its name`, and its lines.
fn kept_scripts() -> Vec<Kept> {
    let parts = include_str!("../cases/scripts.txt").split("#### ");
    let kept = parts.filter_map(|part| {
        let (title, text) = part.split_once('\n')?;
        let (valid, name) = title.split_once(": ")?;
        Some(Kept {
            name,
            valid: valid == "valid",
            text: text.to_owned(),
        })
    });
    let kept: Vec<Kept> = kept.collect();
    assert!(kept.iter().filter(|script| script.valid).count() >= 30);
    assert!(kept.iter().filter(|script| !script.valid).count() >= 25);
    kept
}

/// A text that bash does not read is not allowed, whatever stands in it. The texts are the cases
/// with a piece lost or added.
#[test]
fn heavy_what_bash_does_not_read_is_not_allowed() {
    const PIECES: &[&str] = &[
        "\"", "'", "`", "$(", ")", "(", "{", "}", "${", "|", "&&", ";", ";;", "<", "<<", "[[",
        "((", "done", "fi", "!", "&", "$((", "|!", "\\",
    ];
    let rounds = if is_whole() { 30 } else { 2 };
    let (mut count, mut invalid, mut accepted) = (0, 0, 0);
    let mut allowed = Vec::new();
    let commands = cases();
    for (index, command) in commands.iter().enumerate() {
        for round in 0..rounds {
            // Numbers without a common factor choose another place and piece each time.
            let number = index * 31 + round * 7_919;
            let starts: Vec<usize> = command.char_indices().map(|(start, _)| start).collect();
            let at = starts[number * 13 % starts.len()];
            let (before, after) = command.split_at(at);
            let mut rest = after.chars();
            let text = if number % 3 == 0 {
                rest.next();
                format!("{before}{}", rest.as_str())
            } else {
                format!("{before}{}{after}", PIECES[number * 17 % PIECES.len()])
            };
            let Some(valid) = bash_reads_text(&text) else {
                eprintln!("skipped: bash is not installed");
                return;
            };
            count += 1;
            if valid {
                continue;
            }
            invalid += 1;
            let context = context::context();
            let facts = read(&text, &context);
            let is_syntax = |unknown: &Unknown| unknown.kind == UnknownKind::Syntax;
            accepted += usize::from(!facts.unknowns.iter().any(is_syntax));
            if decide(&facts, &Policy::careful(), &context).decision.effect == Effect::Allow {
                allowed.push(text);
            }
        }
    }
    eprintln!("{count} texts, {invalid} of them invalid: {accepted} of those are accepted");
    assert!(allowed.is_empty(), "allowed:\n{}", allowed.join("\n"));
    assert!(
        accepted * 20 <= invalid,
        "{accepted} of {invalid} are accepted"
    );
}

/// The commands of the case set.
fn cases() -> Vec<String> {
    let lines = include_str!("../cases/policy-cases.jsonl").lines();
    let value = |line| serde_json::from_str::<serde_json::Value>(line).ok();
    lines
        .filter_map(|line| value(line)?.get("cmd")?.as_str().map(str::to_owned))
        .filter(|command| !command.is_empty() && !command.contains('\0'))
        .collect()
}

/// Whether bash finds the text valid; none if bash cannot be started.
fn bash_reads_text(text: &str) -> Option<bool> {
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile", "-n", "-c", text]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.stderr(Stdio::null()).status().ok()?;
    Some(status.success())
}

/// Whether bash finds the file valid; none if bash cannot be started.
fn bash_reads(path: &Path) -> Option<bool> {
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile", "-n"]).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.stderr(Stdio::null()).status().ok()?;
    Some(status.success())
}

/// The scripts of this system, each text once.
fn scripts() -> BTreeMap<PathBuf, String> {
    let mut texts: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut directories: Vec<(PathBuf, u64)> = roots();
    let mut seen = std::collections::BTreeSet::new();
    while let Some((directory, device)) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            if metadata.is_dir() && metadata.dev() == device {
                if seen.insert((metadata.dev(), metadata.ino())) {
                    directories.push((path, device));
                }
            } else if metadata.is_file()
                && metadata.len() < LONGEST
                && is_script(&path)
                && let Ok(text) = fs::read_to_string(&path)
            {
                let known = texts.entry(text).or_insert_with(|| path.clone());
                if path < *known {
                    *known = path;
                }
            }
        }
    }
    texts.into_iter().map(|(text, path)| (path, text)).collect()
}

fn roots() -> Vec<(PathBuf, u64)> {
    let roots: &[&str] = if is_whole() { &["/"] } else { DIRECTORIES };
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev());
    roots
        .iter()
        .map(PathBuf::from)
        .filter_map(|path| device(&path).ok().map(|device| (path, device)))
        .collect()
}

/// Whether the name or the first line says that it is for a shell.
fn is_script(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "sh") {
        return true;
    }
    let places = ["/usr/bin", "/usr/sbin", "/etc/init.d", "/usr/share", "/usr/lib"];
    if !places.iter().any(|place| path.starts_with(place)) {
        return false;
    }
    let mut start = [0; 64];
    let Ok(count) = fs::File::open(path).and_then(|mut file| file.read(&mut start)) else {
        return false;
    };
    let start = String::from_utf8_lossy(start.get(..count).unwrap_or_default());
    let line = start.lines().next().unwrap_or_default();
    let Some(interpreter) = line.strip_prefix("#!") else {
        return false;
    };
    let mut words = interpreter.split_whitespace();
    words.any(|word| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "dash")))
}

//! What would permit what was stopped: flags for the next run, and a grant.
//!
//! Each is the narrowest that the flags can say. Nothing is opened by this; it is words for a
//! person.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use bashful_policy::{NetworkCapability, escape_arg};
use bashful_sandbox::{Glance, Hint, ROOM_DIRECTORY, SYSTEM_DIRECTORIES, Violation};

use crate::config::{format_duration, format_size};
use crate::model::result::ExecutionResult;

/// The agent whose grants are meant if a command names none.
const DEFAULT_AGENT: &str = "default";

/// What would permit what a run was denied.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Remedy {
    /// Flags of `bashful run`, each with its value.
    pub flags: Vec<String>,
    /// The same command once more with them; none if there are no flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The command that remembers it for the session; none if no grant can say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// The command that declares it for a managed script; see
    /// [`crate::request::script::advice::edit_command`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The command that approves the script then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve: Option<String>,
}

/// What would permit what this run was denied.
pub fn remedy(result: &ExecutionResult) -> Remedy {
    let is_script = |id: &String| id.starts_with("script-");
    if result.task_id.as_ref().is_some_and(is_script) {
        // What it was called is no command: what it declares is changed instead.
        let Remedy { flags, .. } = compose(&result.command, "", &result.sandbox_violations);
        return Remedy {
            flags,
            ..Remedy::default()
        };
    }
    let mut whose = String::new();
    // Those that we name ourselves are the terminal's, which is who types this, or over.
    let is_ours = |name: &str| name.starts_with("session-") || name.starts_with("terminal-");
    if !is_ours(&result.session) {
        whose = format!(" --session={}", quoted(&result.session));
    }
    if result.agent != DEFAULT_AGENT {
        whose = format!("{whose} --agent={}", quoted(&result.agent));
    }
    // The native one is what a run gets that names none.
    let backend = result.enforcement.as_ref().map(|it| it.backend);
    let backend = backend.filter(|backend| !["native", "none"].contains(backend));
    let remedy = compose(&result.command, &whose, &result.sandbox_violations);
    let Some(backend) = backend else {
        return remedy;
    };
    let named = format!("bashful run --sandbox {backend} ");
    Remedy {
        run: remedy
            .run
            .map(|run| run.replacen("bashful run ", &named, 1)),
        ..remedy
    }
}

fn compose(text: &str, whose: &str, violations: &[Violation]) -> Remedy {
    let mut flags: Vec<String> = Vec::new();
    for flag in violations.iter().filter_map(|it| it.flag.as_ref()) {
        if !flags.contains(flag) {
            flags.push(flag.clone());
        }
    }
    let grants = ["--read ", "--write ", "--network "];
    let granted: Vec<&str> = flags
        .iter()
        .filter(|flag| grants.iter().any(|word| flag.starts_with(word)))
        .map(String::as_str)
        .collect();
    let command = quoted(text);
    // A command that looks like a flag is no flag.
    let (end, sign) = if text.starts_with('-') {
        ("-- ", "=")
    } else {
        ("", " ")
    };
    let run = format!("bashful run {} {end}{command}", flags.join(" "));
    let grant = format!(
        "bashful grants add --scope session{whose} --exact{sign}{command} {}",
        granted.join(" ")
    );
    Remedy {
        run: (!flags.is_empty()).then_some(run),
        grant: (!granted.is_empty()).then_some(grant),
        flags,
        ..Remedy::default()
    }
}

/// What was stopped, each with the flag that would permit it, or what else helps. `home` is that of
/// the caller.
pub(crate) fn with_flags(violations: &[Violation], home: Option<&Path>) -> Vec<Violation> {
    let host = Glance::default();
    let named = violations.iter().map(|violation| {
        let flag = flag_for(violation, &host, home);
        Violation {
            advice: match flag {
                Some(_) => None,
                None => advice_for(violation, &host, home),
            },
            flag,
            ..violation.clone()
        }
    });
    named.collect()
}

/// What helps with a path that is not opened as a whole by any flag that we name.
fn advice_for(violation: &Violation, host: &Glance, home: Option<&Path>) -> Option<String> {
    if violation.missing != "paths_write" || violation.source == "keeper" {
        return None;
    }
    let path = violation.needs.as_deref().or(violation.path.as_deref())?;
    if is_of_system(path) {
        return Some(
            "system directories stay closed: install below the workspace or in `~/.local`, which is \
             the run's own"
                .to_owned(),
        );
    }
    let there = path.ancestors().find(|path| host.real(path).is_some())?;
    let is_closed = is_too_wide(there, home) || is_of_system(there);
    if !is_closed || violation.needs.is_some() || there == path {
        return None;
    }
    // What is not there cannot be granted, and what is there is too much.
    let first = path.ancestors().take_while(|path| *path != there).last()?;
    let (first, is_file) = (word(first)?, first == path && violation.kind == "write");
    let make = if is_file {
        format!("`touch {first}` or `mkdir {first}`")
    } else {
        format!("`mkdir {first}`")
    };
    Some(format!(
        "make it first, {make}: then `--write {first}` opens it alone"
    ))
}

/// Whether a path is the system's, so that no run is to write it.
fn is_of_system(path: &Path) -> bool {
    const FOR_PEOPLE: [&str; 3] = ["/usr/local", "/usr/src", "/opt"];
    let is_below = |path: &Path, all: &[&str]| all.iter().any(|one| path.starts_with(one));
    let is_whole = |one: &&str| Path::new(one) == path;
    FOR_PEOPLE.iter().any(is_whole)
        || path.starts_with("/boot")
        || (is_below(path, &SYSTEM_DIRECTORIES) && !is_below(path, &FOR_PEOPLE))
}

/// Whether a directory holds more than anybody means who names something in it: a home, what homes
/// are in, or what the system shares.
fn is_too_wide(directory: &Path, home: Option<&Path>) -> bool {
    const SHARED: [&str; 8] = [
        "/home",
        "/root",
        "/srv",
        "/mnt",
        "/media",
        "/run",
        "/var/lib",
        "/var/cache",
    ];
    let is_shared = |one: &&str| Path::new(one) == directory;
    home.is_some_and(|home| home.starts_with(directory))
        || SHARED.iter().any(is_shared)
        || directory.parent() == Some(Path::new("/home"))
        || !is_grantable(directory)
}

/// The same for what is only guessed.
pub(crate) fn hints_with_flags(hints: &[Hint], home: Option<&Path>) -> Vec<Hint> {
    let read = |hint: &Hint| {
        let path = hint
            .path
            .as_deref()
            .filter(|_| hint.missing == "paths_read");
        let path = path.filter(|path| is_grantable(path) && !is_too_wide(path, home))?;
        Some(format!("--read {}", word(path)?))
    };
    // What begins with a dot in a home is often a secret: nobody is advised to open it.
    let is_private = |path: &Path| {
        let inside = home.and_then(|home| path.strip_prefix(home).ok());
        let inside = inside.or_else(|| path.strip_prefix("/root").ok());
        let of_others = || path.strip_prefix("/home").ok();
        let first = match inside {
            Some(inside) => inside.components().next(),
            None => of_others().and_then(|inside| inside.components().nth(1)),
        };
        first.is_some_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
    };
    let told = hints.iter();
    let told = told.filter(|hint| !hint.path.as_deref().is_some_and(is_private));
    let named = told.map(|hint| Hint {
        flag: more_of(&hint.missing, hint.limit).or_else(|| read(hint)),
        ..hint.clone()
    });
    named.collect()
}

/// The flag for twice the limit that was reached.
fn more_of(missing: &str, limit: Option<u64>) -> Option<String> {
    let name = missing.strip_prefix("resources.")?;
    let more = limit?.checked_mul(2)?;
    Some(match name {
        "memory" | "file_size" | "tmp_size" | "disk_size" => {
            format!("--{} {}", name.replace('_', "-"), format_size(more))
        }
        "processes" => format!("--processes {more}"),
        "cpu_time" => format!(
            "--cpu-time {}",
            format_duration(Duration::from_millis(more))
        ),
        _ => return None,
    })
}

/// The narrowest flag for one of them.
fn flag_for(violation: &Violation, host: &Glance, home: Option<&Path>) -> Option<String> {
    let path = violation.needs.as_deref().or(violation.path.as_deref());
    match violation.missing.as_str() {
        // What was held back is there by now, and is looked at rather than permitted.
        "paths_write" if violation.source == "keeper" => None,
        "paths_write" => Some(format!("--write {}", word(nearest(path?, host, home)?)?)),
        "paths_read" => {
            let path = path.filter(|path| is_grantable(path))?;
            Some(format!("--read {}", word(path)?))
        }
        "network" => Some("--network on".to_owned()),
        // A gate read what hostile programs sent: what it says is read as strictly as any list.
        "hosts" => {
            let hosts = match NetworkCapability::parse(violation.flag.as_deref()?) {
                Ok(hosts @ NetworkCapability::Hosts(_)) => hosts.to_string(),
                _ => return None,
            };
            Some(format!("--network {}", word(Path::new(&hosts))?))
        }
        "commands" => Some(format!("--command {}", word(path?.file_name()?.as_ref())?)),
        other => more_of(other, violation.limit),
    }
}

/// What is there of a path: what does not exist cannot be granted, but where it would lie can.
fn nearest<'a>(path: &'a Path, host: &Glance, home: Option<&Path>) -> Option<&'a Path> {
    let there = path.ancestors().find(|path| host.real(path).is_some())?;
    let is_fit = is_grantable(path) && !is_too_wide(there, home) && !is_of_system(there);
    is_fit.then_some(there)
}

/// Whether a path is ever what was meant: not the whole tree, not what every program on the host
/// shares, and not what the sandbox has of its own.
pub(crate) fn is_grantable(path: &Path) -> bool {
    let shared = ["/", "/tmp", "/var", "/var/tmp"];
    let own = ["/proc", "/sys", "/dev", ROOM_DIRECTORY];
    !shared.iter().any(|shared| path == Path::new(shared))
        && !own.iter().any(|own| path.starts_with(own))
}

/// A path as one word of a command line; none if it has no text.
fn word(path: &Path) -> Option<String> {
    path.to_str().map(quoted)
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if text.chars().all(is_shown_as_it_is) {
        escape_arg(text)
    } else {
        spelled(text)
    }
}

/// Whether a terminal shows it as itself. What is printed must be what is typed.
fn is_shown_as_it_is(c: char) -> bool {
    // Fillers count as letters, and a person does not see them.
    let is_filler = "\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}".contains(c);
    c == ' ' || c.is_ascii_graphic() || (c.is_alphanumeric() && !is_filler)
}

/// One word in the quotes of bash that know escapes, on one line.
fn spelled(text: &str) -> String {
    let mut word = "$'".to_owned();
    for c in text.chars() {
        match c {
            '\n' => word.push_str("\\n"),
            '\t' => word.push_str("\\t"),
            '\'' | '\\' => word.extend(['\\', c]),
            _ if is_shown_as_it_is(c) => word.push(c),
            _ => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(word, "\\x{byte:02x}");
                }
            }
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose(text: &str, whose: &str, violations: &[Violation]) -> Remedy {
        super::compose(
            text,
            whose,
            &with_flags(violations, Some(Path::new("/home/me"))),
        )
    }

    fn violation(missing: &str, path: Option<&Path>) -> Violation {
        Violation {
            path: path.map(Path::to_owned),
            missing: missing.to_owned(),
            source: "seccomp".to_owned(),
            ..Violation::default()
        }
    }

    #[test]
    fn each_missing_thing_has_its_flag() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let spaced = root.join("a file");
        std::fs::write(&spaced, "").unwrap();
        let root_text = root.to_str().unwrap();
        let denied = [
            violation("paths_write", Some(&spaced)),
            violation("paths_write", Some(&root.join("none/at/all"))),
            violation("paths_write", Some(&root.join("other"))),
            violation("paths_write", Some(Path::new("/nowhere/at/all"))),
            violation("paths_read", Some(root)),
            violation("network", None),
            violation("commands", Some(Path::new("/usr/bin/curl"))),
            violation("", Some(root)),
            violation("git-config", Some(root)),
        ];
        let remedy = compose("make x && true", "", &denied);
        assert_eq!(
            remedy.flags,
            [
                format!("--write '{root_text}/a file'"),
                format!("--write {root_text}"),
                format!("--read {root_text}"),
                "--network on".to_owned(),
                "--command curl".to_owned(),
            ]
        );
        let flags = remedy.flags.join(" ");
        assert_eq!(
            remedy.run,
            Some(format!("bashful run {flags} 'make x && true'"))
        );
        let granted = remedy.flags[..4].join(" ");
        assert_eq!(
            remedy.grant,
            Some(format!(
                "bashful grants add --scope session --exact 'make x && true' {granted}"
            ))
        );
    }

    #[test]
    fn what_is_taken_away_needs_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        let removed = Violation {
            needs: Some(directory.path().to_owned()),
            ..violation("paths_write", Some(&file))
        };
        let remedy = compose("true", "", &[removed]);
        let root = directory.path().to_str().unwrap();
        assert_eq!(remedy.flags, [format!("--write {root}")]);
    }

    #[test]
    fn what_everybody_shares_and_what_is_the_sandboxs_has_no_flag() {
        let shared = [
            "/tmp/surely-not-there",
            "/proc/1",
            "/dev/x",
            "/run/bashful/x",
            "/",
        ];
        for path in shared {
            for missing in ["paths_write", "paths_read"] {
                let denied = [violation(missing, Some(Path::new(path)))];
                // To let the command read one file that another user has in `/tmp` opens little.
                let is_small = (path, missing) == ("/tmp/surely-not-there", "paths_read");
                let flags = compose("true", "", &denied).flags;
                assert_eq!(flags.is_empty(), !is_small, "{missing} {path}: {flags:?}");
            }
        }
    }

    #[test]
    fn no_home_and_no_directory_of_the_system_is_opened_as_a_whole() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::write(home.join("there"), "").unwrap();
        let text = home.to_str().unwrap();
        let told = |path: &Path| {
            let write = Violation {
                kind: "write".to_owned(),
                ..violation("paths_write", Some(path))
            };
            let told = with_flags(&[write], Some(&home)).remove(0);
            (told.flag, told.advice.unwrap_or_default())
        };
        let flag = Some(format!("--write {text}/there"));
        assert_eq!(told(&home.join("there")), (flag, String::new()));
        for (path, way) in [
            (home.join("new"), format!("`touch {text}/new`")),
            (home.join("new/sub/file"), format!("`mkdir {text}/new`")),
            (
                "/usr/lib/x".into(),
                "system directories stay closed".to_owned(),
            ),
            ("/usr/local/lib-x".into(), String::new()),
            (
                "/etc/hosts".into(),
                "system directories stay closed".to_owned(),
            ),
            (
                "/home/surely-nobody/x".into(),
                "`mkdir /home/surely-nobody`".to_owned(),
            ),
        ] {
            let (flag, advice) = told(&path);
            assert_eq!(flag, None, "{}", path.display());
            assert!(advice.contains(&way), "{}: {advice}", path.display());
        }
    }

    #[test]
    fn a_command_of_several_lines_is_typed_on_one() {
        let denied = [violation("network", None)];
        let text = "# it's\necho \\ one\t\u{202e}\u{1b}\u{3164}ü";
        let word = r"$'# it\'s\necho \\ one\t\xe2\x80\xae\x1b\xe3\x85\xa4ü'";
        let remedy = compose(text, "", &denied);
        assert_eq!(remedy.run, Some(format!("bashful run --network on {word}")));
        assert!(remedy.grant.unwrap().contains(word));
    }

    #[test]
    fn nothing_denied_needs_nothing() {
        assert_eq!(compose("true", "", &[]), Remedy::default());
        let held = Violation {
            source: "keeper".to_owned(),
            ..violation("paths_write", Some(Path::new("/etc")))
        };
        assert_eq!(compose("true", "", &[held]), Remedy::default());
    }

    #[test]
    fn limits_are_doubled_and_no_grant_says_so() {
        let limit = |name: &str, limit| Violation {
            limit,
            ..violation(&format!("resources.{name}"), None)
        };
        let reached = [
            limit("memory", Some(100 << 20)),
            limit("processes", Some(8)),
            limit("cpu_time", Some(1500)),
            limit("file_size", Some(1000)),
            limit("tmp_size", Some(1 << 30)),
            limit("memory", None),
            limit("memory", Some(u64::MAX)),
            limit("nonsense", Some(1)),
        ];
        let remedy = compose("true", "", &reached);
        assert_eq!(
            remedy.flags,
            [
                "--memory 200M",
                "--processes 16",
                "--cpu-time 3s",
                "--file-size 2000B",
                "--tmp-size 2G"
            ]
        );
        assert_eq!(remedy.grant, None);
    }

    #[test]
    fn a_command_that_looks_like_a_flag_stays_a_command() {
        let denied = [violation("network", None)];
        let remedy = compose("--help", " --session=talk", &denied);
        assert_eq!(
            remedy.run.as_deref(),
            Some("bashful run --network on -- --help")
        );
        assert_eq!(
            remedy.grant.as_deref(),
            Some("bashful grants add --scope session --session=talk --exact=--help --network on")
        );
    }
}

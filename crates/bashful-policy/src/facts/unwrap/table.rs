//! The programs that run the program named in their arguments.

use crate::arguments::{Valued, values_of};
use crate::facts::Argument;

/// How a wrapper relates to what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its whole effect is what it runs.
    Plain,
    /// It runs it again and again, with words that come at run time, and gives it no input.
    Repeats,
    /// It has an effect of its own as well, so it is judged by itself, too.
    Opaque,
    /// It joins its operands and gives them to a shell.
    Text,
}

/// A program that runs another.
#[derive(Debug)]
pub(super) struct Wrapper {
    names: &'static [&'static str],
    pub(super) valued: Valued,
    /// How many arguments come before the program, as the duration of `timeout`.
    pub(super) operands: usize,
    pub(super) kind: Kind,
}

const fn row(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
    kind: Kind,
) -> Wrapper {
    Wrapper {
        names,
        valued: Valued { short, long },
        operands,
        kind,
    }
}

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    row(&["sudo"], "ugphCDRrtTU",
        &["user", "group", "prompt", "host", "close-from", "chdir", "chroot", "role", "type",
          "other-user", "command-timeout"], 0, Kind::Plain),
    row(&["doas"], "uC", &[], 0, Kind::Plain),
    row(&["pkexec"], "", &["user"], 0, Kind::Plain),
    row(&["gosu", "su-exec"], "", &[], 1, Kind::Plain),
    row(&["run0"], "", &["user", "group", "unit", "property", "chdir", "setenv"], 0, Kind::Plain),
    row(&["env"], "uCSa", &["unset", "chdir", "split-string", "argv0"], 0, Kind::Plain),
    row(&["nice"], "n", &["adjustment"], 0, Kind::Plain),
    row(&["ionice"], "cnpPu", &["class", "classdata"], 0, Kind::Plain),
    row(&["nohup", "setsid", "builtin", "command", "jobs", "unbuffer", "chronic", "fakeroot",
        "eatmydata"], "", &[], 0, Kind::Plain),
    row(&["busybox", "toybox"], "", &[], 0, Kind::Plain),
    row(&["exec"], "a", &[], 0, Kind::Plain),
    row(&["timeout", "gtimeout"], "ks", &["kill-after", "signal"], 1, Kind::Plain),
    row(&["time"], "fo", &["format", "output"], 0, Kind::Plain),
    row(&["stdbuf"], "ioe", &["input", "output", "error"], 0, Kind::Plain),
    row(&["cpulimit"], "lpPe", &["limit", "pid", "path", "exe"], 0, Kind::Plain),
    row(&["taskset"], "", &[], 1, Kind::Plain),
    row(&["chrt"], "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1, Kind::Plain),
    // The architecture may be left out, and is followed as a program then.
    row(&["setarch"], "p", &[], 1, Kind::Plain),
    row(&["linux64", "linux32", "i386", "x86_64"], "p", &[], 0, Kind::Plain),
    row(&["prlimit"], "", &[], 0, Kind::Plain),
    row(&["flock"], "wE", &["timeout", "conflict-exit-code"], 1, Kind::Opaque),
    row(&["strace"], "aeEIoOpPsSuUXb", &["output", "trace", "attach"], 0, Kind::Opaque),
    row(&["ltrace"], "aAeFlnopsuwxX", &["output", "library", "align", "config"], 0, Kind::Opaque),
    row(&["valgrind", "heaptrack", "catchsegv"], "", &[], 0, Kind::Opaque),
    row(&["perf"], "eopFcrtuCmD", &["event", "output", "pid", "freq", "repeat", "call-graph"], 1,
        Kind::Opaque),
    row(&["systemd-run"], "HMpEut",
        &["property", "setenv", "unit", "description", "slice", "uid", "gid", "machine", "host",
          "nice", "working-directory", "on-active", "on-calendar", "timer-property",
          "service-type"], 0, Kind::Opaque),
    row(&["systemd-inhibit"], "", &["what", "who", "why", "mode"], 0, Kind::Opaque),
    row(&["dbus-run-session", "xvfb-run", "caffeinate", "firejail", "proxychains", "proxychains4",
        "torsocks", "tsocks"], "", &[], 0, Kind::Opaque),
    row(&["chroot"], "", &[], 1, Kind::Opaque),
    row(&["unshare", "nsenter"], "tSGRwr", &["target", "setuid", "setgid", "root", "wd"], 0,
        Kind::Opaque),
    row(&["setpriv"], "", &["reuid", "regid", "groups", "inh-caps", "bounding-set"], 0,
        Kind::Opaque),
    row(&["capsh"], "", &[], 0, Kind::Opaque),
    row(&["start-stop-daemon"], "xpuc", &["exec", "pidfile", "user", "chuid"], 0, Kind::Opaque),
    row(&["watch"], "nq", &["interval", "equexit"], 0, Kind::Text),
    row(&["entr", "watchexec", "nodemon"], "ewx", &["exts", "watch", "exec"], 0, Kind::Opaque),
    row(&["xargs"], "adEILnPs",
        &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var",
          "replace", "max-lines", "eof"], 0, Kind::Repeats),
    row(&["parallel"], "jaINPS",
        &["jobs", "arg-file", "colsep", "delay", "joblog", "timeout", "max-args"], 0, Kind::Opaque),
    row(&["npx", "bunx", "uvx", "pnpx"], "pc", &["package", "call"], 0, Kind::Opaque),
    row(&["direnv"], "", &[], 2, Kind::Opaque),
    row(&["poetry", "pipenv", "uv", "pdm", "hatch", "rye"], "", &[], 1, Kind::Opaque),
    row(&["bundle"], "", &[], 1, Kind::Opaque),
    row(&["c8", "nyc"], "rixno",
        &["require", "include", "exclude", "reporter", "report-dir", "reports-dir", "temp-dir",
          "temp-directory", "src", "all-src", "cwd", "nycrc-path", "config", "extension"], 0,
        Kind::Opaque),
    // What starts a program under other conditions, in containers of its own making, or later.
    row(&["catatonit", "cross-env", "dotenv", "dumb-init", "env-cmd", "fakechroot", "run-one",
        "run-one-constantly", "tini", "daemon", "reflex", "tsp", "nq", "sem", "xe", "ld.so",
        "rlwrap", "daemonize"], "", &[], 0, Kind::Opaque),
    row(&["bwrap"], "",
        &["chdir", "unsetenv", "proc", "dev", "tmpfs", "dir", "uid", "gid", "hostname",
          "exec-label", "file-label", "seccomp", "info-fd", "args"], 0, Kind::Opaque),
    row(&["proot"], "rbRSwqk", &["rootfs", "bind", "cwd", "pwd"], 0, Kind::Opaque),
    row(&["faketime"], "", &[], 1, Kind::Opaque),
    row(&["softlimit"], "adfmstlpocrx", &[], 0, Kind::Opaque),
    row(&["chpst"], "uUbe/nlLmdofprtcP", &[], 0, Kind::Opaque),
    row(&["envdir", "envuidgid", "setuidgid", "logsave"], "", &[], 1, Kind::Opaque),
    row(&["runcon"], "turl", &["type", "user", "role", "range"], 0, Kind::Opaque),
    row(&["choom"], "np", &["adjust", "pid"], 0, Kind::Opaque),
    row(&["numactl"], "NmClpi",
        &["cpunodebind", "membind", "physcpubind", "interleave", "preferred"], 0, Kind::Opaque),
    row(&["cgexec"], "g", &[], 0, Kind::Opaque),
    row(&["pdsh"], "wxgRlut", &[], 0, Kind::Opaque),
    row(&["dtach", "abduco"], "Ee", &[], 1, Kind::Opaque),
];

/// Options of programs whose operands are texts for a shell.
pub(super) const TEXTS: Valued = Valued::new(
    "wmMrpcsnNPLSDiu",
    &[
        "warmup", "min-runs", "max-runs", "runs", "setup", "prepare", "cleanup", "parameter-scan",
        "shell", "style", "export-json", "export-markdown", "command-name", "names", "prefix",
    ],
);

impl Wrapper {
    /// Whether this option makes it only look a name up, or print a list.
    pub(super) fn looks_up(&self, option: &str) -> bool {
        let command = self.names.contains(&"command");
        command && !option.starts_with("--") && option.contains(['v', 'V'])
            || option == "--help" && self.kind != Kind::Repeats
            || option == "--version"
    }
}

/// Whether a program starts others in ways that the table does not describe in full.
pub(super) fn may_start(name: &str) -> bool {
    wrapper(name).is_some_and(|found| found.kind == Kind::Opaque)
        || [
            "setarch", "ip", "yarn", "pnpm", "npm", "rr", "mise", "asdf", "rbenv", "pyenv",
            "volta", "fnm", "nvm", "dotenvx", "lerna", "nx", "pueue", "aws-vault", "onchange",
            "conda", "mamba", "micromamba", "pixi", "guix", "nix", "op", "doppler", "screen",
            "tmux", "tox", "machinectl",
        ]
        .contains(&name)
        || name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
}

/// Where the arguments of such a program name one that can do harm.
pub(super) fn harmful_at(argv: &[Argument]) -> Option<usize> {
    const HARMFUL: &[&str] = &[
        "bash", "chmod", "chown", "dash", "dd", "doas", "ksh", "mkfs", "rm", "sh", "shred", "su",
        "sudo", "truncate", "wipefs", "zsh",
    ];
    // A name alone, as in `direnv hook bash`, does nothing.
    let before_last = argv.len().saturating_sub(1);
    let words = argv.get(..before_last).unwrap_or_default();
    let harmful = |word: &Argument| HARMFUL.contains(&word.program());
    words.iter().skip(1).position(harmful).map(|at| at + 1)
}

/// The wrapper of this name.
pub(super) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name))
}

/// Whether `NAME=value` before the program sets a variable for it.
pub(super) fn takes_assignments(name: &str) -> bool {
    matches!(name, "env" | "sudo" | "doas" | "systemd-run")
}

/// The subcommand with which a tool of many runs a program.
pub(super) fn verb(name: &str) -> Option<&'static str> {
    match name {
        "poetry" | "pipenv" | "uv" | "pdm" | "hatch" | "rye" => Some("run"),
        "bundle" | "direnv" => Some("exec"),
        _ => None,
    }
}

/// Whether a word names a kind of processor, which `setarch` may leave out.
pub(super) fn is_architecture(word: &Argument) -> bool {
    const NAMES: &[&str] = &[
        "86", "amd64", "arm", "aarch", "linux32", "linux64", "ppc", "mips", "s390", "sparc",
        "riscv", "alpha", "ia64", "parisc",
    ];
    let text = word.text.as_str();
    !text.starts_with('-') && NAMES.iter().any(|name| text.contains(name))
}

/// Whether the operands are joined to a shell's text.
pub(super) fn joins_as_text(name: &str) -> bool {
    matches!(name, "parallel")
}

/// Whether this is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The directory that a wrapper goes to before it runs its program.
pub(super) fn directory_option(name: &str, argv: &[Argument]) -> Option<Argument> {
    let (short, long) = match name {
        "env" => ('C', "chdir"),
        "sudo" => ('D', "chdir"),
        "run0" => ('\0', "chdir"),
        "systemd-run" => ('\0', "working-directory"),
        _ => return None,
    };
    let arguments = argv.get(1..).unwrap_or_default();
    // An option of the program inside does not belong to the wrapper.
    let own = arguments
        .iter()
        .take_while(|word| word.text.starts_with('-') || is_assignment(word))
        .count();
    let own = arguments
        .get(..(own + 1).min(arguments.len()))
        .unwrap_or_default();
    values_of(own, short, long).pop()
}

fn is_assignment(word: &Argument) -> bool {
    word.text
        .split_once('=')
        .is_some_and(|(name, _)| is_name(name))
}

/// Variables whose values programs run as commands.
pub(super) fn is_command_variable(name: &str) -> bool {
    [
        "PAGER", "MANPAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR",
        "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "PROMPT_COMMAND",
        "BROWSER",
    ]
    .contains(&name)
}

/// Texts in git's arguments that a shell runs.
pub(super) fn git_texts(argv: &[Argument]) -> Vec<Argument> {
    let mut texts = Vec::new();
    let words: Vec<&str> = argv.iter().map(Argument::known).collect();
    let has = |name: &str| words.contains(&name);
    let mut rest = argv.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.known();
        let filter = has("filter-branch") && text.ends_with("-filter");
        let exec = has("rebase") && matches!(text, "--exec" | "-x");
        let tool = has("difftool") && matches!(text, "--extcmd" | "-x");
        if filter || exec || tool {
            texts.extend(rest.next().cloned());
        } else if let Some(value) = text.strip_prefix("--exec=").filter(|_| has("rebase")) {
            texts.push(word.tail(text.len() - value.len()));
        } else if text == "foreach" && has("submodule") || text == "run" && has("bisect") {
            let operands = rest.by_ref().filter(|word| !word.text.starts_with("--"));
            texts.push(super::joined(operands));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use crate::{Context, Effect, Policy, judge};

    #[test]
    fn what_a_wrapper_starts_is_seen_behind_its_options() {
        let context = Context {
            directory: Some("/home/u/proj".into()),
            workspace: Some("/home/u/proj".into()),
            home: Some("/home/u".into()),
            write_roots: vec!["/home/u/proj".into()],
            enforced: true,
            ..Context::default()
        };
        let wrappers = [
            "setarch x86_64",
            "setarch -R",
            "cpulimit -l 50",
            "cpulimit -l 50 --",
            "chrt -T 100 -P 100 -d 0",
            "env -a x",
            "env --argv0 x",
            "env --chd /",
            "timeout --sig KILL 5",
            "ltrace -l x",
            "perf record -F 99",
            "perf stat -r 5 --",
            "c8 -r text",
            "nyc --reporter=lcov",
            "bwrap --bind / / --dev /dev",
            "faketime '1 day ago'",
            "numactl -N 0",
            "ip netns exec name",
            "/lib64/ld-linux-x86-64.so.2 --preload x",
            "mise exec --",
            "nx exec --",
            "tini --",
            "dtach -n /tmp/s",
        ];
        for wrapper in wrappers {
            let text = format!("{wrapper} rm -rf /");
            let judged = judge(&text, &Policy::confined(), &context);
            assert_ne!(judged.decision.effect, Effect::Allow, "{text}");
        }
        let texts = [
            "start-stop-daemon --start --exec /bin/rm -- -rf /",
            "ls | entr -s 'rm -rf /'",
            "nodemon --exec 'rm -rf /'",
            "hyperfine -w 3 'rm -rf /'",
            "concurrently 'ls' 'rm -rf /'",
            "cargo watch -s 'rm -rf /'",
            "tar -I 'rm -rf /' -cf x y",
            "split --filter='rm -rf /' x",
        ];
        for text in texts {
            let judged = judge(text, &Policy::confined(), &context);
            assert_ne!(judged.decision.effect, Effect::Allow, "{text}");
        }
    }
}

//! What the checks that are no rules of a file do, by the names that decisions use.

/// Every check by name, with what it does.
pub const CHECKS: &[(&str, &str)] = &[
    (
        "read-only",
        "allows what only reads: programs and flags that are known to change nothing",
    ),
    (
        "writes-inside",
        "allows what writes, moves or deletes only where the run may write",
    ),
    (
        "git-local",
        "allows git commands that change this repository alone and lose nothing",
    ),
    (
        "shell-builtin",
        "allows built-ins that change nothing but the shell itself, such as `cd`",
    ),
    (
        "wrapper",
        "allows what only starts another command, such as `env` or `timeout`; that is judged by itself",
    ),
    (
        "nothing-runs",
        "allows a text that starts no program, such as an assignment or a comment",
    ),
    (
        "unknown-command",
        "applies the profile's default: no rule or table knows what the program does",
    ),
    (
        "profile-default",
        "applies the default of the profile that the caller brought along",
    ),
    (
        "unreadable",
        "asks about what cannot be read, for a profile that the caller brought along",
    ),
    (
        "policy-none",
        "says that nothing was judged, because the caller asked for `--policy none`",
    ),
    (
        "blocked-pattern",
        "refuses what matches `blocked_commands` of the configuration",
    ),
    (
        "wipe-workspace",
        "asks before most of the workspace or its history is deleted",
    ),
    (
        "protected-name",
        "asks about writing what would run on the host later: git hooks and configuration, shell start-up files, settings of editors and agents",
    ),
    (
        "dynamic-write",
        "asks about a writer whose target is known only when it runs",
    ),
    (
        "system-change",
        "refuses what changes the system or installs for all users, such as `useradd` or `reboot`",
    ),
    (
        "hijack-variable",
        "asks about variables that change what other programs do, such as `PATH` or `LD_PRELOAD`",
    ),
    (
        "inline-code",
        "asks about code for another language that is given in the command; no rule reads it",
    ),
    (
        "exec-sink",
        "asks about programs that start other programs, out of sight or outside this run",
    ),
    (
        "kill-one",
        "allows signals to processes that are named by their numbers",
    ),
    (
        "kill-unknown",
        "asks before signalling processes that are not known",
    ),
    (
        "kill-broad",
        "asks before ending every process that matches",
    ),
    (
        "scheduled",
        "asks about what would run later or outside this run",
    ),
    (
        "syntax",
        "asks about what is not valid shell: the lines before the mistake would run",
    ),
    ("too-complex", "refuses what passes a limit of the analysis"),
    (
        "dynamic-name",
        "asks about a program whose name comes from a variable, a substitution or a glob",
    ),
    (
        "dynamic-script",
        "asks about a text for another shell that comes from an expansion",
    ),
    (
        "script-file",
        "asks about a script whose content is not in the command",
    ),
    (
        "string-evaluation",
        "asks about strings that the shell itself evaluates as code, as in `${x@P}`",
    ),
    (
        "shadowing",
        "asks about a function or alias that takes the name of a known command",
    ),
    (
        "characters",
        "asks about characters that look like others or cannot be seen",
    ),
    ("length", "asks about more text than a person reads"),
    ("empty-command", "refuses an empty command"),
    (
        "nul-byte",
        "refuses a command with a NUL byte: the shell would cut it there",
    ),
    (
        "too-long",
        "refuses a command that is longer than anything ordinary",
    ),
];

/// The known name nearest to a mistyped one, if one is near.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    crate::config::nearest(name, known)
}

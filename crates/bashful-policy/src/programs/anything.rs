//! Programs that do whatever their arguments say, so that their name alone says nothing.

/// Shells, interpreters, wrappers, remote shells, and what changes or fetches any file.
pub(crate) const DOES_ANYTHING: &[&str] = &[
    ".", "ash", "awk", "bash", "bunx", "busybox", "command", "csh", "curl", "dash", "dd", "doas",
    "docker", "emacs", "env", "eval", "exec", "fd", "find", "fish", "gawk", "gdb", "ksh",
    "kubectl", "lua", "mawk", "nice", "node", "nohup", "npx", "osascript", "parallel", "perl",
    "php", "pipx", "pkexec", "podman", "pwsh", "python", "python2", "python3", "rm", "ruby",
    "script", "setsid", "sh", "source", "ssh", "stdbuf", "strace", "su", "sudo", "tclsh", "tcsh",
    "time", "timeout", "uvx", "vi", "vim", "watch", "wget", "xargs", "zsh",
];

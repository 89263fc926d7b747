//! Names that a function must not take unseen, because calls are judged by them.

/// Built-ins and everyday programs, sorted.
const KNOWN: &[&str] = &[
    ".", ":", "[", "alias", "apt", "awk", "bash", "builtin", "bun", "cargo", "cat", "cd", "chmod",
    "chown", "command", "cp", "curl", "cut", "date", "declare", "df", "diff", "dirname", "docker",
    "du", "echo", "egrep", "enable", "env", "eval", "exec", "exit", "export", "false", "fgrep",
    "file", "find", "gcc", "git", "go", "grep", "head", "id", "jq", "kill", "kubectl", "less",
    "ln", "local", "ls", "make", "man", "mkdir", "mv", "node", "npm", "npx", "perl", "pip", "pip3",
    "pnpm", "popd", "printf", "ps", "pushd", "pwd", "pytest", "python", "python3", "read",
    "readlink", "readonly", "realpath", "return", "rg", "rm", "rmdir", "rsync", "ruby", "sed",
    "set", "sh", "shift", "sleep", "sort", "source", "ssh", "stat", "su", "sudo", "tail", "tar",
    "tee", "test", "time", "timeout", "touch", "tr", "trap", "true", "type", "uname", "uniq",
    "unset", "wait", "wc", "wget", "which", "whoami", "xargs", "yarn", "zsh",
];

/// Whether a name belongs to a command that is judged by its name.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.binary_search(&name).is_ok() || is_called_by_itself(name)
}

/// Whether bash calls a function of this name without being told.
pub(super) fn is_called_by_itself(name: &str) -> bool {
    name == "command_not_found_handle"
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::KNOWN.is_sorted());
        assert!(super::is_known("cd") && !super::is_known("greet"));
    }
}

//! Programs by what they do with the files they are given.

/// Programs that do not read what is in the files they are given.
pub(super) const LISTERS: &[&str] = &[
    "ls", "ll", "dir", "vdir", "exa", "eza", "lsd", "tree", "stat", "test", "[", "[[", "chmod",
    "chown", "chgrp", "chattr", "lsattr", "touch", "mkdir", "rmdir", "rm", "unlink", "shred",
    "echo", "printf", "basename", "dirname", "realpath", "readlink", "which", "type", "command",
    "hash", "cd", "pushd", "popd", "du", "df", "file", "getfacl", "setfacl", "export", "declare",
    "local", "readonly", "typeset", "set", "unset", "alias", "true", "false", ":", "ssh-add",
    "ssh-keygen", "ssh-copy-id", "ssh-agent", "namei", "inotifywait", "fuser", "lsof", "wait",
    "mktemp", "umask", "return", "exit", "shift", "let", "kill", "man", "whatis", "apropos",
    "whereis", "locate", "pwd", "restorecon", "chcon", "getfattr", "trap", "case",
];

/// Programs whose first operand is a pattern or a program and no file.
pub(super) const PATTERNS: &[&str] = &[
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep", "sed", "gsed", "awk", "gawk",
    "mawk", "nawk", "jq", "yq", "perl", "pcregrep", "ripgrep", "fd", "fdfind", "sd", "ast-grep",
];

/// Programs that read files by bare names in the directory where they are, beside those that print
/// them.
pub(super) const READERS: &[&str] = &[
    "batcat", "most", "sort", "wc", "cp", "mv", "install", "rsync", "scp", "tar", "zip", "7z",
    "diff", "cmp", "comm", "join", "source", ".", "vim", "vi", "nano", "emacs", "view", "curl",
    "wget", "mail", "split", "csplit", "md5sum", "sha1sum", "sha256sum", "python3", "python",
    "perl", "jq", "yq", "sqlite3",
];

/// Options whose value is a key or setting that the program itself uses.
pub(super) const OWN: &[&str] = &[
    "--kubeconfig", "--private-key", "--identity", "--identity-file", "--config", "--homedir",
    "--userconfig", "--key-file", "--aws-config",
];

/// Programs that copy whole trees, hidden files and all.
pub(super) const COPIERS: &[&str] = &[
    "tar", "gtar", "bsdtar", "zip", "7z", "7za", "cp", "rsync", "scp", "restic", "borg", "rclone",
    "duplicity",
];

//! Programs that print what they read, in whatever form.

/// From their input, or from files that they are given by bare names.
pub(super) const PRINTERS: &[&str] = &[
    "awk", "base32", "base64", "bat", "bzip2", "cat", "column", "cut", "dd", "egrep", "expand",
    "fgrep", "fmt", "fold", "gpg", "grep", "gzip", "hd", "head", "hexdump", "iconv", "less",
    "more", "nc", "nl", "od", "openssl", "paste", "pr", "rev", "rg", "sed", "strings", "tac",
    "tail", "tee", "tr", "uniq", "uuencode", "xxd", "xz", "zstd",
];

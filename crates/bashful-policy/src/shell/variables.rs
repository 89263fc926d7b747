//! Variables of bash itself.

/// Variables that bash sets by itself, so that what they are given does not stay. Sorted.
pub(crate) const SET_BY_BASH: &[&str] = &[
    "BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_CMDS",
    "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_LINENO", "BASH_REMATCH", "BASH_SOURCE",
    "BASH_SUBSHELL", "BASH_VERSINFO", "BASH_VERSION", "COPROC", "DIRSTACK", "EPOCHREALTIME",
    "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "LINENO", "MAPFILE", "OPTARG",
    "OPTIND", "PIPESTATUS", "PPID", "RANDOM", "READLINE_LINE", "REPLY", "SECONDS", "SHLVL",
    "SRANDOM", "UID", "_",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::SET_BY_BASH.is_sorted());
    }
}

//! Options that start a program, load a library, or hand text to an interpreter.

/// Options of one program, or of several that agree about them.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) programs: &'static [&'static str],
    /// Letters that make it start a program.
    pub(super) short: &'static str,
    /// Letters that take a value, so that what follows them is no letter.
    pub(super) valued: &'static str,
    /// Names, without dashes, that make it start a program.
    pub(super) long: &'static [&'static str],
    /// Names of harmless options that abbreviate one of those.
    pub(super) exact: &'static [&'static str],
    /// Whole words that make it start a program, or beginnings of such words.
    pub(super) words: &'static [&'static str],
}

const NONE: Options = Options {
    programs: &[],
    short: "",
    valued: "",
    long: &[],
    exact: &[],
    words: &[],
};

/// Letters with their values apart, and names.
const fn options(
    programs: &'static [&'static str],
    short: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
) -> Options {
    Options {
        programs,
        short,
        valued,
        long,
        ..NONE
    }
}

const fn words(programs: &'static [&'static str], words: &'static [&'static str]) -> Options {
    Options {
        programs,
        words,
        ..NONE
    }
}

const TAR: &[&str] = &[
    "checkpoint-action", "to-command", "use-compress-program", "info-script", "new-volume-script",
    "rmt-command", "rsh-command",
];
const MAKE: &[&str] = &["eval"];
const VIM: &[&str] = &["cmd", "remote-expr", "remote-send"];

impl Options {
    const fn exact(mut self, names: &'static [&'static str]) -> Self {
        self.exact = names;
        self
    }
}

/// All rows, sorted by the first program of each.
#[rustfmt::skip]
pub(super) const OPTIONS: &[Options] = &[
    words(&["ack"], &["--pager", "--pager="]),
    options(&["ack", "ag"], "", "", &["pager"]),
    words(&["apt"], &["-o"]),
    options(&["apt", "apt-get"], "oc", "t", &["option", "config-file"]),
    options(&["ar", "objdump"], "", "", &["plugin"]),
    options(&["bat", "batcat"], "", "lmr", &["pager"]),
    words(&["bsdtar"], &["--use-compress-program"]),
    options(&["bsdtar"], "", "fCbTXs", TAR),
    words(&["bun"], &["-e", "--eval", "-p", "--print"]),
    words(&["c++"], &["-B", "-wrapper", "-fplugin="]),
    words(&["cargo"], &["--config", "--config="]),
    words(&["cc", "g++", "gcc"], &["-wrapper", "-fplugin="]),
    words(&["clang"], &["-wrapper", "-fplugin=", "-load"]),
    words(&["cmake"], &["-P", "-E"]),
    words(&["ctest"], &["-S", "-SP", "--build-and-test"]),
    words(&["curl"], &["-K", "--config", "--config="]),
    options(&["diff3"], "", "L", &["diff-program"]),
    words(&["eslint"], &["--rulesdir", "--resolve-plugins-relative-to"]),
    words(&["gdb"],
        &["-ex", "-x", "--ex", "--command", "--eval-command", "-iex", "-ix", "--batch", "-batch"]),
    words(&["gmake", "make"], &["SHELL=", ".SHELLFLAGS=", "MAKEFLAGS=", "GNUMAKEFLAGS=", "MAKE="]),
    options(&["gmake"], "", "CIjloW", MAKE),
    words(&["go"],
        &["-exec", "-toolexec", "-exec=", "-toolexec=", "--exec=", "--toolexec=", "--exec",
          "--toolexec", "-vettool=", "-overlay="]),
    options(&["gtar", "tar"], "IF", "fCbTXgHKLNV", TAR).exact(&["checkpoint", "to-stdout"]),
    words(&["less"], &["+!", "+|!"]),
    words(&["lldb"], &["-o", "-s", "-O", "-S", "--one-line", "--source", "--batch", "-k"]),
    options(&["make"], "E", "CIjloWf", MAKE),
    options(&["man"], "PH", "CLMSeEmRsr", &["pager", "html", "preprocessor", "config-file"]),
    words(&["more", "nvim", "rview", "vi", "view", "vim", "vimdiff"], &["+!"]),
    words(&["mutt"], &["-e", "-F"]),
    words(&["mysql"], &["--pager="]),
    words(&["nc"], &["-e", "-c", "--exec", "--sh-exec", "--exec=", "--sh-exec="]),
    words(&["ncat"], &["-e", "-c", "--exec", "--sh-exec", "--exec=", "--sh-exec=", "--lua-exec"]),
    options(&["nm"], "", "ft", &["plugin"]),
    words(&["nmap"], &["--script", "--script=", "-sC", "-A", "--interactive"]),
    words(&["npm"], &["--node-options=", "--script-shell=", "--script-shell", "--node-options"]),
    options(&["nvim"], "cSuesl", "i", VIM),
    words(&["openssl"], &["-engine", "-provider", "-provider-path"]),
    words(&["pip"], &["--python", "--python="]),
    words(&["pytest"], &["--pdbcls", "--pdbcls="]),
    options(&["rg"], "", "ABCEMTdefgjmrt", &["pre", "hostname-bin"]),
    words(&["rg"], &["--pre", "--pre=", "--hostname-bin="]),
    options(&["rsync"], "e", "BfMT", &["rsh", "rsync-path"]),
    words(&["rustc"], &["-Clinker=", "--codegen=linker="]),
    options(&["rustdoc"], "", "", &["test-builder", "runtool", "test-runtool"]),
    options(&["rview", "vi", "view", "vimdiff"], "cSu", "", VIM),
    options(&["scp"], "SoDF", "clPiJX", &[]),
    options(&["screen"], "X", "cehSstTp", &[]),
    options(&["sdiff"], "", "Iow", &["diff-program"]),
    options(&["sftp"], "SoDFb", "lPiJBcRs", &[]),
    options(&["sort"], "", "kSotT", &["compress-program"]),
    options(&["split"], "", "abCln", &["filter"]),
    words(&["sqlite3"], &[".shell", ".system", "-cmd", "-init", "--cmd", "--init"]),
    options(&["ssh"], "oFI", "bcDeEiJLlmOpQRSWw", &[]),
    words(&["ssh-keygen"], &["-D"]),
    words(&["svn"],
        &["--diff-cmd", "--diff-cmd=", "--editor-cmd", "--editor-cmd=", "--diff3-cmd",
          "--merge-cmd", "--config-option"]),
    options(&["tcpdump"], "z", "BcCDEFGijmMrsTVwWyZQ", &["postrotate-command"]),
    words(&["terraform"], &["-chdir="]),
    words(&["tmux"],
        &["run-shell", "run", "if-shell", "pipe-pane", "source-file", "send-keys", "send",
          "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane",
          "respawn-window", "popup", "display-popup"]),
    options(&["vim"], "cSusl", "i", VIM),
    words(&["wget"], &["-e", "--execute", "--execute=", "--use-askpass", "--use-askpass="]),
    options(&["wget"], "e", "oaiBtOTwQPUl", &["execute", "use-askpass", "config"]),
    options(&["yt-dlp"], "", "",
        &["exec", "exec-before-download", "downloader", "external-downloader", "config-locations"]),
    words(&["zip"], &["-TT", "--unzip-command", "--unzip-command="]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_sorted() {
        assert!(OPTIONS.is_sorted_by_key(|row| row.programs.first()));
    }
}

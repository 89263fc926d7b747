//! Programs and options that start whatever they are given, so that no rule for the program
//! itself can let them pass.

use crate::arguments::values_of;
use crate::facts::{Argument, Call};

use super::shape::may_be_a_flag;
use super::verdict::Verdict;

mod table;

use table::{OPTIONS, Options};

/// What is known about a call that starts another program.
pub(super) fn judge(call: &Call, name: &str) -> Option<Verdict> {
    let arguments = call.operands();
    if asks_only_for_help(arguments) {
        return None;
    }
    always(name, arguments).or_else(|| {
        rows(name)
            .any(|row| gives(row, arguments) || (hides_options(name) && may_give(call)))
            .then_some(Verdict::asks(
                "exec-sink",
                "has an option that starts another program",
                Some("leave the option out, and run the other program by itself"),
            ))
    })
}

fn rows(name: &str) -> impl Iterator<Item = &'static Options> {
    OPTIONS
        .iter()
        .filter(move |row| row.programs.contains(&name))
}

/// The words of a call that an option of the program has it start: what is attached to the option,
/// or the word behind it.
pub(crate) fn code_words(name: &str, argv: &[Argument]) -> Vec<usize> {
    // These start what others name, and take no word.
    let alone = ["-A", "-sC", "-batch", "--batch", "--interactive"];
    let mut words = Vec::new();
    for (index, word) in argv.iter().enumerate().skip(1) {
        let starts = rows(name).any(|row| gives(row, std::slice::from_ref(word)));
        if starts && !alone.contains(&word.known()) {
            words.extend([index, index + 1]);
        }
    }
    words
}

/// Whether a program has options that run commands, so that a value must not become one.
pub(crate) fn runs_commands(name: &str) -> bool {
    let more = [
        "7z", "ansible", "borg", "bzip2", "clang++", "convert", "cpio", "ctags", "docker", "dpkg",
        "fd", "ffmpeg", "find", "fzf", "git", "gpg", "gs", "gzip", "hg", "install", "ip",
        "iptables", "journalctl", "kubectl", "latex", "lftp", "logrotate", "magick", "mise", "nix",
        "npx", "pandoc", "pdflatex", "podman", "rclone", "restic", "rpm", "script", "ssh-add",
        "su", "systemctl", "systemd-run", "unzip", "xelatex", "xterm", "xz", "yarn",
    ]
    .contains(&name);
    rows(name).next().is_some() || more
}

/// Programs that work on many files, whose names come from anywhere, and which execute what an
/// option says.
fn hides_options(name: &str) -> bool {
    matches!(
        name,
        "tar" | "gtar" | "bsdtar" | "sort" | "rsync" | "split" | "zip" | "scp"
    )
}

/// Whether a word that is not known can turn out to be such an option.
fn may_give(call: &Call) -> bool {
    let mut options = call
        .operands()
        .iter()
        .take_while(|argument| argument.text != "--");
    options.any(may_be_a_flag)
        || (call.open_ended && call.operands().iter().all(|argument| argument.text != "--"))
}

fn asks_only_for_help(arguments: &[Argument]) -> bool {
    matches!(arguments, [only] if only.is_literal()
        && matches!(only.text.as_str(), "--version" | "--help" | "-V"))
}

/// Programs that always run another one, or always do so with these words.
fn always(name: &str, arguments: &[Argument]) -> Option<Verdict> {
    const LATER: Verdict = Verdict::must_ask(
        "scheduled",
        "has a program run later or outside this run",
        Some("run it now, in the background if need be"),
    );
    const CONTAINER: Verdict = Verdict::must_ask(
        "exec-sink",
        "starts a program in a container, outside this run",
        None,
    );
    const PACKAGE: Verdict = Verdict::asks(
        "exec-sink",
        "runs a package that it may fetch first",
        Some("install the package with the project and run it from there"),
    );
    const ANYTHING: Verdict = Verdict::asks(
        "exec-sink",
        "starts other programs with what it is given",
        Some("run the program itself"),
    );
    let first = arguments.first().map_or("", Argument::known);
    let verb = arguments
        .iter()
        .map(Argument::known)
        .find(|word| !word.starts_with('-'))
        .unwrap_or_default();
    match name {
        "at" | "batch" if first != "-l" => Some(LATER),
        "systemd-run" | "run-one-constantly" => Some(LATER),
        "crontab" if !matches!(first, "-l") => Some(LATER),
        "launchctl" if matches!(verb, "load" | "bootstrap" | "submit" | "start") => Some(LATER),
        "docker" | "podman" | "nerdctl" => {
            let verb = if matches!(verb, "container" | "compose") {
                let words = arguments.iter().map(Argument::known);
                words
                    .skip_while(|word| *word != verb)
                    .skip(1)
                    .find(|word| !word.starts_with('-'))
                    .unwrap_or_default()
            } else {
                verb
            };
            matches!(
                verb,
                "run" | "exec" | "create" | "start" | "attach" | "cp" | "commit"
            )
            .then_some(CONTAINER)
        }
        "docker-compose" | "podman-compose" => matches!(verb, "run" | "exec").then_some(CONTAINER),
        "lxc" | "incus" | "lxc-attach" | "machinectl" | "systemd-nspawn" | "toolbox"
        | "distrobox" => Some(CONTAINER),
        "npx" | "bunx" | "pnpx" | "uvx" => (!is_build_tool(first)).then_some(PACKAGE),
        "npm" if matches!(verb, "exec" | "x" | "init" | "create" | "explore") => Some(PACKAGE),
        "pnpm" | "yarn" if verb == "dlx" => Some(PACKAGE),
        "bun" if verb == "x" => Some(PACKAGE),
        "pipx" if verb == "run" => Some(PACKAGE),
        "uv" if verb == "tool" && arguments.iter().any(|word| word.text == "run") => Some(PACKAGE),
        "nix" if matches!(verb, "run" | "develop" | "shell" | "eval" | "build") => Some(PACKAGE),
        "nix-shell" | "nix-env" | "nix-build" => Some(PACKAGE),
        "parallel" | "entr" | "watchexec" | "nodemon" | "sem" | "run-parts" | "rlwrap"
        | "socat" | "expect" | "start-stop-daemon" | "daemonize" | "ed" | "red" | "ex"
        | "gdbserver" | "dtrace" | "bpftrace" | "stap" | "m4" | "cscript" | "wscript"
        | "jrunscript" | "jjs" | "jshell" | "gcore" | "ansible" | "ansible-playbook" | "pssh"
        | "pdsh" | "fzf" | "cowsay" | "runc" | "crun" | "ctr" | "chroot" | "unshare"
        | "nsenter" | "bwrap" | "ldd" | "certbot" | "puppet" | "chef" | "salt" | "service"
        | "invoke-rc.d" | "logrotate" | "dosbox" | "wine" | "qemu-x86_64" => Some(ANYTHING),
        "make" | "gmake" => {
            let starts =
                reads_makefile_from_input(arguments) || arguments.iter().any(replaces_tool);
            starts.then_some(ANYTHING)
        }
        "tar" | "gtar" | "bsdtar" => {
            // The old style has its letters in a first word without a dash.
            let old = !first.starts_with('-') && first.contains(['I', 'F']);
            old.then_some(ANYTHING)
        }
        _ if name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so" => {
            Some(ANYTHING)
        }
        _ => None,
    }
}

/// A makefile that is not a file holds commands that no person has seen.
fn reads_makefile_from_input(arguments: &[Argument]) -> bool {
    let stdin = |value: Argument| {
        value.is_pipe || value.text == "-" || value.text.starts_with("/dev/") || !value.is_known()
    };
    values_of(arguments, 'f', "file").into_iter().any(stdin)
        || values_of(arguments, '\0', "makefile")
            .into_iter()
            .any(stdin)
}

/// `make CC=./x` has it start another program where the makefile wants a compiler.
fn replaces_tool(argument: &Argument) -> bool {
    let Some((name, value)) = argument.known().split_once('=') else {
        return false;
    };
    let tool = [
        "CC", "CXX", "CPP", "LD", "AR", "AS", "RM", "INSTALL", "RUSTC", "CARGO", "GO", "PYTHON",
        "NODE", "NPM", "SED", "AWK", "MAKE", "FC", "RANLIB", "STRIP",
    ]
    .contains(&name);
    // To name a compiler by its plain name is usual.
    tool && (!argument.is_known() || value.contains(['/', ';', '|', '&', '$', '`', '(']))
}

/// Tools of a project that `npx` finds there, for which there are rules. Sorted.
const TOOLS: &[&str] = &[
    "ava", "biome", "c8", "cypress", "eslint", "jest", "karma", "lint-staged", "markdownlint",
    "mocha", "next", "nx", "nyc", "playwright", "prettier", "rollup", "stylelint", "svelte-check",
    "tap", "tsc", "tsup", "turbo", "vite", "vitest", "vue-tsc", "webpack",
];

fn is_build_tool(name: &str) -> bool {
    TOOLS.binary_search(&name).is_ok()
}

/// Whether one of these options is given, in a bundle, abbreviated, or as a word of its own.
fn gives(row: &Options, arguments: &[Argument]) -> bool {
    let mut skip = false;
    for argument in arguments {
        let text = argument.known();
        if std::mem::take(&mut skip) {
            continue;
        }
        if text == "--" && row.words.is_empty() {
            return false;
        }
        if row.words.iter().any(|word| is_word(text, word)) {
            return true;
        }
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            let abbreviates = |option: &str| {
                option.starts_with(name) && (name.len() > 2 || option.len() == name.len())
            };
            if row.long.iter().any(|option| abbreviates(option)) && !row.exact.contains(&name) {
                return true;
            }
        } else if let Some(bundle) = text.strip_prefix('-') {
            for (at, letter) in bundle.char_indices() {
                if row.short.contains(letter) {
                    return true;
                }
                if row.valued.contains(letter) {
                    skip = at + letter.len_utf8() == bundle.len() && argument.is_literal();
                    break;
                }
            }
        }
    }
    false
}

/// Whether a word is this one; a listed word that ends in `=`, `:` or `!` is a beginning.
fn is_word(text: &str, word: &str) -> bool {
    if word.ends_with(['=', ':', '!']) {
        let begins = text.get(..word.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(word))
    } else {
        text == word
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tools_are_sorted() {
        assert!(super::TOOLS.is_sorted());
    }
}

//! Programs whose looking forms need more than a list of words.

use super::Words;
use crate::facts::Argument;

/// Programs whose looking forms need more than a list of words.
pub(super) fn special(program: &str, arguments: &[Argument]) -> Option<bool> {
    let texts: Vec<&str> = arguments.iter().map(Argument::known).collect();
    let operands = texts.iter().copied().filter(|text| !text.starts_with('-'));
    let words = Words {
        operands: operands.collect(),
        texts,
    };
    machine(program, &words).or_else(|| packages(program, &words))
}

/// The kernel, the clock and the network.
fn machine(program: &str, words: &Words<'_>) -> Option<bool> {
    Some(match program {
        "init" => matches!(words.operands.first(), Some(&("0" | "1" | "6" | "s" | "S"))),
        "sysctl" => {
            words.letters(&['w', 'p'])
                || words.long(&["--write", "--load", "--system"])
                || words.operands.iter().any(|operand| operand.contains('='))
        }
        "date" => {
            let valued = ["-d", "-r", "--date", "--reference", "-f", "--file", "-I"];
            let mut before = "";
            let sets = words.texts.iter().any(|text| {
                let is_value = valued.contains(&before);
                before = text;
                !is_value && !text.starts_with(['-', '+']) && !text.is_empty()
            });
            sets && words.operands.iter().any(|operand| {
                operand
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'.')
            }) || words
                .texts
                .iter()
                .any(|text| *text == "-s" || text.starts_with("-s") && !text.starts_with("--"))
                || words.texts.iter().any(|text| {
                    text.len() > 3 && (text.starts_with("--set") || "--set".starts_with(text))
                })
        }
        "hostname" | "domainname" | "nisdomainname" | "ypdomainname" => {
            !words.operands.is_empty() || words.letters(&['F', 'b'])
        }
        "ip" | "bridge" | "tc" | "devlink" => words.operands.iter().skip(1).any(|word| {
            matches!(
                *word,
                "add"
                    | "del"
                    | "delete"
                    | "set"
                    | "flush"
                    | "replace"
                    | "change"
                    | "append"
                    | "up"
                    | "down"
            )
        }),
        "ifconfig" | "iwconfig" => words.operands.len() > 1,
        "mount" => {
            words.operands.len() + usize::from(words.letters(&['a', 'o', 'B'])) > 0
                && !words.texts.contains(&"-l")
        }
        _ => return None,
    })
}

/// Package managers and installations.
fn packages(program: &str, words: &Words<'_>) -> Option<bool> {
    let verb = words.operands.first().copied().unwrap_or_default();
    Some(match program {
        "pacman" | "yay" | "paru" => words.texts.iter().any(|text| {
            let asks = text.contains(['s', 'i', 'l', 'p', 'g', 'q']);
            text.starts_with("-S") && !asks
                || text.starts_with("-R")
                || text.starts_with("-U")
                || text.starts_with("-D")
                || matches!(*text, "--sync" | "--remove" | "--upgrade")
        }),
        "rpm" => {
            words.texts.iter().any(|text| {
                let is_query =
                    text.starts_with("-q") || text.starts_with("-V") || text.starts_with("-K");
                text.starts_with('-')
                    && !text.starts_with("--")
                    && !is_query
                    && text.contains(['i', 'U', 'F', 'e'])
            }) || words.long(&["--install", "--upgrade", "--erase", "--freshen", "--import"])
        }
        "dpkg" => {
            words.letters(&['i', 'r', 'P'])
                || words.long(&[
                    "--install", "--remove", "--purge", "--unpack", "--configure",
                    "--add-architecture", "--set-selections",
                ])
        }
        "npm" | "pnpm" | "bun" => {
            (words.texts.contains(&"-g")
                || words.long(&["--global"])
                || words.texts.contains(&"--location=global"))
                && [
                    "install", "i", "add", "uninstall", "remove", "rm", "un", "update", "up",
                    "upgrade", "link", "ln", "in", "isntall", "ci", "it", "r", "unlink", "rebuild",
                ]
                .contains(&verb)
                || verb == "link" && words.operands.len() == 1
                || verb == "config" && words.operands.get(1) == Some(&"set")
        }
        "yarn" => {
            verb == "global" && !matches!(words.operands.get(1), Some(&("list" | "bin" | "dir")))
        }
        "pip" | "pip3" => {
            words.long(&["--user", "--break-system-packages"])
                && matches!(verb, "install" | "uninstall")
                || verb == "config"
                    && matches!(words.operands.get(1), Some(&("set" | "unset" | "edit")))
        }
        "python" | "python3" => {
            words
                .texts
                .windows(2)
                .any(|pair| matches!(pair, ["-m", "pip"]))
                && words.long(&["--user", "--break-system-packages"])
        }
        "composer" => verb == "global",
        "dotnet" => verb == "tool" && (words.texts.contains(&"-g") || words.long(&["--global"])),
        "go" => verb == "env" && words.texts.contains(&"-w"),
        "make" | "gmake" | "ninja" => {
            let elsewhere = |word: &&str| {
                ["DESTDIR=", "PREFIX=", "prefix=", "INSTALL_ROOT="]
                    .iter()
                    .any(|name| word.starts_with(name))
            };
            words.operands.iter().any(|word| {
                matches!(
                    *word,
                    "install" | "uninstall" | "install-strip" | "altinstall"
                )
            }) && !words.operands.iter().any(elsewhere)
                && !words.letters(&['n'])
        }
        "cmake" => words.texts.contains(&"--install") && !words.long(&["--prefix"]),
        "meson" => verb == "install" && !words.long(&["--destdir"]),
        "ssh-keygen" => !words.letters(&['f', 'l', 'F', 'Y', 'y']) || words.letters(&['R']),
        _ => return None,
    })
}

//! Programs by what they do with what never ends.

use crate::classes::place_kind::may_find;
use crate::classes::printers::PRINTERS;
use crate::classes::shell;
use crate::context::Context;
use crate::facts::{Argument, Call};
use crate::places;

use super::sizes;

/// Devices that give as much as is read.
const DEVICES: &[&str] = &["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Programs that print what they read, beside the usual ones.
const FILTERS: &[&str] = &[
    "basenc", "colrm", "gawk", "gcat", "gdd", "lz4", "lzma", "lzop", "mawk", "mbuffer", "pigz",
    "pv", "ts", "unexpand", "buffer", "ghead", "unbuffer", "stdbuf", "dcfldd", "socat",
];

/// Whether a path is such a device.
pub(super) fn is_device(word: &Argument, directories: &[String], context: &Context) -> bool {
    if !word.text.contains('/') && directories.iter().all(|from| !from.starts_with("/dev")) {
        return false;
    }
    let path = word
        .text
        .strip_prefix("file://")
        .map_or(0, |rest| word.text.len() - rest.len());
    let places = places::places(&word.tail(path), directories, context);
    !places.unknown
        && places.paths.iter().any(|place| {
            DEVICES.iter().any(|device| {
                let mut parts = place.text.split('/').zip(device.split('/'));
                let same = place.text.split('/').count() == device.split('/').count();
                place.real() == *device
                    || word.glob && same && parts.all(|(one, two)| may_find(one, two))
            })
        })
}

/// Whether a call prints without end by itself.
pub(super) fn begins(call: &Call) -> bool {
    let words = call.operands();
    let has = |short: char, long: &str| crate::arguments::has_flag(words, short, long);
    match call.program() {
        "yes" | "gyes" => words
            .iter()
            .all(|word| !matches!(word.text.as_str(), "--help" | "--version")),
        "seq" | "gseq" => sizes::counts_far(words),
        "jot" => words.first().is_some_and(|count| count.text == "0"),
        "shuf" => has('r', "repeat") && !has('n', "head-count"),
        "openssl" => words.first().is_some_and(|verb| verb.text == "rand") && sizes::is_huge(call),
        "awk" | "gawk" | "mawk" | "nawk" => words.iter().any(|word| loops(&word.text)),
        _ => shell::inline_text(call)
            .is_some_and(|text| !shell::is_shell(call.program()) && loops(&text.text)),
    }
}

/// Whether the text of a program prints in a loop without an end.
fn loops(text: &str) -> bool {
    const ENDLESS: &[&str] = &[
        "while1", "while(1)", "whiletrue", "while(true)", "whileTrue", "while(True)", "for(;;)",
        "loop{", "loopdo", "until0", "until(0)",
    ];
    const PRINTS: &[&str] = &["print", "write", "puts", "say", "echo", "log"];
    const LEAVES: &[&str] = &["break", "exit", "last", "return", "sleep"];
    let close: String = text.chars().filter(|one| !one.is_whitespace()).collect();
    let has = |words: &[&str]| words.iter().any(|word| close.contains(word));
    has(ENDLESS) && has(PRINTS) && !has(LEAVES)
}

/// Whether a call prints what it reads.
pub(super) fn filters(call: &Call) -> bool {
    let name = call.program();
    PRINTERS.contains(&name) || FILTERS.contains(&name) || begins(call)
}

/// Whether a call copies a file that it names, and reads no input.
pub(super) fn copies(call: &Call) -> bool {
    matches!(
        call.program(),
        "cp" | "gcp" | "install" | "ddrescue" | "curl"
    )
}

/// Whether a call puts what it reads into a file that it names itself.
pub(super) fn keeps(call: &Call) -> bool {
    let words = call.operands();
    let has = |names: &[&str]| {
        words.iter().any(|word| {
            let text = word.known();
            names.iter().any(|name| text.starts_with(name))
        })
    };
    let named = |word: &Argument| {
        !word.text.starts_with('-') && !word.is_pipe && !word.text.starts_with("/dev/")
    };
    match call.program() {
        "tee" | "gtee" | "sponge" => words.iter().any(named),
        "dd" | "gdd" | "dcfldd" | "dc3dd" => words.iter().any(|word| {
            let file = word.known().strip_prefix("of=");
            file.is_some_and(|file| !file.starts_with("/dev/"))
        }),
        "cp" | "gcp" | "install" | "split" | "gsplit" | "csplit" | "ddrescue" | "sort"
        | "gsort" => true,
        "curl" | "gpg" | "pv" | "openssl" | "xz" | "zstd" | "socat" => {
            has(&["-o", "--output", "-O"])
        }
        "xxd" => words.iter().filter(|word| named(word)).count() > 1,
        _ => false,
    }
}

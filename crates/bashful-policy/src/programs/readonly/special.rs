//! Programs whose way to read arguments no table of flags describes.

use crate::facts::{Argument, Call};

use super::super::shape::{Shape, guarded, may_be_a_flag};
use super::table;

/// Whether a call of one of these programs only reads.
pub(super) fn reads(call: &Call, name: &str) -> bool {
    match name {
        "tar" | "gtar" | "bsdtar" => lists_archive(call),
        "ip" => shows_network(call.operands(), call.open_ended),
        "bunzip2" | "bzip2" | "gunzip" | "gzip" | "lz4" | "pigz" | "unpigz" | "unxz" | "unzstd"
        | "xz" | "zstd" => filters(call, name),
        _ => false,
    }
}

const LIST: Shape = guarded(
    "t!f:zjJaZvRC:X:k",
    "list! file= gzip gunzip ungzip bzip2 xz lzma lzip zstd compress uncompress auto-compress \
     verbose block-number directory= exclude= exclude-from= -files-from= wildcards no-wildcards \
     anchored no-anchored ignore-case full-time utc numeric-owner quoting-style= force-local \
     strip-components= show-transformed-names show-stored-names occurrence? null no-recursion \
     -to-command= -checkpoint-action= -use-compress-program= -info-script= -new-volume-script= \
     -rmt-command= -rsh-command= -index-file= -delete -create -extract -get -append -update \
     -catenate -concatenate -remove-files",
);

/// `tar -t` in its three spellings, of an archive on this machine.
fn lists_archive(call: &Call) -> bool {
    let arguments = call.operands();
    // A name such as `host:archive` has tar start a remote shell.
    let remote = |argument: &Argument| {
        let (before, _) = argument
            .known()
            .split_once('/')
            .unwrap_or((argument.known(), ""));
        before.contains(':')
    };
    if arguments.iter().any(remote) {
        return false;
    }
    let Some((first, rest)) = arguments.split_first() else {
        return false;
    };
    if first.text.starts_with('-') {
        return LIST.fits(arguments, call.open_ended);
    }
    // The old style: letters without a dash, their values in the words after.
    let letters = first.text.as_str();
    first.is_literal()
        && letters.contains('t')
        && letters.chars().all(|letter| "tfzjJaZvR".contains(letter))
        && !call.open_ended
        && !rest.iter().any(may_be_a_flag)
        && rest.iter().all(|word| !word.known().starts_with('-'))
}

/// A compressor without files, which works from its standard input to its standard output.
fn filters(call: &Call, name: &str) -> bool {
    // The parallel ones take the flags of the one that they stand for.
    let name = match name {
        "pigz" => "gzip",
        "unpigz" => "gunzip",
        other => other,
    };
    table::PROGRAMS
        .iter()
        .filter(|(names, _)| names.contains(&name))
        .map(|(_, shape)| shape.relaxed().at_most(0))
        .any(|shape| shape.fits(call.operands(), call.open_ended))
}

/// Objects of `ip` that are shown when no verb is given.
const OBJECTS: &[&str] = &[
    "a", "addr", "address", "l", "link", "maddr", "maddress", "n", "neigh", "neighbor",
    "neighbour", "netns", "nexthop", "ntable", "r", "ro", "route", "ru", "rule", "tunnel", "vrf",
];

/// `ip` with flags for printing, an object, and a verb that shows it.
fn shows_network(arguments: &[Argument], open_ended: bool) -> bool {
    const FLAGS: &[&str] = &[
        "-4", "-6", "-0", "-br", "-brief", "-c", "-color", "-d", "-details", "-h", "-human", "-j",
        "-json", "-o", "-oneline", "-p", "-pretty", "-r", "-resolve", "-s", "-stats",
        "-statistics", "-V",
    ];
    if open_ended || !arguments.iter().all(Argument::is_literal) {
        return false;
    }
    let mut words = arguments.iter().map(|argument| argument.text.as_str());
    let mut word = words.next();
    while let Some(flag) = word
        && flag.starts_with('-')
    {
        if !FLAGS.contains(&flag) && !flag.starts_with("-color=") {
            return false;
        }
        word = words.next();
    }
    let Some(object) = word else {
        return true;
    };
    let verb = words.next();
    OBJECTS.contains(&object)
        && match verb {
            None | Some("show" | "list" | "ls" | "lst" | "sh") => true,
            Some("get") => matches!(object, "r" | "ro" | "route"),
            // `ip netns exec` and `ip vrf exec` start programs; `ip addr eth0` shows.
            Some(_) => false,
        }
}

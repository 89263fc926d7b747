//! Programs that only read, by the flags and operands of each.

use crate::arguments::has_flag;
use crate::facts::{Argument, Call, Facts};

use super::shape::has_shape;
use super::verdict::Verdict;

mod listed;
mod queries;
mod special;
mod table;
mod versions;

pub(crate) use listed::reads_list;

const LISTED: Verdict = Verdict::asks(
    "listed-files",
    "reads files whose names are in another file",
    Some("name the files themselves"),
);

/// Whether a call only reads.
pub(super) fn judge(facts: &Facts, call: &Call, name: &str) -> Option<Verdict> {
    let arguments = call.operands();
    if unpacks_after_all(name, arguments) || takes_more_from_file(name, arguments) {
        return None;
    }
    if listed::reads_what_a_file_lists(facts, call, name) {
        return Some(LISTED);
    }
    let reads = special::reads(call, name)
        || has_shape(table::PROGRAMS, name, arguments, call.open_ended)
        || asks_something(call, name)
        || (!call.open_ended && versions::only_asks_for_version(name, arguments));
    reads.then_some(Verdict::READS)
}

/// Whether a packer is told to test or list, and then to unpack: the last of these holds.
fn unpacks_after_all(name: &str, arguments: &[Argument]) -> bool {
    const PACKERS: &[&str] = &["bzip2", "lz4", "xz", "zstd", "bunzip2", "unxz", "unzstd"];
    let has = |short: char, long: &str| has_flag(arguments, short, long);
    PACKERS.contains(&name)
        && (has('d', "decompress") || has('\0', "uncompress"))
        && !has('c', "stdout")
        && !has('\0', "to-stdout")
}

/// Whether a tool for object files is given more options in a file, which could load a plug-in.
fn takes_more_from_file(name: &str, arguments: &[Argument]) -> bool {
    const TOOLS: &[&str] = &["addr2line", "c++filt", "nm", "objdump", "readelf", "size", "strings"];
    TOOLS.contains(&name) && arguments.iter().any(|word| word.known().starts_with('@'))
}

/// Queries of programs that have subcommands: `docker image ls`, `dpkg -l`.
fn asks_something(call: &Call, name: &str) -> bool {
    let arguments = call.operands();
    queries::QUERIES
        .iter()
        .filter(|query| query.programs.contains(&name))
        .flat_map(|query| query.words.iter().map(move |words| (words, &query.shape)))
        .any(|(words, shape)| {
            begins_with(arguments, words).is_some_and(|rest| shape.fits(rest, call.open_ended))
        })
}

/// What follows these words, if the arguments begin with exactly them.
fn begins_with<'a>(arguments: &'a [Argument], words: &str) -> Option<&'a [Argument]> {
    let mut rest = arguments;
    for word in words.split_ascii_whitespace() {
        let (first, after) = rest.split_first()?;
        if !first.is_literal() || first.text != word {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{queries::QUERIES, table::PROGRAMS};

    #[test]
    fn the_tables_are_sorted() {
        assert!(PROGRAMS.is_sorted_by_key(|(names, _)| names.first()));
        let names = PROGRAMS.iter().flat_map(|(names, _)| *names);
        let different: BTreeSet<&str> = names.clone().copied().collect();
        assert_eq!(
            names.count(),
            different.len(),
            "a program stands in two rows"
        );
        assert!(QUERIES.is_sorted_by_key(|query| query.programs.first()));
    }
}

//! `find`: an expression of tests and actions, of which few do more than print.

use crate::facts::{Argument, Call};

use super::shape::may_be_a_flag;
use super::verdict::Verdict;

/// Tests and actions without an argument that only look.
const PLAIN: &[&str] = &[
    "!", "(", ")", ",", "-a", "-and", "-d", "-daystart", "-depth", "-empty", "-executable",
    "-false", "-follow", "-help", "-ignore_readdir_race", "-ls", "-mount", "-nogroup",
    "-noignore_readdir_race", "-noleaf", "-not", "-nouser", "-nowarn", "-o", "-or", "-print",
    "-print0", "-prune", "-quit", "-readable", "-true", "-version", "-warn", "-writable", "-xdev",
];

/// Tests and actions with one argument that only look. Those with two letters in the middle,
/// such as `-newermt`, are known by their beginning.
const VALUED: &[&str] = &[
    "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-context", "-ctime", "-fstype", "-gid",
    "-group", "-ilname", "-iname", "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname",
    "-maxdepth", "-mindepth", "-mmin", "-mtime", "-name", "-newer", "-path", "-perm", "-printf",
    "-regex", "-regextype", "-samefile", "-size", "-type", "-uid", "-used", "-user", "-wholename",
    "-xtype",
];

/// What is known about a call of `find`.
pub(super) fn judge(call: &Call) -> Option<Verdict> {
    let mut verdict = Verdict::READS;
    let mut rest = call.operands().iter();
    if call.open_ended {
        return None;
    }
    while let Some(argument) = rest.next() {
        if may_be_a_flag(argument) {
            return None;
        }
        let text = argument.known();
        match text {
            _ if !text.starts_with('-') => {}
            _ if !argument.is_literal() => return None,
            "-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" | "--" => {}
            "-D" => {
                rest.next();
            }
            // What it starts is a call of its own, to be judged there.
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                verdict = Verdict::WRAPS;
                rest.find(|word| word.text == ";" || word.text == "+");
            }
            _ if PLAIN.binary_search(&text).is_ok() || is_optimization(text) => {}
            _ if VALUED.binary_search(&text).is_ok() || text.starts_with("-newer") => {
                if rest.next().is_some_and(splits) {
                    return None;
                }
            }
            // `-delete`, `-fprint`, `-fls` and whatever else there is.
            _ => return None,
        }
    }
    Some(verdict)
}

fn is_optimization(text: &str) -> bool {
    text.strip_prefix("-O")
        .is_some_and(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
}

fn splits(argument: &Argument) -> bool {
    argument.splits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(PLAIN.is_sorted() && VALUED.is_sorted());
    }
}

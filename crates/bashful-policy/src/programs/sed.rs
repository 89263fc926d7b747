//! `sed`: scripts that only print.

use crate::facts::{Argument, Call};

use super::verdict::Verdict;

mod script;

use script::Effect;

const DYNAMIC: Verdict = Verdict::asks(
    "inline-code",
    "runs a sed script that is not known",
    Some("write the script out, or change the file with an editor tool"),
);

/// What is known about a call of `sed`.
pub(super) fn judge(call: &Call) -> Option<Verdict> {
    let reading = read(call.operands())?;
    let mut effect = Effect::Reads;
    let mut count = 0;
    for script in reading.scripts {
        let Some(script) = script else { continue };
        count += 1;
        if !script.is_literal() {
            return Some(DYNAMIC);
        }
        effect = effect.max(script::effect(script.known()));
    }
    if effect == Effect::Executes {
        return Some(Verdict::asks(
            "exec-sink",
            "has sed start other programs",
            Some("leave out the `e` command and flag"),
        ));
    }
    if reading.file {
        return Some(Verdict::asks(
            "script-file",
            "runs a sed script from a file",
            None,
        ));
    }
    let unknown_words = call.open_ended || call.operands().iter().any(super::shape::may_be_a_flag);
    let reads = effect == Effect::Reads && !reading.in_place && !unknown_words && count > 0;
    (reads || reading.version).then_some(Verdict::READS)
}

/// Scripts beyond these are not looked at, and the call is unknown.
const MOST_SCRIPTS: usize = 16;

#[derive(Debug, Default)]
struct Reading<'a> {
    scripts: [Option<Script<'a>>; MOST_SCRIPTS],
    in_place: bool,
    file: bool,
    version: bool,
}

/// A script, as a word or as the end of one.
#[derive(Debug, Clone, Copy)]
struct Script<'a> {
    word: &'a Argument,
    from: usize,
}

impl Script<'_> {
    fn is_literal(&self) -> bool {
        self.word.is_literal()
    }

    fn known(&self) -> &str {
        self.word.known().get(self.from..).unwrap_or_default()
    }
}

fn read(arguments: &[Argument]) -> Option<Reading<'_>> {
    let mut reading = Reading::default();
    let mut count = 0;
    let mut operand = None;
    let mut options_over = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.known();
        let mut found = None;
        if options_over || !text.starts_with('-') || word.text == "-" {
            operand = operand.or(Some(Script { word, from: 0 }));
        } else if text == "--" {
            options_over = true;
        } else if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            let attached = long.len() > name.len();
            match resolve(name)? {
                "expression" if attached => {
                    found = Some(Script {
                        word,
                        from: text.len() - long.len() + name.len() + 1,
                    });
                }
                "expression" => found = rest.next().map(|word| Script { word, from: 0 }),
                "file" => reading.file = true,
                "in-place" => reading.in_place = true,
                "line-length" if !attached => {
                    rest.next();
                }
                "version" | "help" => reading.version = true,
                _ => {}
            }
        } else {
            for (at, letter) in text.char_indices().skip(1) {
                let is_last = at + 1 == word.text.len();
                match letter {
                    'n' | 'E' | 'r' | 's' | 'u' | 'z' | 'b' | 'a' => continue,
                    'e' if is_last => found = rest.next().map(|word| Script { word, from: 0 }),
                    'e' => found = Some(Script { word, from: at + 1 }),
                    'f' => reading.file = true,
                    'i' | 'I' => reading.in_place = true,
                    'l' if is_last => {
                        rest.next();
                    }
                    'l' => {}
                    _ => return None,
                }
                break;
            }
            if !word.is_literal() && found.is_none() {
                return None;
            }
        }
        if let Some(found) = found {
            *reading.scripts.get_mut(count)? = Some(found);
            count += 1;
        }
    }
    if count == 0 && !reading.file {
        *reading.scripts.first_mut()? = operand;
    }
    Some(reading)
}

/// The long option of this name or abbreviation.
fn resolve(name: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        "expression", "file", "in-place", "line-length", "quiet", "silent", "regexp-extended",
        "separate", "unbuffered", "null-data", "zero-terminated", "posix", "debug", "sandbox",
        "follow-symlinks", "binary", "version", "help",
    ];
    let exact = NAMES.iter().find(|known| **known == name);
    let mut begun = NAMES.iter().filter(|known| known.starts_with(name));
    let abbreviated = begun.next().filter(|_| begun.next().is_none());
    exact.or(abbreviated).copied()
}

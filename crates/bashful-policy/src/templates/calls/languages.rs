//! Programs that take code in their arguments or from their input, and where.

use super::{Codes, Objection};
use crate::facts::{Argument, is_shell};

mod table;

use table::{LANGUAGES, Language, Operands, Reads};

fn language(name: &str) -> Option<&'static Language> {
    let bare = if is_shell(name) {
        "sh"
    } else if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
    } else {
        name
    };
    LANGUAGES
        .iter()
        .find(|language| language.names.contains(&name) || language.names.contains(&bare))
}

/// Whether this is a program that takes a script or code as its first words.
pub(super) fn is_inline(name: &str) -> bool {
    language(name).is_some()
}

/// The words that are code, or that name what is run.
pub(super) fn codes(name: &str, argv: &[Argument]) -> Codes {
    let Some(language) = language(name) else {
        return Codes::new();
    };
    let found = language.read(argv);
    let mut objection = objection(name);
    if found.stdin && found.code.is_empty() {
        objection.instead = "end the options before it: `bash -s -- ${…}`".into();
    }
    let end = found.code.last().copied();
    let indexes: Vec<usize> = if language.options_are_data {
        found.code.clone()
    } else {
        // Without code it is all in what its options and files say. A shell that reads its code
        // takes every word for an option that looks like one, and the next for the code of `-c`.
        let nothing = if found.stdin {
            end_of_options(argv).unwrap_or(argv.len())
        } else {
            argv.len()
        };
        (1..=end.unwrap_or(nothing)).collect()
    };
    let mut codes: Codes = indexes
        .into_iter()
        .map(|index| (index, objection.clone()))
        .collect();
    // `perl -ne CODE 'command |'` runs the command.
    let reads = found.code.iter().any(|index| {
        let code = argv.get(*index).map_or("", |word| word.text.as_str());
        code.contains("<>") || code.contains("open")
    });
    if name.starts_with("perl") && (found.loops || reads) {
        let later = (end.map_or(1, |last| last + 1)..argv.len()).map(|index| {
            let why = Objection::new(
                "would be opened by `perl`, which runs a name that ends in `|`",
                "let it read its input: `perl -ne '…' < ${…}`",
            );
            (index, why)
        });
        codes.extend(later);
    }
    codes
}

/// Whether a program runs what it reads from its input.
pub(super) fn reads_code(name: &str, argv: &[Argument]) -> bool {
    language(name).is_some_and(|language| match language.reads {
        Reads::Always => true,
        Reads::Never => false,
        Reads::Otherwise => {
            let found = language.read(argv);
            let stdin = |index: &usize| {
                argv.get(*index)
                    .is_some_and(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"))
            };
            found.stdin
                || found.code.is_empty()
                || found.code.iter().any(stdin)
                || language.operands == Operands::First(usize::MAX)
        }
    })
}

/// Where the arguments of a program have code.
#[derive(Default)]
struct Found {
    code: Vec<usize>,
    /// `-s`: the code comes from the input, whatever follows.
    stdin: bool,
    /// Perl's `-n` and `-p`.
    loops: bool,
}

impl Language {
    fn read(&self, argv: &[Argument]) -> Found {
        let mut found = Found::default();
        let mut given = false;
        let mut operands = 0;
        let mut options = true;
        let mut index = 1;
        while let Some(word) = argv.get(index) {
            let known = word.known();
            if options && word.text == "--" {
                options = false;
            } else if options && is_jq_pair(self, &word.text) {
                index += 2;
            } else if options && known.len() > 1 && known.starts_with(['-', '+']) {
                let name = known.split('=').next().unwrap_or_default();
                let bundle = known.get(1..).unwrap_or_default();
                let letter = bundle.find(|letter| self.letters.contains(letter));
                let plain = !known.starts_with("--") && !self.long.contains(&name);
                found.loops |= plain
                    && bundle.starts_with(|c: char| "nplai0w".contains(c))
                    && bundle.contains(['n', 'p']);
                found.stdin |= plain && self.names.contains(&"sh") && bundle.contains('s');
                given |= found.stdin;
                // `vim +command`; to a shell this is an option like others.
                let command = known.starts_with('+') && !self.names.contains(&"sh");
                if self.long.contains(&name) || command {
                    given = true;
                    let attached = known.contains('=') || command;
                    index += usize::from(!attached);
                    found.code.push(index);
                } else if plain && let Some(at) = letter {
                    given = true;
                    let attached = at + 1 < bundle.len() || !word.is_known();
                    // In a bundle of a shell the code is the next operand.
                    let shell = self.names.contains(&"sh");
                    let attached = attached && !shell;
                    index += usize::from(!attached);
                    let next = argv.get(index).map_or("", Argument::known);
                    // And if more options follow, it is somewhere behind them.
                    let later = shell && next.starts_with(['-', '+']);
                    found.code.push(if later { argv.len() } else { index });
                } else {
                    index += usize::from(self.valued.takes_next(known));
                }
            } else {
                operands += 1;
                match self.operands {
                    Operands::First(most) if operands <= most && !given => {
                        found.code.push(index);
                        if operands == most {
                            break;
                        }
                    }
                    Operands::Later if operands > 1 => found.code.push(index),
                    Operands::First(_) if !self.options_are_data => break,
                    _ => {}
                }
            }
            index += 1;
        }
        found
    }
}

/// Where `--` ends the options of a shell. Behind an option with a value it would be that value.
fn end_of_options(argv: &[Argument]) -> Option<usize> {
    let ends = |index: &usize| {
        let text = |index: usize| argv.get(index).map_or("", |word| word.text.as_str());
        let before = text(*index - 1);
        let flags = before.starts_with('-') && !before.starts_with("--");
        let flags = flags && !before.contains(['o', 'O']);
        text(*index) == "--" && argv.get(*index).is_some_and(Argument::is_literal) && flags
    };
    (2..argv.len()).find(ends)
}

/// `--arg name value`, whose two words are data.
fn is_jq_pair(language: &Language, option: &str) -> bool {
    language.names.contains(&"jq")
        && matches!(option, "--arg" | "--argjson" | "--slurpfile" | "--rawfile")
}

fn objection(name: &str) -> Objection {
    let instead = match language(name).map_or("", |language| language.names[0]) {
        "sh" => "give it as an argument behind the code: `bash -c 'printf \"%s\" \"$1\"' _ ${…}`",
        "python" => "give it as an argument: `python3 -c '… sys.argv[1] …' ${…}`",
        "perl" | "ruby" => "give it as an argument, and read it from `@ARGV` or `ARGV`",
        "node" => "give it as an argument, and read it from `process.argv`",
        "awk" => "give it in the environment: `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "sed" => "use bash: `\"${text//old/${…}}\"`, or `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "jq" => "give it as a variable: `jq --arg value ${…} '… $value …'`",
        "psql" => "give it as a variable: `psql -v value=${…}` and `:'value'`",
        "bc" => "use a number in `$(( … ))`, or `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "make" => "put it in a file that the makefile reads",
        _ => "give it as an argument or in a file, apart from the code",
    };
    Objection {
        why: format!("would be code for `{name}`").into(),
        instead: instead.into(),
    }
}

//! Programs that take code in their arguments or from their input, and where.
//!
//! What the rest of the crate knows is used: how interpreters are called, where a shell takes its
//! program from, which options start a program. The table has the other languages.

use std::ops::Range;

use super::{Codes, Objection};
use crate::arguments::Valued;
use crate::facts::{Argument, Call, ShellProgram, is_shell, shell_program};
use crate::programs::{config_executes, interpreter};

/// How a program takes its code.
struct Language {
    /// Letters of options whose value is code, or names a file that has it.
    letters: &'static str,
    /// The same for long options, and those with one dash, with blanks between.
    long: &'static str,
    /// Letters of options with another value.
    valued: &'static str,
    /// Which operands are code, counted from zero, unless an option gave it.
    operands: Range<usize>,
    /// Whether it runs what it reads, when its arguments give it no code.
    reads: bool,
}

const ALL: usize = usize::MAX;

fn language(name: &str) -> Option<Language> {
    let (letters, long, valued, operands, reads) = match name {
        "awk" | "gawk" | "mawk" | "nawk" | "goawk" => {
            let long = "--source --file --exec --include --load";
            ("efEil", long, "Fvo", 0..1, false)
        }
        "sed" | "gsed" => ("ef", "--expression --file", "l", 0..1, false),
        "jq" | "gojq" | "jaq" | "yq" => ("f", "--from-file --expression", "L", 0..1, false),
        "psql" => ("cf", "--command --file", "dhopUvLFRPT", 0..0, true),
        "mysql" | "mariadb" => ("e", "--execute --init-command", "hPuDS", 0..0, true),
        "sqlite3" | "sqlite" | "duckdb" => ("", "-cmd -c -init -s", "", 1..ALL, true),
        "mongo" | "mongosh" | "cqlsh" | "clickhouse-client" | "sqlcmd" => {
            let long = "--eval --execute --query --command";
            ("eqQc", long, "", 0..0, true)
        }
        "bc" | "dc" => ("ef", "--expression --file", "", 0..0, true),
        "vim" | "nvim" | "vi" | "view" | "ex" | "ed" | "emacs" | "gdb" | "lldb" => {
            let long = "--cmd -ex -iex --eval -eval -f --load --command --eval-command --one-line";
            ("cSluUox", long, "", 0..0, true)
        }
        "nc" | "ncat" | "netcat" => ("ec", "--exec --sh-exec --lua-exec", "", 0..0, false),
        "socat" | "parallel" | "m4" | "at" | "batch" | "crontab" => ("", "", "", 0..ALL, true),
        "make" | "gmake" | "just" | "ninja" => ("fIE", "--eval --file", "C", 0..ALL, false),
        "java" => ("", "-jar -cp -classpath -javaagent", "", 0..1, false),
        "ssh" | "autossh" | "mosh" | "rsh" => ("oFJ", "", "BbcDEeIiLlmOpQRSWw", 1..ALL, true),
        _ => return None,
    };
    Some(Language {
        letters,
        long,
        valued,
        operands,
        reads,
    })
}

/// Whether a program with a language of its own looks for options behind its operands too.
pub(super) fn permutes(name: &str) -> bool {
    !name.ends_with("awk") && language(name).is_some()
}

/// The words that are code, or that name what is run.
pub(super) fn words(name: &str, argv: &[Argument]) -> Codes {
    let mut codes = of_program(name, argv);
    // Behind a wrapper that no table knows there can be a shell or an interpreter.
    for at in 1..argv.len() {
        let rest = argv.get(at..).unwrap_or_default();
        let inner = rest.first().map_or("", Argument::program);
        if (is_shell(inner) || interpreter(inner).is_some()) && !has_words(name) {
            let inner = of_program(inner, rest);
            codes.extend(inner.into_iter().map(|(index, why)| (index + at, why)));
        }
    }
    codes
}

/// Whether a call runs what it reads: itself, or what it starts.
pub(super) fn reads_code(name: &str, call: &Call, calls: &[Call]) -> bool {
    let started = |other: &Call| {
        let program = other.program();
        let starts = other.wrappers.iter().any(|outer| outer == "xargs");
        starts && (is_shell(program) || interpreter(program).is_some() || program.is_empty())
    };
    let argv = call.arguments.as_slice();
    (0..argv.len()).any(|at| {
        let rest = argv.get(at..).unwrap_or_default();
        let inner = rest.first().map_or("", Argument::program);
        (at == 0 || !has_words(name)) && reads(inner, rest, at)
    }) || name == "xargs" && calls.iter().any(started)
}

fn reads(name: &str, argv: &[Argument], at: usize) -> bool {
    let is_input = |index: &usize| {
        let word = argv.get(*index).map_or("", |word| word.text.as_str());
        matches!(word, "-" | "/dev/stdin")
    };
    if is_shell(name) {
        return shell_program(argv) == ShellProgram::Stdin;
    }
    if interpreter(name).is_some() {
        let code = of_interpreter(name, argv);
        return code.is_none_or(|last| is_input(&last));
    }
    let Some(language) = language(name).filter(|_| at == 0) else {
        return name == "su" && argv.len() < 3;
    };
    let code = language.code(argv);
    language.reads
        && (code.is_empty() || code.iter().any(is_input) || language.operands == (0..ALL))
}

/// Programs whose operands are words or names of files, which can be called like an interpreter.
fn has_words(name: &str) -> bool {
    matches!(
        name,
        "echo" | "printf" | "grep" | "which" | "type" | "command" | "apt-get" | "apt" | "pip"
    )
}

fn of_program(name: &str, argv: &[Argument]) -> Codes {
    let end = if is_shell(name) {
        let mut objection = objection(name);
        let end = match shell_program(argv) {
            ShellProgram::Text(last) | ShellProgram::File(last) => last,
            ShellProgram::Nothing => 0,
            ShellProgram::Stdin => {
                objection.instead = "end the options before it: `bash -s -- ${…}`".into();
                end_of_options(argv).unwrap_or(argv.len())
            }
        };
        return (1..=end).map(|index| (index, objection.clone())).collect();
    } else if interpreter(name).is_some() {
        // What stands before the code can load other code.
        of_interpreter(name, argv).unwrap_or(argv.len())
    } else {
        return of_others(name, argv);
    };
    let why = objection(name);
    let mut codes: Codes = (1..=end).map(|index| (index, why.clone())).collect();
    let opens = |word: &Argument| {
        let known = word.known();
        let flags = known
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'));
        known.contains("<>") || flags.is_some_and(|flags| flags.contains(['n', 'p']))
    };
    if name.starts_with("perl") && argv.iter().take(end + 1).skip(1).any(opens) {
        codes.extend((end + 1..argv.len()).map(|index| (index, OPENED)));
    }
    codes
}

/// The last word that is code for an interpreter; nothing where it takes its code from its input.
fn of_interpreter(name: &str, argv: &[Argument]) -> Option<usize> {
    let known = interpreter(name)?;
    let mut index = 1;
    while let Some(word) = argv.get(index) {
        let text = word.known();
        let option = text.split('=').next().unwrap_or_default();
        let long = known.long.contains(&option) || known.elsewhere.contains(&option);
        let flags = text.strip_prefix('-').filter(|flags| !flags.is_empty());
        let Some(flags) = flags.or(long.then_some("-")) else {
            return Some(index);
        };
        let letters = |letter: char| known.code.contains(letter) || known.loads.contains(letter);
        if long {
            return Some(index + usize::from(!text.contains('=')));
        }
        if !flags.starts_with('-') && text != "--" {
            let valued = flags.find(|letter| known.valued.contains(letter));
            match (flags.find(letters), valued) {
                (Some(at), valued) if valued.is_none_or(|valued| at < valued) => {
                    let attached = at + 1 < flags.len() || !word.is_known();
                    return Some(index + usize::from(!attached));
                }
                (_, Some(at)) => index += usize::from(at + 1 == flags.len()),
                _ => {}
            }
        }
        index += 1;
    }
    None
}

fn of_others(name: &str, argv: &[Argument]) -> Codes {
    let why = |objection: &Objection, index: usize| (index, objection.clone());
    match name {
        "git" => git(argv),
        "scp" | "rsync" | "sftp" => {
            // `host:path`, of which some versions let a shell over there read the path.
            let remote = |word: &Argument| word.known().contains(':') && !word.is_known();
            let words = argv.iter().enumerate().filter(|(_, word)| remote(word));
            let words = words.filter(|(_, word)| !word.known().contains("://"));
            words.map(|(index, _)| why(&REMOTE, index)).collect()
        }
        _ if name.starts_with("ld-linux") => (1..argv.len()).map(|at| why(&REMOTE, at)).collect(),
        _ => {
            let objection = objection(name);
            let code = language(name).map(|language| language.code(argv));
            let code = code.unwrap_or_default().into_iter();
            code.map(|index| why(&objection, index)).collect()
        }
    }
}

/// Settings for one command, and settings that start a program.
fn git(argv: &[Argument]) -> Codes {
    let mut codes = Codes::new();
    for (index, word) in argv.iter().enumerate().skip(1) {
        match word.known() {
            "-c" | "--config-env" | "--exec-path" => codes.push((index + 1, CONFIGURES)),
            "-C" => {}
            "config" => {
                let key = |word: &&Argument| !word.known().starts_with('-');
                let rest = argv.get(index + 1..).unwrap_or_default();
                let executes = rest.iter().find(key).is_none_or(|key| {
                    !key.is_literal() || config_executes(&key.text.to_ascii_lowercase())
                });
                if executes {
                    codes.extend((index + 1..argv.len()).map(|at| (at, CONFIGURES)));
                }
                break;
            }
            option if option.starts_with("-c") || option.starts_with("--exec-path=") => {
                codes.push((index, CONFIGURES));
            }
            option if !option.starts_with('-') && argv.get(index - 1).is_none_or(ends) => break,
            _ => {}
        }
    }
    codes
}

/// Whether the word behind this is not the value of an option of git.
fn ends(before: &Argument) -> bool {
    !matches!(before.known(), "-C" | "-c" | "--git-dir" | "--work-tree")
}

impl Language {
    /// The words that are code.
    fn code(&self, argv: &[Argument]) -> Vec<usize> {
        let valued = Valued {
            short: self.valued,
            long: &["indent", "tab"],
        };
        let mut code = Vec::new();
        let (mut given, mut options, mut operands) = (false, true, 0);
        let mut index = 1;
        while let Some(word) = argv.get(index) {
            let known = word.known();
            if options && word.text == "--" {
                options = false;
            } else if options && known.len() > 1 && known.starts_with(['-', '+']) {
                let name = known.split('=').next().unwrap_or_default();
                let flags = known.get(1..).unwrap_or_default();
                let letter = flags.find(|letter| self.letters.contains(letter));
                // `vim +command`.
                let command = known.starts_with('+');
                let attached = if self.long.split(' ').any(|long| long == name) || command {
                    Some(known.contains('=') || command)
                } else {
                    let letter = letter.filter(|_| !known.starts_with("--"));
                    letter.map(|at| at + 1 < flags.len() || !word.is_known())
                };
                if let Some(attached) = attached {
                    // A setting of `ssh` is no command of its own.
                    given |= self.operands.end != ALL;
                    index += usize::from(!attached);
                    code.push(index);
                } else if is_jq_pair(known) && self.letters == "f" {
                    index += 2;
                } else {
                    index += usize::from(valued.takes_next(known));
                }
            } else {
                if self.operands.contains(&operands) && !given {
                    code.push(index);
                }
                operands += 1;
                options &= self.operands != (1..ALL) || self.letters.is_empty();
            }
            index += 1;
        }
        code
    }
}

/// `--arg name value`, whose two words are data.
fn is_jq_pair(option: &str) -> bool {
    matches!(option, "--arg" | "--argjson" | "--slurpfile" | "--rawfile")
}

/// Where `--` ends the options of a shell. Behind an option with a value it would be that value.
fn end_of_options(argv: &[Argument]) -> Option<usize> {
    let text = |index: usize| argv.get(index).map_or("", |word| word.text.as_str());
    (2..argv.len()).find(|index| {
        let before = text(*index - 1);
        let flags = before.starts_with('-') && !before.starts_with("--");
        let literal = argv.get(*index).is_some_and(Argument::is_literal);
        text(*index) == "--" && literal && flags && !before.contains(['o', 'O'])
    })
}

fn objection(name: &str) -> Objection {
    let bare = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let instead = match bare {
        _ if is_shell(name) => {
            "give it as an argument behind the code: `bash -c 'printf \"%s\" \"$1\"' _ ${…}`"
        }
        "python" => "give it as an argument: `python3 -c '… sys.argv[1] …' ${…}`",
        "perl" | "ruby" => "give it as an argument, and read it from `@ARGV` or `ARGV`",
        "node" => "give it as an argument, and read it from `process.argv`",
        "awk" | "gawk" | "mawk" => "give it in the environment: `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "sed" => "use bash: `\"${text//old/${…}}\"`, or `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "jq" => "give it as a variable: `jq --arg value ${…} '… $value …'`",
        "psql" => "give it as a variable: `psql -v value=${…}` and `:'value'`",
        "bc" => "use a number in `$(( … ))`, or `V=${…} awk '… ENVIRON[\"V\"] …'`",
        "make" => "put it in a file that the makefile reads",
        "ssh" => return REMOTE,
        _ => "give it as an argument or in a file, apart from the code",
    };
    Objection {
        why: format!("would be code for `{name}`").into(),
        instead: instead.into(),
    }
}

const OPENED: Objection = Objection::new(
    "would be opened by `perl`, which runs a name that ends in `|`",
    "let it read its input: `perl -ne '…' < ${…}`",
);
const REMOTE: Objection = Objection::new(
    "would be read by a shell on the other machine",
    "send it as input: `printf '%s' ${…} | ssh host 'cat > file'`",
);
const CONFIGURES: Objection = Objection::new(
    "would become configuration that can name commands",
    "write the setting as it is meant to be",
);

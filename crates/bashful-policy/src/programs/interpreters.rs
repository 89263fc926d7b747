//! Interpreters: code on the command line, in files and on standard input, which no table reads.

use crate::facts::{Argument, Call, Input, only_checks};

use super::verdict::Verdict;

const INLINE: Verdict = Verdict::asks(
    "inline-code",
    "runs code that is given in the command",
    Some("use a command that is known, or put the code in a file to be looked at"),
);
const FILE: Verdict = Verdict::asks(
    "script-file",
    "runs a script whose content is not known here",
    None,
);
const FED: Verdict = Verdict::asks(
    "inline-code",
    "runs code that it reads from its input",
    Some("put the code in a file to be looked at"),
);

/// How an interpreter is called.
#[derive(Debug)]
pub(crate) struct Interpreter {
    /// Letters that are followed by code.
    pub(crate) code: &'static str,
    /// Letters that take another value.
    pub(crate) valued: &'static str,
    /// Long options, and subcommands, that are followed by code.
    pub(crate) long: &'static [&'static str],
    /// Letters that load a file or a module first.
    pub(crate) loads: &'static str,
    /// Options with which it only checks the syntax of a file.
    checks: &'static [&'static str],
    /// Subcommands and modes that belong to the rules for build tools.
    pub(crate) elsewhere: &'static [&'static str],
}

const PLAIN: Interpreter = Interpreter {
    code: "e",
    valued: "",
    long: &["--eval", "--execute", "--expression"],
    loads: "",
    checks: &[],
    elsewhere: &[],
};

/// How an interpreter of this name is called.
pub(crate) fn interpreter(name: &str) -> Option<Interpreter> {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    Some(match bare {
        "python" | "pypy" | "ipython" | "pythonw" | "micropython" => Interpreter {
            code: "c",
            valued: "WX",
            long: &[],
            elsewhere: &["-m"],
            ..PLAIN
        },
        "perl" | "raku" => Interpreter {
            code: "eE",
            valued: "I",
            loads: "mMd",
            ..PLAIN
        },
        "ruby" | "jruby" | "irb" | "crystal-eval" => Interpreter {
            code: "e",
            valued: "ICEKFx",
            loads: "r",
            checks: &["-c", "-wc", "-cw"],
            ..PLAIN
        },
        "node" | "nodejs" | "ts-node" | "tsx" => Interpreter {
            code: "ep",
            valued: "C",
            long: &["--eval", "--print", "--input-type"],
            loads: "r",
            checks: &["--check", "-c"],
            elsewhere: &["--test", "--run"],
        },
        "deno" => Interpreter {
            code: "",
            long: &["eval", "repl"],
            elsewhere: &[
                "test", "fmt", "lint", "check", "task", "cache", "info", "doc", "bench", "types",
            ],
            ..PLAIN
        },
        "bun" => Interpreter {
            code: "ep",
            long: &["--eval", "--print"],
            loads: "r",
            elsewhere: &[
                "test", "run", "build", "install", "add", "remove", "i", "pm", "update", "x",
                "create", "init", "link", "publish", "outdated",
            ],
            ..PLAIN
        },
        "php" | "php-cgi" => Interpreter {
            code: "rBRE",
            valued: "dcz",
            long: &["--run", "--process-begin", "--process-code", "--process-end"],
            loads: "F",
            checks: &["-l", "--syntax-check", "-m", "-i", "--ini"],
            ..PLAIN
        },
        "lua" | "luajit" | "texlua" => Interpreter {
            loads: "l",
            ..PLAIN
        },
        "osascript" => Interpreter {
            valued: "ls",
            ..PLAIN
        },
        "Rscript" | "R" | "littler" | "r" => Interpreter {
            valued: "f",
            ..PLAIN
        },
        "julia" => Interpreter {
            code: "eE",
            valued: "JHptCOg",
            long: &["--eval", "--print"],
            loads: "L",
            ..PLAIN
        },
        "groovy" | "scala" | "elixir" | "guile" | "racket" | "swipl" | "sbcl" | "clisp" | "ghc"
        | "runghc" | "runhaskell" | "octave" | "pwsh" | "powershell" | "erl" | "escript"
        | "clojure" | "clj" | "bb" | "nu" | "xonsh" | "rhino" | "qjs" | "d8" | "janet"
        | "gforth" | "csi" | "gsi" | "emacsclient" | "mongo" | "mongosh" | "dotnet-script"
        | "kotlin" => Interpreter {
            code: "ecr",
            long: &["--eval", "--execute", "--expression", "--command", "-Command", "-eval"],
            ..PLAIN
        },
        "tclsh" | "wish" | "dc" | "gnuplot" => PLAIN,
        _ => return None,
    })
}

/// What is known about a call of an interpreter or a shell.
pub(super) fn judge(call: &Call, name: &str) -> Option<Verdict> {
    if ["bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "fish", "csh", "tcsh", "rbash", "yash"]
        .contains(&name)
    {
        return shell(call);
    }
    if matches!(name, "java" | "javaw") {
        return java(call);
    }
    let interpreter = interpreter(name)?;
    let arguments = call.operands();
    if only_looks(&interpreter, name, call) {
        return Some(Verdict::READS);
    }
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.known();
        let name = text.split('=').next().unwrap_or_default();
        if interpreter.elsewhere.contains(&name) {
            return elsewhere(text, rest.as_slice(), call);
        }
        if interpreter.long.contains(&name) {
            return Some(INLINE);
        }
        if text == "--" {
            continue;
        }
        if text == "-" || argument.is_pipe {
            return Some(FED);
        }
        if text.starts_with("--") {
            continue;
        }
        let Some(bundle) = text.strip_prefix('-') else {
            // Project files with these names belong to the rules for build tools.
            let file = text.rsplit('/').next().unwrap_or_default();
            return (!matches!(file, "manage.py" | "setup.py") || !argument.is_literal())
                .then_some(FILE);
        };
        for (at, letter) in bundle.char_indices() {
            if interpreter.code.contains(letter) || interpreter.loads.contains(letter) {
                return Some(INLINE);
            }
            if interpreter.valued.contains(letter) {
                if at + letter.len_utf8() == bundle.len() {
                    rest.next();
                }
                break;
            }
        }
    }
    match &call.input {
        // Without input it is a conversation, which is a class of its own.
        Input::Inherited => None,
        Input::File(file) if file.text == "/dev/null" => None,
        Input::Text(_) | Input::Pipe(_) | Input::File(_) => Some(FED),
    }
}

/// Whether it is asked for its version, or to check the syntax of files.
fn only_looks(interpreter: &Interpreter, name: &str, call: &Call) -> bool {
    let [first, files @ ..] = call.operands() else {
        return false;
    };
    if call.open_ended || !first.is_literal() {
        return false;
    }
    let text = first.text.as_str();
    if files.is_empty() {
        let short = ["python", "perl", "ruby", "node", "php", "lua"];
        return matches!(text, "--version" | "--help")
            || (matches!(text, "-V" | "-v" | "-h")
                && short.iter().any(|known| name.starts_with(known)))
            || (interpreter.checks.contains(&text) && matches!(text, "-m" | "-i" | "--ini"));
    }
    let file = |word: &Argument| word.is_known() && !word.text.starts_with('-');
    interpreter.checks.contains(&text)
        && !matches!(text, "-m" | "-i" | "--ini")
        && files.iter().all(file)
}

/// `python -m module` and its like: a rule knows them, but for a module that only prints.
fn elsewhere(option: &str, rest: &[Argument], call: &Call) -> Option<Verdict> {
    let [module, files @ ..] = rest else {
        return None;
    };
    let plain = |word: &Argument| word.is_known() && !word.glob && !word.splits;
    let prints = option == "-m"
        && module.is_literal()
        && module.text == "json.tool"
        && files.len() <= 1
        && files.iter().all(plain)
        && !call.open_ended;
    prints.then_some(Verdict::READS)
}

/// A shell; what its text runs are calls of their own.
fn shell(call: &Call) -> Option<Verdict> {
    let arguments = call.operands();
    let mut options = arguments.iter().map(Argument::known);
    // Bash takes them with one dash as well.
    if options.any(|word| {
        let name = word.trim_start_matches('-');
        word.starts_with('-') && (name.starts_with("rcfile") || name.starts_with("init-file"))
    }) {
        return Some(FILE);
    }
    if let [only] = arguments
        && matches!(only.text.as_str(), "--version" | "--help")
    {
        return Some(Verdict::READS);
    }
    // `bash -n FILE` reads it and runs nothing.
    if arguments.len() > 1 && !call.open_ended && only_checks(&call.arguments) {
        return Some(Verdict::READS);
    }
    if call.transparent {
        return Some(Verdict::WRAPS);
    }
    match &call.input {
        Input::Inherited if arguments.is_empty() => None,
        Input::File(file) if file.text == "/dev/null" && arguments.is_empty() => None,
        _ => Some(FILE),
    }
}

/// `java File.java` compiles and runs, `java -jar` and a class run.
fn java(call: &Call) -> Option<Verdict> {
    match call.operands() {
        [] => None,
        [only]
            if matches!(
                only.text.as_str(),
                "-version" | "--version" | "-h" | "--help"
            ) =>
        {
            Some(Verdict::READS)
        }
        _ => Some(FILE),
    }
}

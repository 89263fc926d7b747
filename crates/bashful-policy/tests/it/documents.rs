//! Here-documents: what bash executes beside or inside of them is found, or flagged.
//!
//! Random texts have delimiters with quotes, backslashes and blanks, and bodies whose lines nearly
//! end them. Each line that could be a command writes down a number of its own when real bash
//! executes it.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests compare with real bash; the crate itself starts nothing and reads no clock"
)]

use crate::support::context;
use crate::support::soak;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

use bashful_policy::{Effect, Facts, Policy, judge, read};

/// The name of what writes down its argument.
const MARKER: &str = "marker_7f3a";

/// How many texts one bash runs.
const BATCH: usize = 250;

/// How many of these a test run takes.
const BATCHES: usize = 10;

/// Runs each of its arguments in a shell of its own. It must not fall over what they say.
const DRIVER: &str = "marker_7f3a() { printf ' %s ' \"$1\" >&9; }
exec 9>&1
for text; do ( eval \"$text\" ) </dev/null >/dev/null 2>&1; done";

#[test]
fn what_hides_behind_a_delimiter_is_not_allowed() {
    let push = "git push --force";
    let texts = [
        format!("cat <<'\\E'\n\\E\n{push}"),
        format!("cat <<\"a\\b\"\na\\b\n{push}"),
        format!("cat <<E\nE \ncat <<'ZQ'\nE\n{push}\nZQ\n"),
        format!("cat <<'E'\nE \ncat <<'ZQ'\nE\n{push}\nZQ\n"),
        format!("cat <<'E'\nE\t\ncat <<'ZQ'\nE\n{push}\nZQ\n"),
        format!("cat <<\u{e9}\n..\ncat <<'ZQ'\n\u{e9}\n{push}\nZQ\n"),
        format!("cat <<'\u{e9}'\n..\ncat <<'ZQ'\n\u{e9}\n{push}\nZQ\n"),
        // Lines that bash joins before it compares them.
        format!("cat <<EOF\nEO\\\nF\n{push}\nEOF\n"),
        // What the reader puts around a body must not end it.
        format!("cat <<A <<B\nA\n$({push})\nEND_OF_BODY\n<<'Q'\nQ\nB\n"),
        format!("echo \"${{x:-'\nEND_OF_WORD\n# $({push})'}}\"\n"),
        // The body is not where the parser looks for it.
        format!("echo $(cat <<E)\n{push}\nE\n"),
        format!("cat <<E \"a\nE\n{push}\n\"\n"),
        // What looks like an operator, and a name that is expanded nowhere else.
        format!("cat \\<<E\n{push}\nE\n"),
        format!("cat <<$x\n$({push})\n$x\n"),
    ];
    for text in texts {
        let judgement = judge(&text, &Policy::careful(), &context::context());
        assert_ne!(judgement.decision.effect, Effect::Allow, "{text}");
    }
}

#[test]
fn everyday_documents_are_read() {
    let texts = [
        "cat <<EOF\nhello\nEOF\n",
        "cat <<EOF\nhello\nEOF",
        "cat <<'EOF'\n$x `y` \\\nEOF\n",
        "cat <<\"EOF\" | sort 'a (b'\nx\nEOF\necho done",
        "cat <<-EOF # it's fine\n\tx\n\tEOF\n",
        "cat <<\\EOF\nit's\nEOF\n",
        "cat <<'END OF FILE'\nx\nEND OF FILE\n",
        "cat <<A <<'B'\na\nA\nb\nB\n",
        "(cat <<EOF) | sort\nx\nEOF\n",
        "x=$(cat <<'EOF'\nx's\nEOF\n)\necho \"$x\"",
        "if true; then cat <<EOF; fi\nx\nEOF\n",
        "f() {\n  cat <<EOF\nx\nEOF\n}\nf",
        "cat <<EOF && echo \"a b\"\ncaf\u{e9}\nEOF2\nEOF\n",
        "cat <<''\nx\n\necho done",
    ];
    for text in texts {
        let facts = read(text, &context::context());
        assert!(facts.unknowns.is_empty(), "{text}: {:?}", facts.unknowns);
    }
}

#[test]
fn heavy_what_bash_executes_around_documents_is_found_or_flagged() {
    let bash = Command::new("bash").args(["-c", ":"]).status();
    if !bash.is_ok_and(|status| status.success()) {
        eprintln!("skipped: bash is not installed");
        return;
    }
    let end = Instant::now() + soak::time().unwrap_or_default();
    let mut random = Random(0x5eed_cafe_f00d_1234);
    let (mut executed, mut found, mut texts) = (0, 0, 0);
    let mut missed: Vec<String> = Vec::new();
    let mut batches = 0;
    while batches < BATCHES || Instant::now() < end {
        batches += 1;
        let batch: Vec<Program> = (0..BATCH).map(|_| Program::new(&mut random)).collect();
        let log = run(&batch);
        texts += batch.len();
        for program in &batch {
            let ran: Vec<&String> = program.numbers.intersection(&log).collect();
            if ran.is_empty() {
                continue;
            }
            executed += 1;
            let facts = read(&program.text, &context::context());
            let has = |number: &&String| is_found(&facts, number);
            if !facts.unknowns.is_empty() {
                continue;
            }
            if ran.iter().all(has) {
                found += 1;
            } else {
                missed.push(format!("{:?}\n{}\n", program.text, program.text));
            }
        }
    }
    eprintln!("{texts} texts: {executed} executed something, {found} were read");
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
    assert!(executed * 3 >= texts, "too few texts executed something");
    assert!(found * 20 >= executed, "flagging is not finding");
}

fn is_found(facts: &Facts, number: &str) -> bool {
    facts.calls.iter().any(|call| {
        call.program() == MARKER && call.operands().iter().any(|word| word.text == number)
    })
}

/// The numbers that were written down while bash ran these.
fn run(programs: &[Program]) -> BTreeSet<String> {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", DRIVER])
        .arg("bash")
        .args(programs.iter().map(|program| &program.text))
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stdout);
    log.split_whitespace().map(str::to_owned).collect()
}

/// A text, and the numbers in it.
struct Program {
    text: String,
    numbers: BTreeSet<String>,
}

/// Delimiters as they are written, with what bash or a careless reader makes of them.
const DELIMITERS: &[(&str, &[&str])] = &[
    ("E", &["E"]),
    ("EOF", &["EOF"]),
    ("'EOF'", &["EOF"]),
    ("\"EOF\"", &["EOF"]),
    ("\\EOF", &["EOF"]),
    ("E\\OF", &["EOF", "E\\OF"]),
    ("'\\E'", &["\\E", "E"]),
    ("'E\\'", &["E\\", "E"]),
    ("\"a\\b\"", &["a\\b", "ab"]),
    ("\"a\\\\b\"", &["a\\b", "a\\\\b", "ab"]),
    ("\"a\\\"b\"", &["a\"b", "a\\\"b"]),
    ("\"a\\\nb\"", &["ab", "a"]),
    ("a\\\nb", &["ab", "a"]),
    ("E'O'\"F\"", &["EOF", "E'O'\"F\""]),
    ("'a b'", &["a b", "a"]),
    ("a\\ b", &["a b", "a\\ b"]),
    ("'E '", &["E ", "E"]),
    ("''", &[""]),
    ("\"\"", &[""]),
    ("\u{e9}", &["\u{e9}", ".."]),
    ("'\u{e9}'", &["\u{e9}", ".."]),
    ("..", &["..", "\u{e9}"]),
    ("$'E'", &["E", "$E", "$'E'"]),
    ("$'\\x45'", &["E", "\\x45", "x45", "$x45"]),
    ("$\"E\"", &["E", "$E", "$\"E\""]),
    ("$x", &["$x", ""]),
    ("'$x'", &["$x"]),
    ("E$", &["E$"]),
    ("${x}", &["${x}", ""]),
    ("$(x)", &["$(x)", "x"]),
    ("`x`", &["`x`", "x"]),
    ("-E", &["-E", "E"]),
    ("\\{}", &["{}", "__", "\\{}"]),
    ("'\\{}'", &["\\{}", "\\__", "{}"]),
    ("expand_aliases", &["expand_aliases", "expand_aliasez"]),
    ("'expand_aliases'", &["expand_aliases", "expand_aliasez"]),
    ("{a,b}", &["{a,b}", "a"]),
    ("E#", &["E#", "E"]),
    ("E\\#'", &["E#"]),
    ("!", &["!"]),
    ("*", &["*"]),
    ("[a]", &["[a]"]),
    ("'('", &["("]),
    ("')'", &[")"]),
    ("'E\nF'", &["E", "F", "E\nF"]),
    ("E\r", &["E\r", "E"]),
    ("'\t'", &["\t", ""]),
    ("'#'", &["#"]),
];

const OPERATORS: &[&str] = &[
    "<<", "<<", "<<", "<<-", "<< ", "<<- ", "<<\t", "3<<", "<<\\\n", "<\\\n<", "\\<<", "{y}<<",
    "<<<",
];

/// What stands behind a delimiter on its line. `@` is a command.
const TAILS: &[&str] = &[
    "", "", "", "", "", " ", "; @", " | cat", " > /dev/null", " && @", " # it's", " #\"", "\\",
    " \\\n", " \\\n| cat", " 'a\nb'", " \"a\nb\"", " $(@\n)", " $(@", " `@\n`", " \"$(@", " <<'Q'",
    " <<Q", " <<-Q", " <<'Q' <<R", " $(cat <<Q", " \\\"", " \\'", " ${x:-'}", " ${x#\\}}", " a#'",
    " $'\\''", " \"`@`\"", " \"$(@)\"", "; (@", "; (@)", "; {", " <(@)", " <(cat <<Q)",
    " $((1<<2))", "; ((1<<2))", " &", " |", " &&", "\r", "; x=(a", "; [[ a", " }#'", ";#'", "&#'",
    ")#'", " a;#\"",
];

/// Around all of it.
const AROUND: &[(&str, &str)] = &[
    ("", "\n"),
    ("", "\n"),
    ("", "\n"),
    ("", ""),
    ("x=$(", "\n)\n"),
    ("x=$(\n", ")\n"),
    ("echo \"$(", "\n)\"\n"),
    ("f() {\n", "\n}\nf\n"),
    ("(", "\n)\n"),
    ("{ ", "\n}\n"),
    ("if true; then ", "\nfi\n"),
    ("for i in 1; do ", "\ndone\n"),
    ("x=`", "\n`\n"),
    ("cat <(", "\n)\n"),
    ("cat <<O\n$(", "\n)\nO\n"),
    ("cat <<'O'\n", "\nO\n"),
    ("case a in a) ", "\n;; esac\n"),
    ("! ", "\n"),
    ("true && ", "\n"),
    ("eval '", "\n'\n"),
    ("echo ${x:-$(", "\n)}\n"),
    ("echo $((1 + $(", "\n)))\n"),
    ("cat <<O; ", "\nO\n"),
    ("while ", "\nfalse; do :; done\n"),
];

/// How many of the lines, from the first on, are common ones.
const COMMON_LINES: usize = 10;

/// Lines that nearly are a delimiter or a command. `@` is a command, `%` a delimiter.
const LINES: &[&str] = &[
    "%", "%", "%", "%", "@", "@", "x", "$(@)", "% ", "\t%", "% ", "%\t", " %", "\t%", "\t\t%",
    " \t%", "%\r", "%\\", "\\%", "%)", "% )", "%;", "%x", "%@", "'%'", "\"%\"", "%\\\n", "\\\n%",
    "\t\\\n%", "\\\\\n%", "x\\\n%", "", "x", "@", "@", "@", "@", "@", "$(@)", "`@`", "\\$(@)",
    "# @", "'", "\"", ")", "}", "\\", "x\\", "cat <<'Q'", "cat <<Q", "Q", "Q", "R", "cat <<'%'",
    "cat <<%", "END_OF_BODY", "<<END_OF_BODY", "${x:-@}", "${x:-$(@)}", "$((1<<2))", "\u{e9}",
    "..", "it's", "(", "{",
];

impl Program {
    fn new(random: &mut Random) -> Self {
        // Each choice is a common one half of the time, or nothing would be valid.
        let (raw, cooked) = random.mostly(4, DELIMITERS);
        let (before, after) = random.mostly(4, AROUND);
        let mut text = format!(
            "{before}cat {}{raw}{}\n",
            random.mostly(4, OPERATORS),
            random.mostly(8, TAILS)
        );
        for _ in 0..2 + random.below(7) {
            let line = random.mostly(COMMON_LINES, LINES);
            let delimiter = if random.below(8) == 0 {
                raw
            } else {
                random.of(cooked)
            };
            // A delimiter over two lines that joins in the middle.
            let split = delimiter.len() > 1 && delimiter.is_ascii() && random.below(10) == 0;
            if split {
                let (one, two) = delimiter.split_at(1);
                text.push_str(&line.replace('%', &format!("{one}\\\n{two}")));
            } else {
                text.push_str(&line.replace('%', delimiter));
            }
            text.push('\n');
        }
        if random.below(2) == 0 {
            text.push_str("@\n");
        }
        text.pop();
        text.push_str(after);
        let mut numbers = BTreeSet::new();
        while let Some(at) = text.find('@') {
            let number = random.next_number();
            text.replace_range(at..=at, &format!("{MARKER} {number}"));
            numbers.insert(number);
        }
        Self { text, numbers }
    }
}

/// Numbers that are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// One of the first few half of the time.
    fn mostly<T: Copy>(&mut self, common: usize, choices: &[T]) -> T {
        let end = if self.below(2) == 0 {
            common
        } else {
            choices.len()
        };
        choices[self.below(end)]
    }

    fn next_number(&mut self) -> String {
        format!("n{:016x}", self.next())
    }
}

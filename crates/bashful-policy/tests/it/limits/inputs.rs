//! Texts made to break a reader.

/// What each text ends with.
const DENIED: &str = "\nrm -rf /\n";

/// Brackets of every kind: before, inside, after.
const BRACKETS: &[(&str, &str, &str)] = &[
    ("( ", ":", " )"),
    ("{ ", ":", "; }"),
    ("$(", ":", ")"),
    (": $(", ":", ")"),
    (": \"$(", ":", ")\""),
    (": ${x:-", "a", "}"),
    (": \"${x:-", "a", "}\""),
    (": $((", "1", "))"),
    (": $[", "1", "]"),
    ("((", "1", "))"),
    ("(( (", "1", ") ))"),
    ("<(", ":", ")"),
    ("cat <(", ":", ")"),
    (": >(", ":", ")"),
    ("if :; then ", ":", "; fi"),
    ("if ", ":", "; then :; fi"),
    ("while :; do ", ":", "; done"),
    ("until ", ":", "; do :; done"),
    ("for x in a; do ", ":", "; done"),
    ("for ((;;)); do ", ":", "; done"),
    ("select x in a; do ", ":", "; done"),
    ("case a in a) ", ":", ";; esac"),
    ("f() { ", ":", "; }"),
    ("function f { ", ":", "; }"),
    ("f() ( ", ":", " )"),
    ("coproc { ", ":", "; }"),
    ("time { ", ":", "; }"),
    ("! { ", ":", "; }"),
    ("{ ", ":", "; } | :"),
    ("x=$(", ":", ")"),
    ("x=(", "a", ")"),
    ("a[", "0", "]=x"),
    ("${a[", "0", "]}"),
    ("a[$(", ":", ")]=x"),
    ("[[ -n $(", ":", ") ]]"),
    ("cat <<< $(", ":", ")"),
    ("cat > $(", ":", ")"),
    ("cat <<E\n$(", ":", ")\nE\n"),
    ("`", ":", "`"),
];

/// Nested grammar within one command: before all, repeated, inside, repeated, after all.
const INSIDE: &[(&str, &str, &str, &str, &str)] = &[
    ("[[ ", "( ", "a", " )", " ]]"),
    ("[[ ", "! ", "a", "", " ]]"),
    ("[[ a =~ ", "(", "a", ")", " ]]"),
    ("(( ", "(", "1", ")", " ))"),
    ("(( ", "-", "1", "", " ))"),
    ("(( ", "1 ? ", "1", " : 1", " ))"),
    (": $(( ", "(", "1", ")", " ))"),
    (": ", "{a,", "b", "}", ""),
    (": ", "@(a|", "b", ")", ""),
    ("case a in ", "@(a|", "b", ")", ") ;; esac"),
    ("", "! ", ":", "", ""),
    ("", "time ", ":", "", ""),
    ("", "coproc ", ":", "", ""),
    ("", "sudo ", ":", "", ""),
    ("", "env ", ":", "", ""),
    ("", "env -S env ", ":", "", ""),
    ("", "eval ", ":", "", ""),
    ("", "command ", ":", "", ""),
    ("", "exec ", ":", "", ""),
    ("", "nice -n 1 ", ":", "", ""),
    ("", "timeout 5 ", ":", "", ""),
    ("", "xargs ", ":", "", ""),
    ("", "find . -exec ", ":", " \\;", ""),
    ("", "bash -c ", ":", "", ""),
    ("", "\"$(", ":", ")\"", ""),
];

/// Every bracket this deep.
pub(crate) fn deep(depth: usize) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (open, inside, close) in BRACKETS {
        let text = format!(
            "{}{inside}{}{DENIED}",
            open.repeat(depth),
            close.repeat(depth)
        );
        texts.push((format!("{depth} times {open:?}"), text));
    }
    for (before, open, inside, close, after) in INSIDE {
        let (opens, closes) = (open.repeat(depth), close.repeat(depth));
        let text = format!("{before}{opens}{inside}{closes}{after}{DENIED}");
        texts.push((format!("{depth} times {open:?} in {before:?}"), text));
    }
    let mut mixed = String::from("rm -rf /");
    for (index, (open, _, close)) in BRACKETS.iter().cycle().take(depth.min(300)).enumerate() {
        // A here-document inside its like would end it.
        if index % BRACKETS.len() < 20 {
            mixed = format!("{open}{mixed}{close}");
        }
    }
    texts.push(("brackets mixed".to_owned(), format!("{mixed}{DENIED}")));
    texts
}

/// Every bracket opened this many times and never closed; the denied command comes first, as a
/// shell runs the lines before an error.
pub(crate) fn open(depth: usize) -> Vec<(String, String)> {
    let quotes =
        ["'", "\"", "$'", "\\", "\"'", "${", "$((", "$", "<<E ", "<<'E' ", "#", "&", "|", "\"`"];
    let opens = BRACKETS.iter().map(|(open, ..)| *open);
    opens
        .chain(INSIDE.iter().map(|(_, open, ..)| *open))
        .chain(quotes)
        .chain(BRACKETS.iter().map(|(.., close)| *close))
        .map(|open| {
            let text = format!("rm -rf /\n{}", open.repeat(depth));
            (format!("{depth} times {open:?}, open"), text)
        })
        .collect()
}

/// One piece of text repeated up to this many bytes.
pub(crate) fn long(bytes: usize) -> Vec<(String, String)> {
    let repeated = [
        ("one word", ": ", "a"),
        ("one quoted word", ": '", "a"),
        ("words", ":", " a"),
        ("quoted words", ":", " 'a'"),
        ("double-quoted words", ":", " \"a b\""),
        ("quotes in one word", ": ", "'a'\"b\""),
        ("ANSI strings", ":", " $'\\x41'"),
        ("backslashes", ": ", "\\\\"),
        ("continued lines", ": ", "\\\n"),
        ("blanks", ": ", " "),
        ("line ends", "", "\n"),
        ("comments", "", "# comment\n"),
        ("substitutions", ":", " $(:)"),
        ("backtick substitutions", ":", " `:`"),
        ("process substitutions", ":", " <(:)"),
        ("quoted substitutions", ":", " \"$(:)\""),
        ("variables", ":", " $x"),
        ("variables in one word", ": ", "$x"),
        ("known variables", "x=a; :", " $x"),
        (
            "known variables in one word", "x=aaaaaaaaaaaaaaaa; : ", "$x",
        ),
        ("growing variables", "x=a", ";x=$x$x"),
        ("appended variables", "x=a", ";x+=$x"),
        ("variables with defaults", ":", " ${x:-a}"),
        ("braces in one word", ": ", "{a,b}"),
        ("braces", ":", " {a,b}"),
        ("number ranges", ":", " {1..1000000000}"),
        ("number ranges in one word", ": ", "{1..1000}"),
        ("alternatives in one brace", ": {a", ",b"),
        ("redirects", ":", " >/dev/null"),
        ("numbered redirects", ":", " 3>&1"),
        ("here-strings", ":", " <<<a"),
        ("here-documents", "", "cat <<E\n$x\nE\n"),
        ("quoted here-documents", "", "cat <<'E'\n$(\nE\n"),
        ("here-document to a shell", "bash <<'E'\n", ":\n"),
        ("assignments", "", "a=b "),
        ("assignments of other names", "a", "b=c;a"),
        ("array elements", "a=(", "x "),
        ("pipes", ":", "|:"),
        ("and", ":", "&&:"),
        ("background", "", ":&"),
        ("functions", "", "f(){ :; };"),
        ("function calls", "f(){ :; };", "f;"),
        ("aliases", "shopt -s expand_aliases\n", "alias a=b\n"),
        ("patterns", "case a in a", "|b"),
        ("case branches", "case a in ", "a) ;; "),
        ("conditions", "[[ a", " && a"),
        ("sums", "(( 1", "+1"),
        ("globs", ":", " *"),
        ("globs in one word", ": ", "*?[a]"),
        ("tildes", ":", " ~/a"),
        ("directories", "", "cd a;"),
        ("directories of two branches", "", "cd a||cd b;"),
        ("unknown directories", "", "cd $x;"),
        ("parents", "cd ", "../"),
        ("options", "rm", " -r"),
        ("operands", "rm", " a"),
        ("sets", "", "set -- $@ a;"),
        ("traps", "", "trap : EXIT;"),
        ("evals", "", "eval :;"),
        ("shells", "", "bash -c :;"),
        ("eval of words", "eval", " :"),
        ("letters beyond ASCII", ": ", "é"),
        ("invisible letters", ": ", "\u{200b}"),
        ("NUL", ": ", "\u{0}"),
        ("carriage returns", ":", "\r"),
    ];
    let mut texts = Vec::new();
    for (name, before, piece) in repeated {
        let text = format!("{before}{}{DENIED}", piece.repeat(bytes / piece.len()));
        texts.push((format!("{bytes} bytes of {name}"), text));
    }
    // The same with the denied command where a reader that stops early has not been.
    let inside = format!(": $({}rm -rf /)", ":;".repeat(bytes / 2));
    texts.push(("a long substitution".to_owned(), inside));
    let shell = format!("bash -c '{}rm -rf /'", ":;".repeat(bytes / 2));
    texts.push(("a long text for a shell".to_owned(), shell));
    let joined = format!(
        "cat <<A <<B\n{}A\n$(rm -rf /)\nB\n",
        "x\n".repeat(bytes / 2)
    );
    texts.push(("after a long here-document".to_owned(), joined));
    texts
}

/// This many commands, each different from the one before.
pub(crate) fn many(count: usize) -> Vec<(String, String)> {
    type Line = fn(usize) -> String;
    let lines: [(&str, Line); 10] = [
        ("commands", |index| format!("echo {index}\n")),
        ("quoted commands", |index| {
            format!("echo '{index}' \"{index}\"\n")
        }),
        ("assignments", |index| format!("v{index}=$v{}\n", index / 2)),
        ("variables in use", |index| {
            format!("v{index}=a; echo $v{index}\n")
        }),
        ("functions", |index| format!("f{index}() {{ :; }}\n")),
        ("functions that call each other", |index| {
            format!("f{}() {{ f{index}; }}\n", index + 1)
        }),
        ("aliases", |index| {
            format!("alias a{}=a{index}\n", index + 1)
        }),
        ("directories", |index| format!("cd d{index}\n")),
        ("subshells", |index| format!("(cd d{index}; x=$(pwd))\n")),
        ("shells", |index| format!("bash -c 'echo {index}'\n")),
    ];
    let mut texts = Vec::new();
    for (name, line) in lines {
        let text: String = (0..count).map(line).collect();
        texts.push((format!("{count} {name}"), format!("{text}{DENIED}")));
    }
    texts
}

/// Texts whose meaning grows faster than they do.
pub(crate) fn growing() -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = RECURSIVE
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    texts.extend(doubling());
    texts.extend(branching());
    texts.extend(quoting());
    for (_, text) in &mut texts {
        text.push_str(DENIED);
    }
    texts
}

/// Texts that run themselves.
const RECURSIVE: &[(&str, &str)] = &[
    ("a function that calls itself", "f() { f; }; f"),
    ("a function that calls itself twice", "f() { f; f; }; f"),
    (
        "two functions that call each other",
        "f() { g; g; }; g() { f; f; }; f",
    ),
    (
        "a function that defines itself",
        "f() { f() { f; }; f; f; }; f",
    ),
    ("a text that runs itself", "x='eval \"$x\"'; eval \"$x\""),
    (
        "a text that runs itself twice",
        "x='eval \"$x\"; eval \"$x$x\"'; eval \"$x\"",
    ),
    (
        "a shell that runs itself",
        "export x='bash -c \"$x\"; bash -c \"$x\"'; bash -c \"$x\"",
    ),
    (
        "a trap that sets itself",
        "x='trap \"$x\" EXIT'; trap \"$x\" EXIT",
    ),
    (
        "an alias of itself",
        "shopt -s expand_aliases\nalias a='a a; a'\na",
    ),
    (
        "aliases of each other",
        "shopt -s expand_aliases\nalias a='b b; b' b='a a; a'\na",
    ),
    ("big ranges", ": {1..1000}{1..1000}{1..1000}{1..1000}"),
    (
        "ranges of letters",
        ": {a..z}{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}",
    ),
    (
        "braces in braces",
        ": {a,b{c,d{e,f}}}{a,b{c,d{e,f}}}{a,b{c,d{e,f}}}{a,b{c,d{e,f}}}{a,b{c,d}}",
    ),
];

/// Each line means two of the line before.
fn doubling() -> Vec<(String, String)> {
    type Line = fn(usize, usize) -> String;
    let chains: [(&str, &str, Line, &str); 8] = [
        (
            "variables",
            "v0=a",
            |one, next| format!("v{next}=$v{one}$v{one}"),
            "echo $v40",
        ),
        (
            "variables backwards",
            ":",
            |one, next| format!("v{one}=$v{next}$v{next}"),
            "echo $v0",
        ),
        (
            "split variables",
            "v0='a b'",
            |one, next| format!("v{next}=\"$v{one} $v{one}\""),
            "echo $v40",
        ),
        (
            "functions",
            "f0() { :; }",
            |one, next| format!("f{next}() {{ f{one}; f{one}; }}"),
            "f40",
        ),
        (
            "functions backwards",
            "f40() { :; }",
            |one, next| format!("f{one}() {{ f{next}; f{next}; }}"),
            "f0",
        ),
        (
            "functions in substitutions",
            "f0() { :; }",
            |one, next| format!("f{next}() {{ : $(f{one}) $(f{one}); }}"),
            "f40",
        ),
        (
            "aliases",
            "shopt -s expand_aliases",
            |one, next| format!("alias a{next}='a{one}; a{one}'"),
            "a40",
        ),
        (
            "texts",
            "v0=:",
            |one, next| format!("v{next}='eval \"$v{one}\"; eval \"$v{one}\"'"),
            "eval \"$v40\"",
        ),
    ];
    let text = |(name, first, line, last): (&str, &str, Line, &str)| {
        let lines: Vec<String> = (0..40).map(|index| line(index, index + 1)).collect();
        let text = format!("{first}\n{}\n{last}", lines.join("\n"));
        (format!("twice, {name}"), text)
    };
    chains.into_iter().map(text).collect()
}

/// Each line has several ways to go on.
fn branching() -> Vec<(String, String)> {
    let chain = |line: fn(usize) -> String| (0..60).map(line).collect::<Vec<_>>().join("\n");
    let directories = |index| format!("if [ -d x ]; then cd a{index}; else cd b{index}; fi");
    let variables = |index| format!("if [ -d x ]; then v{index}=a; else v{index}=b; fi");
    let mixed = |index| format!("case $1 in a) v=a{index};; b) v=b$v;; c) v=$v$v;; esac");
    let all = (0..60).map(|index| format!("$v{index}"));
    let all: Vec<String> = all.collect();
    let words = (0..16).map(|index| format!("a{index}"));
    let words = words.collect::<Vec<_>>().join(" ");
    let mut loops = String::from("echo $x0$x1$x2$x3$x4$x5$x6$x7");
    for index in 0..8 {
        loops = format!("for x{index} in {words}; do cd $x{index}; {loops}; done");
    }
    let texts = [
        ("directories of two branches", chain(directories)),
        (
            "variables of two branches",
            format!("{}\necho {}", chain(variables), all.concat()),
        ),
        (
            "variables of many branches",
            format!("{}\necho $v $v$v$v", chain(mixed)),
        ),
        ("loops in loops", loops),
    ];
    texts.map(|(name, text)| (name.to_owned(), text)).into()
}

/// Texts in texts: their quotes double with each level.
fn quoting() -> Vec<(String, String)> {
    let nest = |wrap: fn(&str) -> String| {
        let mut text = String::from(":");
        while text.len() < 100_000 {
            text = wrap(&text);
        }
        text
    };
    let texts = [
        (
            "evals in evals",
            nest(|text| format!("eval '{}'", text.replace('\'', "'\\''"))),
        ),
        (
            "shells in shells",
            nest(|text| format!("bash -c \"{}\"", escaped(text, '"'))),
        ),
        (
            "backticks in backticks",
            nest(|text| format!("`{}`", escaped(text, '`'))),
        ),
    ];
    texts.map(|(name, text)| (name.to_owned(), text)).into()
}

fn escaped(text: &str, quote: char) -> String {
    let text = text.replace('\\', "\\\\");
    text.replace(quote, &format!("\\{quote}"))
}

//! Ways to write the marker itself: `¤` stands for its number.

use super::place::Kind;

/// One spelling of the marker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    text: &'static str,
    /// How much of it can be known from the text.
    pub(crate) kind: Kind,
}

impl Leaf {
    /// Whether it is the marker as a person would write it.
    pub(crate) fn is_plain(&self) -> bool {
        self.text == LEAVES[0].text
    }

    /// The marker with this number.
    pub(crate) fn with(&self, number: usize) -> String {
        self.text.replace('¤', &number.to_string())
    }
}

const fn literal(text: &'static str) -> Leaf {
    Leaf {
        text,
        kind: Kind::Literal,
    }
}

const fn dynamic(text: &'static str) -> Leaf {
    Leaf {
        text,
        kind: Kind::Dynamic,
    }
}

/// The marker under another name.
const fn judged(text: &'static str) -> Leaf {
    Leaf {
        text,
        kind: Kind::Judged,
    }
}

/// Every spelling; the first is the plain one.
pub(crate) const LEAVES: &[Leaf] = &[
    literal("marker_7f3a ¤"),
    literal("\\marker_7f3a ¤"),
    literal("\"marker_7f3a\" ¤"),
    literal("'marker_7f3a' \"¤\""),
    literal("m''ar\"\"ker_7f3a '¤'"),
    literal("m\\a\\r\\k\\e\\r_7f3a ¤"),
    literal("mark\\\ner_7f3a ¤"),
    literal("\"mark\\\ner_7f3a\" ¤"),
    literal("marker_7f3a \\\n ¤"),
    literal("$'\\x6darker_7f3a' ¤"),
    literal("$'\\155arker\\u005f7f3a' ¤"),
    literal("$\"marker_7f3a\" ¤"),
    literal("{marker_7f3a,¤}"),
    literal("marker_7f3{a..a} ¤"),
    literal("m{arker_7f3a\\ ,x} ¤ || marker_7f3a ¤"),
    literal("\tmarker_7f3a\t¤\t"),
    literal("marker_7f3a ¤ # marker_7f3a 0"),
    literal("# a comment\nmarker_7f3a ¤"),
    literal(": # a comment ' \" `\nmarker_7f3a ¤"),
    literal("! marker_7f3a ¤"),
    literal(">/dev/null marker_7f3a ¤"),
    literal(">/dev/null 2>&1 marker_7f3a </dev/null ¤"),
    literal("{fd}>/dev/null marker_7f3a ¤"),
    literal("marker_7f3a ¤ 2>&1 >/dev/null"),
    literal("marker_7f3a 2>/dev/null ¤ &>>/dev/null"),
    literal("V=1 marker_7f3a ¤"),
    literal("V=1 W='x y' >/dev/null marker_7f3a ¤"),
    literal("v[0]=1 marker_7f3a ¤"),
    literal("x=marker_7f3a; $x ¤"),
    literal("x=marker_7f3a; \"$x\" ¤"),
    literal("x=marker; ${x}_7f3a ¤"),
    literal("x=arker; m\"${x}\"_7f3a ¤"),
    literal("x=marker_; x+=7f3a; $x ¤"),
    literal("x='marker_7f3a ¤'; $x"),
    literal("x=marker_7f3a y=¤; $x $y"),
    literal("for x in marker_7f3a; do $x ¤; done"),
    literal("export x=marker_7f3a; $x ¤"),
    literal("nosuchthing_7f3a || marker_7f3a ¤"),
    literal("command_not_found_handle() { marker_7f3a ¤; }; nosuchthing_7f3a"),
    literal("time marker_7f3a ¤"),
    literal("time -p -- marker_7f3a ¤"),
    literal("command marker_7f3a ¤"),
    literal("command -p -- marker_7f3a ¤ || command -- marker_7f3a ¤"),
    literal("command -- marker_7f3a ¤"),
    literal("env marker_7f3a ¤"),
    literal("env -u X Y=1 marker_7f3a ¤"),
    literal("env -S 'marker_7f3a ¤'"),
    literal("env '-Smarker_7f3a ¤'"),
    literal("env -vS 'marker_7f3a' ¤"),
    literal("env --split-string='marker_7f3a ¤'"),
    literal("(exec marker_7f3a ¤)"),
    literal("(exec -a other marker_7f3a ¤)"),
    literal("(exec -c -l marker_7f3a ¤; :) || (exec -l marker_7f3a ¤)"),
    literal("nohup marker_7f3a ¤"),
    literal("nice marker_7f3a ¤"),
    literal("nice -5 marker_7f3a ¤"),
    literal("nice -n 5 marker_7f3a ¤"),
    literal("timeout 5 marker_7f3a ¤"),
    literal("timeout -k 1 --signal=KILL 5s marker_7f3a ¤"),
    literal("timeout --preserve-status -s TERM 5 nice -n1 env A=1 nohup marker_7f3a ¤"),
    literal("setsid -w marker_7f3a ¤"),
    literal("stdbuf -oL marker_7f3a ¤"),
    literal("stdbuf --output=0 marker_7f3a ¤"),
    literal("ionice -c 3 marker_7f3a ¤"),
    literal("chrt -o 0 marker_7f3a ¤"),
    literal("taskset 1 marker_7f3a ¤"),
    literal("taskset -c 0 marker_7f3a ¤"),
    literal("setarch -R marker_7f3a ¤"),
    literal("unshare marker_7f3a ¤"),
    literal("prlimit --nofile=64 marker_7f3a ¤"),
    literal("setpriv --no-new-privs marker_7f3a ¤"),
    literal("flock . marker_7f3a ¤"),
    literal("flock -w 1 . -c 'marker_7f3a ¤'"),
    literal("script -qc 'marker_7f3a ¤' /dev/null"),
    literal("echo ¤ | xargs marker_7f3a"),
    literal("echo | xargs marker_7f3a ¤"),
    literal("echo a | xargs -I{} marker_7f3a ¤ {}"),
    literal("echo a | xargs -n1 -P2 --max-lines=1 marker_7f3a ¤"),
    literal("xargs -a /dev/null -t -- marker_7f3a ¤"),
    literal("find . -maxdepth 0 -exec marker_7f3a ¤ {} \\;"),
    literal("find . -maxdepth 0 -exec marker_7f3a ¤ {} +"),
    literal("find . -maxdepth 0 -execdir marker_7f3a ¤ ';'"),
    literal("find . -maxdepth 0 ! -name x -a \\( -true -exec true \\; -exec marker_7f3a ¤ \\; \\)"),
    literal("eval marker_7f3a ¤"),
    literal("eval 'marker_7f3a ¤'"),
    literal("eval marker_7f3a '¤;' :"),
    literal("eval \"eval 'marker_7f3a ¤'\""),
    literal("builtin eval marker_7f3a ¤"),
    literal("builtin command marker_7f3a ¤"),
    literal("\\eval marker_7f3a ¤"),
    literal("coproc marker_7f3a ¤; wait"),
    literal("coproc X { marker_7f3a ¤; }; wait"),
    literal("set -- marker_7f3a ¤; \"$@\""),
    literal("set -- marker_7f3a ¤; $1 $2"),
    literal("set -- x marker_7f3a; shift; \"$1\" ¤"),
    literal("a=(marker_7f3a ¤); \"${a[@]}\""),
    literal("a=(marker_7f3a ¤); ${a[*]}"),
    literal("a=(x marker_7f3a); ${a[1]} ¤"),
    literal("if :; then marker_7f3a ¤; fi >/dev/null"),
    literal("sh -c 'marker_7f3a ¤'"),
    literal("bash -c 'marker_7f3a ¤' 2>/dev/null"),
    literal("bash -c $'marker_7f3a\\x20¤'"),
    literal("bash -c \"marker_7f3a \"'¤'"),
    literal("x='marker_7f3a ¤'; bash -c \"$x\""),
    literal("x='marker_7f3a ¤'; eval \"$x\""),
    literal("bash -c '$0 \"$@\"' marker_7f3a ¤"),
    dynamic("${PATH%%:*}/marker_7f3? ¤"),
    dynamic("cd \"${PATH%%:*}\"; ./mark*7f3a ¤"),
    dynamic("$(echo marker_7f3a) ¤"),
    dynamic("`echo marker_7f3a` ¤"),
    dynamic("$(echo marker_7f3a ¤)"),
    dynamic("printf -v x %s marker_7f3a; $x ¤"),
    dynamic("read x <<< marker_7f3a; $x ¤"),
    dynamic("read -r a b <<< 'marker_7f3a ¤'; $a $b"),
    dynamic("mapfile -t a <<< marker_7f3a; \"${a[0]}\" ¤"),
    dynamic("x=MARKER_7F3A; ${x,,} ¤"),
    dynamic("x=marker_7f3aZZ; ${x%ZZ} ¤"),
    dynamic("x=ZZmarker_7f3a; ${x#ZZ} ¤"),
    dynamic("x=marker_7f3a; y=x; ${!y} ¤"),
    dynamic("x=ZZmarker_7f3a; ${x:2} ¤"),
    dynamic("x=marker_7f3Z; ${x/Z/a} ¤"),
    dynamic("unset x; ${x:-marker_7f3a} ¤"),
    dynamic("unset x; : ${x:=marker_7f3a}; $x ¤"),
    dynamic("x=y; ${x:+marker_7f3a} ¤"),
    dynamic("declare x=marker_7f3a; $x ¤"),
    dynamic("declare -n r=x; x=marker_7f3a; $r ¤"),
    dynamic("declare -l x=MARKER_7F3A; $x ¤"),
    dynamic("declare -A m; m[k]=marker_7f3a; ${m[k]} ¤"),
    dynamic("x=marker_7f3a; f() { local x; $x ¤; $1 ¤; }; f marker_7f3a"),
    dynamic("f() { \"$@\"; }; f marker_7f3a ¤"),
    dynamic("f() { $1 $2; }; f marker_7f3a ¤"),
    dynamic("f() { eval \"$*\"; }; f marker_7f3a ¤"),
    dynamic("select x in marker_7f3a; do $x ¤; break; done <<< 1"),
    dynamic("while read -r x; do $x ¤; done <<< marker_7f3a"),
    dynamic("echo marker_7f3a | while read -r x; do $x ¤; done"),
    dynamic("for x in m; do ${x}arker_7f3a ¤; done"),
    dynamic("let 'x=7' ; marker_${x}f3a ¤"),
    dynamic("x=7; marker_$((x))f3a ¤"),
    dynamic("eval \"$(echo marker_7f3a ¤)\""),
    dynamic("IFS=,; x=marker_7f3a,¤; $x"),
    dynamic("x=(marker 7f3a); IFS=_; \"${x[*]}\" ¤"),
    dynamic("getopts m x -m; ${x}arker_7f3a ¤"),
    dynamic("history -s marker_7f3a ¤; set +o history; eval \"$(history -p 'marker_7f3a ¤')\""),
    judged("hash -p \"${PATH%%:*}/marker_7f3a\" hidden; hidden ¤"),
    judged("ln -s \"${PATH%%:*}/marker_7f3a\" hidden; ./hidden ¤"),
    judged("cp \"${PATH%%:*}/marker_7f3a\" hidden; PATH=.:$PATH hidden ¤"),
];

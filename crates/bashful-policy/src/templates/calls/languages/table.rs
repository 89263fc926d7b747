//! The programs that take code, and how each does.

use crate::arguments::Valued;

/// How a program takes its code.
pub(super) struct Language {
    pub(super) names: &'static [&'static str],
    /// Letters of options whose value is code.
    pub(super) letters: &'static str,
    /// Long options, and those with one dash, whose value is code.
    pub(super) long: &'static [&'static str],
    pub(super) valued: Valued,
    pub(super) operands: Operands,
    /// Other options hold data, such as `awk -v name=value`.
    pub(super) options_are_data: bool,
    pub(super) reads: Reads,
}

/// Which operands are code, or name the file that has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// As many as this, unless an option gave the code.
    First(usize),
    /// All behind the first.
    Later,
    None,
}

/// Whether it runs what it reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Always,
    /// When its arguments give it no code.
    Otherwise,
    Never,
}

const fn row(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
) -> Language {
    Language {
        names,
        letters,
        long,
        valued: Valued::NONE,
        operands: Operands::First(1),
        options_are_data: false,
        reads: Reads::Otherwise,
    }
}

const fn letters(short: &'static str) -> Valued {
    Valued { short, long: &[] }
}

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        valued: letters("WX"),
        ..row(
            &["python", "pypy", "ipython", "pythonw", "micropython"],
            "cm",
            &[],
        )
    },
    Language {
        valued: letters("I"),
        ..row(&["perl", "raku"], "eEMm", &[])
    },
    Language {
        valued: letters("ICEKFx"),
        ..row(&["ruby", "jruby", "irb"], "er", &[])
    },
    row(
        &["node", "nodejs", "ts-node", "tsx", "bun"],
        "epr",
        &["--eval", "--print", "--require", "--import"],
    ),
    Language {
        operands: Operands::First(2),
        ..row(&["deno"], "", &[])
    },
    Language {
        valued: letters("dcz"),
        ..row(&["php", "php-cgi"], "rBREFf", &["--run", "--file"])
    },
    row(&["lua", "luajit", "texlua"], "el", &[]),
    row(
        &[
            "osascript",
            "Rscript",
            "R",
            "r",
            "littler",
            "julia",
            "groovy",
            "scala",
            "elixir",
            "guile",
            "racket",
            "swipl",
            "sbcl",
            "clisp",
            "ghc",
            "runghc",
            "runhaskell",
            "octave",
            "erl",
            "escript",
            "clojure",
            "clj",
            "bb",
            "rhino",
            "qjs",
            "d8",
            "janet",
            "gforth",
            "csi",
            "gsi",
            "kotlin",
            "dotnet-script",
            "tclsh",
            "wish",
            "expect",
            "gnuplot",
            "jshell",
            "scheme",
        ],
        "ecrElLf",
        &[
            "--eval",
            "--execute",
            "--expression",
            "--command",
            "-eval",
            "--print",
            "--load",
        ],
    ),
    Language {
        valued: letters("Fvlio"),
        options_are_data: true,
        reads: Reads::Never,
        ..row(
            &["awk", "gawk", "mawk", "nawk", "original-awk", "goawk"],
            "efE",
            &["--source", "--file", "--exec", "--include", "--load"],
        )
    },
    Language {
        valued: letters("l"),
        options_are_data: true,
        reads: Reads::Never,
        ..row(&["sed", "gsed", "ssed"], "ef", &["--expression", "--file"])
    },
    Language {
        valued: Valued {
            short: "L",
            long: &["indent", "tab", "stream-errors"],
        },
        options_are_data: true,
        reads: Reads::Never,
        ..row(
            &["jq", "gojq", "jaq", "yq"],
            "f",
            &["--from-file", "--expression"],
        )
    },
    Language {
        operands: Operands::None,
        options_are_data: true,
        valued: letters("dhopUvLFRPT"),
        ..row(&["psql"], "cf", &["--command", "--file"])
    },
    Language {
        operands: Operands::None,
        options_are_data: true,
        valued: letters("hPuDS"),
        ..row(&["mysql", "mariadb"], "e", &["--execute", "--init-command"])
    },
    Language {
        operands: Operands::Later,
        options_are_data: true,
        ..row(
            &["sqlite3", "sqlite", "duckdb", "litecli"],
            "",
            &["-cmd", "-c", "-init", "-s"],
        )
    },
    Language {
        operands: Operands::None,
        options_are_data: true,
        ..row(
            &[
                "mongo",
                "mongosh",
                "cqlsh",
                "clickhouse-client",
                "clickhouse",
                "sqlcmd",
                "sqlplus",
                "usql",
                "pgcli",
                "mycli",
                "influx",
                "cypher-shell",
                "surreal",
            ],
            "eqQc",
            &["--eval", "--execute", "--query", "--command"],
        )
    },
    Language {
        operands: Operands::None,
        reads: Reads::Always,
        ..row(&["bc", "dc"], "ef", &["--expression", "--file"])
    },
    Language {
        operands: Operands::None,
        reads: Reads::Always,
        options_are_data: true,
        ..row(
            &[
                "vim",
                "nvim",
                "vi",
                "view",
                "ex",
                "gvim",
                "ed",
                "red",
                "emacs",
                "emacsclient",
                "gdb",
                "lldb",
            ],
            "cSluUo",
            &[
                "--cmd",
                "-ex",
                "-iex",
                "--eval",
                "-eval",
                "-f",
                "-l",
                "--load",
                "--funcall",
                "-x",
                "--command",
                "--execute",
                "--one-line",
                "-batch",
                "--source",
                "--eval-command",
            ],
        )
    },
    Language {
        operands: Operands::None,
        options_are_data: true,
        reads: Reads::Never,
        ..row(
            &["nc", "ncat", "netcat"],
            "ec",
            &["--exec", "--sh-exec", "--lua-exec"],
        )
    },
    Language {
        operands: Operands::First(usize::MAX),
        ..row(
            &["socat", "parallel", "m4", "at", "batch", "crontab"],
            "",
            &[],
        )
    },
    Language {
        valued: letters("C"),
        options_are_data: true,
        reads: Reads::Never,
        operands: Operands::First(usize::MAX),
        ..row(
            &["make", "gmake", "remake", "just", "ninja"],
            "fIE",
            &["--eval", "--file", "--makefile", "--include-dir"],
        )
    },
    Language {
        valued: Valued {
            short: "oO",
            long: &["rcfile", "init-file"],
        },
        ..row(&["sh"], "c", &["--command", "-Command"])
    },
];

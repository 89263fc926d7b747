//! Clients, consoles and debuggers that ask for commands when they get none.

use super::reads;
use crate::arguments::Valued;
use crate::classes::View;
use crate::classes::line::{Line, has_word};
use crate::facts::Argument;

/// Programs that read commands from their input until its end, with the options that give them
/// commands otherwise. They do not wait when their input is no terminal.
#[rustfmt::skip]
const READERS: &[(&str, Valued, &str, &[&str])] = &[
    ("psql", PSQL, "cfl", &["command", "file", "list"]),
    ("pgcli", PSQL, "cfl", &["command", "list"]),
    ("mysql", MYSQL, "e", &["execute"]),
    ("mariadb", MYSQL, "e", &["execute"]),
    ("mycli", MYSQL, "e", &["execute"]),
    ("cqlsh", Valued::NONE, "ef", &["execute", "file"]),
    ("sqlcmd", Valued::NONE, "Qqi", &["query"]),
    ("sqlplus", Valued::NONE, "", &[]),
    ("clickhouse-client", Valued::NONE, "q", &["query", "queries-file"]),
    ("mongo", Valued::NONE, "f", &["eval", "file"]),
    ("mongosh", Valued::NONE, "f", &["eval", "file"]),
    ("influx", Valued::NONE, "", &["execute"]),
    ("gdb", Valued::NONE, "", &["batch", "batch-silent"]),
    ("lldb", Valued::NONE, "b", &["batch"]),
    ("cuda-gdb", Valued::NONE, "", &["batch"]),
    ("ftp", Valued::NONE, "", &[]),
    ("sftp", Valued::NONE, "b", &[]),
    ("lftp", Valued::NONE, "cf", &[]),
    ("jshell", Valued::NONE, "", &[]),
    ("swipl", Valued::NONE, "gt", &[]),
    ("bluetoothctl", Valued::NONE, "", &[]),
    ("wpa_cli", Valued::NONE, "a", &[]),
    ("gp", Valued::NONE, "", &[]),
    ("maxima", Valued::NONE, "", &["batch", "batch-string"]),
    ("r2", Valued::NONE, "qcv", &[]),
    ("radare2", Valued::NONE, "qcv", &[]),
    ("smbclient", Valued::NONE, "cL", &["command", "list"]),
    ("ldapvi", Valued::NONE, "", &[]),
    ("rlwrap", Valued::NONE, "", &[]),
    ("erl", Valued::NONE, "", &["noshell", "noinput", "eval"]),
];
/// Programs that wait for input only when they are given nothing at all.
const BARE: &[&str] = &[
    "bc", "dc", "sqlite3", "sqlite", "duckdb", "redis-cli", "valkey-cli", "gforth", "scheme",
    "clisp", "sbcl", "clj", "kotlinc", "kotlin", "amm", "sbt", "gnuplot", "scala", "scala3",
    "awsh", "openssl", "nft-i", "crontab", "aptitude", "zellij", "nix-shell", "script", "screen",
    "tmux", "ocaml", "csi", "fsi", "spark-shell", "pyspark", "bpftrace", "nslookup", "units",
    "calc", "ngspice", "octave", "octave-cli", "factor", "gst", "poly", "hugs", "coqtop", "idris",
    "rdb",
];

pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    let first = arguments.first().map_or("", |word| word.text.as_str());
    let second = arguments.get(1).map_or("", |word| word.text.as_str());
    if asks_password(view.name, arguments) {
        return true;
    }
    if let Some((_, valued, letters, names)) = READERS.iter().find(|(name, ..)| *name == view.name)
    {
        let line = Line::read(arguments, valued);
        // These take long options after one dash too.
        let single = || {
            names
                .iter()
                .any(|name| has_word(arguments, &[&format!("-{name}")]))
        };
        return !reads(call) && !line.has(letters, names) && !single() && !only_shows(arguments);
    }
    if BARE.contains(&view.name) && arguments.is_empty() {
        return !reads(call);
    }
    let operands = |valued: &Valued| Line::read(arguments, valued).operands.len();
    match view.name {
        "sqlite3" | "sqlite" | "duckdb" => {
            let line = Line::read(arguments, &SQLITE);
            let given = arguments.iter().any(|word| {
                ["-cmd", "-init", "-version", "-c", "-f", "-help"].contains(&word.text.as_str())
            });
            line.operands.len() < 2 && !given && !reads(call)
        }
        "redis-cli" | "valkey-cli" => {
            let asks = ["--scan", "--bigkeys", "--stat", "--latency", "--pipe", "--rdb", "--eval"];
            operands(&REDIS) == 0 && !has_word(arguments, &asks) && !reads(call)
        }
        "bc" | "dc" => {
            let line = Line::read(arguments, &Valued::NONE);
            line.operands.is_empty() && !line.has("ef", &["expression", "file"]) && !reads(call)
        }
        "ssh" | "autossh" => {
            let line = Line::read(arguments, &SSH);
            let silent = line.has_letter("NfQGVOW");
            let forced = line.has_letter("t");
            forced || (line.operands.len() == 1 && !silent && !reads(call))
        }
        "openssl" => match first {
            "s_client" | "s_server" => !reads(call),
            "req" => {
                let made = has_word(arguments, &["-new", "-newkey", "-x509"]);
                made && !has_word(arguments, &["-subj", "-batch", "-config"]) && !reads(call)
            }
            _ => false,
        },
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" | "k3s"
        | "buildah" | "lxc" | "incus" | "crictl" | "microk8s" | "finch" => {
            container_waits(arguments)
        }
        "tmux" => {
            let line = Line::read(arguments, &TMUX);
            match line.operand(0) {
                "" => !line.has_letter("V"),
                "attach" | "attach-session" | "a" | "at" => true,
                "new" | "new-session" => !line.has_letter("d"),
                _ => false,
            }
        }
        "screen" => {
            let line = Line::read(arguments, &SCREEN);
            let detached = line.has_letter("d") && line.has_letter("m");
            let other = ["-ls", "-list", "-X", "-wipe", "-v", "-Q"];
            !detached && !line.has_letter("XQ") && !has_word(arguments, &other)
        }
        _ => is_console(view, first, second),
    }
}

/// The consoles and shells that other tools bring.
fn is_console(view: &View, first: &str, second: &str) -> bool {
    let call = view.call;
    let arguments = call.operands();
    match view.name {
        "zellij" => matches!(first, "attach" | "a"),
        "script" => !Line::read(arguments, &Valued::NONE).has("c", &["command"]),
        "sbt" => matches!(first, "console" | "shell"),
        "rails" | "bin/rails" => matches!(first, "console" | "c" | "dbconsole" | "db"),
        "bundle" => first == "console",
        "stack" => matches!(first, "ghci" | "repl"),
        "cabal" | "lein" | "nix" if first == "repl" => !reads(call),
        "nix" => {
            matches!(first, "develop" | "shell")
                && !Line::read(arguments, &Valued::NONE).has("c", &["command"])
        }
        "nix-shell" => !has_word(arguments, &["--run", "--command"]),
        "poetry" | "pipenv" | "flask" | "hatch" => first == "shell" && !reads(call),
        "django-admin" => matches!(first, "shell" | "dbshell") && !reads(call),
        "vagrant" => first == "ssh" && !has_word(arguments, &["-c", "--command"]),
        "fly" | "flyctl" => {
            first == "ssh" && second == "console" && !has_word(arguments, &["-C", "--command"])
        }
        "dotnet" => first == "fsi" && arguments.len() == 1,
        "dlv" => matches!(first, "debug" | "exec" | "attach" | "test" | "core"),
        "rr" => first == "replay",
        "virsh" => matches!(first, "" | "edit" | "console"),
        "gcloud" => {
            first == "compute"
                && second == "ssh"
                && !arguments
                    .iter()
                    .any(|word| word.text.starts_with("--command"))
        }
        _ => false,
    }
}

/// Whether a program only shows its help or version.
pub(super) fn only_shows(arguments: &[Argument]) -> bool {
    has_word(
        arguments,
        &["--version", "--help", "-V", "-VV", "-v", "-h", "-version", "-help", "-?"],
    )
}

/// Whether a client of a database is told to ask for a password.
fn asks_password(name: &str, arguments: &[Argument]) -> bool {
    match name {
        "mysql" | "mariadb" | "mysqldump" | "mysqladmin" | "mariadb-dump" | "mycli"
        | "mysqlimport" | "mysqlshow" | "mysqlcheck" => has_word(arguments, &["-p", "--password"]),
        "psql" | "pg_dump" | "pg_restore" | "createdb" | "dropdb" | "pg_dumpall" => {
            has_word(arguments, &["-W", "--password"])
        }
        _ => false,
    }
}

/// Whether a container is given a terminal.
fn container_waits(arguments: &[Argument]) -> bool {
    let verbs = ["exec", "run", "attach", "debug", "start"];
    let Some(at) = arguments
        .iter()
        .position(|word| verbs.contains(&word.text.as_str()))
    else {
        return arguments.first().is_some_and(|word| word.text == "edit");
    };
    // What comes after `--` belongs to the program inside.
    let rest = arguments.get(at + 1..).unwrap_or_default();
    let line = Line::read(rest, &Valued::NONE);
    let terminal = line.has("t", &["tty"]);
    let person = line.has("i", &["interactive", "stdin"]);
    let detached = line.has("d", &["detach"]);
    (terminal && person && !detached)
        || has_word(arguments.get(at..=at).unwrap_or_default(), &["attach"])
}

const PSQL: Valued = Valued::new(
    "cdfhLopPRTUv",
    &["command", "dbname", "file", "host", "port", "username", "output", "set", "variable"],
);
const MYSQL: Valued = Valued::new(
    "eDhPuS",
    &["execute", "database", "host", "port", "user", "socket"],
);
const SQLITE: Valued = Valued::NONE;
const REDIS: Valued = Valued::new(
    "hpsanurDid",
    &["user", "pass", "cacert", "cert", "key", "sni"],
);
const SSH: Valued = Valued::new("bcDEeFIiJLlmOopQRSWwB", &[]);
const TMUX: Valued = Valued::new("fLScTntxyse", &[]);
const SCREEN: Valued = Valued::new("cehpsStTL", &[]);

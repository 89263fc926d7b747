//! What the shipped rules ask about in general, in forms that need no question in a room without a
//! network: there, the sandbox holds all that they could reach.

use crate::capabilities::NetworkCapability;
use crate::context::Context;
use crate::facts::{Argument, Call, Input};
use crate::reach::is_own_host;
use crate::writes::system;

/// Tools that projects of JavaScript install, by the names that they are started with.
const INSTALLED: &[&str] = &[
    "tsc", "vue-tsc", "eslint", "prettier", "jest", "vitest", "mocha", "ava", "biome", "oxlint",
    "stylelint", "svelte-check", "rollup", "webpack", "vite", "esbuild", "turbo", "c8", "nyc",
    "tsup",
];

/// Clients of databases that connect to the machine itself when no host is named.
const HERE_BY_DEFAULT: &[&str] = &["redis-cli"];

/// Clients of databases, whose `-h` names the host.
const CLIENTS: &[&str] = &[
    "psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "dropdb", "mysql", "mariadb",
    "mysqldump", "mysqladmin", "redis-cli",
];

/// Whether the sandbox holds a call that this shipped rule would ask about, or refuse.
pub(super) fn is_held(call: &Call, rule: &str, context: &Context) -> bool {
    if !context.enforced || context.network != NetworkCapability::Off {
        return false;
    }
    let words = call.operands();
    let plain = call.arguments.iter().all(Argument::is_literal) && !call.open_ended;
    let system = call
        .arguments
        .first()
        .is_some_and(Argument::is_system_program);
    if !system {
        return false;
    }
    let name = call.program();
    match rule {
        "package-runners" => name == "npx" && plain && runs_installed(words),
        "npm-exec" => {
            let exec = words
                .split_first()
                .filter(|(first, _)| first.text == "exec");
            plain && exec.is_some_and(|(_, rest)| runs_installed(rest))
        }
        "go-packages" => plain && installs_own(words),
        // A run has processes of its own, and sees no others.
        "kill-all" | "kill-broad" | "kill-many" => matches!(name, "pkill" | "killall" | "kill"),
        // No registry is asked about a package that is made here.
        "npm-packages" => {
            let own = [
                ("pack", ["--json", "--dry-run"]),
                ("fund", ["--json", "--no-fund"]),
                ("rebuild", ["--silent", "--ignore-scripts"]),
            ];
            let mut own = own.iter();
            name == "npm" && plain && own.any(|(verb, options)| only(words, verb, options))
        }
        "go-modules" => plain && makes_module(words),
        "tls-client" => plain && name == "openssl" && asks_own_server(words),
        // It prints what it would connect with.
        "remote-shell" => {
            let prints = words.first().is_some_and(|word| word.text == "-G");
            name == "ssh" && plain && prints && words.len() == 2
        }
        "system-packages-flags" => name == "dpkg" && plain && asks_dpkg(words),
        // The run has a home of its own, and all else that it would change it cannot write.
        "system-change" | "git-config" => context.run_home.is_some() && own_settings(name, words),
        "databases" => plain && CLIENTS.contains(&name) && connects_here(name, words),
        "interactive" => !context.terminal && name == "less" && copies(call),
        "web" => plain && name == "curl" && only_files(words),
        _ => false,
    }
}

/// Whether what follows `npx` names a package that is installed, or says that none is downloaded.
fn runs_installed(words: &[Argument]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let mut stays = false;
    for word in words.by_ref() {
        match word {
            "--no" | "--no-install" | "--offline" => stays = true,
            "--" => {}
            option if option.starts_with('-') => return false,
            tool => return stays || INSTALLED.contains(&tool),
        }
    }
    false
}

/// Whether `go install` is told to install packages of the project alone.
fn installs_own(words: &[Argument]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let own = |word: &Argument| {
        let path = word.text.as_str();
        (path == "." || path.starts_with("./"))
            && !path.contains('@')
            && !path.split('/').any(|part| part == "..")
    };
    let switch = |word: &Argument| matches!(word.text.as_str(), "-v" | "-x" | "-race");
    first.text == "install"
        && rest.iter().any(own)
        && rest.iter().all(|word| own(word) || switch(word))
}

/// Whether `go` is told to begin a module or a workspace, for which it reaches nobody.
fn makes_module(words: &[Argument]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let verbs = (words.next(), words.next());
    let begins = matches!(verbs, (Some("mod" | "work"), Some("init")));
    begins && !words.any(|word| word.starts_with('-'))
}

/// Whether `openssl` is told to look at a server of this machine, and at no other.
fn asks_own_server(words: &[Argument]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let mut named = false;
    if words.next() != Some("s_client") {
        return false;
    }
    while let Some(word) = words.next() {
        match word {
            "-connect" => {
                let (host, _) = words
                    .next()
                    .and_then(|it| it.rsplit_once(':'))
                    .unwrap_or_default();
                if !is_own_host(host) {
                    return false;
                }
                named = true;
            }
            "-servername" | "-CAfile" => {
                words.next();
            }
            "-showcerts" | "-quiet" | "-brief" | "-tls1_2" | "-tls1_3" => {}
            _ => return false,
        }
    }
    named
}

/// Whether these are one verb, and of options only those that are named here.
fn only(words: &[Argument], verb: &str, options: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let known = |word: &Argument| options.contains(&word.text.as_str());
    first.text == verb && rest.iter().all(known)
}

/// Whether `dpkg` is asked which package a file is of, or what is installed.
fn asks_dpkg(words: &[Argument]) -> bool {
    const ASKS: &[&str] = &["-S", "-p", "-V", "-C", "--print-avail", "--verify", "--audit"];
    let (verb, rest) = match words.split_first() {
        Some((verb, rest)) => (verb.text.as_str(), rest),
        None => return false,
    };
    ASKS.contains(&verb) && rest.iter().all(|word| !word.text.starts_with('-'))
}

/// Whether a program installs or sets what is the user's alone: in the home, or not at all.
fn own_settings(name: &str, words: &[Argument]) -> bool {
    if name == "git" {
        let has = |option: &str| words.iter().any(|word| word.text == option);
        return has("config") && has("--global");
    }
    system::is_for_one_user(name, words)
}

/// Whether `curl` is told to read files, and nothing else.
fn only_files(words: &[Argument]) -> bool {
    let plain = |word: &&Argument| {
        let text = word.text.as_str();
        matches!(
            text,
            "-s" | "-S" | "-sS" | "-f" | "-sf" | "-I" | "-sI" | "-i"
        ) || text.starts_with("file:///")
    };
    let files = words
        .iter()
        .filter(|word| word.text.starts_with("file:///"));
    files.count() > 0 && words.iter().all(|word| plain(&word))
}

/// Whether a client is told to connect to the machine that it runs on, and nothing in its words
/// can say otherwise.
fn connects_here(name: &str, words: &[Argument]) -> bool {
    const OTHER: &[&str] = &["host=", "hostaddr=", "service=", "://"];
    let mut named = HERE_BY_DEFAULT.contains(&name);
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        let host = if let Some(host) = word.strip_prefix("--host=") {
            host
        } else if matches!(word, "-h" | "--host") {
            words.next().unwrap_or_default()
        } else if let Some(host) = word.strip_prefix("-h") {
            host
        } else {
            let other = OTHER.iter().any(|other| word.contains(other));
            // Files of settings can name a host, as long options can that begin as `--host` does.
            if other || word.starts_with("--defaults") || word.starts_with("--ho") {
                return false;
            }
            continue;
        };
        // The directory of a unix socket: those of the host are out of reach.
        if !is_own_host(host) && !host.starts_with('/') {
            return false;
        }
        named = true;
    }
    named
}

/// Whether a pager gets a text or files and no terminal, and so only copies.
fn copies(call: &Call) -> bool {
    let display = |word: &Argument| {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        word.is_literal()
            && !letters.is_empty()
            && letters.chars().all(|one| "RrSFXNEe".contains(one))
    };
    // Files as well, where the pager is told not to stay. A `+` begins a command of its own.
    let file = |word: &Argument| word.is_literal() && !word.text.starts_with(['-', '+']);
    let words = call.operands();
    let ends = |word: &Argument| display(word) && word.text.contains('F');
    if words.iter().any(ends) {
        return words.iter().all(|word| display(word) || file(word));
    }
    matches!(call.input, Input::Pipe(_)) && words.iter().all(display)
}

#[cfg(test)]
mod tests {
    use crate::context::testing::in_project;
    use crate::{Context, Effect, NetworkCapability, Policy, judge};

    const HELD: &[&str] = &[
        "npx tsc --noEmit",
        "npx eslint .",
        "npx --no-install cowsay",
        "npx --no jest -t x",
        "npm exec tsc",
        "npm exec --no -- vitest run",
        "go install ./...",
        "go install -v ./cmd/x",
        "pkill -f vite",
        "killall node",
        "psql -h localhost -U me -c 'select 1'",
        "psql --host=127.0.0.1 -d x -c 'select 1'",
        "pg_dump -h ::1 x",
        "redis-cli ping",
        "redis-cli -h 127.0.0.2 get x",
        "mysql -h 127.0.0.1 -u root -e 'show tables'",
        "git log | less",
        "git diff | less -RFX",
        "less -F x",
        "dpkg -S /bin/ls",
        "npm pack",
        "npm pack --dry-run",
        "psql -h /tmp -c 'select 1'",
        "curl -s file:///etc/hosts",
        "make install",
        "npm install -g --offline x.tgz",
        "git config --global user.name x",
        "curl -s localhost:3000/x",
        "curl -sL http://127.0.0.1:8000/",
        "curl http://[::1]:8000/",
        "wget -q http://localhost/x",
        "nc -z localhost 5432",
        "kill -- -$!",
        "kill -9 -1",
        "pkill -u $(id -un) node",
        "npm fund",
        "npm rebuild",
        "npx --offline tsc -p .",
        "go mod init example.org/x",
        "go work init . ./sub",
        "ssh -G example.org",
        "openssl s_client -connect localhost:8443 < /dev/null",
        "cat < /dev/tcp/127.0.0.1/5432",
        "timeout 1 bash -c 'echo x > /dev/tcp/localhost/80'",
    ];

    const ASKED: &[&str] = &[
        "npx cowsay",
        "npx -y tsc",
        "npx -p evil tsc",
        "npx tsc@latest",
        "npx evil tsc",
        "npx -c 'tsc'",
        "./npx x cowsay && npx cowsay tsc",
        "npm exec cowsay",
        "npm exec -c tsc",
        "npm exec --package=evil -- tsc",
        "go install x@latest",
        "go install ./... x.example/y@latest",
        "go install ./../other",
        "go install -toolexec=x ./...",
        "psql -h db.example -c x",
        "psql -c 'select 1'",
        "psql -h localhost.example -c x",
        "psql -h localhost -d host=db.example -c x",
        "psql -h localhost -h db.example -c x",
        "psql -h 127.0.0.1.example -c x",
        "psql -h localhost postgresql://db.example/x -c x",
        "mysql --defaults-file=x -h localhost -e x",
        "redis-cli -h cache.example get x",
        "redis-cli -u redis://cache.example get x",
        "curl -x proxy:3128 localhost",
        "curl --proxy=proxy:3128 http://localhost",
        "curl -K x http://localhost",
        "curl --resolve localhost:80:9.9.9.9 http://localhost",
        "curl --connect-to ::x.example: http://localhost",
        "curl http://localhost $x",
        "curl http://127.0.0.1.example/",
        "curl localhost@c.example",
        "less x",
        "less -F +x y",
        "git log | less x",
        "less -o x y",
        "git log | less -o x",
        "dpkg -i x.deb",
        "dpkg -S x -i y",
        "npm pack left-pad",
        "npm pack --pack-destination /x",
        "curl file:///etc/hosts https://x.example",
        "curl -o x file:///etc/hosts",
        "psql -h /tmp -h db.example -c x",
        "git config --system user.name x",
        "systemctl stop x",
        "npm rebuild --script-shell=x",
        "npx --offline -p evil tsc",
        "go mod init -modfile=x y",
        "ssh example.org -G",
        "openssl s_client -connect x.example:443 < /dev/null",
        "openssl s_client -connect localhost:1 -proxy x.example:1 < /dev/null",
        "cat < /dev/tcp/9.9.9.9/53",
        "cat < /dev/tcp/127.0.0.1.example/53",
        "cat < /dev/tcp/127.0.0.1/53/../../../tcp/9.9.9.9/53",
        "cat < /dev/tcp/$h/53",
    ];

    /// The texts that are allowed, or are not.
    fn found<'t>(
        texts: &[&'t str],
        allowed: bool,
        policy: &Policy,
        place: &Context,
    ) -> Vec<&'t str> {
        let effect = |text: &&str| judge(text, policy, place).decision.effect;
        let fits = |text: &&str| (effect(text) == Effect::Allow) == allowed;
        texts.iter().copied().filter(fits).collect()
    }

    #[test]
    fn no_class_is_named_where_none_helps() {
        let told = |text: &str, place: &Context| {
            let decision = judge(text, &Policy::confined(), place).decision;
            assert_eq!(decision.effect, Effect::Deny, "{text}");
            assert!(decision.suggestion.is_some() || !place.enforced, "{text}");
            decision.capability.is_some()
        };
        for text in ["apt-get install x", "systemctl restart x", "useradd x", "sudo make install"] {
            assert!(!told(text, &enforced()), "{text}");
            // Without walls, the class is what stands in the way.
            assert!(told(text, &in_project()), "{text}");
        }
    }

    const NONE: [&str; 0] = [];

    fn enforced() -> Context {
        Context {
            enforced: true,
            run_home: Some("/home/u/.cache/own".to_owned()),
            ..in_project()
        }
    }

    #[test]
    fn what_the_room_holds_needs_no_question() {
        assert_eq!(found(HELD, false, &Policy::confined(), &enforced()), NONE);
    }

    #[test]
    fn what_could_reach_further_is_asked_about() {
        assert_eq!(found(ASKED, true, &Policy::confined(), &enforced()), NONE);
    }

    #[test]
    fn without_the_kernel_it_is_asked_about_and_with_hosts_it_is_held() {
        let hosts = NetworkCapability::Hosts(vec!["registry.example".to_owned()]);
        let listed = Context {
            network: hosts,
            ..enforced()
        };
        let confined = Policy::confined();
        assert_eq!(found(HELD, true, &confined, &in_project()), NONE);
        // What names no host reaches those of the list alone; the rest needs a room without any.
        let reach = ["npx tsc --noEmit", "go install ./...", "curl -s localhost:3000/x"];
        assert_eq!(found(&reach, false, &confined, &listed), NONE);
        let others = ["pkill -f vite", "git log | less"];
        assert_eq!(found(&others, true, &confined, &listed), NONE);
    }

    #[test]
    fn careful_asks_as_before() {
        // What fetches from the room's own loopback needs no question there either.
        let fetchers = ["curl", "wget", "nc"];
        let fetches = |text: &&&str| fetchers.iter().any(|name| text.starts_with(name));
        let others: Vec<&str> = HELD.iter().filter(|text| !fetches(text)).copied().collect();
        assert_eq!(found(&others, true, &Policy::careful(), &enforced()), NONE);
    }
}

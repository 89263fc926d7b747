//! Which hosts a call names, and whether the network capability covers them.

use crate::capabilities::NetworkCapability;
use crate::facts::{Argument, Call};
use crate::hosts::{Host, HostRules};

/// Whether what this call wants of the network is permitted. With a list of hosts, all that the call
/// names must be listed; it must name one, unless the kernel holds the run to the list.
pub(crate) fn permits(network: &NetworkCapability, call: Option<&Call>, own: Loopback) -> bool {
    let held = own == Loopback::Private && *network != NetworkCapability::On;
    if held && call.is_some_and(stays_here) || call.is_some_and(is_local_git) {
        return true;
    }
    match network {
        NetworkCapability::Off => false,
        NetworkCapability::On => true,
        NetworkCapability::Hosts(permitted) => {
            let Ok(rules) = HostRules::parse(permitted) else {
                return false;
            };
            let named = call.map(hosts).unwrap_or_default();
            (held || !named.is_empty()) && named.iter().all(|host| opens(&rules, host))
        }
    }
}

/// What `localhost` is to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loopback {
    /// The room's own, where only what the session started listens.
    Private,
    /// The host's.
    Shared,
}

/// Whether git is told to talk to a repository in the file system.
fn is_local_git(call: &Call) -> bool {
    let mut words = call
        .operands()
        .iter()
        .skip_while(|word| word.text.starts_with('-'));
    let verb = words.next().map_or("", |word| word.text.as_str());
    let mut operands = words.filter(|word| !word.text.starts_with('-'));
    let path = |text: &str| {
        matches!(text, "." | "..")
            || ["/", "./", "../"]
                .iter()
                .any(|start| text.starts_with(start))
    };
    call.program() == "git"
        && matches!(verb, "clone" | "fetch" | "pull" | "ls-remote")
        && operands
            .next()
            .is_some_and(|from| from.is_literal() && path(&from.text))
        && !call
            .operands()
            .iter()
            .any(|word| word.text.starts_with("--recurse"))
}

/// Whether every host that a call names is its own machine, and nothing leads it elsewhere.
fn stays_here(call: &Call) -> bool {
    let local = |host: &str| {
        is_own_host(host)
            || host.rsplit_once(':').is_some_and(|(name, port)| {
                port.bytes().all(|byte| byte.is_ascii_digit()) && is_own_host(name)
            })
    };
    let words = call.operands();
    let leads = |word: &Argument| {
        let text = word.known();
        text.is_empty() && !word.is_known() || ELSEWHERE.iter().any(|start| text.starts_with(start))
    };
    let named = hosts(call);
    let bare = words.iter().filter(|word| {
        let text = word.known();
        let host = text.split('/').next().unwrap_or_default();
        !text.contains("://") && word.is_known() && local(host)
    });
    let fetches = matches!(
        call.program(),
        "curl" | "wget" | "http" | "https" | "nc" | "ping"
    );
    fetches
        && named.len() + bare.count() > 0
        && named.iter().all(|host| local(host))
        && !words.iter().any(leads)
}

/// Options that name another host, a proxy, a socket or a file of further options.
const ELSEWHERE: &[&str] = &[
    "-x", "-K", "--proxy", "--preproxy", "--socks", "--config", "--resolve", "--connect-to",
    "--unix-socket", "--abstract-unix-socket", "--doh-url", "--dns", "--execute", "--input-file",
    "--base",
];

/// Whether this is, in its plain form, the machine itself.
pub(crate) fn is_own_host(host: &str) -> bool {
    let numbers = || {
        let parts: Vec<&str> = host.split('.').collect();
        let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let small = |part: &&str| digits(part) && part.parse::<u8>().is_ok();
        parts.len() == 4 && parts.first() == Some(&"127") && parts.iter().all(small)
    };
    matches!(host, "localhost" | "::1" | "[::1]" | "0.0.0.0") || numbers()
}

/// The hosts in a call's words: `https://host:port/…` and `user@host:path`.
fn hosts(call: &Call) -> Vec<String> {
    let words = call.operands().iter();
    words
        .filter_map(|word| {
            let text = word.known();
            let (scheme, rest) = match text.split_once("://") {
                Some((scheme, rest)) => (scheme, rest),
                None => ("ssh", text.split_once('@')?.1),
            };
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let authority = rest.get(..end)?;
            let host = authority.rsplit('@').next()?;
            if host.is_empty() || end == rest.len() && !word.is_known() {
                // What follows could still be part of the name.
                return Some(String::from("?"));
            }
            let port = match scheme {
                "http" => "80",
                "https" => "443",
                _ => "22",
            };
            Some(match host.rsplit_once(':') {
                Some((_, digits))
                    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
                {
                    host.to_owned()
                }
                Some((host, _)) if scheme == "ssh" => format!("{host}:{port}"),
                _ => format!("{host}:{port}"),
            })
        })
        .collect()
}

/// Whether a host with its port is open.
fn opens(rules: &HostRules, host: &str) -> bool {
    let Some((name, port)) = host.rsplit_once(':') else {
        return false;
    };
    let Ok(port) = port.parse() else {
        return false;
    };
    match Host::parse(name) {
        Ok(Host::Name(name)) => rules.for_name(&name, port).is_some(),
        Ok(Host::Address(address)) => rules.for_address(address, port).is_some(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::testing::call;

    #[test]
    fn listed_hosts_are_permitted() {
        let network =
            NetworkCapability::parse("a.example,a.example:22,b.example:443,10.1.2.0/24").unwrap();
        let cases = [
            ("curl https://a.example/x", true),
            ("curl http://a.example:8080", false),
            ("curl http://10.1.2.3", true),
            ("curl http://0x0a.1.2.3", false),
            ("curl https://b.example", true),
            ("curl http://b.example/", false),
            ("curl https://a.example https://c.example", false),
            ("curl https://a.example.evil/", false),
            ("curl https://user@a.example@c.example/", false),
            ("curl https://a.example$x", false),
            ("curl a.example", false),
            ("git clone git@a.example:x/y", true),
            ("git clone ./other copy", true),
            ("git clone -q . copy", true),
            ("git fetch origin", false),
            ("git clone host:./x", false),
        ];
        for (line, expected) in cases {
            assert_eq!(
                permits(&network, Some(&call(line)), Loopback::Shared),
                expected,
                "{line}"
            );
        }
        // The kernel holds it to the list: what names no host reaches no other.
        let held = |line| permits(&network, Some(&call(line)), Loopback::Private);
        assert!(
            held("pip install x") && held("curl localhost:1") && held("curl https://a.example")
        );
        assert!(!held("curl https://c.example"));
        assert!(
            !permits(&NetworkCapability::Off, None, Loopback::Private)
                && permits(&NetworkCapability::On, None, Loopback::Shared)
        );
    }

    #[test]
    fn the_rooms_own_loopback_is_nobodys_reach() {
        let cases = [
            ("curl http://localhost:3000/x", true),
            ("curl -s localhost:3000", true),
            ("curl 127.0.0.1", true),
            ("curl 127.8.0.9:80", true),
            ("curl 127.1", false),
            ("curl 127.0.0.+1", false),
            ("curl 128.0.0.1", false),
            ("curl -x proxy:1 localhost", false),
            ("curl http://localhost:3000 https://c.example", false),
            ("curl http://localhost.c.example/", false),
            ("curl $x", false),
            ("ssh localhost", false),
        ];
        for (line, expected) in cases {
            let found = permits(
                &NetworkCapability::Off,
                Some(&call(line)),
                Loopback::Private,
            );
            assert_eq!(found, expected, "{line}");
        }
    }
}

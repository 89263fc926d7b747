//! Hosts by name: what is listed is reached, by any program, and nothing else by any trick.
//!
//! The tests have a host and an internet of their own, made of network namespaces.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Running, World, binary, eventually};

const HOSTS: &str = "good.example,*.sub.example,speaks.example:8080,speaks.example:2222,10.9.9.0/24:8080,\
    inside.example,meta.example,own.example,loop.example,rebind.example,unknown.example";

/// A world with a host of its own.
struct Host(World);

impl Host {
    fn new() -> Self {
        let world = World::unjudged();
        world.write("probe.py", include_str!("named/probe.py"));
        fs::write(world.path("host.py"), include_str!("named/host.py")).unwrap();
        fs::create_dir(world.path("host")).unwrap();
        Self(world)
    }

    /// A command on this host.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.0.program("/usr/bin/python3");
        command
            .arg(self.0.path("host.py"))
            .arg(self.0.path("host"))
            .args(words);
        command
    }

    /// What a run with this network prints.
    fn run(&self, network: &str, text: &str) -> String {
        let bashful = binary();
        let words = [
            bashful.to_str().unwrap(),
            "run",
            "--policy",
            "none",
            "--fresh",
            "--network",
            network,
            text,
        ];
        let outcome = Running::start(self.command(&words)).end().outcome();
        // The next run is to find a keeper of its own host.
        let gone = || {
            for (pid, _) in self.0.living_keepers() {
                let _ = rustix::process::kill_process(
                    rustix::process::Pid::from_raw(pid).unwrap(),
                    rustix::process::Signal::TERM,
                );
            }
            self.0.living_keepers().is_empty()
        };
        assert!(eventually(gone));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout
    }

    /// What these lines of `probe.py` came to.
    fn probe(&self, network: &str, lines: &[&str]) -> Vec<String> {
        self.0.write("lines", lines.join("\n"));
        let printed = self.run(network, "/usr/bin/python3 probe.py < lines");
        let results = printed.lines().zip(lines);
        let results = results.map(|(told, line)| {
            let result = told
                .strip_prefix(line)
                .and_then(|rest| rest.strip_prefix(" = "));
            result.unwrap_or(told).to_owned()
        });
        results.collect()
    }
}

/// What is tried, what comes of it with hosts, and what without.
fn cases() -> Vec<[&'static str; 3]> {
    let lines = include_str!("named/cases.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let parts = lines.map(|line| {
        let (rest, control) = line.rsplit_once(" |").unwrap();
        let (tried, expected) = rest.rsplit_once(" | ").unwrap();
        [tried, expected, control.trim()]
    });
    parts.collect()
}

#[test]
fn only_listed_hosts_are_reached() {
    let host = Host::new();
    let cases = cases();
    let lines: Vec<&str> = cases.iter().map(|case| case[0]).collect();
    let found = host.probe(HOSTS, &lines);
    let expected: Vec<&str> = cases.iter().map(|case| case[1]).collect();
    assert_eq!(found, expected);
    // No name left the room but those that are listed.
    let asked = fs::read_to_string(host.0.path("host/asked")).unwrap();
    assert!(
        asked.contains("good.example") && !asked.contains("secret"),
        "{asked}"
    );
    assert!(
        !asked.contains("other") && !asked.contains("corp"),
        "{asked}"
    );
}

#[test]
fn all_of_it_works_with_the_whole_network() {
    let host = Host::new();
    let cases: Vec<_> = cases()
        .into_iter()
        .filter(|case| !case[2].is_empty())
        .collect();
    let lines: Vec<&str> = cases.iter().map(|case| case[0]).collect();
    let found = host.probe("on", &lines);
    let expected: Vec<&str> = cases.iter().map(|case| case[2]).collect();
    assert_eq!(found, expected);
    let asked = fs::read_to_string(host.0.path("host/asked")).unwrap();
    assert!(asked.contains("secret.example"), "{asked}");
}

#[test]
fn programs_that_know_nothing_of_it_work() {
    let host = Host::new();
    let text = "set -e; curl -s http://good.example/curl; curl -sk https://good.example/curl
        curl -s --data abc http://good.example/; head -c 300000 /dev/zero > big
        curl -s --data-binary @big http://good.example/; curl -s -H Expect: -T - http://good.example/ < /dev/null | head -1 | cut -c 1-3
        curl -s -x http://127.0.0.1:808 http://good.example/x; curl -sk -x http://127.0.0.1:808 https://good.example/y
        /usr/bin/python3 -c \"import urllib.request as u; print(u.urlopen('http://good.example/urllib').read().decode(), end='')\"
        if command -v node > log; then NODE_TLS_REJECT_UNAUTHORIZED=0 node --no-warnings -e \
        \"fetch('https://good.example/node').then(r => r.text()).then(t => process.stdout.write(t))\"
        else echo internet tls good.example /node; fi";
    let expected = "internet good.example /curl\ninternet tls good.example /curl\ninternet good.example 3\n\
        internet good.example 300000\n<!D\ninternet good.example /x\ninternet tls good.example /y\n\
        internet good.example /urllib\ninternet tls good.example /node\n";
    assert_eq!(host.run("good.example", text), expected);
}

#[test]
fn many_connections_pass_at_once() {
    let host = Host::new();
    let text = "cat > many.py <<'END'
import concurrent.futures, urllib.request
def get(number): return urllib.request.urlopen(f'http://good.example/{number}', timeout=50).read()
with concurrent.futures.ThreadPoolExecutor(200) as pool:
    print(len({body for body in pool.map(get, range(400))}))
END
/usr/bin/python3 many.py";
    assert_eq!(host.run("good.example", text), "400\n");
}

#[test]
fn the_servers_of_the_room_are_its_own() {
    let host = Host::new();
    let text = "cat > serve.py <<'END'
import http.server, sys, threading, urllib.request, socket
class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b'mine')
    def log_message(self, *_): pass
server = http.server.HTTPServer(('', 8080), Web)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen('http://localhost:8080').read().decode())
# It listens at every address, and gets no connection that was meant for others.
print(urllib.request.urlopen('http://10.9.9.9:8080').read().decode(), end='')
END
/usr/bin/python3 serve.py";
    assert_eq!(host.run(HOSTS, text), "mine\ninternet 10.9.9.9:8080 /\n");
}

#[test]
fn connections_are_on_record_with_the_run_that_wants_them() {
    let host = Host::new();
    // Two runs of one room at the same time.
    let text = "bashful() { \"$1\" run --policy none --json --session s --network 'good.example,*.sub.example' \"$2\"; }
        bashful \"$0\" 'sleep 1; curl -s http://good.example/1; curl -s http://good.example/2 http://other.example/' > first &
        bashful \"$0\" 'sleep 1; curl -sk https://a.sub.example/; curl -s http://inside.example:99/' > second; wait
        \"$0\" audit export > record";
    let outcome = Running::start(host.command(&["bash", "-c", text, binary().to_str().unwrap()]));
    assert_eq!(outcome.end().outcome().code, 0);
    let read = |name: &str| -> Value { serde_json::from_str(&host.0.read(name)).unwrap() };
    let told = |name: &str| -> Vec<String> {
        let result = read(name);
        let list = result["network"].as_array().unwrap().clone();
        let one = |it: &Value| {
            let rule = it["rule"].as_str().unwrap_or("none");
            format!(
                "{}:{} {} {} {rule}",
                it["host"].as_str().unwrap(),
                it["port"],
                it["decision"].as_str().unwrap(),
                it["connections"]
            )
        };
        list.iter().map(one).collect()
    };
    assert_eq!(
        told("first"),
        [
            "good.example:80 allowed 2 good.example",
            "other.example:80 refused 1 none"
        ]
    );
    assert_eq!(
        told("second"),
        [
            "a.sub.example:443 allowed 1 *.sub.example",
            "inside.example:99 refused 1 none"
        ]
    );
    let stopped = read("first")["sandbox_violations"].clone();
    assert_eq!(stopped.as_array().unwrap().len(), 1, "{stopped}");
    assert_eq!(stopped[0]["address"], "other.example:80");
    assert_eq!(
        stopped[0]["flag"],
        "--network '*.sub.example,good.example,other.example'"
    );
    let task = read("first")["task_id"].as_str().unwrap().to_owned();
    let record = host.0.read("record");
    let mut ends = record
        .lines()
        .filter(|line| line.contains("\"end\"") && line.contains(&task));
    let end = ends.next_back().unwrap();
    assert!(
        end.contains("93.184.216.34") && end.contains("other.example"),
        "{end}"
    );
    assert!(!end.contains("sub.example\",\"port"), "{end}");
}

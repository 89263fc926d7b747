//! Git over https: the credential that the person's own git has for one repository, and no other.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::server::{executable, run as finished};
use super::{Person, check};
use crate::support::{PATH, Running, World, eventually};

/// A server that wants a password, and a person whose git knows it.
struct Web {
    python: Child,
    port: u16,
    root: PathBuf,
}

impl Web {
    fn start(world: &World, tls: bool) -> Self {
        let root = world.path("web");
        fs::create_dir(&root).unwrap();
        let certificate = root.join("certificate.pem");
        if tls {
            let mut openssl = Command::new("openssl");
            openssl
                .args([
                    "req",
                    "-x509",
                    "-newkey",
                    "ec",
                    "-pkeyopt",
                    "ec_paramgen_curve:P-256",
                ])
                .args(["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"])
                .args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout"])
                .arg(root.join("key.pem"))
                .arg("-out")
                .arg(root.join("ca.pem"));
            finished(&mut openssl);
            let part = |name: &str| fs::read_to_string(root.join(name)).unwrap();
            fs::write(&certificate, part("key.pem") + &part("ca.pem")).unwrap();
        }
        fs::write(root.join("web.py"), include_str!("web.py")).unwrap();
        let mut python = Command::new("/usr/bin/python3");
        python
            .arg(root.join("web.py"))
            .arg(root.join("port"))
            .arg(world.path("server/srv"))
            .arg(if tls {
                certificate.as_path()
            } else {
                "".as_ref()
            })
            .arg(root.join("log"))
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &root)
            .stdin(Stdio::null());
        let python = python.spawn().unwrap();
        let port = || fs::read_to_string(root.join("port")).ok();
        assert!(eventually(|| port().is_some()));
        let port = port().unwrap().parse().unwrap();
        for name in ["one.git", "two.git"] {
            let place = world.path("server/srv").join(name);
            let place = place.to_str().unwrap();
            let arguments = ["--git-dir", place, "config", "http.receivepack", "true"];
            super::outside(world, &root, &arguments);
        }
        let web = Self { python, port, root };
        // What asks for the credential is written down.
        let helper = web.root.join("helper");
        let asked = web.root.join("asked").display().to_string();
        executable(
            &helper,
            &format!(
                "#!/bin/sh\necho \"$1\" >> {asked}\npwd >> {asked}\ncat >> {asked}\n\
                 [ \"$1\" = get ] && echo username=person && echo 'password=open sesame'\n"
            ),
        );
        let settings = format!("[credential]\n\thelper = {}\n", helper.display());
        let file = world.path("home/.gitconfig");
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, before + &settings).unwrap();
        web
    }

    fn address(&self, scheme: &str, name: &str) -> String {
        format!("{scheme}://127.0.0.1:{}/{name}", self.port)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap_or_default()
    }

    fn run(&self, person: &Person, text: &str) -> (i32, Value) {
        let mut command = person.command(&[text]);
        command.env("GIT_SSL_CAINFO", self.root.join("ca.pem"));
        Running::start(command).end().outcome().json()
    }

    fn run_with_a_yes(&self, person: &Person, text: &str) -> (i32, Value) {
        let ask = person.ask(text);
        person.say_yes(&ask, &[]);
        self.run(person, text)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}

#[test]
fn a_push_over_https_gets_the_credential_of_its_repository() {
    let person = Person::new();
    let web = Web::start(&person.world, true);
    let address = web.address("https", "one.git");
    person.set_remote("origin", &address);
    // The control: with the network alone nothing is let in.
    let flags = [
        "--network",
        "on",
        "--policy",
        "none",
        "git ls-remote origin",
    ];
    let mut command = person.command(&flags);
    command.env("GIT_SSL_CAINFO", web.root.join("ca.pem"));
    let (code, result) = Running::start(command).end().outcome().json();
    assert_eq!(code, 128, "{result}");
    assert_eq!(web.text("asked"), "");

    let ask = person.ask("git push origin HEAD:main");
    let transfer = &ask["opens"]["git"][0];
    let found = json!([transfer["way"], transfer["path"], ask["opens"]["network"]]);
    assert_eq!(found, json!(["https", "one.git", "on"]), "{ask}");
    person.say_yes(&ask, &[]);
    check(&web.run(&person, "git push origin HEAD:main"));
    assert_eq!(person.log_of("one.git"), "first\n");
    for text in [
        "git fetch origin && git log --oneline -1 origin/main",
        &format!("git clone -q {address} copy"),
        "git add -A first && git push origin HEAD:other",
    ] {
        check(&web.run_with_a_yes(&person, text));
    }
    // The person's git was asked, away from the workspace; and was told of nothing.
    let asked = web.text("asked");
    assert!(asked.contains("get\n/\n"), "{asked}");
    assert!(
        !asked.contains("store\n") && !asked.contains("erase\n"),
        "{asked}"
    );
}

#[test]
fn a_credential_of_another_repository_does_not_enter() {
    let person = Person::new();
    let web = Web::start(&person.world, true);
    person.set_remote("origin", &web.address("https", "one.git"));
    person.set_remote("moved", &web.address("https", "moved/one.git"));
    let two = web.address("https", "two.git");
    // The configuration leads elsewhere only when the command runs.
    let text =
        format!("git remote rename origin old; git remote add origin {two}; git fetch origin");
    let ask = person.ask(&text);
    let shown = &ask["opens"]["git"][0]["path"];
    assert_eq!(shown, "two.git", "what the text adds is read: {ask}");
    let text = format!("git remote set-url --push origin {two}; git push origin HEAD:main");
    let ask = person.ask(&text);
    assert_eq!(ask["opens"]["git"][0]["path"], "one.git", "{ask}");
    person.say_yes(&ask, &[]);
    let (code, result) = web.run(&person, &text);
    assert_ne!(code, 0, "{result}");
    let log = web.text("log");
    assert!(
        log.contains("/two.git/info/refs -") && !log.contains("two.git/info/refs Basic"),
        "{log}"
    );
    // Nor by way of the server.
    let (code, result) = web.run_with_a_yes(&person, "git fetch moved");
    assert_ne!(code, 0, "{result}");
    let errors = result["stderr"].as_str().unwrap();
    assert!(errors.contains("moved/one.git only"), "{errors}");
    assert!(!web.text("log").contains("two.git/info/refs Basic"));
}

#[test]
fn with_other_programs_in_the_command_no_credential_enters() {
    let person = Person::new();
    let web = Web::start(&person.world, true);
    person.set_remote("origin", &web.address("https", "one.git"));
    person.world.write("x.py", "print('x')\n");
    for text in [
        "python3 x.py && git push origin HEAD:main",
        "git rebase -x ./x HEAD~0; git push origin HEAD:main",
        "git config http.sslCAInfo x; git push origin HEAD:main",
        "SSL_CERT_FILE=x git push origin HEAD:main",
        "git() { command git -c http.sslCAInfo=x \"$@\"; }; git push origin HEAD:main",
        "git -c http.sslVerify=false push origin HEAD:main",
        "git -c http.proxy=http://127.0.0.1:1 push origin HEAD:main",
    ] {
        let ask = person.ask(text);
        assert_eq!(ask["opens"]["git"], Value::Null, "{text}: {ask}");
    }
    super::outside(
        &person.world,
        &person.world.workspace(),
        &["config", "http.sslVerify", "false"],
    );
    let ask = person.ask("git push origin HEAD:main");
    assert_eq!(ask["opens"]["git"], Value::Null, "{ask}");
}

/// What runs write into their home, and what the caller gives a run, does not say whom to trust.
#[test]
fn a_home_that_runs_write_leads_no_credential_elsewhere() {
    let person = Person::new();
    let web = Web::start(&person.world, true);
    person
        .world
        .configure("[profile.default]\nhome = \"workspace\"\n");
    person.set_remote("origin", &web.address("https", "one.git"));
    let file = person.world.path("home/.gitconfig");
    let settings = fs::read_to_string(&file).unwrap();
    let (_, helper) = settings.split_once("[credential]").unwrap();
    fs::write(&file, format!("[credential]{helper}")).unwrap();
    person
        .world
        .write(".gitconfig", "[http]\n\tproxy = http://127.0.0.1:1\n");
    // The control: other runs obey it.
    let (_, result) = person.run("git config http.proxy");
    assert_eq!(result["stdout"], "http://127.0.0.1:1\n", "{result}");
    check(&web.run_with_a_yes(&person, "git push origin HEAD:main"));
    assert_eq!(person.log_of("one.git"), "first\n");
    let mut command = person.command(&["--env", "SSL_CERT_FILE=x", "git push origin HEAD:main"]);
    command.env("GIT_SSL_CAINFO", web.root.join("ca.pem"));
    let (code, result) = Running::start(command).end().outcome().json();
    assert_eq!(code, 121, "{result}");
    let asked: Vec<&str> = result["approval"]["ask"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["capability"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["network"], "{result}");
}

#[test]
fn a_credential_goes_in_the_clear_to_this_machine_only() {
    let person = Person::new();
    let web = Web::start(&person.world, false);
    person.set_remote("origin", &web.address("http", "one.git"));
    person.set_remote("far", "http://git.example/one.git");
    check(&web.run_with_a_yes(&person, "git push origin HEAD:main"));
    let ask = person.ask("git push far HEAD:main");
    assert_eq!(ask["opens"]["git"], Value::Null, "{ask}");
}

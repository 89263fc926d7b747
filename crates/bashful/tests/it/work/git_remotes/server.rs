//! An sshd on the loopback that lets the person's key in, and the person's side of it.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::outside;
use crate::support::{PATH, World, eventually};

/// The person's ssh reads this configuration, wherever the user database puts the home.
const OWN_SSH: &str = "#!/bin/sh\nexec /usr/bin/ssh -F \"$HOME/.ssh/config\" \"$@\"\n";

pub(super) struct Server {
    sshd: Child,
    port: u16,
    root: PathBuf,
    bin: PathBuf,
    user: String,
    repositories: PathBuf,
}

pub(super) fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn key(place: &PathBuf) {
    let mut keygen = Command::new("ssh-keygen");
    run(keygen
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"])
        .arg(place));
}

pub(super) fn executable(path: &PathBuf, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Server {
    pub(super) fn start(world: &World) -> Self {
        let (root, home) = (world.path("server"), world.path("home"));
        let (bin, own) = (world.path("bin"), home.join(".ssh"));
        for directory in [&root, &bin, &own] {
            fs::create_dir(directory).unwrap();
        }
        fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
        key(&root.join("host_key"));
        key(&own.join("id"));
        fs::copy(own.join("id.pub"), root.join("authorized")).unwrap();
        executable(&bin.join("ssh"), OWN_SSH);
        let own = own.display();
        let config = format!(
            "Host *\n  IdentityFile {own}/id\n  IdentitiesOnly yes\n  HashKnownHosts yes\n  \
             UserKnownHostsFile {own}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        );
        fs::write(home.join(".ssh/config"), config).unwrap();
        let person = "[user]\n\tname = Person\n\temail = person@example.org\n";
        fs::write(home.join(".gitconfig"), person).unwrap();
        let shim = root.join("shim.so");
        let mut gcc = Command::new("gcc");
        gcc.args(["-shared", "-fPIC", "-x", "c", "-", "-ldl", "-o"])
            .arg(&shim);
        let source = include_str!("shim.c");
        let source_file = root.join("shim.c");
        fs::write(&source_file, source).unwrap();
        gcc.stdin(fs::File::open(&source_file).unwrap());
        assert!(gcc.status().unwrap().success());
        let user = run(Command::new("id").arg("-un")).trim().to_owned();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = root.display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {server}/host_key\nPidFile none\n\
             AuthorizedKeysFile {server}/authorized\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n\
             AcceptEnv GIT_PROTOCOL\nSetEnv PATH={PATH}\nLogLevel VERBOSE\n"
        );
        fs::write(root.join("config"), config).unwrap();
        if rustix::process::geteuid().is_root() {
            // A package makes it when its service starts, which it never does here.
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let log = fs::File::create(root.join("log")).unwrap();
        let mut sshd = Command::new("/usr/sbin/sshd");
        sshd.args(["-D", "-e", "-f"]).arg(root.join("config"));
        sshd.env_clear()
            .env("PATH", PATH)
            .env("LD_PRELOAD", &shim)
            .env("TEST_HOME", &root);
        sshd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let sshd = sshd.spawn().unwrap();
        let repositories = root.join("srv");
        fs::create_dir(&repositories).unwrap();
        let server = Self {
            sshd,
            port,
            root,
            bin,
            user,
            repositories,
        };
        for name in ["one.git", "two.git"] {
            server.make(world, name);
        }
        let up = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        assert!(eventually(up), "{}", server.log());
        server
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn user(&self) -> &str {
        &self.user
    }

    fn log(&self) -> String {
        fs::read_to_string(self.root.join("log")).unwrap()
    }

    /// Makes an empty repository there.
    pub(super) fn make(&self, world: &World, name: &str) {
        let place = self.place(name);
        let arguments = [
            "init",
            "-q",
            "--bare",
            "-b",
            "main",
            place.to_str().unwrap(),
        ];
        outside(world, &self.root, &arguments);
    }

    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.repositories.join(name)
    }

    pub(super) fn address(&self, name: &str) -> String {
        let place = self.place(name);
        format!(
            "ssh://{}@127.0.0.1:{}{}",
            self.user,
            self.port,
            place.display()
        )
    }

    /// The other form of an address, by a name of the person's configuration.
    pub(super) fn short_address(&self, name: &str) -> String {
        format!("work:{}", self.place(name).display())
    }

    /// Has the person's ssh know the server, and call it `work` as well.
    pub(super) fn introduce(&self, world: &World) {
        let config = world.path("home/.ssh/config");
        let before = fs::read_to_string(&config).unwrap();
        let (port, user) = (self.port, &self.user);
        let named = format!("Host work\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n");
        fs::write(config, named + &before).unwrap();
        let key = fs::read_to_string(self.root.join("host_key.pub")).unwrap();
        let key = key.trim_end_matches(" test\n");
        let line = format!("[127.0.0.1]:{port} {key}\n");
        fs::write(world.path("home/.ssh/known_hosts"), line).unwrap();
    }

    pub(super) fn fingerprint(&self) -> String {
        let mut keygen = Command::new("ssh-keygen");
        let printed = run(keygen.args(["-lf"]).arg(self.root.join("host_key.pub")));
        printed.split(' ').nth(1).unwrap().to_owned()
    }

    /// A key that is not the server's.
    pub(super) fn other_key(&self) -> String {
        key(&self.root.join("other"));
        let text = fs::read_to_string(self.root.join("other.pub")).unwrap();
        text.split(' ').nth(1).unwrap().to_owned()
    }

    pub(super) fn environment(&self, command: &mut Command) {
        command.env("PATH", format!("{}:{PATH}", self.bin.display()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

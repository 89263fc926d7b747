//! Outside: whether ssh knows the key of a server, and how it gets to know one that a person trusts.
//!
//! What ssh itself says is asked: which names and files count is for the person's configuration.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::TaskId;

use super::channel::Outside;
use super::ssh::connecting;
use crate::base::process;
use crate::model::transfer::{ServerKey, Transfer, Way};

/// A server that shows no key in this time is left to ssh itself to complain about.
const PATIENCE: Duration = Duration::from_secs(20);
/// No key takes more than this.
const LONGEST_KEYS: u64 = 64 << 10;

/// What the person's ssh would go by.
#[derive(Debug, Default)]
struct Effective {
    /// The name that a key is kept under.
    name: String,
    /// The person's own files of known hosts.
    own: Vec<PathBuf>,
    /// Those and the machine's.
    all: Vec<PathBuf>,
}

impl Effective {
    fn of(outside: &Outside<'_>, transfer: &Transfer) -> Option<Self> {
        let ssh = outside.program("ssh")?;
        let launch = connecting(outside.launch(ssh, "ssh"), transfer);
        let launch = launch.argument("-G").argument("--");
        let launch = launch.argument(transfer.destination());
        let printed = process::run(launch, b"", PATIENCE).ok()?;
        let printed = String::from_utf8(printed).ok()?;
        let value = |key: &str| {
            let mut lines = printed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        let files = |key: &str| -> Vec<PathBuf> {
            let words = value(key).unwrap_or_default().split_whitespace();
            let paths = words.map(PathBuf::from);
            paths.filter(|path| path.is_absolute()).collect()
        };
        let (host, port) = (value("hostname")?, value("port")?);
        let plain = if port == "22" {
            host.to_owned()
        } else {
            format!("[{host}]:{port}")
        };
        let own = files("userknownhostsfile");
        let all = [own.clone(), files("globalknownhostsfile")].concat();
        Some(Self {
            name: value("hostkeyalias").map_or(plain, str::to_owned),
            own,
            all,
        })
    }

    fn is_known(&self, outside: &Outside<'_>) -> bool {
        let Some(keygen) = outside.program("ssh-keygen") else {
            return false;
        };
        self.all.iter().filter(|file| file.exists()).any(|file| {
            let launch = outside.launch(&keygen, "ssh-keygen");
            let launch = launch.argument("-F").argument(&self.name);
            let launch = launch.argument("-f").argument(file);
            process::run(launch, b"", PATIENCE).is_ok_and(|found| !found.is_empty())
        })
    }
}

/// The key of the first server among these that ssh does not know any key of; none if all are
/// known, or if a server shows none.
pub(crate) fn unknown_server(
    outside: &Outside<'_>,
    transfers: &[Transfer],
    scratch: &Path,
) -> Option<ServerKey> {
    let mut over_ssh = transfers.iter().filter(|one| one.way == Way::Ssh);
    over_ssh.find_map(|transfer| {
        let effective = Effective::of(outside, transfer)?;
        if effective.is_known(outside) {
            return None;
        }
        let file = scratch.join(TaskId::fresh("server-key").to_string());
        let shown = shown_key(outside, transfer, &file);
        let _ = fs::remove_file(&file);
        let (lines, fingerprint) = shown?;
        Some(ServerKey {
            lines,
            fingerprint,
            server: effective.name,
        })
    })
}

/// Connects as nobody, and has ssh keep the key that it is shown in this file alone.
fn shown_key(outside: &Outside<'_>, transfer: &Transfer, file: &Path) -> Option<(String, String)> {
    let _ = fs::remove_file(file);
    let ssh = outside.program("ssh")?;
    let mut launch = outside.launch(ssh, "ssh");
    // The first word about an option counts.
    for option in [
        "StrictHostKeyChecking=accept-new",
        "GlobalKnownHostsFile=/dev/null",
        "CheckHostIP=no",
        "HashKnownHosts=no",
        "PreferredAuthentications=none",
        "PubkeyAuthentication=no",
        "IdentityAgent=none",
        "ConnectTimeout=10",
        &format!("UserKnownHostsFile=\"{}\"", file.display()),
    ] {
        launch = launch.argument("-o").argument(option);
    }
    let launch = connecting(launch, transfer).argument("--");
    let launch = launch.argument(transfer.destination()).argument("true");
    // Nobody is let in as nobody: that it fails says nothing.
    let _ = process::run(launch, b"", PATIENCE);
    let mut lines = String::new();
    let kept = File::open(file).ok()?;
    kept.take(LONGEST_KEYS).read_to_string(&mut lines).ok()?;
    let keygen = outside.launch(outside.program("ssh-keygen")?, "ssh-keygen");
    let keygen = keygen.argument("-l").argument("-f").argument(file);
    let fingerprint = String::from_utf8(process::run(keygen, b"", PATIENCE).ok()?).ok()?;
    let words: Vec<&str> = fingerprint.split_whitespace().collect();
    // `256 SHA256:… host (ED25519)`
    let [_, hash, .., kind] = words.as_slice() else {
        return None;
    };
    let kind = kind.trim_matches(['(', ')']);
    Some((lines, format!("{kind} {hash}")))
}

/// Adds a key that a person trusts to the person's own file of known hosts, as ssh would.
pub(crate) fn remember(
    outside: &Outside<'_>,
    transfers: &[Transfer],
    key: &ServerKey,
) -> io::Result<()> {
    let of_server = |transfer: &Transfer| {
        let effective = Effective::of(outside, transfer)?;
        (effective.name == key.server).then_some(effective)
    };
    let mut over_ssh = transfers.iter().filter(|one| one.way == Way::Ssh);
    let file = over_ssh.find_map(of_server);
    let file = file.and_then(|effective| effective.own.into_iter().next());
    let file = file.ok_or_else(|| io::Error::other("ssh names no file of known hosts"))?;
    if let Some(parent) = file.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)?;
    }
    let mut options = OpenOptions::new();
    let mut known = options
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&file)?;
    let mut text = String::new();
    if known.seek(SeekFrom::End(-1)).is_ok() {
        let mut last = [0];
        known.read_exact(&mut last)?;
        if last != *b"\n" {
            text.push('\n');
        }
    }
    text.push_str(&key.lines);
    known.write_all(text.as_bytes())?;
    known.sync_all()
}

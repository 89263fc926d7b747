//! Where secrets lie.

use crate::classes::place_kind::{finds, is_home, may_find};
use crate::context::Context;
use crate::places::is_within;

/// One path that a call reads.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    /// Absolute, without `.` and `..`.
    pub(super) text: &'a str,
    /// Its `*`, `?` and `[` find names.
    pub(super) glob: bool,
    /// It goes on with a part that is not known.
    pub(super) open: bool,
}

/// Files and directories in a home; a directory stands for all in it.
#[rustfmt::skip]
const IN_HOME: &[&str] = &[
    ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".netrc",
    "_netrc", ".authinfo", ".authinfo.gpg", ".git-credentials", ".config/git/credentials", ".npmrc",
    ".yarnrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
    ".gem/credentials", ".password-store", ".local/share/keyrings", ".local/share/kwalletd",
    ".kde/share/apps/kwallet", ".gnome2/keyrings", ".mozilla", ".config/google-chrome",
    ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi",
    ".config/opera", ".thunderbird", "snap/firefox", "snap/chromium", "Library/Keychains",
    "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox",
    "Library/Cookies", ".config/gh/hosts.yml", ".config/hub", ".config/glab-cli", ".bash_history",
    ".zsh_history", ".zhistory", ".history", ".sh_history", ".ash_history", ".python_history",
    ".node_repl_history", ".mysql_history", ".psql_history", ".sqlite_history", ".rediscli_history",
    ".irb_history", ".lesshst", ".viminfo", ".local/share/fish/fish_history",
    ".config/fish/fish_history", ".pgpass", ".my.cnf", ".mylogin.cnf", ".vault-token",
    ".terraform.d/credentials.tfrc.json", ".terraformrc", ".config/op", ".config/rclone", ".s3cfg",
    ".boto", ".config/doctl", ".fly", ".config/sops", ".config/age", ".age", ".bitcoin",
    ".ethereum", ".electrum", ".m2/settings-security.xml", ".m2/settings.xml",
    ".gradle/gradle.properties", ".config/containers/auth.json", ".claude/.credentials.json",
    ".claude.json", ".codex/auth.json", ".config/github-copilot", ".Xauthority", ".ICEauthority",
    ".config/heroku", ".databrickscfg", ".oci", ".config/linode-cli", ".config/hcloud", ".snowsql",
    ".dbt/profiles.yml", ".huggingface/token", ".cache/huggingface/token", ".kaggle/kaggle.json",
    ".wgetrc", ".msmtprc", ".fetchmailrc", ".mutt", ".config/1Password", ".config/Bitwarden",
    ".config/keepassxc", ".lastpass", ".step/secrets", ".putty", ".wallet", ".config/filezilla",
    ".config/remmina", ".jupyter/jupyter_server_config.json", ".ssh",
];
/// Files of `~/.ssh` that are no secret.
const PUBLIC: &[&str] =
    &["known_hosts", "known_hosts.old", "config", "authorized_keys", "config.d"];
/// Files and directories of the system.
#[rustfmt::skip]
const IN_SYSTEM: &[&str] = &[
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers",
    "/etc/sudoers.d", "/etc/master.passwd", "/etc/ssl/private", "/etc/pki/tls/private",
    "/etc/krb5.keytab", "/etc/security/opasswd", "/etc/NetworkManager/system-connections",
    "/etc/wpa_supplicant", "/etc/wireguard", "/etc/openvpn", "/etc/ipsec.secrets",
    "/etc/ppp/chap-secrets", "/etc/ppp/pap-secrets", "/etc/kubernetes", "/etc/rancher",
    "/etc/docker/key.json", "/etc/letsencrypt", "/etc/mysql/debian.cnf", "/etc/cups/passwd.md5",
    "/var/run/secrets", "/run/secrets", "/run/credentials", "/var/backups/shadow.bak",
    "/var/lib/sss/secrets", "/var/lib/kubelet", "/var/db/sudo", "/proc/kcore",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_dsa_key", "/etc/machine-info-secret", "/etc/libvirt/secrets",
    "/var/lib/NetworkManager/secret_key", "/etc/tailscale", "/var/lib/tailscale",
    "/Library/Keychains",
];
/// Files of each process that hold its environment and memory.
const OF_PROCESS: &[&str] = &["environ", "mem", "auxv", "maps-secret"];
/// Names that private keys and the like have wherever they are.
const KEY_NAMES: &[&str] = &[
    "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "id_ed25519_sk", "id_ecdsa_sk", ".netrc",
    ".git-credentials", ".pgpass", ".npmrc", ".pypirc", ".bash_history", ".zsh_history", "shadow",
];

/// Whether a path is a secret or holds some.
pub(super) fn is_secret(path: &Path, context: &Context) -> bool {
    if path.glob && path.text.contains("/**/") {
        // It can stand for any number of directories.
        return ["/", "/*/", "/*/*/", "/*/*/*/"].iter().any(|some| {
            let text = path.text.replacen("/**/", some, 1);
            let key = is_key_name(text.rsplit('/').next().unwrap_or_default());
            let path = Path {
                text: &text,
                ..*path
            };
            key && is_secret(&path, context)
        });
    }
    in_system(path) || of_process(path) || in_home(path, context)
}

/// Whether a name or pattern is one that private keys have.
pub(super) fn is_key_name(pattern: &str) -> bool {
    // A pattern that says little finds many other files too.
    let letters = pattern.chars().filter(|letter| letter.is_alphanumeric());
    letters.count() > 1 && KEY_NAMES.iter().any(|name| finds(pattern, name))
}

fn in_system(path: &Path) -> bool {
    let host_key = path
        .text
        .strip_prefix("/etc/ssh/")
        .is_some_and(|name| name.ends_with("_key"));
    host_key
        || IN_SYSTEM
            .iter()
            .any(|secret| covers(path, path.text, secret))
}

/// Whether a path that is known only in parts ends like a secret: `$x/.ssh/id_rsa`.
pub(super) fn ends_secret(text: &str) -> bool {
    const ENDS: &[&str] = &[
        "/.aws/credentials", "/.netrc", "/.git-credentials", "/.bash_history", "/.zsh_history",
        "/.kube/config", "/.docker/config.json", "/.pgpass", "/.npmrc", "/.pypirc",
    ];
    let key = text
        .rsplit_once("/.ssh/")
        .is_some_and(|(_, name)| name.starts_with("id_") && !is_public(name));
    // A glob that says some letters of a directory with secrets.
    let mut names = text.rsplit('/');
    let (last, directory) = (names.next().unwrap_or_default(), names.next());
    let says = |name: &&str| name.chars().filter(|one| one.is_alphanumeric()).count() > 1;
    let directory = directory
        .filter(says)
        .filter(|name| name.contains(['*', '?', '[', '(']));
    let found = directory.is_some_and(|name| {
        may_find(name, ".ssh") && KEY_NAMES.iter().any(|key| may_find(last, key))
            || may_find(name, ".aws") && may_find(last, "credentials")
            || may_find(name, ".kube") && may_find(last, "config")
    });
    let process = text.starts_with("/proc/")
        && OF_PROCESS
            .iter()
            .any(|name| text.rsplit('/').next() == Some(name));
    // A name alone, in a directory that is not known.
    let bare = text.starts_with("id_") && KEY_NAMES.contains(&text);
    bare || key || found || process || ENDS.iter().any(|end| text.ends_with(end))
}

fn of_process(path: &Path) -> bool {
    let found = || path.glob.then(|| found_below(path.text, "/proc")).flatten();
    let Some(rest) = path.text.strip_prefix("/proc/").or_else(found) else {
        return false;
    };
    let name = rest.rsplit('/').next().unwrap_or_default();
    let deep = rest.contains('/');
    deep && OF_PROCESS
        .iter()
        .any(|secret| name == *secret || path.glob && finds(name, secret))
}

fn in_home(path: &Path, context: &Context) -> bool {
    let of_run = context.run_home.as_deref();
    if of_run.is_some_and(|home| {
        // There is no secret of the person's, but who names one there means theirs.
        below(path.text, home).is_some_and(|rest| in_a_home(path, rest, of_run))
    }) {
        return true;
    }
    let own = context.home.as_deref();
    let workspace = context.workspace.iter().chain(&context.write_roots);
    let free = workspace
        .filter(|root| !own.is_some_and(|home| is_within(home, root)))
        .any(|root| is_within(path.text, root));
    !free
        && rests(path, own)
            .iter()
            .any(|rest| in_a_home(path, rest, own))
}

/// What a path is below each home that it can lead to: the caller's own, or a name where homes are.
fn rests<'a>(path: &Path<'a>, own: Option<&str>) -> Vec<&'a str> {
    const HOMES: &[&str] =
        &["/root", "/var/root", "/home/*", "/Users/*", "/var/home/*", "/export/home/*"];
    let written = own.and_then(|home| below(path.text, home)).or_else(|| {
        let starts = path.text.match_indices('/').map(|(at, _)| at).take(5);
        starts.skip(1).find_map(|at| {
            let (home, rest) = path.text.split_at_checked(at)?;
            is_home(home).then(|| rest.trim_start_matches('/'))
        })
    });
    let homes = own.iter().chain(HOMES).filter(|_| path.glob);
    let found = homes.filter_map(|home| found_below(path.text, home));
    written.into_iter().chain(found).collect()
}

/// Whether what a path names below a home is secret.
fn in_a_home(path: &Path, rest: &str, own: Option<&str>) -> bool {
    // Another user's home that is closed to all is secret as a whole.
    let root = is_within(path.text, "/root") || names_root(path);
    if root && own != Some("/root") && !rest.is_empty() {
        return true;
    }
    if let Some(name) = rest.strip_prefix(".ssh/") {
        let public = PUBLIC.iter().any(|public| is_within(name, public));
        return !public && !is_public(name);
    }
    IN_HOME.iter().any(|secret| covers(path, rest, secret))
}

/// Whether a file of `~/.ssh` is the public half of a key.
fn is_public(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "pub")
}

/// Whether a glob is there to find the home of root: it says a letter of its name.
fn names_root(path: &Path) -> bool {
    let name = path.text.split('/').nth(1).unwrap_or_default();
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    path.glob && letters.count() > 0 && may_find(name, "root")
}

/// The rest of a path below a directory.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
    rest.strip_prefix('/')
}

/// The rest of a path whose beginning can find a directory.
fn found_below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let mut rest = path;
    for name in directory.split('/') {
        let (pattern, left) = rest.split_once('/')?;
        if name != "*" && !may_find(pattern, name) {
            return None;
        }
        rest = left;
    }
    Some(rest)
}

/// Whether a path is this secret or in it; a glob also when it can find it.
fn covers(path: &Path, text: &str, secret: &str) -> bool {
    if is_within(text, secret) {
        return true;
    }
    if !path.glob || path.open {
        return false;
    }
    let patterns = text.split('/');
    let mut names = secret.split('/');
    let mut left = patterns.zip(names.by_ref());
    let fits = left.all(|(pattern, name)| may_find(pattern, name));
    // A glob that ends before the secret finds only a directory that holds it.
    fits && text.split('/').count() >= secret.split('/').count()
}

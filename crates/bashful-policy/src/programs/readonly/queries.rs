//! Programs with subcommands, and the subcommands of each that only ask for information.
//!
//! Nothing here reaches the network, but a daemon of this machine may be asked.

use crate::facts::Argument;

use super::super::shape::{Shape, guarded};

/// Subcommands that take the same flags, of programs that agree about them.
pub(super) struct Query {
    pub(super) programs: &'static [&'static str],
    /// Each with all its words; an empty one stands for the program alone.
    pub(super) words: &'static [&'static str],
    pub(super) shape: Shape,
}

/// Subcommands with these flags and any operands.
const fn query(
    programs: &'static [&'static str],
    words: &'static [&'static str],
    short: &'static str,
    long: &'static str,
) -> Query {
    Query {
        programs,
        words,
        shape: guarded(short, long),
    }
}

/// Subcommands that nothing follows.
const fn alone(programs: &'static [&'static str], words: &'static [&'static str]) -> Query {
    query(programs, words, "", "").at_most(0)
}

impl Query {
    const fn at_most(mut self, count: usize) -> Self {
        self.shape = self.shape.at_most(count);
        self
    }

    const fn each(mut self, check: fn(usize, &Argument) -> bool) -> Self {
        self.shape = self.shape.each(check);
        self
    }
}

/// All queries, sorted by the first program of each.
#[rustfmt::skip]
pub(super) const QUERIES: &[Query] = &[
    query(&["7z", "7za", "7zr", "7zz"], &["l", "t"], "", "").each(is_not_switch),
    alone(&["alembic", "ansible", "ansible-playbook", "flask", "vagrant"], &["--version"]),
    query(&["apk"], &["list", "info"], "IPaLdersvqRwti",
        "installed upgradable orphaned available contents depends rdepends description size \
         who-owns all exists"),
    query(&["apt"], &["list", "show", "policy", "search", "depends", "rdepends", "showsrc"], "aqn",
        "installed upgradable all-versions manual-installed verbose quiet names-only full"),
    alone(&["apt-config"], &["dump"]),
    query(&["apt-mark"], &["showauto", "showmanual", "showhold"], "", ""),
    query(&["ar"], &["t", "tv", "p", "-t", "-tv", "-p"], "", ""),
    query(&["asdf", "nodenv", "nvm", "pyenv", "rbenv"],
        &["list", "current", "versions", "version", "ls", "which", "root", "--version"], "", "")
        .each(is_plain),
    alone(&["atq"], &[""]),
    query(&["brew"],
        &["list", "ls", "leaves", "deps", "uses", "config", "--prefix", "--cellar", "--repository",
          "--version", "info"], "1ltr",
        "versions full-name formula cask pinned multiple installed tree json? cellar recursive \
         installed-on-request"),
    query(&["bundle"], &["list", "ls", "check", "show", "info", "platform", "version"], "",
        "path paths name-only only-group= without-group= ruby dry-run"),
    alone(&["busybox"], &["--list", "--list-full", "--help"]),
    query(&["cargo"], &["tree"], "dei:F:p:fv",
        "all-features features= no-default-features target= edges= invert= package= depth= \
         duplicates prefix= charset= format= workspace offline locked frozen no-dedupe quiet \
         exclude= prune= color= manifest-path= -config= verbose"),
    query(&["cargo"],
        &["metadata", "read-manifest", "locate-project", "pkgid", "verify-project", "--list",
          "--version", "-V", "version"], "qv",
        "format-version= no-deps offline locked frozen manifest-path= message-format= workspace \
         filter-platform= all-features features= quiet verbose color= -config="),
    alone(&["cargo"], &["install --list", "help"]),
    alone(&["cmake"],
        &["--version", "--help", "--help-command-list", "--help-variable-list",
          "--help-module-list", "--list-presets"]),
    query(&["code"], &["--version", "--list-extensions"], "", "show-versions").at_most(0),
    query(&["conda", "mamba", "micromamba"],
        &["list", "info", "env list", "config --show", "--version"], "en:aq",
        "envs name= json all export explicit"),
    query(&["coredumpctl"], &["list", "info"], "", "no-pager no-legend reverse since= until="),
    query(&["cpio"], &["-t", "-it", "-itv", "-tv", "--list"], "v", "quiet verbose numeric-uid-gid")
        .at_most(0),
    alone(&["crontab"], &["-l"]),
    alone(&["direnv"], &["version", "status"]),
    query(&["docker", "nerdctl", "podman"],
        &["ps", "container ls", "container list", "container ps"], "alnqsf:",
        "all latest last= quiet size filter= format= no-trunc noheading sort= namespace"),
    query(&["docker", "nerdctl", "podman"], &["images", "image ls", "image list"], "aqf:n",
        "all quiet filter= format= no-trunc digests noheading sort= history tree"),
    query(&["docker", "nerdctl", "podman"],
        &["inspect", "container inspect", "image inspect", "network inspect", "volume inspect",
          "history", "image history", "port", "container port", "top", "container top", "diff",
          "container diff"], "f:sHq", "format= size type= no-trunc human quiet"),
    query(&["docker", "nerdctl", "podman"], &["logs", "container logs"], "fn:t",
        "follow tail= since= until= timestamps details names color latest"),
    query(&["docker", "nerdctl", "podman"],
        &["version", "info", "system info", "system df", "network ls", "network list", "volume ls",
          "volume list", "context ls", "context show", "plugin ls", "buildx ls", "buildx version",
          "compose version", "--version", "-v", "machine list"], "f:qv",
        "format= filter= quiet verbose no-trunc short"),
    query(&["docker", "nerdctl", "podman"], &["stats"], "a", "all no-stream! format= no-trunc"),
    query(&["docker", "podman"],
        &["compose ps", "compose config", "compose logs", "compose images", "compose top",
          "compose ls", "compose version"], "qat",
        "quiet all services volumes format= filter= tail= timestamps no-color no-log-prefix since= \
         until= follow status= -output="),
    query(&["docker-compose"],
        &["ps", "config", "logs", "images", "top", "version", "--version", "ls"], "qaf:tf",
        "quiet all services volumes format= filter= tail= timestamps no-color no-log-prefix since= \
         until= short follow status= -output= -lock-image-digests"),
    query(&["dpkg"],
        &["-l", "--list", "-L", "--listfiles", "-s", "--status", "-S", "--search",
          "--get-selections", "--print-architecture", "--audit", "-C", "--verify", "-V", "-p",
          "--print-avail", "--print-foreign-architectures", "-c", "--contents", "-I", "--info",
          "--compare-versions"], "", "no-pager"),
    query(&["flatpak"], &["list", "info", "--version"], "ad",
        "app runtime show-details columns= user system all"),
    query(&["gem"],
        &["list", "environment", "env", "contents", "which", "specification", "dependency"],
        "aidel", "local all versions no-versions details installed no-installed no-verbose quiet"),
    alone(&["gh"], &["--version", "version", "auth status --help"]),
    alone(&["gmake", "make"], &["--version", "-v"]),
    query(&["go"], &["version", "env"], "m", "json changed").each(is_plain),
    query(&["go"], &["env -json", "env -changed"], "", "").each(is_plain),
    query(&["go"], &["list"], "emfu",
        "json? deps test find export compiled mod= tags= modfile= e m"),
    query(&["go"], &["doc"], "acu", "all src short"),
    query(&["gpg"],
        &["--list-keys", "-k", "--list-secret-keys", "-K", "--fingerprint", "--list-sigs",
          "--version"], "", "keyid-format= with-colons with-fingerprint"),
    query(&["helm"], &["version", "env", "list --help", "template --help"], "",
        "short client template= -kubeconfig="),
    query(&["jar"], &["tf", "tvf", "-tf", "-tvf", "--list --file", "-t -f"], "", "")
        .each(is_not_switch),
    alone(&["java", "javac"], &["-version", "--version"]),
    query(&["journalctl"], &[""], "#ab?efkmqrxn:o:p:S:U:u:t:g:c:N1F:",
        "all boot? pager-end catalog follow dmesg identifier= lines? no-full full no-hostname \
         no-pager no-tail output= output-fields= priority= facility= quiet reverse since= until= \
         system user unit= user-unit= utc grep= case-sensitive? cursor= after-cursor= show-cursor \
         merge list-boots disk-usage header fields field= list-catalog help version \
         truncate-newline verify -vacuum-size= -vacuum-time= -vacuum-files= -rotate -flush -sync \
         -relinquish-var -smart-relinquish-var -setup-keys -update-catalog -cursor-file= -file= \
         -directory= -root= -image="),
    query(&["kubectl"],
        &["version --client", "config view", "config current-context", "config get-contexts",
          "config get-clusters", "config get-users", "--help"], "o:",
        "output= client short minify flatten -kubeconfig="),
    query(&["loginctl"],
        &["list-sessions", "list-users", "list-seats", "session-status", "user-status",
          "show-session", "show-user"], "p:",
        "no-pager no-legend property= value all full -host= -machine="),
    query(&["networkctl", "resolvectl"], &["list", "status", "statistics"], "",
        "no-pager no-legend all full"),
    query(&["ninja"], &["--version", "-t targets", "-t list"], "", "").each(is_plain),
    alone(&["nix"], &["--version", "show-config", "flake show --help"]),
    query(&["npm"],
        &["ls", "list", "ll", "la", "explain", "why", "root", "prefix", "bin", "config get",
          "config list", "config ls", "get", "pkg get", "--version", "version --json", "query"],
        "agplsD",
        "all depth= json long parseable global prod dev omit= include= production \
         package-lock-only link workspaces silent"),
    query(&["openssl"], &["version", "list", "ciphers", "prime", "help"], "vadfopV",
        "commands digest-algorithms cipher-algorithms"),
    query(&["openssl"],
        &["dgst", "dgst -md5", "dgst -sha1", "dgst -sha256", "dgst -sha384", "dgst -sha512", "md5",
          "sha1", "sha256", "sha512", "sha384"], "", "").each(is_plain),
    query(&["openssl"], &["rand -hex", "rand -base64", "rand"], "", "").each(is_plain),
    query(&["pacman"],
        &["-Q", "-Qi", "-Ql", "-Qo", "-Qs", "-Qe", "-Qm", "-Qk", "-Qdt", "-Qqe", "-Qq", "-Qu"],
        "deilmnoqstukcg", ""),
    alone(&["php"], &["-m", "-i", "--ini", "--modules", "--info"]),
    query(&["pip", "pip3"],
        &["list", "show", "freeze", "check", "--version", "inspect", "debug", "config list",
          "config get", "cache dir", "cache info", "cache list"], "lfqv",
        "format= local user all files verbose quiet not-required exclude= \
         disable-pip-version-check require-virtualenv include-editable exclude-editable -outdated \
         -log= -python= -editable -path="),
    alone(&["pipenv"], &["graph", "--venv", "--where", "--version"]),
    query(&["pnpm"],
        &["list", "ls", "ll", "why", "root", "bin", "config get", "config list", "--version",
          "licenses list"], "rgPD",
        "depth= json long parseable global recursive prod dev filter= only-projects no-optional"),
    query(&["poetry"],
        &["show", "check", "env info", "env list", "version", "--version", "config --list"], "tvn",
        "tree no-ansi no-interaction path full-path short -plugins"),
    query(&["python", "python3"],
        &["-m pip list", "-m pip show", "-m pip freeze", "-m pip check", "-m pip --version"], "lfe",
        "local user editable exclude-editable not-required format= files verbose path= exclude= \
         all -outdated -uptodate -index-url= -extra-index-url= -find-links= -log= -python="),
    query(&["rpm"],
        &["-q", "-qa", "-qi", "-ql", "-qf", "-qc", "-qd", "-qR", "-V", "-Va", "--query",
          "--verify"], "acdfgilqRsv",
        "all file info list configfiles docfiles state changelog provides requires whatprovides \
         whatrequires scripts queryformat= qf= last nosignature nodigest"),
    query(&["rustc"], &["--version", "-V", "-vV", "--print", "--explain"], "", "verbose target=")
        .at_most(1),
    query(&["rustup"],
        &["show", "toolchain list", "target list", "component list", "show active-toolchain",
          "show home", "which", "--version", "override list", "doc --path"], "v",
        "installed toolchain= verbose"),
    alone(&["screen"], &["-ls", "-list", "-v", "--version"]),
    query(&["snap"], &["list", "version"], "", "all"),
    alone(&["sqlite3"], &["--version", "-version"]),
    alone(&["ssh"], &["-V"]),
    alone(&["ssh-add"], &["-l", "-L"]),
    query(&["ssh-keygen"], &["-l", "-lf"], "f:vE:", ""),
    alone(&["stty"], &["size", "speed", "-a", "-g", "--all", "--save"]),
    query(&["svn"], &["status", "st", "info", "list --help", "--version"], "vqN",
        "verbose quiet xml depth="),
    query(&["sysctl"], &["-a", "-n", "-N", "--all"], "anNe", "all names values ignore")
        .each(is_key),
    query(&["sysctl"], &[""], "anN", "all names values").each(is_key),
    query(&["systemctl"],
        &["status", "list-units", "list-unit-files", "show", "is-active", "is-enabled", "is-failed",
          "is-system-running", "cat", "list-timers", "list-sockets", "list-dependencies",
          "list-jobs", "list-machines", "get-default", "show-environment", "list-paths",
          "list-automounts", "--failed", "--version", "help"], "alqrn:o:p:Pt:",
        "all full lines= no-legend no-pager output= plain property= quiet recursive reverse state= \
         system type= user value after before failed legend= show-types timestamp= \
         with-dependencies -host= -machine= -root="),
    query(&["systemctl"], &[""], "alqt:",
        "all failed no-pager no-legend type= state= user system full plain version -host= \
         -machine=").at_most(0),
    query(&["systemd-analyze"],
        &["blame", "critical-chain", "time", "dot", "verify", "unit-paths", "calendar", "timespan",
          "security"], "", "no-pager user system -host= -machine="),
    query(&["terraform", "tofu"], &["version", "fmt -check", "workspace list", "workspace show"],
        "", "json no-color check diff recursive"),
    query(&["tmux"], &["ls", "list-sessions", "list-windows", "list-panes", "-V"], "at:", ""),
    query(&["update-alternatives"], &["--list", "--display", "--query", "--get-selections"], "",
        ""),
    query(&["uv"],
        &["pip list", "pip show", "pip freeze", "pip check", "pip tree", "tree", "python list",
          "python dir", "--version", "version", "cache dir", "tool list", "tool dir"], "q",
        "format= offline frozen depth= quiet only-installed installed-only"),
];

/// A word that is no flag of any style.
fn is_plain(_: usize, operand: &Argument) -> bool {
    operand.is_known() && !operand.text.starts_with(['-', '/', '+'])
}

/// The name of a kernel setting, without a value for it.
fn is_key(_: usize, operand: &Argument) -> bool {
    operand.is_literal() && !operand.text.contains('=')
}

/// An archive or a name in it, for a program whose switches begin with `-` or `@` anywhere.
fn is_not_switch(_: usize, operand: &Argument) -> bool {
    operand.is_known() && !operand.text.starts_with(['-', '@'])
}

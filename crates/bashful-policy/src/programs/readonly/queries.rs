//! Programs with subcommands, and the subcommands of each that only ask for information.
//!
//! Nothing here reaches the network, but a daemon of this machine may be asked.

use crate::facts::Argument;

use super::super::shape::{Shape, shape};

/// Subcommands of one program that take the same flags.
pub(super) struct Query {
    pub(super) program: &'static str,
    /// Each with all its words; an empty one stands for the program alone.
    pub(super) words: &'static [&'static str],
    pub(super) shape: Shape,
}

const fn query(program: &'static str, words: &'static [&'static str], shape: Shape) -> Query {
    Query {
        program,
        words,
        shape,
    }
}

/// All queries, sorted by program.
pub(super) const QUERIES: &[Query] = &[
    query(
        "7z",
        &["l", "t"],
        shape("", "", "").guarded().each(is_not_switch),
    ),
    query(
        "7za",
        &["l", "t"],
        shape("", "", "").guarded().each(is_not_switch),
    ),
    query(
        "7zr",
        &["l", "t"],
        shape("", "", "").guarded().each(is_not_switch),
    ),
    query(
        "7zz",
        &["l", "t"],
        shape("", "", "").guarded().each(is_not_switch),
    ),
    query(
        "alembic",
        &["--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "ansible",
        &["--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "ansible-playbook",
        &["--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "apk",
        &["list", "info"],
        shape("", "IPaLdersvqRwti", APK).guarded(),
    ),
    query(
        "apt",
        &[
            "list", "show", "policy", "search", "depends", "rdepends", "showsrc",
        ],
        shape("", "aqn", APT).guarded(),
    ),
    query(
        "apt-config",
        &["dump"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "apt-mark",
        &["showauto", "showmanual", "showhold"],
        shape("", "", "").guarded(),
    ),
    query(
        "ar",
        &["t", "tv", "p", "-t", "-tv", "-p"],
        shape("", "", "").guarded(),
    ),
    query(
        "asdf",
        &[
            "list",
            "current",
            "versions",
            "version",
            "ls",
            "which",
            "root",
            "--version",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query("atq", &[""], shape("", "", "").guarded().at_most(0)),
    query(
        "brew",
        &[
            "list",
            "ls",
            "leaves",
            "deps",
            "uses",
            "config",
            "--prefix",
            "--cellar",
            "--repository",
            "--version",
            "info",
        ],
        shape("", "1ltr", BREW).guarded(),
    ),
    query(
        "bundle",
        &["list", "ls", "check", "show", "info", "platform", "version"],
        shape(
            "",
            "",
            "path paths name-only only-group= without-group= ruby dry-run",
        )
        .guarded(),
    ),
    query(
        "busybox",
        &["--list", "--list-full", "--help"],
        shape("", "", "").guarded().at_most(0),
    ),
    query("cargo", &["tree"], shape("", "dei:F:p:fv", CARGO).guarded()),
    query(
        "cargo",
        &[
            "metadata",
            "read-manifest",
            "locate-project",
            "pkgid",
            "verify-project",
            "--list",
            "--version",
            "-V",
            "version",
        ],
        shape("", "qv", CARGO_2).guarded(),
    ),
    query(
        "cargo",
        &["install --list", "help"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "cmake",
        &[
            "--version",
            "--help",
            "--help-command-list",
            "--help-variable-list",
            "--help-module-list",
            "--list-presets",
        ],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "code",
        &["--version", "--list-extensions"],
        shape("", "", "show-versions").guarded().at_most(0),
    ),
    query(
        "conda",
        &["list", "info", "env list", "config --show", "--version"],
        shape("", "en:aq", "envs name= json all export explicit").guarded(),
    ),
    query(
        "coredumpctl",
        &["list", "info"],
        shape("", "", "no-pager no-legend reverse since= until=").guarded(),
    ),
    query(
        "cpio",
        &["-t", "-it", "-itv", "-tv", "--list"],
        shape("", "v", "quiet verbose numeric-uid-gid")
            .guarded()
            .at_most(0),
    ),
    query("crontab", &["-l"], shape("", "", "").guarded().at_most(0)),
    query(
        "direnv",
        &["version", "status"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "docker",
        &["ps", "container ls", "container list", "container ps"],
        shape("", "alnqsf:", DOCKER).guarded(),
    ),
    query(
        "docker",
        &["images", "image ls", "image list"],
        shape("", "aqf:n", DOCKER_2).guarded(),
    ),
    query(
        "docker",
        &[
            "inspect",
            "container inspect",
            "image inspect",
            "network inspect",
            "volume inspect",
            "history",
            "image history",
            "port",
            "container port",
            "top",
            "container top",
            "diff",
            "container diff",
        ],
        shape("", "f:sHq", "format= size type= no-trunc human quiet").guarded(),
    ),
    query(
        "docker",
        &["logs", "container logs"],
        shape("", "fn:t", DOCKER_3).guarded(),
    ),
    query(
        "docker",
        &[
            "version",
            "info",
            "system info",
            "system df",
            "network ls",
            "network list",
            "volume ls",
            "volume list",
            "context ls",
            "context show",
            "plugin ls",
            "buildx ls",
            "buildx version",
            "compose version",
            "--version",
            "-v",
            "machine list",
        ],
        shape("", "f:qv", "format= filter= quiet verbose no-trunc short").guarded(),
    ),
    query(
        "docker",
        &["stats"],
        shape("", "a", "all no-stream! format= no-trunc").guarded(),
    ),
    query(
        "docker",
        &[
            "compose ps",
            "compose config",
            "compose logs",
            "compose images",
            "compose top",
            "compose ls",
            "compose version",
        ],
        shape("", "qat", DOCKER_4).guarded(),
    ),
    query(
        "docker-compose",
        &[
            "ps",
            "config",
            "logs",
            "images",
            "top",
            "version",
            "--version",
            "ls",
        ],
        shape("", "qaf:tf", DOCKER_COMPOSE).guarded(),
    ),
    query(
        "dpkg",
        &[
            "-l",
            "--list",
            "-L",
            "--listfiles",
            "-s",
            "--status",
            "-S",
            "--search",
            "--get-selections",
            "--print-architecture",
            "--audit",
            "-C",
            "--verify",
            "-V",
            "-p",
            "--print-avail",
            "--print-foreign-architectures",
            "-c",
            "--contents",
            "-I",
            "--info",
            "--compare-versions",
        ],
        shape("", "", "no-pager").guarded(),
    ),
    query(
        "flask",
        &["--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "flatpak",
        &["list", "info", "--version"],
        shape(
            "",
            "ad",
            "app runtime show-details columns= user system all",
        )
        .guarded(),
    ),
    query(
        "gem",
        &[
            "list",
            "environment",
            "env",
            "contents",
            "which",
            "specification",
            "dependency",
        ],
        shape("", "aidel", GEM).guarded(),
    ),
    query(
        "gh",
        &["--version", "version", "auth status --help"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "gmake",
        &["--version", "-v"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "go",
        &["version", "env"],
        shape("", "m", "json changed").guarded().each(is_plain),
    ),
    query(
        "go",
        &["env -json", "env -changed"],
        shape("", "", "").guarded().each(is_plain),
    ),
    query("go", &["list"], shape("", "emfu", GO).guarded()),
    query("go", &["doc"], shape("", "acu", "all src short").guarded()),
    query(
        "gpg",
        &[
            "--list-keys",
            "-k",
            "--list-secret-keys",
            "-K",
            "--fingerprint",
            "--list-sigs",
            "--version",
        ],
        shape("", "", "keyid-format= with-colons with-fingerprint").guarded(),
    ),
    query(
        "helm",
        &["version", "env", "list --help", "template --help"],
        shape("", "", "short client template= -kubeconfig=").guarded(),
    ),
    query(
        "jar",
        &["tf", "tvf", "-tf", "-tvf", "--list --file", "-t -f"],
        shape("", "", "").guarded().each(is_not_switch),
    ),
    query(
        "java",
        &["-version", "--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "javac",
        &["-version", "--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "journalctl",
        &[""],
        shape("", "#ab?efkmqrxn:o:p:S:U:u:t:g:c:N1F:", JOURNALCTL).guarded(),
    ),
    query(
        "kubectl",
        &[
            "version --client",
            "config view",
            "config current-context",
            "config get-contexts",
            "config get-clusters",
            "config get-users",
            "--help",
        ],
        shape("", "o:", "output= client short minify flatten -kubeconfig=").guarded(),
    ),
    query(
        "loginctl",
        &[
            "list-sessions",
            "list-users",
            "list-seats",
            "session-status",
            "user-status",
            "show-session",
            "show-user",
        ],
        shape("", "p:", LOGINCTL).guarded(),
    ),
    query(
        "make",
        &["--version", "-v"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "mamba",
        &["list", "info", "env list", "config --show", "--version"],
        shape("", "en:aq", "envs name= json all export explicit").guarded(),
    ),
    query(
        "micromamba",
        &["list", "info", "env list", "config --show", "--version"],
        shape("", "en:aq", "envs name= json all export explicit").guarded(),
    ),
    query(
        "nerdctl",
        &["ps", "container ls", "container list", "container ps"],
        shape("", "alnqsf:", DOCKER).guarded(),
    ),
    query(
        "nerdctl",
        &["images", "image ls", "image list"],
        shape("", "aqf:n", DOCKER_2).guarded(),
    ),
    query(
        "nerdctl",
        &[
            "inspect",
            "container inspect",
            "image inspect",
            "network inspect",
            "volume inspect",
            "history",
            "image history",
            "port",
            "container port",
            "top",
            "container top",
            "diff",
            "container diff",
        ],
        shape("", "f:sHq", "format= size type= no-trunc human quiet").guarded(),
    ),
    query(
        "nerdctl",
        &["logs", "container logs"],
        shape("", "fn:t", DOCKER_3).guarded(),
    ),
    query(
        "nerdctl",
        &[
            "version",
            "info",
            "system info",
            "system df",
            "network ls",
            "network list",
            "volume ls",
            "volume list",
            "context ls",
            "context show",
            "plugin ls",
            "buildx ls",
            "buildx version",
            "compose version",
            "--version",
            "-v",
            "machine list",
        ],
        shape("", "f:qv", "format= filter= quiet verbose no-trunc short").guarded(),
    ),
    query(
        "nerdctl",
        &["stats"],
        shape("", "a", "all no-stream! format= no-trunc").guarded(),
    ),
    query(
        "networkctl",
        &["list", "status", "statistics"],
        shape("", "", "no-pager no-legend all full").guarded(),
    ),
    query(
        "ninja",
        &["--version", "-t targets", "-t list"],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "nix",
        &["--version", "show-config", "flake show --help"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "nodenv",
        &[
            "list",
            "current",
            "versions",
            "version",
            "ls",
            "which",
            "root",
            "--version",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "npm",
        &[
            "ls",
            "list",
            "ll",
            "la",
            "explain",
            "why",
            "root",
            "prefix",
            "bin",
            "config get",
            "config list",
            "config ls",
            "get",
            "pkg get",
            "--version",
            "version --json",
            "query",
        ],
        shape("", "agplsD", NPM).guarded(),
    ),
    query(
        "nvm",
        &[
            "list",
            "current",
            "versions",
            "version",
            "ls",
            "which",
            "root",
            "--version",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "openssl",
        &["version", "list", "ciphers", "prime", "help"],
        shape(
            "",
            "vadfopV",
            "commands digest-algorithms cipher-algorithms",
        )
        .guarded(),
    ),
    query(
        "openssl",
        &[
            "dgst",
            "dgst -md5",
            "dgst -sha1",
            "dgst -sha256",
            "dgst -sha384",
            "dgst -sha512",
            "md5",
            "sha1",
            "sha256",
            "sha512",
            "sha384",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "openssl",
        &["rand -hex", "rand -base64", "rand"],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "pacman",
        &[
            "-Q", "-Qi", "-Ql", "-Qo", "-Qs", "-Qe", "-Qm", "-Qk", "-Qdt", "-Qqe", "-Qq", "-Qu",
        ],
        shape("", "deilmnoqstukcg", "").guarded(),
    ),
    query(
        "php",
        &["-m", "-i", "--ini", "--modules", "--info"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "pip",
        &[
            "list",
            "show",
            "freeze",
            "check",
            "--version",
            "inspect",
            "debug",
            "config list",
            "config get",
            "cache dir",
            "cache info",
            "cache list",
        ],
        shape("", "lfqv", PIP).guarded(),
    ),
    query(
        "pip3",
        &[
            "list",
            "show",
            "freeze",
            "check",
            "--version",
            "inspect",
            "debug",
            "config list",
            "config get",
            "cache dir",
            "cache info",
            "cache list",
        ],
        shape("", "lfqv", PIP).guarded(),
    ),
    query(
        "pipenv",
        &["graph", "--venv", "--where", "--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "pnpm",
        &[
            "list",
            "ls",
            "ll",
            "why",
            "root",
            "bin",
            "config get",
            "config list",
            "--version",
            "licenses list",
        ],
        shape("", "rgPD", PNPM).guarded(),
    ),
    query(
        "podman",
        &["ps", "container ls", "container list", "container ps"],
        shape("", "alnqsf:", DOCKER).guarded(),
    ),
    query(
        "podman",
        &["images", "image ls", "image list"],
        shape("", "aqf:n", DOCKER_2).guarded(),
    ),
    query(
        "podman",
        &[
            "inspect",
            "container inspect",
            "image inspect",
            "network inspect",
            "volume inspect",
            "history",
            "image history",
            "port",
            "container port",
            "top",
            "container top",
            "diff",
            "container diff",
        ],
        shape("", "f:sHq", "format= size type= no-trunc human quiet").guarded(),
    ),
    query(
        "podman",
        &["logs", "container logs"],
        shape("", "fn:t", DOCKER_3).guarded(),
    ),
    query(
        "podman",
        &[
            "version",
            "info",
            "system info",
            "system df",
            "network ls",
            "network list",
            "volume ls",
            "volume list",
            "context ls",
            "context show",
            "plugin ls",
            "buildx ls",
            "buildx version",
            "compose version",
            "--version",
            "-v",
            "machine list",
        ],
        shape("", "f:qv", "format= filter= quiet verbose no-trunc short").guarded(),
    ),
    query(
        "podman",
        &["stats"],
        shape("", "a", "all no-stream! format= no-trunc").guarded(),
    ),
    query(
        "podman",
        &[
            "compose ps",
            "compose config",
            "compose logs",
            "compose images",
            "compose top",
            "compose ls",
            "compose version",
        ],
        shape("", "qat", DOCKER_4).guarded(),
    ),
    query(
        "poetry",
        &[
            "show",
            "check",
            "env info",
            "env list",
            "version",
            "--version",
            "config --list",
        ],
        shape("", "tvn", POETRY).guarded(),
    ),
    query(
        "pyenv",
        &[
            "list",
            "current",
            "versions",
            "version",
            "ls",
            "which",
            "root",
            "--version",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "python",
        &[
            "-m pip list",
            "-m pip show",
            "-m pip freeze",
            "-m pip check",
            "-m pip --version",
        ],
        shape("", "lfe", PYTHON_PIP).guarded(),
    ),
    query(
        "python3",
        &[
            "-m pip list",
            "-m pip show",
            "-m pip freeze",
            "-m pip check",
            "-m pip --version",
        ],
        shape("", "lfe", PYTHON_PIP).guarded(),
    ),
    query(
        "rbenv",
        &[
            "list",
            "current",
            "versions",
            "version",
            "ls",
            "which",
            "root",
            "--version",
        ],
        shape("", "", "").guarded().each(is_plain),
    ),
    query(
        "resolvectl",
        &["list", "status", "statistics"],
        shape("", "", "no-pager no-legend all full").guarded(),
    ),
    query(
        "rpm",
        &[
            "-q", "-qa", "-qi", "-ql", "-qf", "-qc", "-qd", "-qR", "-V", "-Va", "--query",
            "--verify",
        ],
        shape("", "acdfgilqRsv", RPM).guarded(),
    ),
    query(
        "rustc",
        &["--version", "-V", "-vV", "--print", "--explain"],
        shape("", "", "verbose target=").guarded().at_most(1),
    ),
    query(
        "rustup",
        &[
            "show",
            "toolchain list",
            "target list",
            "component list",
            "show active-toolchain",
            "show home",
            "which",
            "--version",
            "override list",
            "doc --path",
        ],
        shape("", "v", "installed toolchain= verbose").guarded(),
    ),
    query(
        "screen",
        &["-ls", "-list", "-v", "--version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query("snap", &["list", "version"], shape("", "", "all").guarded()),
    query(
        "sqlite3",
        &["--version", "-version"],
        shape("", "", "").guarded().at_most(0),
    ),
    query("ssh", &["-V"], shape("", "", "").guarded().at_most(0)),
    query(
        "ssh-add",
        &["-l", "-L"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "ssh-keygen",
        &["-l", "-lf"],
        shape("", "f:vE:", "").guarded(),
    ),
    query(
        "stty",
        &["size", "speed", "-a", "-g", "--all", "--save"],
        shape("", "", "").guarded().at_most(0),
    ),
    query(
        "svn",
        &["status", "st", "info", "list --help", "--version"],
        shape("", "vqN", "verbose quiet xml depth=").guarded(),
    ),
    query(
        "sysctl",
        &["-a", "-n", "-N", "--all"],
        shape("", "anNe", "all names values ignore")
            .guarded()
            .each(is_key),
    ),
    query(
        "sysctl",
        &[""],
        shape("", "anN", "all names values").guarded().each(is_key),
    ),
    query(
        "systemctl",
        &[
            "status",
            "list-units",
            "list-unit-files",
            "show",
            "is-active",
            "is-enabled",
            "is-failed",
            "is-system-running",
            "cat",
            "list-timers",
            "list-sockets",
            "list-dependencies",
            "list-jobs",
            "list-machines",
            "get-default",
            "show-environment",
            "list-paths",
            "list-automounts",
            "--failed",
            "--version",
            "help",
        ],
        shape("", "alqrn:o:p:Pt:", SYSTEMCTL).guarded(),
    ),
    query(
        "systemctl",
        &[""],
        shape("", "alqt:", SYSTEMCTL_2).guarded().at_most(0),
    ),
    query(
        "systemd-analyze",
        &[
            "blame",
            "critical-chain",
            "time",
            "dot",
            "verify",
            "unit-paths",
            "calendar",
            "timespan",
            "security",
        ],
        shape("", "", "no-pager user system -host= -machine=").guarded(),
    ),
    query(
        "terraform",
        &["version", "fmt -check", "workspace list", "workspace show"],
        shape("", "", "json no-color check diff recursive").guarded(),
    ),
    query(
        "tmux",
        &["ls", "list-sessions", "list-windows", "list-panes", "-V"],
        shape("", "at:", "").guarded(),
    ),
    query(
        "tofu",
        &["version", "fmt -check", "workspace list", "workspace show"],
        shape("", "", "json no-color check diff recursive").guarded(),
    ),
    query(
        "update-alternatives",
        &["--list", "--display", "--query", "--get-selections"],
        shape("", "", "").guarded(),
    ),
    query(
        "uv",
        &[
            "pip list",
            "pip show",
            "pip freeze",
            "pip check",
            "pip tree",
            "tree",
            "python list",
            "python dir",
            "--version",
            "version",
            "cache dir",
            "tool list",
            "tool dir",
        ],
        shape("", "q", UV).guarded(),
    ),
    query(
        "vagrant",
        &["--version"],
        shape("", "", "").guarded().at_most(0),
    ),
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

const PYTHON_PIP: &str = "\
    local user editable exclude-editable not-required format= files verbose path= exclude= all \
    -outdated -uptodate -index-url= -extra-index-url= -find-links= -log= -python=";

const APK: &str = "\
    installed upgradable orphaned available contents depends rdepends description size who-owns \
    all exists";

const APT: &str = "\
    installed upgradable all-versions manual-installed verbose quiet names-only full";

const BREW: &str = "\
    versions full-name formula cask pinned multiple installed tree json? cellar recursive \
    installed-on-request";

const CARGO: &str = "\
    all-features features= no-default-features target= edges= invert= package= depth= \
    duplicates prefix= charset= format= workspace offline locked frozen no-dedupe quiet \
    exclude= prune= color= manifest-path= -config= verbose";

const CARGO_2: &str = "\
    format-version= no-deps offline locked frozen manifest-path= message-format= workspace \
    filter-platform= all-features features= quiet verbose color= -config=";

const DOCKER: &str = "\
    all latest last= quiet size filter= format= no-trunc noheading sort= namespace";

const DOCKER_2: &str = "\
    all quiet filter= format= no-trunc digests noheading sort= history tree";

const DOCKER_3: &str = "\
    follow tail= since= until= timestamps details names color latest";

const DOCKER_4: &str = "\
    quiet all services volumes format= filter= tail= timestamps no-color no-log-prefix since= \
    until= follow status= -output=";

const DOCKER_COMPOSE: &str = "\
    quiet all services volumes format= filter= tail= timestamps no-color no-log-prefix since= \
    until= short follow status= -output= -lock-image-digests";

const GEM: &str = "\
    local all versions no-versions details installed no-installed no-verbose quiet";

const GO: &str = "\
    json? deps test find export compiled mod= tags= modfile= e m";

const JOURNALCTL: &str = "\
    all boot? pager-end catalog follow dmesg identifier= lines? no-full full no-hostname \
    no-pager no-tail output= output-fields= priority= facility= quiet reverse since= until= \
    system user unit= user-unit= utc grep= case-sensitive? cursor= after-cursor= show-cursor \
    merge list-boots disk-usage header fields field= list-catalog help version truncate-newline \
    verify -vacuum-size= -vacuum-time= -vacuum-files= -rotate -flush -sync -relinquish-var \
    -smart-relinquish-var -setup-keys -update-catalog -cursor-file= -file= -directory= -root= \
    -image=";

const LOGINCTL: &str = "\
    no-pager no-legend property= value all full -host= -machine=";

const NPM: &str = "\
    all depth= json long parseable global prod dev omit= include= production package-lock-only \
    link workspaces silent";

const PIP: &str = "\
    format= local user all files verbose quiet not-required exclude= disable-pip-version-check \
    require-virtualenv include-editable exclude-editable -outdated -log= -python= -editable \
    -path=";

const PNPM: &str = "\
    depth= json long parseable global recursive prod dev filter= only-projects no-optional";

const POETRY: &str = "\
    tree no-ansi no-interaction path full-path short -plugins";

const RPM: &str = "\
    all file info list configfiles docfiles state changelog provides requires whatprovides \
    whatrequires scripts queryformat= qf= last nosignature nodigest";

const SYSTEMCTL: &str = "\
    all full lines= no-legend no-pager output= plain property= quiet recursive reverse state= \
    system type= user value after before failed legend= show-types timestamp= with-dependencies \
    -host= -machine= -root=";

const SYSTEMCTL_2: &str = "\
    all failed no-pager no-legend type= state= user system full plain version -host= -machine=";

const UV: &str = "\
    format= offline frozen depth= quiet only-installed installed-only";

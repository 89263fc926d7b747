//! The toolchains that are known by name. A long table with one job.

/// Programs by which what lies above a `bin` is known to belong to a toolchain.
pub(super) const TOOLS: [&str; 36] = [
    "cargo", "rustc", "rustup", "node", "npm", "npx", "pnpm", "yarn", "corepack", "bun", "deno",
    "fnm", "volta", "python", "python3", "pip", "pip3", "uv", "poetry", "pyenv", "go", "gofmt",
    "java", "javac", "mvn", "gradle", "kotlinc", "ruby", "bundle", "gem", "php", "composer",
    "mise", "asdf", "zig", "cmake",
];

/// What toolchains keep in a home: the folder, and the variable that names it if there is one.
/// A shim on PATH, a link and a virtual environment lead to the real programs there.
pub(super) const IN_HOME: [(&str, Option<&str>); 22] = [
    (".rustup", Some("RUSTUP_HOME")),
    (".pyenv", Some("PYENV_ROOT")),
    (".nvm", Some("NVM_DIR")),
    (".volta", Some("VOLTA_HOME")),
    (".nodenv", Some("NODENV_ROOT")),
    (".sdkman", Some("SDKMAN_DIR")),
    (".jenv", Some("JENV_ROOT")),
    (".rbenv", Some("RBENV_ROOT")),
    (".goenv", Some("GOENV_ROOT")),
    (".asdf", Some("ASDF_DATA_DIR")),
    (".elan", Some("ELAN_HOME")),
    (".linuxbrew", None),
    (".local/share/fnm", Some("FNM_DIR")),
    (".local/share/mise", Some("MISE_DATA_DIR")),
    (".local/share/uv/python", Some("UV_PYTHON_INSTALL_DIR")),
    (".local/share/uv/tools", None),
    (".local/share/pipx/venvs", None),
    (".local/pipx/venvs", None),
    ("miniconda3", None),
    ("miniforge3", None),
    ("mambaforge", None),
    ("anaconda3", None),
];

/// Variables that name the root of one toolchain, with its main program.
pub(super) const ROOTS: [(&str, &str); 3] = [
    ("JAVA_HOME", "bin/java"),
    ("GOROOT", "bin/go"),
    ("DENO_INSTALL", "bin/deno"),
];

/// By these a directory above a `bin` is known to be one installation.
pub(super) const INSTALLED: [&str; 6] =
    ["lib", "libexec", "share", "lib64", "pyvenv.cfg", "Cellar"];

/// The lists of what the system has installed. They are the system's, as `/usr` is.
pub(super) const DATABASES: [&str; 6] = [
    "/var/lib/dpkg",
    "/var/lib/apt",
    "/var/lib/rpm",
    "/var/lib/pacman/local",
    "/var/lib/pacman/sync",
    "/var/db/pkg",
];

/// Secrets in a toolchain: below its root, a `*` standing for any name.
pub(super) const SECRETS: &[&str] = &[
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".condarc",
    ".git-credentials",
    ".env*",
    "auth.json",
    "credentials*",
    "etc/npmrc",
    "*/etc/npmrc",
    "versions/*/etc/npmrc",
    "versions/node/*/etc/npmrc",
    "node-versions/*/installation/etc/npmrc",
    "tools/image/node/*/etc/npmrc",
    "installs/node/*/etc/npmrc",
    "installs/nodejs/*/etc/npmrc",
];

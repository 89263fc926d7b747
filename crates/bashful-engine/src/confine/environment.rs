//! The environment of a run: a short allow-list, what was injected, what we add.

use bashful_sandbox::PROXY_PORT;

use crate::config::env;
use crate::request::settings::Settings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::error::InvalidInvocation;
use crate::request::invocation::{Inherit, Invocation};

mod git_identity;

pub(crate) use git_identity::write_git_identity;

/// All that a run gets from the caller.
const ALLOWED: [&str; 8] = [
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR",
];

/// Without one, every bash asks the system's services who the user is.
const USUAL_SHELL: &str = "/bin/bash";

pub(crate) const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that name files of certificates.
pub(crate) const AUTHORITIES: [&str; 12] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "NIX_SSL_CERT_FILE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "DENO_CERT",
];

/// Variables that name who stands between a program and the network.
const PROXIES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Variables that change how programs load or start. A trailing `*` stands for any rest.
const STARTUP: &[&str] = &[
    // The loader and the C library.
    "LD_*",
    "DYLD_*",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "MALLOC_*",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TERMCAP",
    // Shells.
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "IFS",
    "PS1",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_FUNC_*",
    "BASH_XTRACEFD",
    "BASH_LOADABLES_PATH",
    "CDPATH",
    "GLOBIGNORE",
    "ZDOTDIR",
    "FPATH",
    // Git.
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CONFIG*",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_HOOKS*",
    // Pagers, editors, helpers that ask.
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSKEY*",
    "EDITOR",
    "VISUAL",
    "FCEDIT",
    "BROWSER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SYSTEMD_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    // Interpreters.
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONBREAKPOINT",
    "PYTHONWARNINGS",
    "PYTHONPLATLIBDIR",
    "PYTHONEXECUTABLE",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "PERL5OPT",
    "PERL5LIB",
    "PERLLIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "LUA_INIT*",
    "LUA_PATH*",
    "LUA_CPATH*",
    "R_PROFILE*",
    "R_ENVIRON*",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "GOFLAGS",
    "ERL_*FLAGS",
    // Build tools.
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "MFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTFLAGS",
    "CARGO_BUILD_*",
    "CARGO_TARGET_*",
    "CARGO_ENCODED_RUSTFLAGS",
    "npm_config_script_shell",
    "npm_config_node_options",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
];

/// What a run's environment is made from.
#[derive(Debug)]
pub(crate) struct Sources<'a> {
    /// The caller's environment.
    pub(crate) caller: &'a BTreeMap<String, String>,
    /// Names of the caller's variables to pass on beyond the allow-list.
    pub(crate) pass: &'a [String],
    /// What `HOME` becomes.
    pub(crate) home: &'a Path,
    /// Whether that is one of the engine's for the run, where tools may install.
    pub(crate) has_own_home: bool,
    /// Whether the run reaches the network.
    pub(crate) is_online: bool,
    /// Where tools may cache.
    pub(crate) cache: &'a Path,
    /// A git configuration that knows who the user is.
    pub(crate) git_identity: Option<&'a Path>,
}

/// Names the proxy of a room with named hosts, where the profile does without connections being
/// captured.
pub(crate) fn for_proxy(environment: &mut BTreeMap<String, String>) {
    let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
    for (names, value) in [
        (["http_proxy", "HTTP_PROXY"], proxy.as_str()),
        (["https_proxy", "HTTPS_PROXY"], proxy.as_str()),
        (["no_proxy", "NO_PROXY"], "localhost,127.0.0.1,::1"),
    ] {
        for name in names {
            let entry = environment.entry(name.to_owned());
            entry.or_insert_with(|| value.to_owned());
        }
    }
}

/// What a command that sits at a terminal must know about it: not what the caller's is, where
/// that is none that can do anything.
pub(crate) fn for_terminal(environment: &mut BTreeMap<String, String>) {
    let known = environment.get("TERM").map(String::as_str);
    if matches!(known, None | Some("" | "dumb" | "unknown")) {
        environment.insert("TERM".to_owned(), "xterm-256color".to_owned());
    }
}

/// What keeps programs from looking for newer versions of themselves.
const NO_LOOKING: [(&str, &str); 2] = [
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("npm_config_update_notifier", "false"),
];

/// The whole environment of a run, sorted by name.
pub(crate) fn build(
    invocation: &Invocation,
    sources: &Sources<'_>,
) -> Result<BTreeMap<String, String>, InvalidInvocation> {
    let mut environment = BTreeMap::new();
    if invocation.inherit == Inherit::AllowList {
        for name in ALLOWED
            .into_iter()
            .chain(sources.pass.iter().map(String::as_str))
        {
            if let Some(value) = sources.caller.get(name) {
                environment.insert(name.to_owned(), value.clone());
            }
        }
        environment
            .entry("PATH".to_owned())
            .or_insert_with(|| USUAL_PATH.to_owned());
        environment
            .entry("SHELL".to_owned())
            .or_insert_with(|| USUAL_SHELL.to_owned());
        environment.insert("HOME".to_owned(), text(sources.home)?);
        add_caches(&mut environment, sources)?;
        if sources.has_own_home {
            // What is installed for one user is found on PATH there.
            let place = text(&sources.home.join(".local"))?;
            for name in ["npm_config_prefix", "CARGO_INSTALL_ROOT"] {
                environment.insert(name.to_owned(), place.clone());
            }
        }
        if sources.is_online {
            add_network(&mut environment, sources.caller);
        } else {
            // They would look for newer versions of themselves, in vain, and that would be told.
            for (name, value) in NO_LOOKING {
                environment.insert(name.to_owned(), value.to_owned());
            }
        }
        add_toolchains(&mut environment, sources.caller);
        if let Some(path) = sources.git_identity {
            // What a run sets for all its repositories goes into its own home, if that is kept.
            let name = if sources.has_own_home {
                "GIT_CONFIG_SYSTEM"
            } else {
                "GIT_CONFIG_GLOBAL"
            };
            environment.insert(name.to_owned(), text(path)?);
        }
    }
    for (name, value) in &invocation.variables {
        check(name, value, invocation.startup_variables)?;
        environment.insert(name.clone(), value.clone());
    }
    Ok(environment)
}

/// What programs have to know about the network: whom they trust, and through whom they go.
fn add_network(environment: &mut BTreeMap<String, String>, caller: &BTreeMap<String, String>) {
    for name in AUTHORITIES.iter().chain(&PROXIES) {
        if let Some(value) = caller.get(*name) {
            environment.insert((*name).to_owned(), value.clone());
        }
    }
}

/// Caches are kept apart from homes: they serve runs that have an empty one as well.
fn add_caches(
    environment: &mut BTreeMap<String, String>,
    sources: &Sources<'_>,
) -> Result<(), InvalidInvocation> {
    let caches = [
        ("XDG_CACHE_HOME", "xdg"),
        ("npm_config_cache", "npm"),
        ("PIP_CACHE_DIR", "pip"),
        ("CARGO_HOME", "cargo"),
        ("GOCACHE", "go-build"),
        ("GOMODCACHE", "go-mod"),
        ("GRADLE_USER_HOME", "gradle"),
    ];
    for (name, folder) in caches {
        environment.insert(name.to_owned(), text(&sources.cache.join(folder))?);
    }
    Ok(())
}

/// Toolchains that are found through `HOME` would be lost: they are named instead.
fn add_toolchains(environment: &mut BTreeMap<String, String>, caller: &BTreeMap<String, String>) {
    for (name, folder) in [
        ("RUSTUP_HOME", ".rustup"),
        ("PYENV_ROOT", ".pyenv"),
        ("NVM_DIR", ".nvm"),
    ] {
        let usual = || {
            caller
                .get("HOME")
                .map(|home| PathBuf::from(home).join(folder))
        };
        let place = caller.get(name).map(PathBuf::from).or_else(usual);
        if let Some(place) = place.filter(|place| place.is_dir())
            && let Ok(place) = text(&place)
        {
            environment.insert(name.to_owned(), place);
        }
    }
}

fn text(path: &Path) -> Result<String, InvalidInvocation> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| InvalidInvocation::PathNotUtf8 {
        path: path.to_owned(),
    })
}

/// The longest variable that the kernel gives to a program, with its name and the sign between.
const LONGEST_VARIABLE: usize = 131_071;

fn check(name: &str, value: &str, startup_allowed: bool) -> Result<(), InvalidInvocation> {
    let length = name.len() + 1 + value.len();
    if length > LONGEST_VARIABLE {
        return Err(InvalidInvocation::VariableTooLong {
            name: name
                .chars()
                .take(100)
                .flat_map(char::escape_debug)
                .collect(),
            length,
            limit: LONGEST_VARIABLE,
        });
    }
    let mut bytes = name.bytes();
    let begins_well = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if !begins_well || !bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(InvalidInvocation::VariableName {
            name: name.to_owned(),
        });
    }
    if value.contains('\0') {
        return Err(InvalidInvocation::VariableValue {
            name: name.to_owned(),
        });
    }
    if !startup_allowed && is_startup(name) {
        return Err(InvalidInvocation::StartupVariable {
            name: name.to_owned(),
        });
    }
    Ok(())
}

/// Whether this variable changes how programs load or start.
fn is_startup(name: &str) -> bool {
    STARTUP.iter().any(|pattern| match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => name == *pattern,
    })
}

/// A git configuration that knows who the user is, written once.
pub(crate) fn git_identity(settings: &Settings) -> Option<&Path> {
    let write = || {
        let variable = |name: &str| settings.environment.get(name).map(Path::new);
        let home = variable(env::HOME)?;
        write_git_identity(home, variable(env::XDG_CONFIG_HOME), &settings.places.cache)
    };
    settings.git_identity.get_or_init(write).as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn startup_variables_are_known_in_all_their_forms() {
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "BASH_ENV",
            "ENV",
            "IFS",
            "GIT_CONFIG_COUNT",
            "BASH_FUNC_ls",
            "ERL_AFLAGS",
        ] {
            assert!(is_startup(name), "{name}");
        }
        for name in [
            "MY_LD_PRELOAD",
            "ENVIRONMENT",
            "GITHUB_TOKEN",
            "NODE_ENV",
            "PATH",
            "LDFLAGS",
        ] {
            assert!(!is_startup(name), "{name}");
        }
    }

    #[test]
    fn names_are_names() {
        for name in ["", "1A", "A-B", "A=B", "A B", "Ä", "A\n"] {
            assert!(
                matches!(
                    check(name, "x", false),
                    Err(InvalidInvocation::VariableName { .. })
                ),
                "{name:?}"
            );
        }
        assert!(check("_A1", "x", false).is_ok());
        assert!(matches!(
            check("A", "a\0b", false),
            Err(InvalidInvocation::VariableValue { .. })
        ));
    }
}

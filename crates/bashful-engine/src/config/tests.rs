//! Tests of the whole: defaults, showing, secrets. The harness is here too.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{AdminOwner, Config, ConfigError, DEFAULT_TOML, Key, Loaded, Origin, Sources};

/// A directory with room for the three files.
pub(super) struct Bench(tempfile::TempDir);

impl Bench {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        mode(&path, 0o600);
        path
    }

    pub(super) fn sources(&self) -> Sources {
        Sources {
            admin: self.path("admin.toml"),
            admin_owner: AdminOwner::RootOrSelf,
            user: Some(self.path("user.toml")),
            project: Some(self.path("project.toml")),
        }
    }

    pub(super) fn load(&self) -> Result<Loaded, ConfigError> {
        Config::load(&self.sources())
    }
}

pub(super) fn mode(path: &Path, bits: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
}

/// Loads the three texts; an empty one is a missing file. Also gives the directory, to be cut
/// out of messages.
pub(super) fn load(
    admin: &str,
    user: &str,
    project: &str,
) -> (Result<Loaded, ConfigError>, String) {
    let bench = Bench::new();
    for (name, text) in [("admin", admin), ("user", user), ("project", project)] {
        if !text.is_empty() {
            bench.write(&format!("{name}.toml"), text);
        }
    }
    (bench.load(), format!("{}/", bench.0.path().display()))
}

pub(super) fn loaded(admin: &str, user: &str, project: &str) -> Loaded {
    load(admin, user, project).0.unwrap()
}

/// The message of an error with those of its sources, as the command line prints it.
pub(super) fn chain(error: &dyn Error) -> String {
    let source = error.source().map(chain);
    source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[test]
fn without_files_the_defaults_hold() {
    let loaded = loaded("", "", "");
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.origins, super::Origins::default());
    assert_eq!(loaded.ceilings, super::Ceilings::default());
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.sources_read, []);
}

#[test]
fn the_default_file_has_every_key_and_the_defaults() {
    let loaded = loaded("", DEFAULT_TOML, "");
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.warnings, []);
    let settings = loaded.settings();
    for setting in &settings {
        let origins: Vec<_> = setting.origins.iter().map(Origin::as_str).collect();
        let key = &setting.key;
        assert_eq!(origins, ["user"], "{key} is missing in the default file");
    }
    // What has no value of its own is there as a comment.
    for key in Key::ALL {
        let has_value = settings.iter().any(|setting| setting.key.key == key);
        let comment = format!("\n# {} = ", key.split().1);
        assert!(has_value || DEFAULT_TOML.contains(&comment), "{key}");
    }
    // As a project file it changes nothing either.
    assert_eq!(self::loaded("", "", DEFAULT_TOML).config, Config::default());
}

#[test]
fn keys_are_shown_in_the_order_of_the_default_file() {
    let text = DEFAULT_TOML
        .replace("\n# [agent.reviewer]", "\n[agent.default]")
        .replace("\n# profile = ", "\nprofile = ");
    let place = |key: &Key| {
        let (section, name) = super::SettingKey::from(*key).split();
        // A top-level key is found from the start.
        let header = format!("\n[{section}]\n");
        let start = text.find(&header).unwrap_or_default();
        let (_, rest) = text.split_at(start);
        let plain = rest.find(&format!("\n{name} = "));
        let comment = || rest.find(&format!("\n# {name} = "));
        start + plain.or_else(comment).unwrap()
    };
    assert!(Key::ALL.is_sorted_by_key(place));
    assert!(Key::ALL.is_sorted());
    for key in Key::ALL {
        assert_eq!(Key::from_name(key.name()), Some(key));
    }
}

#[test]
fn shows_values_with_origins() {
    let bench = Bench::new();
    bench.write(
        "admin.toml",
        "blocked_commands = [\"dd\"]\n[limits]\nmax_timeout = \"60s\"\n",
    );
    bench.write(
        "user.toml",
        "default_agent = \"coder\"\n[secrets]\nvalues = [\"correct horse\"]\n",
    );
    bench.write(
        "project.toml",
        "blocked_commands = ['a\"\u{9b}\u{202e}b\\', \"dd\"]\n",
    );
    let loaded = bench.load().unwrap();
    let text = loaded.to_toml_with_origins();
    let directory = format!("{}/", bench.path("").display()).replace("//", "/");
    let expected = r#"require_description = false  # default
blocked_commands = ["dd", "a\"\U0000009B\U0000202Eb\\"]  # admin admin.toml:1, project project.toml:1
default_agent = "coder"  # user user.toml:1
sandbox = "auto"  # default

[limits]
timeout = "1m"  # admin admin.toml:3
max_timeout = "1m"  # admin admin.toml:3
max_output = 30000  # default
keep = "head-tail"  # default
log_quota = "1G"  # default
on_log_full = "auto"  # default
survivors = "kill"  # default
term_grace = "2s"  # default

[secrets]
values = ["***"]  # user user.toml:3
names = []  # default

[environment]
pass = []  # default

[keeper]
idle = "5m"  # default

[scripts]
keep_versions = 1000000  # default
max_timeout = "1m"  # admin admin.toml:3

[tasks]
per_agent = 64  # default
total_log = "10G"  # default
keep = 1000  # default
max_age = "30d"  # default

[caches]
quota = "10G"  # default

[approvals]
expire = "15m"  # default
wait = "0s"  # default
most_pending = 32  # default
notify_desktop = false  # default
notify_command = ""  # default
out_of_band = []  # default

[audit]
anchors = []  # default

[profile.default]
preset = "workspace"  # default
default = "confined"  # default
home = "project"  # default
optional = ["resources"]  # default

[profile.default.capabilities]
paths_read = []  # default
paths_write = []  # default
paths_deny = []  # default
classes = []  # default
"#;
    assert_eq!(text.replace(&directory, ""), expected);
    let table: toml::Table = text.parse().unwrap();
    let blocked = table["blocked_commands"].as_array().unwrap();
    assert_eq!(blocked[1].as_str(), Some("a\"\u{9b}\u{202e}b\\"));
}

#[test]
fn settings_are_fit_for_json() {
    let loaded = loaded("", "[limits]\nlog_quota = \"64K\"\n", "");
    let settings = loaded.settings();
    // The others have no value unless one is given.
    assert_eq!(settings.len(), 38);
    let json = |key: Key| {
        let setting = settings
            .iter()
            .find(|setting| setting.key.key == key)
            .unwrap();
        let mut value = serde_json::to_value(setting).unwrap();
        if let Some(path) = value["origins"][0].get_mut("path") {
            *path = "P".into();
        }
        value.to_string()
    };
    assert_eq!(
        json(Key::Timeout),
        r#"{"key":"limits.timeout","origins":[{"layer":"default"}],"value":120000}"#
    );
    assert_eq!(
        json(Key::LogQuota),
        r#"{"key":"limits.log_quota","origins":[{"layer":"user","line":2,"path":"P"}],"value":65536}"#
    );
    assert_eq!(
        json(Key::Survivors),
        r#"{"key":"limits.survivors","origins":[{"layer":"default"}],"value":"kill"}"#
    );
}

/// Every way a value can go wrong next to a secret; the secret is nowhere in what is shown.
#[test]
fn secrets_are_never_shown() {
    let secret = "hunter2-hunter2";
    let wrong = [
        format!("[secrets]\nvalues = \"{secret}\""),
        format!("[secrets]\nvalues = [[\"{secret}\"]]"),
        format!("[secrets]\nvalues = {{ a = \"{secret}\" }}"),
        format!("[secrets]\nvalue = [\"{secret}\"]"),
        format!("[secrets]\nAPI_KEY = \"{secret}\""),
        format!("[secrets]\nvalues = [\"{secret}\", \"short\"]"),
        format!("[secrets]\nvalues = [\"{secret}\", 1]"),
        format!("[secrets]\nvalues = [\"{secret}\""),
        format!("[secrets]\nvalues = [\"{secret}]"),
        format!("[secrets]\nvalues = [{secret}]"),
        format!("[secrets]\nvalues = [\"{secret}\\q\"]"),
        format!("[secrets]\nvalues = [\"{secret}\"]\nvalues = [\"{secret}\"]"),
        format!("[secrets]\nvalues = [\"{secret}\"] \"{secret}\""),
        format!("[secrets]\nnames = [\"A={secret}\"]"),
        format!("secrets = \"{secret}\""),
    ];
    for text in &wrong {
        let error = load("", text, "").0.unwrap_err();
        let all = format!("{error} {error:?} {error:#?} {}", chain(&error));
        assert!(!all.contains("hunter2"), "{text}\n{all}");
    }
    for (user, project) in [("values", ""), ("values", "values")] {
        let file = |key: &str| match key {
            "" => String::new(),
            key => format!("[secrets]\n{key} = [\"{secret}\"]"),
        };
        let loaded = loaded("", &file(user), &file(project));
        assert_eq!(loaded.config.secrets.values[0].expose(), secret);
        let mut all = format!("{loaded:?} {loaded:#?} {}", loaded.to_toml_with_origins());
        all += &serde_json::to_string(&loaded.settings()).unwrap();
        all.extend(loaded.warnings.iter().map(ToString::to_string));
        assert!(!all.contains("hunter2"), "{all}");
    }
}

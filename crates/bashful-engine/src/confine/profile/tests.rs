//! Tests of paths, limits, programs and contradictions.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use bashful_policy::Preset;
use bashful_sandbox::{Network, Profile, Protection, Reporting, Resources, WriteMode, WriteRoot};

use crate::config::HomeMode;

use super::tests_support::World;
use super::{HomeDirectory, limits};

fn root(path: &Path, protect: bool) -> WriteRoot {
    WriteRoot {
        path: path.to_owned(),
        mode: WriteMode::Direct,
        protect,
    }
}

#[test]
fn the_usual_run() {
    let world = World::new();
    let confined = world.confine("{}").unwrap();
    let mut profile = confined.profile;
    assert!(
        profile
            .hide
            .iter()
            .all(|path| path.starts_with("/etc") || path.starts_with("/run"))
    );
    profile.hide.clear();
    let expected = Profile {
        workspace: world.workspace.clone(),
        // The system's own lists of what is installed.
        read: ["/var/lib/apt", "/var/lib/dpkg", "/var/lib/rpm"]
            .map(Into::into)
            .into_iter()
            .filter(|place: &PathBuf| place.is_dir())
            .collect(),
        write: vec![root(&world.workspace, true), root(&world.cache, false)],
        hide: Vec::new(),
        empty: vec![world.home.clone()],
        network: Network::Off,
        hosts: Vec::new(),
        commands: None,
        resources: limits::resources(&bashful_policy::ResourceLimits::default()).unwrap(),
        optional: vec![Protection::Resources],
        reporting: Reporting::Usual,
        links: Vec::new(),
        git_obeys: Vec::new(),
    };
    assert_eq!(profile, expected);
    assert_eq!(confined.environment, []);
    assert_eq!(confined.home, HomeDirectory::At(world.workspace.clone()));
}

#[test]
fn presets() {
    let mut world = World::new();
    world.preset = Preset::ReadOnly;
    let profile = world.profile("{}");
    assert_eq!(profile.write, [root(&world.cache, false)]);
    assert_eq!(profile.read, [] as [PathBuf; 0]);

    world.preset = Preset::Full;
    world.file("home/.ssh/id");
    let profile = world.profile(r#"{"paths_write": ["."]}"#);
    assert_eq!(profile.write, [root(Path::new("/"), false)]);
    assert_eq!(profile.network, Network::On);
    assert!(profile.empty.is_empty());
    // Of all that is hidden only Bashful's own stays hidden.
    assert_eq!(
        world.short(&profile.hide),
        [
            "home/.cache/bashful/sandbox",
            "home/.cache/bashful/scripts",
            "home/.config/bashful",
            "home/.local/state/bashful",
            "run/bashful"
        ]
    );
}

#[test]
fn homes() {
    let mut world = World::new();
    world.file("home/.ssh/id");
    world.mode = HomeMode::Private;
    let confined = world.confine("{}").unwrap();
    assert_eq!(confined.home, HomeDirectory::Scratch);
    assert_eq!(confined.profile.empty, std::slice::from_ref(&world.home));
    world.mode = HomeMode::RealMasked;
    let confined = world.confine("{}").unwrap();
    assert_eq!(confined.home, HomeDirectory::At(world.home.clone()));
    assert!(confined.profile.empty.is_empty());
    assert_eq!(world.short(&confined.profile.read), ["home"]);
    let hidden = world.short(&confined.profile.hide);
    assert_eq!(hidden, ["home/.local/state/bashful", "home/.ssh"]);
    world.home = world.base.join("no/such/home");
    assert_eq!(world.refusal("{}").0, "no_home");
    world.mode = HomeMode::Workspace;
    assert!(world.profile("{}").empty.is_empty());
    world.home = PathBuf::from("/");
    assert!(world.profile("{}").empty.is_empty());
}

#[test]
fn paths_are_resolved_once() {
    let world = World::new();
    world.file("data/a.md");
    world.file("data/b.md");
    world.file("data/.c.md");
    world.file("data/[id]/x");
    world.directory("data/sub/deep");
    world.file("home/notes/n");
    world.link("../data/sub", "home/link");
    let base = world.base.display();
    let cases = [
        ("~/notes", &["home/notes"] as &[&str]),
        ("~/notes/", &["home/notes"]),
        ("../notes/../notes", &["home/notes"]),
        ("~/link/deep", &["data/sub/deep"]),
        ("~/link", &["data/sub"]),
        ("BASE/data/*.md", &["data/a.md", "data/b.md"]),
        ("BASE/data/[ab].md", &["data/a.md", "data/b.md"]),
        ("BASE/data/[!a].md", &["data/b.md"]),
        ("BASE/data/[id]", &["data/[id]"]),
        ("BASE/d?ta/s*/d*p", &["data/sub/deep"]),
        ("BASE/data/.*.md", &["data/.c.md"]),
        ("~/l*/deep", &["data/sub/deep"]),
        // What is seen anyway needs no entry of its own.
        (".", &[]),
        ("sub", &[]),
    ];
    world.directory("home/project/sub");
    for (written, expected) in cases {
        let written = written.replace("BASE", &base.to_string());
        let profile = world.profile(&format!(r#"{{"paths_read": ["{written}"]}}"#));
        assert_eq!(world.short(&profile.read), expected, "{written}");
    }
}

#[test]
fn bad_paths_are_named() {
    let world = World::new();
    world.file("data/x");
    world.link("nowhere", "data/dangling");
    world.link("loop", "data/loop");
    let base = world.base.display().to_string();
    let cases = [
        ("", "empty_path", "a path in `KEY` is empty"),
        (
            "a\\nb",
            "control_character",
            "the path `a\\nb` holds a control character",
        ),
        (
            "a\\u0000",
            "control_character",
            "the path `a\\0` holds a control character",
        ),
        (
            "\\u001b[1m",
            "control_character",
            "the path `\\u{1b}[1m` holds a control character",
        ),
        (
            "gone",
            "missing_path",
            "`gone` in `KEY` does not exist: looked for `/home/project/gone`",
        ),
        (
            "~/gone",
            "missing_path",
            "`~/gone` in `KEY` does not exist: looked for `/home/gone`",
        ),
        (
            "BASE/data/x/y",
            "missing_path",
            "`/data/x/y` in `KEY` does not exist: looked for `/data/x/y`",
        ),
        (
            "BASE/data/dangling",
            "missing_path",
            "`/data/dangling` in `KEY` does not exist: looked for `/data/dangling`",
        ),
        (
            "BASE/data/loop",
            "unreadable_path",
            "cannot look at `/data/loop` in `KEY`, which is `/data/loop`",
        ),
        (
            "~root/x",
            "other_home",
            "`~root/x` in `KEY` names the home of another user",
        ),
        (
            "*.nothing",
            "no_match",
            "the pattern `*.nothing` in `KEY` matches nothing",
        ),
        (
            "~/**",
            "bad_pattern",
            "cannot read the pattern `~/**` in `KEY`: `**` has no meaning here",
        ),
        (
            "~/[x",
            "bad_pattern",
            "cannot read the pattern `~/[x` in `KEY`: a `[` has no `]`",
        ),
    ];
    for key in ["paths_read", "paths_write", "paths_deny"] {
        for (written, kind, message) in cases {
            let written = written.replace("BASE", &base);
            let found = world.refusal(&format!(r#"{{"{key}": ["{written}"]}}"#));
            assert_eq!(
                found,
                (kind.to_owned(), message.replace("KEY", key)),
                "{written}"
            );
        }
    }
}

#[test]
fn names_that_would_break_the_protocol_are_refused() {
    let world = World::new();
    let odd = world.directory("data/od\nd");
    world.link(&odd, "home/innocent");
    assert_eq!(
        world.refusal(r#"{"paths_read": ["~/innocent"]}"#).0,
        "control_character"
    );
    let glob = format!(r#"{{"paths_read": ["{}/data/*"]}}"#, world.base.display());
    assert_eq!(world.refusal(&glob).0, "control_character");
}

#[test]
fn roots_that_are_too_wide() {
    let world = World::new();
    let state = world.places.state.display().to_string();
    fs::create_dir_all(world.places.state.join("x")).unwrap();
    let cases = [
        ("paths_write", "/", "whole_file_system"),
        ("paths_read", "/", "whole_file_system"),
        ("paths_write", "/usr/../", "whole_file_system"),
        ("paths_write", "/usr", "system_directory"),
        ("paths_write", "/etc", "system_directory"),
        ("paths_write", "/bin", "system_directory"),
        ("paths_write", "/usr/bin", "system_directory"),
        ("paths_write", "/usr/local", "system_directory"),
        ("paths_write", "/var", "system_directory"),
        ("paths_write", "/proc/self", "system_directory"),
        ("paths_read", "/proc", "system_directory"),
        ("paths_read", "/dev/null", "system_directory"),
        ("paths_write", &state, "own_directory"),
        ("paths_write", &format!("{state}/x"), "own_directory"),
    ];
    for (key, path, kind) in cases {
        let found = world.refusal(&format!(r#"{{"{key}": ["{path}"]}}"#));
        assert_eq!(found.0, kind, "{key} {path}: {}", found.1);
    }
    // A link does not help.
    world.link("/etc", "home/system");
    assert_eq!(
        world.refusal(r#"{"paths_write": ["~/system"]}"#).0,
        "system_directory"
    );
    // As the workspace they are refused as well.
    let mut world = World::new();
    world.workspace = world.places.state.clone();
    assert_eq!(world.refusal("{}").0, "own_directory");
}

/// What an engine wants besides its caches is no less checked than what a caller declares.
#[test]
fn further_roots_of_the_engine_count_as_declared() {
    let mut world = World::new();
    world.file("home/.ssh/id");
    world.further = vec![world.home.clone()];
    let profile = world.profile("{}");
    assert!(profile.hide.contains(&world.home.join(".ssh")));
    assert!(profile.hide.contains(&world.places.state));
    world.further = vec![PathBuf::from("/")];
    assert_eq!(world.refusal("{}").0, "whole_file_system");
    world.further = vec![world.places.state.clone()];
    assert_eq!(world.refusal("{}").0, "own_directory");
    world.further = vec![world.base.join("gone")];
    assert_eq!(world.refusal("{}").0, "unreadable_path");
}

#[test]
fn too_many_paths() {
    let world = World::new();
    for number in 0..300 {
        world.file(&format!("data/{number}"));
    }
    let all = format!(r#"{{"paths_read": ["{}/data/*"]}}"#, world.base.display());
    assert_eq!(world.refusal(&all).0, "too_many_paths");
    let paths = vec!["."; 300].join("\", \"");
    let many = serde_json::from_str(&format!(r#"{{"paths_read": ["{paths}"]}}"#));
    let many: bashful_policy::Capabilities = many.unwrap();
    // The same path many times is said once.
    assert!(world.confine_with(&many).is_ok());
}

#[test]
fn contradictions() {
    let world = World::new();
    world.file("data/one/x");
    world.link("../data/one", "home/again");
    world.directory("home/project/sub");
    let base = world.base.display().to_string();
    let cases = [
        (
            r#""paths_read": ["BASE/data"], "paths_deny": ["BASE/data"]"#,
            "contradiction",
        ),
        (
            r#""paths_write": ["BASE/data/one"], "paths_deny": ["~/again"]"#,
            "contradiction",
        ),
        (
            r#""paths_read": ["BASE/data/one/x"], "paths_deny": ["BASE/data"]"#,
            "contradiction",
        ),
        (r#""paths_deny": ["."]"#, "denies_workspace"),
        (r#""paths_deny": [".."]"#, "denies_workspace"),
        (r#""paths_deny": ["~"]"#, "denies_workspace"),
        (r#""paths_deny": ["/"]"#, "denies_workspace"),
        (r#""paths_deny": ["~/.cache"]"#, "contradiction"),
        (r#""paths_deny": ["/usr"]"#, "denies_system"),
        (r#""paths_deny": ["/bin"]"#, "denies_system"),
        (r#""paths_deny": ["/lib"]"#, "denies_system"),
    ];
    for (changes, kind) in cases {
        let changes = format!("{{{}}}", changes.replace("BASE", &base));
        let found = world.refusal(&changes);
        assert_eq!(found.0, kind, "{changes}: {}", found.1);
    }
    assert_eq!(
        world.refusal(r#"{"paths_deny": ["~/project"]}"#).1,
        "`~/project` is denied, and it is or holds the workspace `/home/project`"
    );
}

#[test]
fn what_is_denied_is_hidden_under_all_its_names() {
    let world = World::new();
    let secret = world.file("home/project/secret/key");
    world.file("home/project/plain");
    world.directory("home/project/deep");
    world.directory("elsewhere");
    fs::hard_link(&secret, world.workspace.join("deep/copy")).unwrap();
    fs::hard_link(&secret, world.workspace.join("other")).unwrap();
    // This name is not in view, so it needs no hiding.
    fs::hard_link(&secret, world.base.join("elsewhere/far")).unwrap();
    let of = |changes: &str| world.short(&world.profile(changes).hide);
    assert_eq!(
        of(r#"{"paths_deny": ["secret/key"]}"#),
        [
            "home/project/deep/copy",
            "home/project/other",
            "home/project/secret/key"
        ]
    );
    assert_eq!(
        of(r#"{"paths_deny": ["secret"]}"#),
        [
            "home/project/deep/copy",
            "home/project/other",
            "home/project/secret"
        ]
    );
    // Denied where it is not in view, it is hidden where it is.
    let far = format!(
        r#"{{"paths_deny": ["{}/elsewhere"]}}"#,
        world.base.display()
    );
    assert_eq!(
        of(&far),
        [
            "home/project/deep/copy",
            "home/project/other",
            "home/project/secret/key"
        ]
    );
    assert_eq!(of(r#"{"paths_deny": ["plain"]}"#), ["home/project/plain"]);
    assert_eq!(of(r#"{"paths_deny": ["pla*", "deep"]}"#).len(), 4);
    // Granted by one name and denied by another.
    let both = r#"{"paths_read": ["deep/copy"], "paths_deny": ["secret"]}"#;
    assert_eq!(world.refusal(both).0, "contradiction");
    // What cannot be searched is not known.
    if rustix::process::geteuid().as_raw() != 0 {
        use std::os::unix::fs::PermissionsExt as _;
        let closed = world.directory("home/project/closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let error = world.confine(r#"{"paths_deny": ["secret"]}"#).unwrap_err();
        assert_eq!(error.kind(), "search");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    }
}

#[test]
fn limits_are_checked_against_the_host() {
    let world = World::new();
    for name in bashful_policy::ResourceLimits::NAMES {
        let (kind, message) = world.refusal(&format!(r#"{{"resources": {{"{name}": 0}}}}"#));
        assert_eq!(kind, "zero_limit");
        assert_eq!(message, format!("the limit `resources.{name}` is zero"));
    }
    for name in ["memory", "processes", "open_files", "cpu_share", "tmp_size"] {
        let asked = format!(r#"{{"resources": {{"{name}": {}}}}}"#, u64::MAX);
        assert_eq!(world.refusal(&asked).0, "beyond_host", "{name}");
    }
    let asked = r#"{"resources": {"memory": 1048576, "processes": 3, "cpu_time": 4,
        "cpu_share": 50, "open_files": 6, "file_size": 7, "tmp_size": 8, "disk_size": 9}}"#;
    let expected = Resources {
        memory: Some(1 << 20),
        processes: Some(3),
        cpu_time_ms: Some(4),
        cpu_share: Some(50),
        open_files: Some(6),
        file_size: Some(7),
        tmp_size: Some(8),
        disk_size: Some(9),
    };
    assert_eq!(world.profile(asked).resources, expected);
    let usual = world.profile("{}").resources;
    assert_eq!(
        (usual.processes, usual.file_size),
        (Some(4096), Some(4 << 30))
    );
    assert_eq!(
        (usual.cpu_time_ms, usual.cpu_share, usual.open_files),
        (None, None, None)
    );
    assert!(usual.memory > usual.tmp_size && usual.tmp_size.is_some());
}

#[test]
fn the_network_is_off_or_on_or_for_hosts() {
    let world = World::new();
    assert_eq!(world.profile(r#"{"network": true}"#).network, Network::On);
    assert_eq!(world.profile(r#"{"network": "off"}"#).network, Network::Off);
    let hosts =
        world.profile(r#"{"network": {"hosts": ["b.example:22", "A.example", "b.example:22"]}}"#);
    assert_eq!(hosts.network, Network::Named);
    assert_eq!(hosts.hosts, ["a.example", "b.example:22"]);
    // No hosts are no network.
    let none = world.profile(r#"{"network": {"hosts": []}}"#);
    assert_eq!((none.network, none.hosts), (Network::Off, Vec::new()));
}

#[test]
fn allowed_programs_are_found() {
    let mut world = World::new();
    let tool = world.program("tools/real-tool");
    world.link(&tool, "bin/tool");
    let script = world.program("bin/script");
    fs::write(&script, "#!/bin/sh -e\n").unwrap();
    world.file("bin/data");
    let here = world.program("home/project/here");
    world.path = format!("{}/bin:relative:/usr/bin", world.base.display());
    let of = |commands: &str| {
        world
            .profile(&format!(r#"{{"commands": {commands}}}"#))
            .commands
    };
    assert_eq!(of("null"), None);
    assert_eq!(of("[]"), Some(Vec::new()));
    let link = world.base.join("bin/tool");
    assert_eq!(of(r#"["tool", "tool"]"#), Some(vec![link, tool]));
    assert_eq!(of(r#"["./here"]"#), Some(vec![here]));
    let script = of(r#"["script"]"#).unwrap();
    assert!(
        script.contains(&fs::canonicalize("/bin/sh").unwrap()),
        "{script:?}"
    );
    for bad in ["nothing", "data", "", "to\\nol", "./gone", "/tmp"] {
        let found = world.refusal(&format!(r#"{{"commands": ["{bad}"]}}"#));
        assert_eq!(found.0, "command_not_found", "{bad}");
    }
}

/// Confining costs little where nothing wide is granted: this runs before every command.
#[test]
fn the_usual_case_is_quick() {
    let world = World::new();
    let capabilities = Preset::Workspace.capabilities();
    let mut best = std::time::Duration::MAX;
    for _ in 0..200 {
        let start = std::time::Instant::now();
        world.confine_with(&capabilities).unwrap();
        best = best.min(start.elapsed());
    }
    println!("the usual case takes {best:?}");
    assert!(best < std::time::Duration::from_millis(2), "{best:?}");
}

#[test]
fn a_missing_configuration_cannot_be_made_by_the_run() {
    let world = World::new();
    let configuration = world.home.join(".config/bashful");
    assert!(!configuration.exists());
    world.profile("{}");
    assert!(!configuration.exists());
    let profile = world.profile(r#"{"paths_write": ["~"]}"#);
    assert!(profile.hide.contains(&configuration), "{:?}", profile.hide);
    // Where the run could not make it, nothing is made.
    fs::remove_dir(&configuration).unwrap();
    world.profile(r#"{"paths_read": ["~"]}"#);
    assert!(!configuration.exists());
    symlink("/nowhere", &configuration).unwrap();
    world.profile("{}");
}

#[test]
fn a_link_in_the_workspace_leads_nowhere_else() {
    let world = World::new();
    world.file("data/secret");
    world.file("home/project/real/inside");
    world.link("../../data", "home/project/out");
    world.link("real", "home/project/in");
    let inside = world.workspace.join("out").display().to_string();
    for (key, path) in [
        ("paths_write", "out"),
        ("paths_read", "./out"),
        ("paths_read", "out/secret"),
        ("paths_write", inside.as_str()),
        ("paths_write", "~/project/out"),
    ] {
        let found = world.refusal(&format!(r#"{{"{key}": ["{path}"]}}"#));
        assert_eq!(found.0, "leads_elsewhere", "{key} {path}: {}", found.1);
    }
    let read = world
        .profile(r#"{"paths_read": ["in", "*", "../../data"]}"#)
        .read;
    assert_eq!(world.short(&read), ["data"]);
    // To deny it is no harm.
    let denied = world.profile(r#"{"paths_deny": ["out"]}"#);
    assert_eq!(denied.workspace, world.workspace);
}

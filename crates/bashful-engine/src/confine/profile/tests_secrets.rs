//! Tests of what stays hidden below a wider root.

use std::fs;

use super::tests_support::{World, is_readable};

const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".gnupg/private-keys-v1.d/x",
    ".netrc",
    ".git-credentials",
    ".docker/config.json",
    ".kube/config",
    ".config/gcloud/x",
    ".config/gh/hosts.yml",
    ".config/containers/auth.json",
    ".config/git/credentials",
    ".azure/x",
    ".terraform.d/credentials.tfrc.json",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".composer/auth.json",
    ".password-store/x.gpg",
    ".vault-token",
    ".local/share/keyrings/login.keyring",
    ".pgpass",
    ".my.cnf",
    ".mozilla/x",
    ".config/google-chrome/x",
    ".config/BraveSoftware/x",
    ".bash_history",
    ".python_history",
    ".claude/settings.json",
    ".claude.json",
    ".codex/auth.json",
    ".cursor/mcp.json",
    ".gemini/x",
    ".aider.conf.yml",
    ".copilot/x",
    ".local/state/bashful/tasks",
    ".config/bashful/config.toml",
    "work/.env",
    "work/deep/er/.env.production",
];

const HARMLESS: &[&str] = &[
    ".gitconfig",
    ".config/git/config",
    ".cargo/config.toml",
    ".m2/repository/x",
    "work/.env.example",
    "work/.env.local.sample",
    "work/.environment",
    "work/a/b/c/d/e/f/g/h/i/file",
    // A project has its own environment file.
    "project/.env",
];

fn furnished() -> World {
    let world = World::new();
    for name in SECRETS.iter().chain(HARMLESS) {
        world.file(&format!("home/{name}"));
    }
    world
}

#[test]
fn secrets_below_a_wider_root() {
    let world = furnished();
    for root in ["~", "..", "~/project/.."] {
        let profile = world.profile(&format!(r#"{{"paths_read": ["{root}"]}}"#));
        for secret in SECRETS {
            assert!(!is_readable(&profile, &world.home.join(secret)), "{secret}");
        }
        for harmless in HARMLESS {
            assert!(
                is_readable(&profile, &world.home.join(harmless)),
                "{harmless}"
            );
        }
        assert!(
            profile
                .hide
                .iter()
                .all(|path| fs::canonicalize(path).unwrap() == *path)
        );
        assert!(profile.hide.is_sorted());
    }
    // Also when the home itself is what is worked in, or writable.
    let mut world = furnished();
    let profile = world.profile(r#"{"paths_write": ["~"]}"#);
    assert!(!is_readable(&profile, &world.home.join(".ssh/id_ed25519")));
    world.workspace = world.home.clone();
    let profile = world.profile("{}");
    for secret in SECRETS.iter().filter(|secret| !secret.starts_with("work/")) {
        assert!(!is_readable(&profile, &world.home.join(secret)), "{secret}");
    }
}

#[test]
fn a_secret_that_is_named_exactly_is_seen() {
    let world = furnished();
    let cases = [
        (r#"["~", "~/.ssh"]"#, ".ssh/id_ed25519", true),
        (r#"["~/.ssh"]"#, ".ssh/id_ed25519", true),
        (r#"["~", "~/.ssh"]"#, ".aws/credentials", false),
        (r#"["~/.ssh/id_ed25519"]"#, ".ssh/id_ed25519", true),
        (r#"["~/.config"]"#, ".config/gh/hosts.yml", false),
        (
            r#"["~/.config", "~/.config/gh"]"#,
            ".config/gh/hosts.yml",
            true,
        ),
        (r#"["~/.cargo"]"#, ".cargo/credentials.toml", false),
        (r#"["~/.cargo"]"#, ".cargo/config.toml", true),
        (r#"["~/work"]"#, "work/.env", false),
        (r#"["~/work/.env"]"#, "work/.env", true),
        (r#"["~/work", "~/work/.env"]"#, "work/.env", true),
        (
            r#"["~", "~/.local/state/bashful"]"#,
            ".local/state/bashful/tasks",
            true,
        ),
    ];
    for (read, file, expected) in cases {
        let profile = world.profile(&format!(r#"{{"paths_read": {read}}}"#));
        let seen = is_readable(&profile, &world.home.join(file));
        assert_eq!(seen, expected, "{read} {file}");
    }
    // A file in a hidden directory cannot be shown while the directory is hidden.
    let inside = r#"{"paths_read": ["~", "~/.ssh/id_ed25519"]}"#;
    assert_eq!(world.refusal(inside).0, "inside_secret");
}

#[test]
fn links_lead_to_secrets_too() {
    let world = World::new();
    world.file("dotfiles/ssh/id");
    world.file("dotfiles/plain");
    world.link("../dotfiles/ssh", "home/.ssh");
    world.file("dotfiles/real-environment");
    world.link("real-environment", "dotfiles/.env");
    let read = format!(r#"{{"paths_read": ["{}/dotfiles"]}}"#, world.base.display());
    let profile = world.profile(&read);
    assert_eq!(
        world.short(&profile.hide),
        ["dotfiles/real-environment", "dotfiles/ssh"]
    );
    assert!(is_readable(&profile, &world.base.join("dotfiles/plain")));
}

#[test]
fn a_folder_of_many_projects_is_searched() {
    let world = World::new();
    let big = world.directory("big");
    for outer in 0..21 {
        let inner = big.join(outer.to_string());
        fs::create_dir(&inner).unwrap();
        for name in 0..1_000 {
            fs::write(inner.join(name.to_string()), "").unwrap();
        }
    }
    fs::write(big.join("20/.env"), "").unwrap();
    let read = format!(r#"{{"paths_read": ["{}"]}}"#, big.display());
    let profile = world.profile(&read);
    assert_eq!(world.short(&profile.read), ["big"]);
    assert_eq!(world.short(&profile.hide), ["big/20/.env"]);
}

#[test]
fn secrets_of_the_system_are_hidden_from_those_who_could_read_them() {
    let world = World::new();
    let profile = world.profile("{}");
    let shadow = std::path::Path::new("/etc/shadow");
    if fs::File::open(shadow).is_ok() {
        assert!(!is_readable(&profile, shadow));
    }
    assert!(is_readable(&profile, std::path::Path::new("/etc/passwd")));
}

#[test]
fn a_workspace_that_holds_secrets_hides_them() {
    let mut world = furnished();
    world.workspace = world.home.join(".config");
    let profile = world.profile("{}");
    assert!(!is_readable(
        &profile,
        &world.home.join(".config/gh/hosts.yml")
    ));
    assert!(!is_readable(
        &profile,
        &world.home.join(".config/bashful/config.toml")
    ));
    assert!(is_readable(
        &profile,
        &world.home.join(".config/git/config")
    ));
    world.workspace = world.home.join(".cargo");
    let profile = world.profile("{}");
    assert!(!is_readable(
        &profile,
        &world.home.join(".cargo/credentials.toml")
    ));
}

#[test]
fn a_workspace_inside_of_a_secret_is_what_it_is() {
    let mut world = World::new();
    world.workspace = world.directory("home/.claude/worktrees/one");
    let profile = world.profile("{}");
    assert!(is_readable(&profile, &world.workspace));
    assert_eq!(world.short(&profile.hide), [""; 0]);
    assert_eq!(world.refusal(r#"{"paths_read": ["~"]}"#).0, "inside_secret");
}

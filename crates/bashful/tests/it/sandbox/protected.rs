//! What would execute on the host later is protected, whether it exists or not.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{listing, output, printed};
use crate::support::World;

/// Files that the host acts upon.
const PROTECTED: &[&str] = &[
    ".git/hooks/pre-commit",
    ".bashrc",
    ".profile",
    ".envrc",
    ".gitconfig",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".mcp.json",
    ".claude/settings.json",
    ".bashful.toml",
];

/// A workspace that has all of them.
fn furnished() -> World {
    let world = World::unjudged();
    let workspace = world.workspace();
    for name in PROTECTED {
        fs::create_dir_all(workspace.join(name).parent().unwrap()).unwrap();
        world.write(name, "# original\n");
    }
    world.write(".git/config", "[core]\n\trepositoryformatversion = 0\n");
    world.write(".git/HEAD", "ref: refs/heads/main\n");
    for name in ["objects", "refs"] {
        fs::create_dir(workspace.join(".git").join(name)).unwrap();
    }
    world.write("plain", "plain\n");
    world
}

#[test]
fn what_exists_cannot_be_changed_moved_or_replaced() {
    let world = furnished();
    let workspace = world.workspace();
    let protected = || -> Vec<String> {
        let lines = listing(&workspace).into_iter();
        let is_one = |line: &String| {
            PROTECTED
                .iter()
                .any(|name| line.starts_with(&format!("{}/{name} ", workspace.display())))
        };
        lines.filter(is_one).collect()
    };
    let before = protected();
    assert_eq!(before.len(), PROTECTED.len());
    for name in PROTECTED {
        let top = name.split('/').next().unwrap();
        let text = format!(
            "echo evil > {name}; echo evil >> {name}; sed -i s/original/evil/ {name}
             rm -f {name}; rm -rf {top}; mv {name} gone; mv {top} gone; ln -sf /evil {name}
             echo evil > made; mv -f made {name}; cp made {name}; chmod 777 {name}
             ln {name} twin && echo evil > twin; truncate -s 0 {name}; touch -d yesterday {name}
             mkdir -p other/hooks; mv -T other {top}; mv --exchange other {top}
             python3 -c \"import os; os.rename('made', '{name}')\"
             cd {parent} && echo evil > {base}; exec 5<>{base} && echo evil >&5
             rm -rf ~/made ~/other ~/gone ~/twin",
            parent = workspace.join(name).parent().unwrap().display(),
            base = name.rsplit('/').next().unwrap(),
        );
        printed(&world, &[], &text);
        assert_eq!(protected(), before, "{name}");
    }
    world.write("plain", "plain\n");
    assert_eq!(
        output(&world, &[], "cat .bashrc plain"),
        "# original\nplain\n"
    );
}

#[test]
fn they_are_protected_two_levels_down_too() {
    for name in [
        "one/opencode.json",
        "one/.crush.json",
        "one/two/opencode.json",
        "one/two/crush.json",
        "one/two/.mcp.json",
        "one/two/.vscode/mcp.json",
        "one/two/.zshrc",
    ] {
        let world = World::unjudged();
        let path = world.workspace().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        world.write(name, "original\n");
        fs::create_dir_all(world.workspace().join("one/two/three")).unwrap();
        world.write("one/two/three/opencode.json", "original\n");
        // The control is three levels down, where nothing is promised.
        let text = format!("echo evil > {name}; echo evil > one/two/three/opencode.json; true");
        world.json(&[&text]);
        let found = [name, "one/two/three/opencode.json"].map(|name| world.read(name));
        assert_eq!(found, ["original\n", "evil\n"], "{name}");
    }
}

#[test]
fn other_files_beside_them_can_be_changed() {
    let world = furnished();
    output(
        &world,
        &[],
        "echo x > .vscode/other.json && echo x > new && rm plain && mkdir d",
    );
    assert_eq!(world.read(".vscode/other.json"), "x\n");
}

#[test]
fn a_link_in_a_protected_place_stays() {
    let world = World::unjudged();
    world.write("target", "original\n");
    symlink("target", world.workspace().join(".envrc")).unwrap();
    printed(
        &world,
        &[],
        "rm -f .envrc; ln -sf /etc/passwd .envrc; mv .envrc x",
    );
    let link = fs::read_link(world.workspace().join(".envrc")).unwrap();
    assert_eq!(link.to_str(), Some("target"));
}

#[test]
fn a_directory_on_the_way_cannot_be_swapped() {
    // The directory is there and lacks the file, or is a link that leads elsewhere.
    let world = World::unjudged();
    fs::create_dir(world.workspace().join(".vscode")).unwrap();
    world.write(".vscode/settings.json", "{}\n");
    fs::create_dir(world.workspace().join("real")).unwrap();
    symlink("real", world.workspace().join(".config")).unwrap();
    let (_, result) = world.json(&[
        "mv .vscode v; mkdir -p .vscode && echo evil > .vscode/tasks.json; \
         rm .config; mkdir .config; mkdir -p .config/fish && echo evil > .config/fish/config.fish",
    ]);
    let found = json!([
        world.workspace().join(".vscode/tasks.json").exists(),
        world.read(".vscode/settings.json"),
        fs::read_link(world.workspace().join(".config"))
            .unwrap()
            .to_str(),
    ]);
    assert_eq!(found, json!([false, "{}\n", "real"]), "{result}");
}

#[test]
fn ordinary_runs_leave_no_ghosts() {
    for flags in [
        &[][..],
        &["--session", "s"],
        &["--fresh"],
        &["--preset", "build"],
        &["--home", "private"],
    ] {
        let world = World::unjudged();
        world.write("file", "content\n");
        fs::create_dir(world.workspace().join(".vscode")).unwrap();
        let before = listing(&world.workspace());
        for text in [
            "true",
            "cat file",
            "ls -la . .vscode",
            "false",
            "bash -lic true",
        ] {
            world.run(&[flags, &[text]].concat());
            assert_eq!(listing(&world.workspace()), before, "{flags:?} {text}");
        }
    }
    let world = furnished();
    let before = listing(&world.workspace());
    world.run(&["git status; ls -la; cat .git/config"]);
    world.run(&["--session", "s", "git status; exit 3"]);
    assert_eq!(listing(&world.workspace()), before);
}

#[test]
fn writable_roots_beside_the_workspace_are_protected_too() {
    let world = World::unjudged();
    let beside = world.path("beside");
    fs::create_dir_all(beside.join(".git/hooks")).unwrap();
    fs::write(beside.join(".envrc"), "original\n").unwrap();
    let flags = ["--write", super::text(&beside)];
    printed(
        &world,
        &flags,
        "cd ../beside; echo evil > .envrc; echo evil > .bashrc; rm .envrc",
    );
    let kept = fs::read_to_string(beside.join(".envrc")).unwrap();
    assert_eq!(
        json!([kept, beside.join(".bashrc").exists()]),
        json!(["original\n", false])
    );
}

#[test]
fn an_executable_hook_still_runs_for_git_inside() {
    let world = World::unjudged();
    let workspace = world.workspace();
    let git = world.program("git").args(["init", "-q"]).status().unwrap();
    assert!(git.success());
    let hook = workspace.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho hook ran\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let text = "git -c user.name=N -c user.email=n@example.org commit -q --allow-empty -m one";
    let outcome = world.run(&[text]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(format!("{}{}", outcome.stdout, outcome.stderr).contains("hook ran"));
}

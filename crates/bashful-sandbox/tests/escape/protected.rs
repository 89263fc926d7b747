//! What would execute on the host later, in a workspace that may be written otherwise.

use crate::case::{Case, Control};
use crate::scene::Scene;

pub(crate) const CLASS: &str = "protected";

/// The workspace of a person who uses git, an editor and an agent.
pub(crate) fn workspace(scene: &mut Scene) {
    let files = [
        (".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n"),
        (".bashrc", "alias ll='ls -l'\n"),
        (".envrc", "export A=1\n"),
        (".bashful.toml", "\n"),
        (".mcp.json", "{}\n"),
        (".vscode/tasks.json", "{}\n"),
        (".claude/settings.json", "{}\n"),
    ];
    for (name, text) in files {
        scene.protected(name, text);
    }
    let hooks = scene.workspace.join(".git/hooks");
    scene.watch(&hooks);
    let others = [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
        ("src/main.c", "int main;\n"),
    ];
    for (name, text) in others {
        scene.file(&scene.workspace.join(name), text);
    }
}

/// The host feels every act that works.
fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code).prepare(workspace).felt()
}

/// The configuration is a private copy inside: the act may well work, on the copy.
fn configuration(name: &'static str, code: &'static str) -> Case {
    let prepare = |scene: &mut Scene| {
        workspace(scene);
        let path = scene.workspace.join(".git/config");
        scene.watch_content(&path);
    };
    Case::python(CLASS, name, code).prepare(prepare).felt_only()
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = files();
    cases.extend(ancestors());
    cases.extend(git_configuration());
    cases
}

fn files() -> Vec<Case> {
    vec![
        python("hook_overwritten", r#"write(W + "/.git/hooks/pre-commit")"#),
        python(
            "hook_added",
            r#"
            write(W + "/.git/hooks/post-checkout", flags=O_WRONLY | os.O_CREAT)"#,
        ),
        python("hook_removed", r#"os.unlink(W + "/.git/hooks/pre-commit")"#),
        python(
            "hook_made_executable",
            r#"os.chmod(W + "/.git/hooks/pre-commit", 0o777)"#,
        ),
        python(
            "hook_replaced_by_a_rename",
            r#"
            write(W + "/evil", flags=O_WRONLY | os.O_CREAT)
            os.rename(W + "/evil", W + "/.git/hooks/pre-commit")"#,
        ),
        python(
            "hook_exchanged",
            r#"
            write(W + "/evil", flags=O_WRONLY | os.O_CREAT)
            call("renameat2", -100, text(W + "/evil"), -100, text(W + "/.git/hooks/pre-commit"), 2)"#,
        ),
        python(
            "hook_written_by_another_name",
            r#"
            os.link(W + "/.git/hooks/pre-commit", W + "/same")
            write(W + "/same")"#,
        ),
        python(
            "hook_linked_to",
            r#"
            os.symlink(W + "/evil", W + "/.git/hooks/post-merge")"#,
        ),
        python(
            "hook_written_by_a_reopened_descriptor",
            r#"
            fd = os.open(W + "/.git/hooks/pre-commit", O_RDONLY)
            write(f"/proc/self/fd/{fd}")"#,
        ),
        python(
            "hook_truncated",
            r#"os.truncate(W + "/.git/hooks/pre-commit", 0)"#,
        ),
        python(
            "shell_start_up",
            r#"write(W + "/.bashrc", flags=O_WRONLY | os.O_APPEND)"#,
        ),
        python(
            "shell_start_up_replaced",
            r#"
            write(W + "/evil", flags=O_WRONLY | os.O_CREAT)
            os.rename(W + "/evil", W + "/.bashrc")"#,
        ),
        python(
            "shell_start_up_removed_and_made_anew",
            r#"
            os.unlink(W + "/.bashrc"); write(W + "/.bashrc", flags=O_WRONLY | os.O_CREAT)"#,
        ),
        python("directory_environment", r#"write(W + "/.envrc")"#),
        python("own_configuration", r#"write(W + "/.bashful.toml")"#),
        python("agent_servers", r#"write(W + "/.mcp.json")"#),
        python("agent_settings", r#"write(W + "/.claude/settings.json")"#),
        python("editor_tasks", r#"write(W + "/.vscode/tasks.json")"#),
    ]
}

fn ancestors() -> Vec<Case> {
    vec![
        python(
            "hooks_renamed_away",
            r#"
            os.rename(W + "/.git/hooks", W + "/.git/old")
            os.mkdir(W + "/.git/hooks")"#,
        ),
        python(
            "repository_renamed_away",
            r#"
            os.rename(W + "/.git", W + "/old")
            os.makedirs(W + "/.git/hooks")
            write(W + "/.git/hooks/pre-commit", flags=O_WRONLY | os.O_CREAT)"#,
        ),
        python(
            "repository_exchanged",
            r#"
            os.makedirs(W + "/evil/hooks")
            call("renameat2", -100, text(W + "/evil"), -100, text(W + "/.git"), 2)"#,
        ),
        python(
            "hooks_exchanged",
            r#"
            os.makedirs(W + "/evil")
            call("renameat2", -100, text(W + "/evil"), -100, text(W + "/.git/hooks"), 2)"#,
        ),
        python(
            "hooks_removed_and_linked",
            r#"
            import shutil
            shutil.rmtree(W + "/.git/hooks"); os.symlink(W, W + "/.git/hooks")"#,
        ),
        python(
            "editor_directory_renamed_away",
            r#"
            os.rename(W + "/.vscode", W + "/old"); os.mkdir(W + "/.vscode")"#,
        ),
        python(
            "editor_directory_removed",
            r#"
            import shutil
            shutil.rmtree(W + "/.vscode")"#,
        ),
        python(
            "agent_directory_renamed_away",
            r#"
            os.rename(W + "/.claude", W + "/old"); os.mkdir(W + "/.claude")"#,
        ),
        python(
            "whole_workspace_moved_below_itself",
            r#"
            for name in os.listdir(W):
                if name != "sub":
                    os.makedirs(W + "/sub", exist_ok=True)
                    os.rename(W + "/" + name, W + "/sub/" + name)"#,
        ),
        python(
            "mounted_over",
            r#"
            os.mkdir(W + "/evil")
            call("mount", text(W + "/evil"), text(W + "/.git/hooks"), 0, 4096, 0)
            write(W + "/.git/hooks/x", flags=O_WRONLY | os.O_CREAT)
            call("umount2", text(W + "/.git/hooks"), 2)
            os.unlink(W + "/evil/x")"#,
        )
        .control(Control::Never("a mount changes nothing that lasts")),
    ]
}

fn git_configuration() -> Vec<Case> {
    vec![
        configuration(
            "git_configuration_appended",
            r#"
            write(W + "/.git/config", b"[core]\n\tfsmonitor = evil\n", O_WRONLY | os.O_APPEND)"#,
        ),
        configuration(
            "git_configuration_renamed_over",
            r#"
            write(W + "/.git/config.new", b"[core]\n\thooksPath = /evil\n", O_WRONLY | os.O_CREAT)
            os.rename(W + "/.git/config.new", W + "/.git/config")"#,
        ),
        configuration(
            "git_configuration_by_git",
            r#"
            status, output = run("/usr/bin/git", "-C", W, "config", "core.sshCommand", "evil")
            if status: blocked(output.decode())"#,
        )
        .prepare(|scene| {
            workspace(scene);
            scene.directory(&scene.workspace.join(".git/objects"));
            scene.directory(&scene.workspace.join(".git/refs"));
            let path = scene.workspace.join(".git/config");
            scene.watch_content(&path);
        }),
    ]
}

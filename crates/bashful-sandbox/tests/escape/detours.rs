//! Ways to what is protected in the workspace that the host itself has made: links, second
//! names, other places that git is told to look at.

use std::os::unix::fs::symlink;

use crate::case::Case;
use crate::protected::{CLASS, workspace};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = to_files();
    cases.extend(to_secrets());
    cases
}

/// Files that shells and git act upon, by other names.
fn to_files() -> Vec<Case> {
    let detour = |name, code, prepare| Case::python(CLASS, name, code).prepare(prepare).felt();
    vec![
        detour(
            "hooks_named_by_the_configuration",
            r#"write(W + "/tools/hooks/pre-commit")"#,
            |scene| {
                workspace(scene);
                scene.protected("tools/hooks/pre-commit", "exit 0\n");
                scene.file(
                    &scene.workspace.join(".git/config"),
                    "[core]\n\thooksPath = tools/hooks\n",
                );
            },
        ),
        detour(
            "hooks_behind_a_link",
            r#"write(W + "/tools/pre-commit")"#,
            |scene| {
                scene.file(&scene.workspace.join(".git/HEAD"), "ref: refs/heads/main\n");
                scene.protected("tools/pre-commit", "exit 0\n");
                symlink("../tools", scene.workspace.join(".git/hooks")).unwrap();
            },
        ),
        detour(
            "shell_start_up_behind_a_link",
            r#"write(W + "/dotfiles/bashrc")"#,
            |scene| {
                scene.protected("dotfiles/bashrc", "true\n");
                symlink("dotfiles/bashrc", scene.workspace.join(".bashrc")).unwrap();
            },
        ),
        detour(
            "shell_start_up_with_a_second_name",
            r#"write(W + "/second")"#,
            |scene| {
                scene.protected(".bashrc", "true\n");
                let from = scene.workspace.join(".bashrc");
                std::fs::hard_link(from, scene.workspace.join("second")).unwrap();
            },
        ),
        detour(
            "configuration_that_is_included",
            r#"
            write(W + "/tools/gitconfig", b"[core]\n\tfsmonitor = evil\n")"#,
            |scene| {
                workspace(scene);
                scene.protected("tools/gitconfig", "[user]\n\tname = x\n");
                let text = "[include]\n\tpath = ../tools/gitconfig\n";
                scene.file(&scene.workspace.join(".git/config"), text);
            },
        ),
        detour(
            "hook_of_a_submodule",
            r#"write(W + "/.git/modules/sub/hooks/pre-commit")"#,
            |scene| {
                workspace(scene);
                scene.file(
                    &scene.workspace.join(".git/modules/sub/HEAD"),
                    "ref: refs/heads/main\n",
                );
                scene.protected(".git/modules/sub/hooks/pre-commit", "exit 0\n");
            },
        ),
        detour(
            "hook_of_a_repository_below",
            r#"write(W + "/below/.git/hooks/pre-commit")"#,
            |scene| {
                workspace(scene);
                scene.file(
                    &scene.workspace.join("below/.git/HEAD"),
                    "ref: refs/heads/main\n",
                );
                scene.file(&scene.workspace.join("below/.git/config"), "[core]\n");
                scene.protected("below/.git/hooks/pre-commit", "exit 0\n");
            },
        ),
    ]
}

/// A repository that would show more than the workspace.
fn to_secrets() -> Vec<Case> {
    vec![
        Case::python(
            CLASS,
            "configuration_linked_to_a_secret",
            r#"
            expect_secret(read(W + "/.git/config"))"#,
        )
        .prepare(|scene| {
            scene.file(&scene.workspace.join(".git/HEAD"), "ref: refs/heads/main\n");
            symlink(scene.host.join("file"), scene.workspace.join(".git/config")).unwrap();
        }),
        Case::python(
            CLASS,
            "repository_linked_to_a_secret",
            r#"
            expect_secret(read(W + "/.git/config"))"#,
        )
        .prepare(|scene| {
            scene.file(
                &scene.host.join("repository/HEAD"),
                "ref: refs/heads/main\n",
            );
            scene.file(&scene.host.join("repository/config"), &scene.secret);
            symlink(scene.host.join("repository"), scene.workspace.join(".git")).unwrap();
        }),
        Case::python(
            CLASS,
            "worktree_that_claims_a_secret",
            r#"
            expect_secret(read(E["HOST"] + "/repository/config"))"#,
        )
        .prepare(|scene| {
            // The file of a worktree names a repository that knows nothing of it.
            scene.file(
                &scene.host.join("repository/HEAD"),
                "ref: refs/heads/main\n",
            );
            scene.file(&scene.host.join("repository/config"), &scene.secret);
            let text = format!("gitdir: {}\n", scene.host.join("repository").display());
            scene.file(&scene.workspace.join(".git"), &text);
        }),
    ]
}

//! Commands that open an editor, or ask questions, unless their arguments say everything.

use super::{has_setting, prints, reads};
use crate::arguments::Valued;
use crate::classes::View;
use crate::classes::git;
use crate::classes::line::{Line, has_word};
use crate::facts::Argument;

pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    if let Some((subcommand, rest)) = git::subcommand(view.name, arguments) {
        return git_waits(view, subcommand, rest);
    }
    let first = arguments.first().map_or("", |word| word.text.as_str());
    let second = arguments.get(1).map_or("", |word| word.text.as_str());
    let line = || Line::read(arguments, &Valued::NONE);
    match view.name {
        "crontab" => line().has_letter("e"),
        "systemctl" => has_word(arguments, &["edit"]) && !has_word(arguments, &["--stdin"]),
        "chsh" => !line().has("s", &["shell", "list-shells"]),
        "ansible-vault" => matches!(first, "edit" | "create" | "view"),
        "pass" | "gopass" => matches!(first, "edit" | "insert") && !reads(call),
        "sops" => arguments.len() == 1 && !first.starts_with('-') || first == "edit",
        "npm" => {
            (matches!(first, "init" | "create" | "innit") && !line().has("y", &["yes"]))
                || matches!(first, "login" | "adduser" | "add-user")
        }
        "yarn" => (first == "init" && !line().has("y", &["yes"])) || first == "login",
        "pnpm" => first == "login",
        "poetry" | "composer" => first == "init" && !line().has("n", &["no-interaction"]),
        "cargo" => first == "login" && arguments.len() == 1 && !reads(call),
        "gh" => first == "auth" && second == "login" && !has_word(arguments, &["--with-token"]),
        "glab" => first == "auth" && second == "login" && !reads(call),
        "aws" => first == "configure" && matches!(second, "" | "sso" | "--profile"),
        "gcloud" => first == "init" || (first == "auth" && second == "login"),
        "az" | "firebase" | "heroku" | "vercel" | "netlify" | "wrangler" => {
            first == "login"
                && !arguments
                    .iter()
                    .any(|word| word.text.starts_with("--service-principal"))
        }
        "docker" | "podman" => {
            let line = line();
            first == "login" && !line.has("p", &["password", "password-stdin"]) && !reads(call)
        }
        "ssh-keygen" => keygen_asks(arguments),
        "gpg" | "gpg2" => {
            let asks = [
                "--gen-key", "--generate-key", "--full-gen-key", "--full-generate-key",
                "--edit-key", "--edit-card", "--card-edit",
            ];
            has_word(arguments, &asks) && !has_word(arguments, &["--batch"])
        }
        "kubectl" | "oc" => first == "edit",
        _ => false,
    }
}

fn keygen_asks(arguments: &[Argument]) -> bool {
    let line = Line::read(arguments, &KEYGEN);
    let other = line.has_letter("lFRHyBDeirkQsYMALUW");
    let told = line.has_letter("N") && line.has_letter("f");
    !other && !told
}

/// Whether a git command opens an editor or asks what to take.
fn git_waits(view: &View, subcommand: &str, arguments: &[Argument]) -> bool {
    let line = Line::read(arguments, values_of(subcommand));
    let has = |letters: &str, names: &[&str]| line.has(letters, names);
    let first = line.operand(0);
    let opens_editor = match subcommand {
        "commit" => commit_edits(&line),
        "rebase" => has("i", &["interactive", "edit-todo"]),
        "tag" => {
            has("asu", &["annotate", "sign", "local-user"])
                && !has("mFdvl", &["message", "file", "delete", "verify", "list"])
        }
        "notes" => {
            matches!(first, "edit")
                || first == "add" && !has("mFC", &["message", "file", "reuse-message"])
        }
        "config" => has("e", &["edit"]) || first == "edit",
        "branch" => has("", &["edit-description"]),
        "merge" | "revert" | "cherry-pick" | "pull" => has_word(arguments, &["-e", "--edit"]),
        "replace" => has("e", &["edit"]),
        _ => false,
    };
    if opens_editor {
        return !has_setting(
            view,
            &["GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"],
        ) && !has_editor_option(view);
    }
    match subcommand {
        "add" | "stage" => has("pie", &["patch", "interactive", "edit"]) && !reads(view.call),
        "checkout" | "restore" | "reset" => has("p", &["patch"]) && !reads(view.call),
        "stash" => has("p", &["patch"]) && !matches!(first, "show" | "list") && !reads(view.call),
        "clean" | "am" => has("i", &["interactive"]) && !reads(view.call),
        "mergetool" | "difftool" => !has("", &["tool-help", "help"]),
        "gui" | "citool" | "instaweb" => true,
        "help" => {
            !view.call.captured && !first.is_empty() && !has("agc", &["all", "guides", "config"])
        }
        _ => false,
    }
}

fn commit_edits(line: &Line) -> bool {
    if line.has_name("dry-run") || line.has_name("help") {
        return false;
    }
    if line.has("ep", &["edit", "patch", "interactive"]) {
        return true;
    }
    let fixup = line
        .values('\0', "fixup")
        .any(|value| !value.starts_with("amend:") && !value.starts_with("reword:"));
    !fixup
        && !line.has(
            "mFC",
            &["message", "file", "reuse-message", "no-edit", "porcelain", "short"],
        )
}

/// Whether git is told of an editor that asks no questions: `git -c core.editor=true`.
fn has_editor_option(view: &View) -> bool {
    let mut words = view.call.operands().windows(2);
    words.any(|pair| match pair {
        [option, value] if option.text == "-c" => {
            let setting = value.text.split_once('=');
            setting.is_some_and(|(name, editor)| {
                let name = name.to_ascii_lowercase();
                matches!(name.as_str(), "core.editor" | "sequence.editor") && prints(editor)
            })
        }
        _ => false,
    })
}

fn values_of(subcommand: &str) -> &'static Valued {
    match subcommand {
        "commit" => &COMMIT,
        "rebase" => &REBASE,
        "tag" => &git::TAG,
        "notes" => &NOTES,
        "stash" => &STASH,
        _ => &Valued::NONE,
    }
}

const COMMIT: Valued = Valued::new(
    "mFCct",
    &[
        "message", "file", "reuse-message", "reedit-message", "template", "author", "date",
        "fixup", "squash", "cleanup", "trailer", "pathspec-from-file",
    ],
);
const REBASE: Valued = Valued::new(
    "xsXCS",
    &["exec", "onto", "strategy", "strategy-option", "whitespace"],
);
const NOTES: Valued = Valued::new(
    "mFCc",
    &["message", "file", "reuse-message", "reedit-message", "ref"],
);
const STASH: Valued = Valued::new("m", &["message"]);
const KEYGEN: Valued = Valued::new("abCDEfFgGIJKmMnNOPrRsStTVWYz", &[]);

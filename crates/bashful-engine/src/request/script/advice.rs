//! What can be done about what went wrong with a script, and whose mistake it was.

use bashful_policy::{Decision, escape_arg};

use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::error::folder::FolderError;
use crate::model::error::script::ScriptError;
use crate::model::error::store::StoreError;
use crate::model::script::Script;
use crate::model::script::variable::{VariableError, VariableKind};

impl ScriptError {
    /// Whether the caller asked for what does not exist or cannot be; otherwise we or the machine
    /// failed.
    pub fn is_mistake(&self) -> bool {
        match self {
            Self::Engine(error) => error.is_invalid_input(),
            Self::Folder(_)
            | Self::Store(_)
            | Self::Audit(_)
            | Self::ApprovalQueue(_)
            | Self::Tool { .. }
            | Self::Resources { .. } => false,
            _ => true,
        }
    }

    /// What to do about it, in one sentence.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Engine(error) => return error.hint(),
            Self::Unknown { .. } | Self::Id(_) => "`bashful scripts list --all` lists all scripts",
            Self::NameTaken { .. } => "choose another name, or change that script with `edit`",
            Self::Capabilities { .. } => "`bashful scripts validate --infer` proposes some",
            Self::Widens { .. } => "declare it with `bashful scripts edit`, and approve that",
            Self::ClosedDirectory { .. } => {
                "declare it by its path if the script should work there, and choose a directory above it"
            }
            Self::Directory { .. } => {
                "declare that directory with `bashful scripts edit`, or choose one in the workspace"
            }
            Self::InUse { .. } => "`--force` deletes it anyway; `restore` brings it back",
            Self::FileMissing { .. } => "`bashful scripts restore` writes its last text",
            Self::FileUnfit { .. } => {
                "`bashful scripts validate` says more; mend it with `bashful scripts edit`, or take its last text back with `restore`, which keeps this one as a version"
            }
            Self::FileNotOurs { .. } => {
                "make it a file of yours that only you can write, or write its last text with `bashful scripts restore`"
            }
            Self::Foreign { .. } => "`bashful scripts import ID --name NAME` makes it a script",
            Self::NoVersion { .. } | Self::AmbiguousVersion { .. } => {
                "`bashful scripts history` lists the versions"
            }
            Self::NotAsSeen { .. } | Self::ChangedMeanwhile { .. } => {
                "`bashful scripts show` shows how it is now"
            }
            Self::Variables(VariableError::Missing { .. }) => {
                "give them with `--var NAME=VALUE` or `--vars`, or leave their text as it is with `--allow-missing`"
            }
            Self::Variables(VariableError::Type {
                kind: VariableKind::List,
                ..
            }) => "`--vars '{\"NAME\": [\"a\", \"b\"]}'` gives a list; `--var` gives one text",
            Self::Variables(VariableError::Unknown { .. }) => {
                "declare it with `bashful scripts edit --variable`, or put a dot into its name to make it a template"
            }
            Self::Folder(FolderError::Unsafe { .. }) => {
                "make sure that the folder and the directories above it belong to you, and that no other user can write there"
            }
            Self::Folder(FolderError::Failed { .. }) => {
                "make sure that the folder can be read and written, and that there is space left"
            }
            Self::Folder(FolderError::NoPlace) => "set HOME",
            Self::Store(StoreError::Corrupt { .. })
            | Self::ApprovalQueue(ApprovalError::Store(StoreError::Corrupt { .. })) => {
                "`bashful doctor --repair` rebuilds it"
            }
            Self::Store(StoreError::Locked { .. }) => {
                "another process is using it; try again when that process is done"
            }
            Self::Store(StoreError::Full { .. }) => "free some space",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A short name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Engine(error) => EngineError::kind(error),
            Self::Unknown { .. } => "unknown_script",
            Self::Id(_) => "bad_id",
            Self::Name(_) => "bad_name",
            Self::NameTaken { .. } => "name_taken",
            Self::Body(_) => "bad_script",
            Self::Variables(VariableError::Missing { .. }) => "missing_values",
            Self::Variables(_) => "bad_variables",
            Self::Capabilities { .. } => "bad_capabilities",
            Self::Widens { .. } => "widens",
            Self::Description => "bad_description",
            Self::Folder(_) => "scripts_folder",
            Self::Store(_) | Self::ApprovalQueue(_) => "approvals",
            Self::Audit(_) => "audit",
            Self::InUse { .. } => "in_use",
            Self::ChangedMeanwhile { .. } | Self::NotAsSeen { .. } => "changed",
            Self::FileMissing { .. } => "file_missing",
            Self::FileUnfit { .. } => "file_unfit",
            Self::FileNotOurs { .. } => "file_not_ours",
            Self::Foreign { .. } => "foreign_file",
            Self::NoVersion { .. } | Self::AmbiguousVersion { .. } => "no_version",
            Self::NotAModels { .. } => "not_a_models",
            Self::Document { .. } => "bad_document",
            Self::Action { .. } => "bad_action",
            Self::Directory { .. } | Self::NoDirectory { .. } | Self::ClosedDirectory { .. } => {
                "bad_directory"
            }
            Self::Tool { .. } => "tool",
            Self::Resources { .. } => "resources",
        }
    }
}

/// The command that declares more for a script: flags such as `--write /srv`, beside what it
/// declares already, for a list that is given replaces the one that there was. None if none of
/// the flags can be declared like this.
pub fn edit_command(script: &Script, flags: &[String]) -> Option<String> {
    let capabilities = &script.capabilities;
    let lists = [
        ("--read", capabilities.paths_read.as_slice()),
        ("--write", capabilities.paths_write.as_slice()),
        ("--command", capabilities.commands.as_deref().unwrap_or(&[])),
        ("--allow", capabilities.classes.as_slice()),
    ];
    let mut words: Vec<String> = Vec::new();
    for (name, declared) in lists {
        let start = format!("{name} ");
        let more: Vec<&String> = flags.iter().filter(|one| one.starts_with(&start)).collect();
        if more.is_empty() {
            continue;
        }
        let declared = declared
            .iter()
            .map(|one| format!("{name} {}", as_word(one)));
        words.extend(declared);
        for flag in more {
            if !words.contains(flag) {
                words.push(flag.clone());
            }
        }
    }
    if flags.iter().any(|flag| flag == "--network on") {
        words.push("--network on".to_owned());
    }
    let name = as_word(script.name.as_str());
    (!words.is_empty()).then(|| format!("bashful scripts edit {name} {}", words.join(" ")))
}

/// The command that a person approves a script with.
pub fn approve_command(script: &Script) -> String {
    let name = as_word(script.name.as_str());
    format!("bashful scripts approve {name}")
}

/// What can be done about a script that the policy refuses.
pub(crate) fn way_out(script: &Script, decision: &Decision) -> Option<String> {
    let flag = match decision.capability.as_deref() {
        Some("write-outside-roots") => "--write PATH".to_owned(),
        Some("secret-read") => "--read PATH".to_owned(),
        Some("network") => "--network on".to_owned(),
        Some(class) => format!("--allow {class}"),
        None if decision.rule == "too-complex" => {
            return Some("split it into several scripts".to_owned());
        }
        None => return None,
    };
    let edit = edit_command(script, &[flag])?;
    let approve = approve_command(script);
    Some(format!(
        "if it is meant to do that, declare it with `{edit}`, then `{approve}`"
    ))
}

fn as_word(text: &str) -> String {
    let usual = |next: char| next.is_ascii_alphanumeric() || "-_./:,@%+~".contains(next);
    if !text.is_empty() && text.chars().all(usual) && !text.starts_with('-') {
        text.to_owned()
    } else {
        escape_arg(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::script::examples::script;

    #[test]
    fn what_is_declared_already_is_in_the_command() {
        let mut script = script("my script", "echo");
        script.capabilities.paths_write = vec!["/a b".to_owned()];
        script.capabilities.classes = vec!["sudo".to_owned()];
        let edit = |flag: &str| edit_command(&script, &[flag.to_owned()]);
        assert_eq!(
            edit("--write /srv").as_deref(),
            Some("bashful scripts edit 'my script' --write '/a b' --write /srv")
        );
        assert_eq!(
            edit("--allow delete-root").as_deref(),
            Some("bashful scripts edit 'my script' --allow sudo --allow delete-root")
        );
        assert_eq!(
            edit("--network on").as_deref(),
            Some("bashful scripts edit 'my script' --network on")
        );
        assert_eq!(edit("--memory 2G"), None);
    }
}

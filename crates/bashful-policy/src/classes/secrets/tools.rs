//! Programs that exist to print secrets, asked to do so.

use crate::arguments::Valued;
use crate::classes::View;
use crate::classes::git;
use crate::classes::line::{Line, has_word};

/// Addresses where clouds give every program on a machine the machine's credentials.
const METADATA: &[&str] = &[
    "169.254.169.254", "169.254.170.2", "metadata.google.internal", "fd00:ec2::254",
    "100.100.100.200",
];

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    let line = Line::read(arguments, &Valued::NONE);
    let first = line.operand(0);
    let second = line.operand(1);
    let has = |words: &[&str]| has_word(arguments, words);
    if let Some((subcommand, rest)) = git::subcommand(view.name, arguments) {
        let verb = rest.first().map_or("", |word| word.text.as_str());
        return match subcommand {
            "credential" => verb == "fill",
            "credential-store"
            | "credential-cache"
            | "credential-libsecret"
            | "credential-osxkeychain" => verb == "get",
            _ => false,
        };
    }
    match view.name {
        "curl" | "wget" | "http" | "https" | "xh" | "nc" | "ncat" => arguments
            .iter()
            .any(|word| METADATA.iter().any(|address| word.text.contains(address))),
        "security" => matches!(
            first,
            "find-generic-password" | "find-internet-password" | "dump-keychain" | "export"
        ),
        "gpg" | "gpg2" => {
            line.has_name_like("export-secret") || line.has_name_like("export-ssh-secret")
        }
        "pass" | "gopass" => ![
            "", "ls", "list", "find", "search", "git", "init", "generate", "insert", "add", "rm",
            "remove", "delete", "mv", "rename", "cp", "copy", "help", "version", "edit",
        ]
        .contains(&first),
        "kubectl" | "oc" | "k3s" | "microk8s" => {
            let kind = |text: &str| {
                text.split([',', '/'])
                    .any(|kind| matches!(kind, "secret" | "secrets"))
            };
            let secret = arguments.iter().any(|word| kind(&word.text));
            let shows = line.has("o", &["output", "template"]) || has(&["-ojson", "-oyaml"]);
            (has(&["get"]) && secret && shows) || (has(&["config"]) && has(&["--raw"]))
        }
        "aws" => {
            has(&[
                "get-secret-value", "batch-get-secret-value", "get-session-token", "assume-role",
                "export-credentials", "get-login-password", "get-authorization-token",
            ]) || has(&["--with-decryption"])
                || (first == "configure"
                    && second == "get"
                    && arguments
                        .iter()
                        .any(|word| word.text.contains("secret") || word.text.contains("token")))
        }
        _ => reveals(view, &line),
    }
}

/// The same for clients of clouds and vaults, whose first words are verbs.
fn reveals(view: &View, line: &Line) -> bool {
    let arguments = view.call.operands();
    let first = line.operand(0);
    let second = line.operand(1);
    let has = |words: &[&str]| has_word(arguments, words);
    match view.name {
        "gcloud" => {
            has(&["print-access-token", "print-identity-token", "print-refresh-token"])
                || (first == "secrets" && has(&["access"]))
        }
        "az" => has(&["get-access-token"]) || (first == "keyvault" && has(&["show", "download"])),
        "gh" | "glab" => first == "auth" && (second == "token" || has(&["-t", "--show-token"])),
        "vault" | "bao" => {
            first == "read"
                || (first == "kv" && second == "get")
                || (first == "token" && second == "create")
        }
        "op" => {
            matches!(first, "read" | "inject")
                || matches!(first, "item" | "document") && second == "get"
        }
        "bw" | "rbw" => matches!(first, "get" | "export" | "list"),
        "lpass" => matches!(first, "show" | "export"),
        "keepassxc-cli" => matches!(first, "show" | "export" | "clip"),
        "secret-tool" => matches!(first, "lookup" | "search"),
        "keyctl" => matches!(first, "print" | "read" | "pipe"),
        "kwallet-query" => line.has_letter("r"),
        "ansible-vault" => matches!(first, "view" | "decrypt"),
        "sops" => line.has("d", &["decrypt"]) || first == "decrypt",
        "getent" => matches!(first, "shadow" | "gshadow"),
        "doppler" => first == "secrets",
        "heroku" => matches!(first, "auth:token" | "config"),
        "unshadow" | "mimipenguin" | "gcore" | "lazagne" => true,
        name if name.starts_with("docker-credential-") => first == "get",
        _ => false,
    }
}

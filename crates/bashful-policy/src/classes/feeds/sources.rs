//! Programs whose output no person has seen: downloads, decoders and generators.

use crate::classes::Class;
use crate::classes::line::has_word;
use crate::classes::shell;
use crate::facts::{Argument, Call};

/// Where a text comes from, as far as that is a ground not to run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    network: bool,
    decoder: bool,
}

impl Origin {
    pub(super) const NONE: Self = Self {
        network: false,
        decoder: false,
    };
    const NETWORK: Self = Self {
        network: true,
        decoder: false,
    };
    const DECODER: Self = Self {
        network: false,
        decoder: true,
    };

    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            network: self.network || other.network,
            decoder: self.decoder || other.decoder,
        }
    }

    pub(super) const fn class(self) -> Option<Class> {
        if self.network {
            Some(Class::PipeToShell)
        } else if self.decoder {
            Some(Class::DecodeToShell)
        } else {
            None
        }
    }
}

/// Programs that print what comes from the network.
const DOWNLOADERS: &[&str] = &[
    "curl", "wget", "wget2", "fetch", "aria2c", "axel", "http", "https", "httpie", "xh", "xhs",
    "curlie", "lynx", "w3m", "links", "elinks", "nc", "ncat", "netcat", "nc.traditional",
    "nc.openbsd", "telnet", "socat", "ssh", "autossh", "mosh", "ftp", "lftp", "sftp", "tftp",
    "scp", "rsync", "smbclient", "dig", "drill", "host", "nslookup", "kdig", "doggo", "rclone",
    "s3cmd", "s5cmd", "mc", "gsutil", "ipfs", "adb", "lwp-request", "lwp-download", "GET", "POST",
    "websocat", "wscat", "grpcurl", "hurl", "ncftpget", "puf", "snarf", "Invoke-WebRequest", "iwr",
    "Invoke-RestMethod", "irm", "finger", "whois", "openssl-s_client", "rcp", "rsh", "sshpass",
    "tailscale", "wormhole", "croc", "youtube-dl", "yt-dlp", "htmlq", "pbpaste", "xclip", "xsel",
    "wl-paste",
];
/// Programs that decode or transform what they read.
const DECODERS: &[&str] = &[
    "base64", "gbase64", "base32", "base16", "base58", "basenc", "xxd", "openssl", "gzip",
    "gunzip", "zcat", "gzcat", "pigz", "unpigz", "bzip2", "bunzip2", "bzcat", "pbzip2", "lbzip2",
    "xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat", "zstd", "unzstd", "zstdcat", "lz4", "lz4cat",
    "unlz4", "brotli", "compress", "uncompress", "snzip", "lzop", "lzip", "uudecode", "uuencode",
    "gpg", "gpg2", "age", "rage", "sops", "ansible-vault", "tr", "rev", "tac", "sed", "gsed",
    "awk", "gawk", "mawk", "nawk", "tar", "gtar", "bsdtar", "unzip", "funzip", "7z", "7za", "7zr",
    "unrar", "rar", "cpio", "ar", "jq", "gojq", "jaq", "yq", "xmllint", "dd", "od", "hexdump",
    "hd", "iconv", "recode", "rot13", "caesar", "fold", "xmlstarlet", "m4", "envsubst", "strings",
    "dc", "bc", "mcrypt", "ccrypt", "ccat", "zpaq", "qpdf", "exiftool", "steghide", "zbarimg",
    "qrencode", "cut", "paste", "shuf", "column", "unexpand", "expand", "perlcc", "ascii85",
    "qprint", "mimencode", "munpack", "deno-eval", "cpp", "zsteg",
];

/// What the output of a call is by itself.
pub(super) fn origin(call: &Call) -> Origin {
    let name = call.program();
    let arguments = call.operands();
    let second = |first: &str, seconds: &[&str]| {
        arguments.first().is_some_and(|word| word.text == first)
            && arguments
                .get(1)
                .is_some_and(|word| seconds.contains(&word.text.as_str()))
    };
    let remote = match name {
        "openssl" => has_word(arguments, &["s_client"]),
        "gh" | "glab" => has_word(
            arguments,
            &["api", "view", "download", "clone", "diff", "browse"],
        ),
        "git" => {
            has_word(arguments, &["archive"])
                && arguments
                    .iter()
                    .any(|word| word.text.starts_with("--remote"))
        }
        "aws" => second("s3", &["cp"]) || has_word(arguments, &["get-object", "get-secret-value"]),
        "gcloud" => second("storage", &["cat", "cp"]) || has_word(arguments, &["access"]),
        "az" => has_word(arguments, &["download"]),
        "kubectl" | "oc" => has_word(arguments, &["exec", "get", "cp"]),
        "docker" | "podman" | "nerdctl" => has_word(arguments, &["run", "exec"]),
        _ => DOWNLOADERS.contains(&name),
    };
    if remote || inline_has(call, NETWORK_WORDS) {
        return Origin::NETWORK;
    }
    let decodes = DECODERS.contains(&name)
        || matches!(name, "printf" | "echo") && arguments.iter().any(has_escapes)
        || shell::interpreter_named(name).is_some() && shell::inline_text(call).is_some();
    if decodes {
        Origin::DECODER
    } else {
        Origin::NONE
    }
}

/// Words of programs that speak with the network.
const NETWORK_WORDS: &[&str] = &[
    "urlopen", "urllib", "requests.", "http.client", "httpx", "LWP::", "HTTP::Tiny", "Net::HTTP",
    "open-uri", "fetch(", "http.get", "https.get", "file_get_contents('http",
    "file_get_contents(\"http", "curl_exec", "socket",
];

fn inline_has(call: &Call, words: &[&str]) -> bool {
    shell::interpreter_named(call.program()).is_some()
        && shell::inline_text(call)
            .is_some_and(|text| words.iter().any(|word| text.text.contains(word)))
}

/// Whether a text has characters written by their numbers: `\x72`, `\162`, `\u0072`.
fn has_escapes(argument: &Argument) -> bool {
    let mut letters = argument.text.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && let Some(next) = letters.next()
            && (matches!(next, 'x' | 'u' | 'U') || next.is_digit(8))
        {
            return true;
        }
    }
    false
}

//! Which repositories a repository's own configuration leads to, read as data: git is not run.
//!
//! What would rewrite an address, add another file or put another program in ssh's place is not
//! followed. Such a configuration is told as one that is not clear.

use std::path::{Path, PathBuf};

use super::syntax::{self, Document};
use crate::protect::read_small;

/// The machine's configuration, which git obeys in every run.
const OF_THE_MACHINE: [&str; 2] = ["/etc/gitconfig", "/usr/local/etc/gitconfig"];

/// Settings of `http.*` that lead a connection nowhere else.
const HARMLESS_HTTP: [&[u8]; 6] = [
    b"postbuffer",
    b"version",
    b"lowspeedlimit",
    b"lowspeedtime",
    b"maxrequests",
    b"maxrequestbuffer",
];

/// What a repository's configuration says about others.
#[derive(Debug, Clone, Default)]
pub struct GitRemotes {
    entries: Vec<(String, String, String)>,
    branch: Option<String>,
    leads_http_elsewhere: bool,
    top: Option<PathBuf>,
}

impl GitRemotes {
    /// Reads the repository that git would find from this directory; none if there is none, or if
    /// what it says is not clear.
    pub fn around(directory: &Path) -> Option<Self> {
        let (top, own, common) = repository(directory)?;
        let mut remotes = Self::without_repository()?;
        remotes.top = Some(top);
        remotes.add(&read_small(&common.join("config"))?)?;
        let head = read_small(&own.join("HEAD"))?;
        let branch = head.trim().strip_prefix("ref: refs/heads/");
        remotes.branch = branch.map(str::to_owned);
        Some(remotes)
    }

    /// Whether git would find a repository from this directory.
    pub fn are_around(directory: &Path) -> bool {
        directory
            .ancestors()
            .any(|above| above.join(".git").exists())
    }

    /// What holds where there is no repository yet: the machine's configuration.
    pub fn without_repository() -> Option<Self> {
        let mut remotes = Self::default();
        for file in OF_THE_MACHINE.map(PathBuf::from) {
            if file.exists() {
                remotes.add(&read_small(&file.canonicalize().ok()?)?)?;
            }
        }
        Some(remotes)
    }

    fn add(&mut self, text: &str) -> Option<()> {
        let document = syntax::parse(text.as_bytes()).ok()?;
        for entry in &document.entries {
            let (section, subsection) = parts(&document, entry)?;
            let key = str::from_utf8(&entry.key).ok()?;
            // A key without a value is true to git, and no address.
            let value = entry.value.as_deref().unwrap_or(b"true");
            match (section.as_str(), key) {
                ("url" | "include" | "includeif", _) | ("extensions", "worktreeconfig") => {
                    return None;
                }
                ("http", _) if !HARMLESS_HTTP.contains(&entry.key.as_slice()) => {
                    self.leads_http_elsewhere = true;
                }
                ("remote" | "branch", _) => {
                    let value = str::from_utf8(value).ok()?.to_owned();
                    let name = format!("{section}.{key}");
                    self.entries.push((name, subsection, value));
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Whether it changes where connections over http go, or whom they trust.
    pub fn leads_http_elsewhere(&self) -> bool {
        self.leads_http_elsewhere
    }

    /// The top of the work tree, from which git sees paths; none where there is no repository.
    pub fn top(&self) -> Option<&Path> {
        self.top.as_deref()
    }

    fn values<'a>(&'a self, name: &'a str, of: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries
            .iter()
            .filter_map(move |(key, subsection, value)| {
                (key == name && subsection == of).then_some(value.as_str())
            })
    }

    /// The names of all remotes, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (key, subsection, _) in &self.entries {
            if key.starts_with("remote.")
                && !subsection.is_empty()
                && !names.contains(&&**subsection)
            {
                names.push(subsection);
            }
        }
        names
    }

    /// The remote that git takes where none is named.
    pub fn usual(&self, pushes: bool) -> String {
        let branch = self.branch.as_deref().unwrap_or_default();
        let of_branch = |key| self.values(key, branch).last();
        let pushed = || {
            let pushed = of_branch("branch.pushremote");
            pushed.or_else(|| self.values("remote.pushdefault", "").last())
        };
        let named = pushes.then(pushed).flatten();
        let named = named.or_else(|| of_branch("branch.remote"));
        match (named, self.names().as_slice()) {
            (Some(named), _) => named.to_owned(),
            (None, [only]) => (*only).to_owned(),
            (None, _) => "origin".to_owned(),
        }
    }

    /// The addresses of a remote; none if there is no such remote, or another program stands in
    /// its way.
    pub fn addresses(&self, name: &str, pushes: bool) -> Option<Vec<String>> {
        let odd = [
            "remote.vcs",
            "remote.uploadpack",
            "remote.receivepack",
            "remote.proxy",
        ];
        if odd
            .iter()
            .any(|key| self.values(key, name).next().is_some())
        {
            return None;
        }
        let all = |key: &'static str| -> Vec<String> {
            self.values(key, name).map(str::to_owned).collect()
        };
        let (urls, pushed) = (all("remote.url"), all("remote.pushurl"));
        // An empty value takes back those before it.
        if urls.iter().chain(&pushed).any(String::is_empty) {
            return None;
        }
        let addresses = match (pushes, pushed.is_empty()) {
            (true, false) => pushed,
            (true, true) => urls,
            (false, _) => urls.into_iter().take(1).collect(),
        };
        (!addresses.is_empty()).then_some(addresses)
    }
}

/// The section in small letters, and the subsection.
fn parts(document: &Document, entry: &syntax::Entry) -> Option<(String, String)> {
    let Some(stem) = document.name(entry).stem else {
        return Some(Default::default());
    };
    let stem = str::from_utf8(stem).ok()?;
    let (section, subsection) = stem.split_once('.').unwrap_or((stem, ""));
    Some((section.to_owned(), subsection.to_owned()))
}

/// The top of the work tree that git finds from here, the directory of its repository, and the one
/// that it shares with its worktrees.
fn repository(directory: &Path) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let above = directory
        .ancestors()
        .find(|above| above.join(".git").exists())?;
    let top = above.to_owned();
    let dot_git = above.join(".git");
    if dot_git.symlink_metadata().ok()?.is_dir() {
        return Some((top, dot_git.clone(), dot_git));
    }
    let text = read_small(&dot_git)?;
    let own = above.join(text.strip_prefix("gitdir:")?.trim());
    let common = match read_small(&own.join("commondir")) {
        Some(named) => own.join(named.trim()),
        None => own.clone(),
    };
    Some((top, own, common))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(config: &str) -> Option<GitRemotes> {
        let place = tempfile::tempdir().unwrap();
        let git = place.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("config"), config).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::create_dir(place.path().join("sub")).unwrap();
        GitRemotes::around(&place.path().join("sub"))
    }

    #[test]
    fn remotes_are_found_as_git_finds_them() {
        let usual = |config: &str, pushes| of(config).unwrap().usual(pushes);
        let two =
            "[remote \"a\"]\nurl=h:a\n[remote \"b\"]\nurl=h:b\nurl=h:c\npushurl=h:d\npushurl=h:e\n";
        assert_eq!(usual("[remote \"up\"]\nurl = h:x\n", true), "up");
        assert_eq!(usual(two, false), "origin");
        let branch = format!("{two}[branch \"main\"]\nremote = a\n[remote]\npushDefault = b\n");
        assert_eq!(
            (usual(&branch, false), usual(&branch, true)),
            ("a".into(), "b".into())
        );
        let pushed = format!("{branch}[branch \"main\"]\npushRemote = c\n");
        assert_eq!(usual(&pushed, true), "c");
        let two = of(two).unwrap();
        assert_eq!(two.names(), ["a", "b"]);
        assert_eq!(two.addresses("b", false).unwrap(), ["h:b"]);
        assert_eq!(two.addresses("b", true).unwrap(), ["h:d", "h:e"]);
        assert_eq!(two.addresses("a", true).unwrap(), ["h:a"]);
        assert_eq!(two.addresses("none", true), None);
    }

    #[test]
    fn what_would_lead_elsewhere_is_not_clear() {
        let remote = "[remote \"o\"]\nurl = h:x\n";
        for config in [
            "[url \"h:\"]\ninsteadOf = https://h/\n",
            "[url \"h:\"]\npushInsteadOf = https://h/\n",
            "[URL.h:]\ninsteadOf = https://h/\n",
            "[include]\npath = other\n",
            "[includeIf \"gitdir:x\"]\npath = other\n",
            "[extensions]\nworktreeConfig = true\n",
            "[broken\n",
        ] {
            assert!(of(&format!("{remote}{config}")).is_none(), "{config}");
        }
        for config in [
            "vcs = x\n",
            "receivepack = ./x\n",
            "uploadpack = ./x\n",
            "proxy = p\n",
            "url =\n",
        ] {
            let read = of(&format!("{remote}{config}")).unwrap();
            assert_eq!(read.addresses("o", true), None, "{config}");
        }
        let http = of("[http]\nsslVerify = false\n").unwrap();
        assert!(http.leads_http_elsewhere());
        assert!(
            !of("[http]\npostBuffer = 1\n")
                .unwrap()
                .leads_http_elsewhere()
        );
    }
}

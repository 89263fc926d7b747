//! Reading the names in git's index.
//!
//! Git checks names when it adds them and not when it reads them: an index that names
//! `.git/hooks/post-checkout`, or `../.bashrc`, has the person's next `git restore .` write that file.

/// Whether an index names a path in a directory `.git` or outside of the work tree, or cannot be
/// read to its end.
pub(crate) fn leads_astray(index: &[u8]) -> bool {
    // The kind of hash stands elsewhere, where a run may have changed it: both are tried.
    let readings = [SHA1, SHA256].map(|hash| read_with(index, hash));
    readings.contains(&Some(true)) || readings == [None, None]
}

/// The same for one kind of hash; none if it does not read as an index then.
fn read_with(index: &[u8], hash: usize) -> Option<bool> {
    let mut names = Names::with(index, hash)?;
    let mut found = false;
    while names.left > 0 {
        names.left -= 1;
        found |= is_astray(names.read()?);
    }
    Some(found)
}

/// Whether a path leaves the work tree, or a part of it is `.git`, in any spelling that some file
/// system takes for it.
pub(crate) fn is_astray(path: &[u8]) -> bool {
    // Whole directories end with a slash.
    let path = path.strip_suffix(b"/").unwrap_or(path);
    path.split(|byte| matches!(byte, b'/' | b'\\')).any(|part| {
        if matches!(part, b"" | b"." | b"..") {
            return true;
        }
        // What follows a colon is a stream, and dots and blanks at the end do not count there.
        let part = part.split(|byte| *byte == b':').next().unwrap_or(part);
        let end = part.iter().rposition(|byte| !matches!(byte, b'.' | b' '));
        let part = end.map_or(&part[..0], |end| &part[..=end]);
        let plain: Vec<u8> = String::from_utf8_lossy(part)
            .chars()
            .filter(char::is_ascii)
            .collect::<String>()
            .into_bytes();
        plain.eq_ignore_ascii_case(b".git") || plain.eq_ignore_ascii_case(b"git~1")
    })
}

/// Where the reading of an index stands.
struct Names<'a> {
    rest: &'a [u8],
    left: u32,
    version: u32,
    hash: usize,
    name: Vec<u8>,
}

const SHA1: usize = 20;
const SHA256: usize = 32;
/// Times, device, number, mode, owners and size before the hash of an entry.
const FIXED: usize = 40;

impl<'a> Names<'a> {
    fn with(index: &'a [u8], hash: usize) -> Option<Self> {
        let number = |at: usize| {
            let bytes: [u8; 4] = index.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_be_bytes(bytes))
        };
        let (version, left) = (number(4)?, number(8)?);
        let sane = index.starts_with(b"DIRC") && (2..=4).contains(&version);
        sane.then(|| Self {
            rest: index.get(12..).unwrap_or_default(),
            left,
            version,
            hash,
            name: Vec::new(),
        })
    }

    /// The next name, as git takes it: by the length that the entry gives, if that is not too
    /// large to be given.
    fn read(&mut self) -> Option<&[u8]> {
        const LONGEST: usize = 0x0fff;
        let flags_at = FIXED + self.hash;
        let flags: [u8; 2] = self.rest.get(flags_at..flags_at + 2)?.try_into().ok()?;
        let flags = u16::from_be_bytes(flags);
        let name_at = flags_at + if flags & 0x4000 == 0 { 2 } else { 4 };
        let mut text = self.rest.get(name_at..)?;
        let kept = if self.version < 4 {
            0
        } else {
            let dropped = dropped(&mut text)?;
            self.name.len().checked_sub(dropped)?
        };
        let own = match usize::from(flags) & LONGEST {
            LONGEST => text.iter().position(|byte| *byte == 0)?,
            length => length.checked_sub(kept)?,
        };
        self.name.truncate(kept);
        self.name.extend_from_slice(text.get(..own)?);
        // What is no name, or does not end where it should, was read with the wrong hash.
        if self.name.is_empty() || self.name.contains(&0) || text.get(own) != Some(&0) {
            return None;
        }
        self.rest = if self.version < 4 {
            // Filled up with zeroes, one at least, to a multiple of eight.
            self.rest.get((name_at + own + 8) & !7..)?
        } else {
            text.get(own + 1..)?
        };
        Some(&self.name)
    }
}

/// How much of the name before does not count: a number in git's own coding.
fn dropped(text: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let (byte, rest) = text.split_first()?;
        *text = rest;
        value = value
            .checked_shl(7)?
            .checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of this version with these names, as git writes it.
    fn index(version: u32, names: &[&str]) -> Vec<u8> {
        let mut index = b"DIRC".to_vec();
        index.extend(version.to_be_bytes());
        index.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut before = String::new();
        for name in names {
            let begin = index.len();
            index.extend([7; FIXED + SHA1]);
            index.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version < 4 {
                index.extend(name.as_bytes());
                index.push(0);
                while !(index.len() - begin).is_multiple_of(8) {
                    index.push(0);
                }
            } else {
                let same = before.bytes().zip(name.bytes()).take_while(|(a, b)| a == b);
                let same = same.count();
                index.push(u8::try_from(before.len() - same).unwrap());
                index.extend(&name.as_bytes()[same..]);
                index.push(0);
            }
            before = (*name).to_owned();
        }
        index.extend([0; SHA1]);
        index
    }

    #[test]
    fn names_that_lead_astray_are_found_in_every_version() {
        for version in 2..=4 {
            let harmless = [
                "a",
                ".gitignore",
                ".github/x",
                "digit/x",
                "x.git/config",
                "a../b",
                "sparse/",
            ];
            assert!(!leads_astray(&index(version, &harmless)), "{version}");
            for name in [
                "../x",
                "a/../../x",
                "/etc/x",
                "a//b",
                ".git/hooks/x",
                "a/.git/config",
                "a/.GIT/x",
                "a/.git",
                "git~1/x",
                ".git./x",
                ".git /x",
                ".g\u{200c}it/x",
                ".git::$INDEX_ALLOCATION/x",
                "a\\.git\\x",
            ] {
                let names = [".gitignore", name, "z"];
                assert!(leads_astray(&index(version, &names)), "{version} {name}");
            }
        }
    }

    #[test]
    fn what_git_writes_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            #[expect(
                clippy::disallowed_methods,
                reason = "real git is what this is compared with"
            )]
            let mut git = std::process::Command::new("git");
            let outcome = git.current_dir(directory.path()).args(arguments).output();
            assert!(outcome.unwrap().status.success(), "{arguments:?}");
        };
        for format in ["sha1", "sha256"] {
            for version in ["2", "3", "4"] {
                let _ = std::fs::remove_dir_all(directory.path().join(".git"));
                git(&["init", "-q", "--object-format", format]);
                for count in 1..12 {
                    let name = format!("{}file{count}", "deep/".repeat(count % 4));
                    let file = directory.path().join(&name);
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(file, name).unwrap();
                    git(&["add", "."]);
                    git(&["update-index", "--index-version", version]);
                    let index = std::fs::read(directory.path().join(".git/index")).unwrap();
                    assert!(!leads_astray(&index), "{format} {version} {count}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_index_is_suspicious() {
        let whole = index(2, &["a", "b"]);
        for text in [&b""[..], b"DIRC", b"hello", &whole[..60], &index(9, &["a"])] {
            assert!(leads_astray(text));
        }
        assert!(!leads_astray(&index(2, &[])));
    }
}

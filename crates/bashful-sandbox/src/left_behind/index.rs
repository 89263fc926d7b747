//! Reading the names in git's index.
//!
//! Git checks names when it adds them and not when it reads them: an index that names
//! `.git/hooks/post-checkout`, or `../.bashrc`, has the person's next `git restore .` write that file.

use std::io::{BufRead, Read};

use super::Effort;

/// Whether an index names a path in a directory `.git` or outside of the work tree, or cannot be
/// read to its end.
pub(crate) fn leads_astray<R: BufRead>(open: impl Fn() -> Option<R>, effort: &Effort) -> bool {
    // The kind of hash stands elsewhere, where a run may have changed it: both are tried.
    let readings = [SHA1, SHA256].map(|hash| read_with(open()?, hash, effort));
    readings.contains(&Some(true)) || readings == [None, None]
}

/// The same for one kind of hash; none if it does not read as an index then.
fn read_with(index: impl BufRead, hash: usize, effort: &Effort) -> Option<bool> {
    let mut names = Names::with(index, hash)?;
    let mut found = false;
    while names.left > 0 {
        effort.spend(1).ok()?;
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
struct Names<R> {
    rest: R,
    left: u32,
    version: u32,
    hash: usize,
    name: Vec<u8>,
}

const SHA1: usize = 20;
const SHA256: usize = 32;
/// Times, device, number, mode, owners and size before the hash of an entry.
const FIXED: usize = 40;

impl<R: BufRead> Names<R> {
    fn with(mut rest: R, hash: usize) -> Option<Self> {
        let [mark, version, left] = [(); 3].map(|()| take::<4>(&mut rest));
        let (version, left) = (u32::from_be_bytes(version?), u32::from_be_bytes(left?));
        let sane = mark? == *b"DIRC" && (2..=4).contains(&version);
        sane.then(|| Self {
            rest,
            left,
            version,
            hash,
            name: Vec::new(),
        })
    }

    /// The next name, as git takes it: by the length that the entry gives, if that is not too
    /// large to be given.
    fn read(&mut self) -> Option<&[u8]> {
        const GIVEN: usize = 0x0fff;
        skip(&mut self.rest, FIXED + self.hash)?;
        let flags = u16::from_be_bytes(take(&mut self.rest)?);
        let mut name_at = FIXED + self.hash + 2;
        if flags & 0x4000 != 0 {
            skip(&mut self.rest, 2)?;
            name_at += 2;
        }
        let kept = if self.version < 4 {
            0
        } else {
            let dropped = dropped(&mut self.rest)?;
            self.name.len().checked_sub(dropped)?
        };
        self.name.truncate(kept);
        // To the zero byte behind it, which is where the length says, if that is given.
        let most = u64::try_from(LONGEST).ok()?;
        let mut limited = (&mut self.rest).take(most);
        limited.read_until(0, &mut self.name).ok()?;
        let ends = self.name.pop() == Some(0);
        let given = usize::from(flags) & GIVEN;
        // What is no name, or does not end where it should, was read with the wrong hash.
        if !ends || self.name.is_empty() || (given != GIVEN && given != self.name.len()) {
            return None;
        }
        if self.version < 4 {
            // Filled up with zeroes, one at least, to a multiple of eight.
            let end = name_at + self.name.len();
            skip(&mut self.rest, ((end + 8) & !7) - end - 1)?;
        }
        Some(&self.name)
    }
}

/// No file system has longer paths; git itself reads more.
const LONGEST: usize = 1 << 16;

fn take<const COUNT: usize>(from: &mut impl Read) -> Option<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    from.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn skip(from: &mut impl BufRead, count: usize) -> Option<()> {
    let mut left = count;
    while left > 0 {
        let there = from.fill_buf().ok()?.len().min(left);
        if there == 0 {
            return None;
        }
        from.consume(there);
        left -= there;
    }
    Some(())
}

/// How much of the name before does not count: a number in git's own coding.
fn dropped(text: &mut impl Read) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let [byte] = take(text)?;
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

    fn leads_astray(index: &[u8]) -> bool {
        super::leads_astray(
            || Some(index),
            &Effort::of(std::time::Duration::from_secs(60)),
        )
    }

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

//! The name of the file that says when runs were going on in a root.

use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A root, as it is written in the name of a file: `DEVICE-NUMBER-PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    inode: String,
    path: String,
}

/// Names of files have an end. A path that is too long is cut there.
const LONGEST: usize = 180;

impl Name {
    pub(super) fn of(root: &Path) -> io::Result<Self> {
        let about = fs::metadata(root)?;
        let mut path = String::new();
        for byte in root.as_os_str().as_bytes() {
            // What is left of a path after a cut still says what lies below what.
            let written = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' => {
                    char::from(*byte).to_string()
                }
                b'/' => "-".to_owned(),
                other => format!("%{other:02x}"),
            };
            if path.len() + written.len() > LONGEST {
                path.push('~');
                break;
            }
            let _ = path.write_str(&written);
        }
        Ok(Self {
            inode: format!("{:x}-{:x}", about.dev(), about.ino()),
            path,
        })
    }

    /// Whether runs in the root of this name may have left files in ours: it is the same, or one
    /// lies in the other.
    pub(super) fn concerns(&self, name: &str) -> bool {
        self.contains(name) || path_of(name).is_some_and(|path| is_below(&self.path, path))
    }

    /// Whether the root of this name is ours, or lies in it.
    pub(super) fn contains(&self, name: &str) -> bool {
        let same = name.strip_prefix(&self.inode);
        same.is_some_and(|rest| rest.starts_with('-'))
            || path_of(name).is_some_and(|path| is_below(path, &self.path))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.inode, self.path)
    }
}

fn path_of(name: &str) -> Option<&str> {
    name.splitn(3, '-').nth(2)
}

/// Whether one written path is the other, or lies below it. Below a path that was cut may lie any
/// other that begins like it.
fn is_below(path: &str, above: &str) -> bool {
    if let Some(cut) = above.strip_suffix('~') {
        return path.trim_end_matches('~').starts_with(cut);
    }
    // The root of all is written as one dash.
    let above = above.trim_end_matches('-');
    let rest = path.strip_prefix(above);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') || rest == "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_concerns_what_lies_above_and_below_and_what_was_renamed() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(&path).unwrap();
            Name::of(&path).unwrap()
        };
        let project = make("pro ject");
        let below = make("pro ject/pkg/x");
        let beside = make("pro jects");
        let long = make(&format!("pro ject/{}/{}", "y".repeat(150), "z".repeat(150)));
        let root = Name::of(Path::new("/")).unwrap();
        for (one, other, concerns) in [
            (&project, &project, true),
            (&project, &below, true),
            (&project, &beside, false),
            (&below, &beside, false),
            (&project, &long, true),
            (&below, &long, false),
            (&root, &below, true),
        ] {
            assert_eq!(one.concerns(&other.to_string()), concerns, "{one} {other}");
            assert_eq!(other.concerns(&one.to_string()), concerns, "{other} {one}");
        }
        fs::rename(place.path().join("pro jects"), place.path().join("else")).unwrap();
        let renamed = Name::of(&place.path().join("else")).unwrap();
        assert!(renamed.concerns(&beside.to_string()) && !renamed.concerns("new-17"));
        assert!(long.to_string().len() < 255);
    }
}

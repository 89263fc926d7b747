//! The other places of denied paths: the same directory may be mounted twice.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use crate::model::error::confine::ConfineError;

const MOUNTS: &str = "/proc/self/mountinfo";

/// Where else these canonical paths, or parts of them, are mounted.
pub(super) fn of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ConfineError> {
    let text = fs::read(MOUNTS).map_err(|source| ConfineError::Search {
        path: MOUNTS.into(),
        source,
    })?;
    Ok(find(&mounts(&text), paths))
}

/// One mount: which device, which directory of it, and where.
#[derive(Debug)]
struct Mount {
    device: Vec<u8>,
    root: PathBuf,
    point: PathBuf,
}

fn mounts(text: &[u8]) -> Vec<Mount> {
    let line = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        let device = fields.next()?.to_vec();
        let root = unescaped(fields.next()?);
        let point = unescaped(fields.next()?);
        Some(Mount {
            device,
            root,
            point,
        })
    };
    text.split(|byte| *byte == b'\n').filter_map(line).collect()
}

/// The kernel writes blanks and backslashes as octal numbers.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let digits = tail.first_chunk::<3>().filter(|_| *first == b'\\');
        let number = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let (Some(byte), [_, _, _, after @ ..]) = (number, tail) {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    OsString::from_vec(bytes).into()
}

fn find(mounts: &[Mount], paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        // The last of the longest is what the path goes through.
        let Some((holder, inside)) = mounts
            .iter()
            .filter_map(|mount| Some((mount, path.strip_prefix(&mount.point).ok()?)))
            .max_by_key(|(mount, _)| mount.point.components().count())
        else {
            continue;
        };
        let on_device = join(&holder.root, inside);
        for other in mounts.iter().filter(|other| other.device == holder.device) {
            let place = if let Ok(inside) = on_device.strip_prefix(&other.root) {
                join(&other.point, inside)
            } else if other.root.starts_with(&on_device) {
                other.point.clone()
            } else {
                continue;
            };
            if place != *path && !place.starts_with(path) && place.symlink_metadata().is_ok() {
                found.push(place);
            }
        }
    }
    found
}

/// Joining an empty path would leave a slash at the end.
fn join(base: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() {
        base.to_owned()
    } else {
        base.join(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_twice_is_found_at_both_places() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        for directory in ["one/secret/deep", "two/secret", "t hree"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        let shown = base.display();
        let text = format!(
            "1 0 0:1 / / rw - x x rw\n\
             2 1 0:7 /data {shown}/one rw shared:1 - ext4 /dev/x rw\n\
             3 1 0:7 /data {shown}/two rw - ext4 /dev/x rw\n\
             4 1 0:7 /data/secret/deep {shown}/t\\040hree rw - ext4 /dev/x rw\n\
             5 1 0:8 /data {shown}/other rw - ext4 /dev/y rw\n"
        );
        let mounts = mounts(text.as_bytes());
        let found = find(&mounts, &[base.join("one/secret")]);
        assert_eq!(found, [base.join("two/secret"), base.join("t hree")]);
        assert!(find(&mounts, &[base.join("elsewhere")]).is_empty());
    }
}

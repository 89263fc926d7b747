//! Reading what the kernel writes: files of `/proc` and `/sys`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Most of these files are shorter.
const USUAL: usize = 4096;

/// What is in a file of the kernel.
///
/// Such a file says that it is empty, so the standard library, which goes by that, begins with 32
/// bytes and reads eight times. The kernel writes the whole text on the first of them.
pub fn kernel_bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; USUAL];
    let mut length = 0;
    loop {
        let room = bytes.get_mut(length..).unwrap_or_default();
        match file.read(room) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// The text of a file of the kernel, read as `kernel_bytes` reads.
pub fn kernel_text(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = kernel_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn short_long_and_missing_ones() {
        let boot = "/proc/sys/kernel/random/boot_id";
        assert_eq!(
            kernel_text(boot).unwrap(),
            fs::read_to_string(boot).unwrap()
        );
        // Longer than the buffer, and given out in pieces.
        let zones = "/proc/zoneinfo";
        let names = |text: String| text.lines().filter(|line| line.starts_with("Node")).count();
        assert_eq!(
            names(kernel_text(zones).unwrap()),
            names(fs::read_to_string(zones).unwrap())
        );
        let missing = kernel_text("/proc/sys/kernel/no-such-setting");
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn of_any_length() {
        let directory = tempfile::tempdir().unwrap();
        for length in [0, 1, USUAL - 1, USUAL, USUAL + 1, 5 * USUAL] {
            let path = directory.path().join(length.to_string());
            fs::write(&path, "é".repeat(length)).unwrap();
            assert_eq!(kernel_text(&path).unwrap(), "é".repeat(length));
        }
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bytes");
        fs::write(&path, b"a\xff").unwrap();
        let error = kernel_text(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}

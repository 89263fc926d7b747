//! A text in memory that no process can change any more: what is hashed is what runs.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use crate::model::error::script::ScriptError;

/// A text that is sealed.
#[derive(Debug)]
pub(crate) struct Sealed {
    file: File,
    length: usize,
}

impl Sealed {
    /// Seals a text.
    pub(crate) fn of(text: &str) -> Result<Self, ScriptError> {
        Self::make(text).map_err(|source| ScriptError::Resources {
            what: "memory for a script",
            source,
        })
    }

    fn make(text: &str) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let mut file = File::from(memfd_create("script", flags)?);
        file.write_all(text.as_bytes())?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, seals)?;
        let length = text.len();
        Ok(Self { file, length })
    }

    /// What is in it.
    pub(crate) fn text(&self) -> Result<String, ScriptError> {
        let mut bytes = vec![0; self.length];
        let read = self.file.read_exact_at(&mut bytes, 0);
        let text = read.and_then(|()| String::from_utf8(bytes).map_err(io::Error::other));
        text.map_err(|source| ScriptError::Resources {
            what: "the text of a script",
            source,
        })
    }

    /// A descriptor of it to give away.
    pub(crate) fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_stays() {
        let sealed = Sealed::of("echo hi").unwrap();
        let mut other = File::from(sealed.descriptor().unwrap());
        assert!(other.write_all(b"rm").is_err());
        assert!(other.write_at(b"rm", 0).is_err());
        assert!(other.set_len(1).is_err());
        assert_eq!(sealed.text().unwrap(), "echo hi");
    }
}

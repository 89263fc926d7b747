//! The name of a shell, and which shell it is.

use sha2::{Digest, Sha256};

use crate::base::digest::hexadecimal;
use crate::model::error::InvalidInvocation;

/// The longest name.
const LONGEST: usize = 64;

/// Checks a name that a caller chose.
pub(crate) fn check(name: &str) -> Result<(), InvalidInvocation> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins = name.bytes().next();
    let begins_well = begins.is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins_well && name.len() <= LONGEST && name.bytes().all(plain) {
        return Ok(());
    }
    Err(InvalidInvocation::ShellName {
        name: name.chars().take(LONGEST).collect(),
    })
}

/// Which shell: a name, and what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) workspace: String,
    pub(crate) name: String,
}

impl Key {
    /// The name of its directory.
    pub(crate) fn directory(&self) -> String {
        let mut digest = Sha256::new();
        for part in [&self.agent, &self.session, &self.workspace, &self.name] {
            // The length goes first, so that no two lists of parts look the same.
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        hexadecimal(&digest.finalize(), 16)
    }
}

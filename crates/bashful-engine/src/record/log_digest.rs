//! The digest of a log.

use std::io;

use bashful_keeper::TaskDirectory;
use sha2::{Digest, Sha256};

use crate::base::digest::hexadecimal;

/// SHA-256 of a log; none if nothing was printed or it cannot be read.
pub(crate) fn log_digest(directory: &TaskDirectory, bytes: u64) -> Option<String> {
    if bytes == 0 {
        return None;
    }
    let mut file = directory.open_log().ok()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0_u8; 256 << 10];
    loop {
        match io::Read::read(&mut file, &mut buffer) {
            Ok(0) => break,
            Ok(length) => hash.update(buffer.get(..length)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(hexadecimal(&hash.finalize(), 32))
}

//! The token that clients show over HTTP.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::state::{hexadecimal, random};

/// The least characters of a token that a person made up.
const LEAST: usize = 16;
/// The most characters; no person makes up a longer one.
const MOST: u64 = 4096;

/// A secret that clients show.
#[derive(Clone)]
pub struct Token(String);

/// Why a token cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be used.
    #[error("cannot use the token file `{}`", path.display())]
    File {
        /// The path that the caller named.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Others can read the file.
    #[error("the token file `{}` can be read by others; make it private: chmod 600", path.display())]
    NotPrivate {
        /// The path that the caller named.
        path: PathBuf,
    },
    /// It is too short, or has characters that no header carries.
    #[error("a token has at least {LEAST} characters, none of them blank")]
    Malformed,
    /// The system gave no random bytes.
    #[error("cannot make a token")]
    Random(#[source] io::Error),
}

impl Token {
    /// A token that a person made up.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let good = text.chars().all(|c| c.is_ascii_graphic());
        if text.len() < LEAST || !good {
            return Err(TokenError::Malformed);
        }
        Ok(Self(text.to_owned()))
    }

    /// A fresh token of 32 random bytes.
    pub fn fresh() -> Result<Self, TokenError> {
        let bytes = random::<32>().map_err(TokenError::Random)?;
        Ok(Self(hexadecimal(&bytes)))
    }

    /// Reads the token from a private file.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let wrong = |source| TokenError::File {
            path: path.to_owned(),
            source,
        };
        let file = fs::File::open(path).map_err(wrong)?;
        let metadata = file.metadata().map_err(wrong)?;
        // What is in a pipe was given to us by the process that started us.
        if metadata.is_file() && metadata.mode() & 0o077 != 0 {
            return Err(TokenError::NotPrivate {
                path: path.to_owned(),
            });
        }
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).map_err(wrong)?;
        Self::new(text.trim_end_matches(['\r', '\n']))
    }

    /// Writes it to a private file, which must not be there yet.
    pub fn write(&self, path: &Path) -> Result<(), TokenError> {
        let wrong = |source| TokenError::File {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = options.open(path).map_err(wrong)?;
        file.write_all(self.0.as_bytes()).map_err(wrong)?;
        file.write_all(b"\n").map_err(wrong)
    }

    /// A name for the session of the clients that show it, which does not give it away.
    pub fn session(&self) -> String {
        let digest = Sha256::digest([b"session ", self.0.as_bytes()].concat());
        format!("http-{}", hexadecimal(digest.get(..8).unwrap_or_default()))
    }

    /// Whether this is the value of an `Authorization` header that shows it. Digests are compared,
    /// so that the time it takes tells nothing.
    pub(super) fn is_shown_by(&self, header: &str) -> bool {
        let Some((scheme, shown)) = header.split_once(' ') else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer")
            && Sha256::digest(shown.trim().as_bytes()) == Sha256::digest(self.0.as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_token_opens() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is_shown_by("Bearer 0123456789abcdef"));
        assert!(token.is_shown_by("bearer 0123456789abcdef"));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Basic 0123456789abcdef",
        ] {
            assert!(!token.is_shown_by(wrong), "{wrong}");
        }
    }

    #[test]
    fn short_and_odd_tokens_are_none() {
        for wrong in [
            "",
            "short",
            "with a blank in the middle",
            "ümläutümläutümläut",
        ] {
            assert!(Token::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_file_must_be_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        let token = Token::fresh().unwrap();
        token.write(&path).unwrap();
        assert_eq!(Token::read(&path).unwrap().session(), token.session());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = Token::read(&path);
        assert!(
            matches!(refused, Err(TokenError::NotPrivate { .. })),
            "{refused:?}"
        );
    }
}

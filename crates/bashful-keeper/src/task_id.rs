//! Task ids: a prefix that says what runs, then letters that sort by time.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The id of one task, such as `bash-06ckz8v1q7n3k5w2`. Safe as a file name by type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(String);

/// Crockford's alphabet: no letter that looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LETTERS: usize = 9;
const RANDOM_LETTERS: usize = 7;
const LONGEST: usize = 64;

impl TaskId {
    /// A new id. Ids made later sort later, to the millisecond.
    pub fn fresh(prefix: &str) -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let millis = u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX);
        let mut random = [0_u8; RANDOM_LETTERS];
        if rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()).is_err() {
            // Old kernels before their pool is ready: the clock is the next best.
            random = std::array::from_fn(|index| {
                since_epoch.subsec_nanos().to_le_bytes()[index % 4]
                    ^ std::process::id().to_le_bytes()[index % 4]
            });
        }
        let letter = |value: u64| char::from(ALPHABET[usize::try_from(value % 32).unwrap_or(0)]);
        let time = (0..TIME_LETTERS)
            .rev()
            .map(|index| letter(millis >> (5 * index)));
        let random = random.into_iter().map(|byte| letter(u64::from(byte)));
        Self(format!(
            "{prefix}-{}",
            time.chain(random).collect::<String>()
        ))
    }

    /// Reads an id that came from outside.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let fits = (3..=LONGEST).contains(&text.len()) && text.contains('-');
        (fits && text.bytes().all(plain) && !text.starts_with('-')).then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What runs: `bash`, `python`, `script`.
    pub fn prefix(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for TaskId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("`{}` is not a task id", text.escape_debug()))
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ids_sort_later() {
        let first = TaskId::fresh("bash");
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(first < TaskId::fresh("bash"));
    }

    #[test]
    fn an_id_from_outside_can_never_be_a_path() {
        for text in [
            "", "bash", "../x-y", "bash-/", "-bash", "bash-A", "bash-\n", "bash-é",
        ] {
            assert_eq!(TaskId::parse(text), None, "{text:?}");
        }
        assert!(TaskId::parse("bash-abc123").is_some());
    }
}

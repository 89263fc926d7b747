//! What the first process inside a wrapper program hears about itself.

use crate::terminal::TerminalSize;

/// Who it becomes and what its command carries. It travels as one message. Beside that come,
/// in this order: the order as a file, the ruleset, the filters, the streams, what is inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setup {
    /// User and group of the command, where a user namespace does not settle them.
    pub(crate) identity: Option<(u32, u32)>,
    /// The command gets a terminal of this size.
    pub(crate) terminal: Option<TerminalSize>,
    /// A Landlock ruleset comes along.
    pub(crate) ruleset: bool,
    /// Which filters come along: of what is refused, because no process has put it on yet; of
    /// what is reported to the keeper; of what the kernel records.
    pub(crate) filters: [bool; 3],
    /// The version of Landlock that made the ruleset.
    pub(crate) landlock: u32,
    /// There is no namespace for its processes.
    pub(crate) outside: bool,
    /// Limits: which, soft, hard.
    pub(crate) limits: Vec<(u32, u64, u64)>,
}

/// No more descriptors come along than these and what is inherited.
pub(crate) const MOST_WITH_SETUP: usize = 8;

/// No message is larger.
pub(crate) const SETUP_BYTES: usize = 1024;

impl Setup {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (user, group) = self.identity.unwrap_or_default();
        let (rows, columns) = self
            .terminal
            .map_or((0, 0), |size| (size.rows, size.columns));
        let mut numbers: Vec<u64> = vec![
            self.identity.is_some().into(),
            user.into(),
            group.into(),
            self.terminal.is_some().into(),
            rows.into(),
            columns.into(),
            self.ruleset.into(),
            self.filters[0].into(),
            self.filters[1].into(),
            self.filters[2].into(),
            self.landlock.into(),
            self.outside.into(),
        ];
        for (which, soft, hard) in &self.limits {
            numbers.extend([u64::from(*which), *soft, *hard]);
        }
        numbers.into_iter().flat_map(u64::to_ne_bytes).collect()
    }

    /// The message's meaning; none if it is no message of ours.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let chunks = bytes.chunks_exact(8);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let mut numbers =
            chunks.filter_map(|chunk| Some(u64::from_ne_bytes(chunk.try_into().ok()?)));
        let small = |number: u64| u32::try_from(number).ok();
        let mut next = || numbers.next();
        let is_other = next()? == 1;
        let identity = (small(next()?)?, small(next()?)?);
        let has_terminal = next()? == 1;
        let terminal = TerminalSize {
            rows: u16::try_from(next()?).ok()?,
            columns: u16::try_from(next()?).ok()?,
        };
        let ruleset = next()? == 1;
        let filters = [next()? == 1, next()? == 1, next()? == 1];
        let landlock = small(next()?)?;
        let outside = next()? == 1;
        let mut limits = Vec::new();
        while let Some(which) = next() {
            limits.push((small(which)?, next()?, next()?));
        }
        Some(Self {
            identity: is_other.then_some(identity),
            terminal: has_terminal.then_some(terminal),
            ruleset,
            filters,
            landlock,
            outside,
            limits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_meant() {
        let setup = Setup {
            identity: Some((1000, u32::MAX - 1)),
            terminal: Some(TerminalSize {
                rows: 24,
                columns: 80,
            }),
            ruleset: true,
            filters: [true, true, false],
            landlock: 7,
            outside: false,
            limits: vec![(4, 1, 1), (7, 10, u64::MAX)],
        };
        let bytes = setup.encode();
        assert!(bytes.len() <= SETUP_BYTES);
        assert_eq!(Setup::decode(&bytes), Some(setup));
        let plain = Setup::default();
        assert_eq!(Setup::decode(&plain.encode()), Some(plain));
        // A message that is cut anywhere but between two limits is no setup.
        let whole = |length: usize| length >= 96 && (length - 96).is_multiple_of(24);
        for length in (0..bytes.len()).filter(|length| !whole(*length)) {
            assert_eq!(Setup::decode(&bytes[..length]), None, "{length}");
        }
    }
}

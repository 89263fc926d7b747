//! What a waiting first process gets as its order: a launch as one message.

use std::ffi::CString;

mod setup;

pub(crate) use setup::{MOST_WITH_SETUP, SETUP_BYTES, Setup};

/// What to start, without its descriptors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) program: CString,
    pub(crate) directory: CString,
    pub(crate) arguments: Vec<CString>,
    pub(crate) environment: Vec<CString>,
    pub(crate) mark: Option<u64>,
    /// Soft and hard limit of open files.
    pub(crate) open_files: Option<(u64, u64)>,
    pub(crate) new_session: bool,
    /// Which of the standard streams come along.
    pub(crate) streams: [bool; 3],
    /// How many further descriptors come along.
    pub(crate) inherited: u64,
    /// It executes when the engine says so through one more descriptor.
    pub(crate) is_held: bool,
}

/// A message is no larger: a socket takes no more at once. A longer one is sent as a file.
pub(crate) const MOST_BYTES: usize = 96 << 10;

/// The message that stands for an order in a file, which comes along before everything else.
pub(crate) const AS_FILE: &[u8] = b"file";

impl Order {
    /// The message. A socket takes no more than [`MOST_BYTES`] of it.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4096);
        let mut number = |value: u64| bytes.extend(value.to_ne_bytes());
        number(u64::from(self.new_session));
        number(u64::from(self.mark.is_some()));
        number(self.mark.unwrap_or(0));
        number(u64::from(self.open_files.is_some()));
        number(self.open_files.map_or(0, |(soft, _)| soft));
        number(self.open_files.map_or(0, |(_, hard)| hard));
        number(self.arguments.len() as u64);
        number(self.environment.len() as u64);
        for stream in self.streams {
            number(u64::from(stream));
        }
        number(self.inherited);
        number(u64::from(self.is_held));
        for string in [&self.program, &self.directory]
            .into_iter()
            .chain(&self.arguments)
            .chain(&self.environment)
        {
            bytes.extend(string.as_bytes_with_nul());
        }
        bytes
    }

    /// The order in a message; none if it is no message of ours.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (numbers, mut strings) = bytes.split_at_checked(13 * 8)?;
        let number = |index: usize| {
            let bytes = numbers.get(8 * index..8 * index + 8)?;
            Some(u64::from_ne_bytes(bytes.try_into().ok()?))
        };
        let mut next = || {
            let end = strings.iter().position(|byte| *byte == 0)?;
            let (string, rest) = strings.split_at_checked(end + 1)?;
            strings = rest;
            CString::from_vec_with_nul(string.to_vec()).ok()
        };
        let (program, directory) = (next()?, next()?);
        let mut list = |count: u64| (0..count).map(|_| next()).collect::<Option<Vec<_>>>();
        let arguments = list(number(6)?)?;
        let environment = list(number(7)?)?;
        let open_files = (number(4)?, number(5)?);
        Some(Self {
            program,
            directory,
            arguments,
            environment,
            mark: number(2).filter(|_| number(1) == Some(1)),
            open_files: (number(3)? == 1).then_some(open_files),
            new_session: number(0)? == 1,
            streams: [number(8)? == 1, number(9)? == 1, number(10)? == 1],
            inherited: number(11)?,
            is_held: number(12)? == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_meant() {
        let order = Order {
            program: c"/bin/bash".to_owned(),
            directory: c"/work with space\n".to_owned(),
            arguments: vec![c"bash".to_owned(), c"".to_owned(), c"-c".to_owned()],
            environment: vec![c"A=\xff".to_owned()],
            mark: Some(u64::MAX),
            open_files: Some((1, 2)),
            new_session: true,
            streams: [false, true, true],
            inherited: 2,
            is_held: true,
        };
        let bytes = order.encode();
        assert_eq!(Order::decode(&bytes).as_ref(), Some(&order));
        // A part of it is no order.
        for length in 0..bytes.len() {
            assert_eq!(Order::decode(&bytes[..length]), None, "{length}");
        }
        let plain = Order::default();
        assert_eq!(Order::decode(&plain.encode()), Some(plain));
    }
}

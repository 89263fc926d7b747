//! `$'…'`: quotes with the escapes of C.

use super::{Draft, Mark};
use crate::reader::Reader;

impl Reader<'_, '_> {
    /// `$'…'` with the escapes of C.
    pub(super) fn ansi_quotes(&mut self, draft: &mut Draft) {
        draft.quoted = true;
        self.position += 2;
        loop {
            match self.next() {
                None => {
                    self.script.trouble = true;
                    return;
                }
                Some(b'\'') => return,
                Some(b'\\') => {
                    let decoded = self.ansi_escape();
                    draft.extend(&decoded, Mark::Quoted);
                }
                Some(byte) => draft.push(byte, Mark::Quoted),
            }
        }
    }

    fn ansi_escape(&mut self) -> Vec<u8> {
        let Some(byte) = self.next() else {
            return vec![b'\\'];
        };
        let simple = match byte {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'c' => self.next().map_or(0, |control| control & 0x1f),
            b'x' => self.digits(16, 2).to_le_bytes()[0],
            b'0'..=b'7' => {
                self.position -= 1;
                self.digits(8, 3).to_le_bytes()[0]
            }
            b'u' | b'U' => {
                let width = if byte == b'u' { 4 } else { 8 };
                let scalar = char::from_u32(self.digits(16, width));
                return scalar.unwrap_or('\u{fffd}').to_string().into_bytes();
            }
            _ => return vec![b'\\', byte],
        };
        vec![simple]
    }

    fn digits(&mut self, radix: u32, width: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..width {
            let digit = self
                .peek()
                .and_then(|byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.position += 1;
        }
        value
    }
}

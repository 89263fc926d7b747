//! From the bytes of a keyboard to what they mean in a line.

/// The longest sequence of a key that is looked at.
const LONGEST_SEQUENCE: usize = 16;

/// What a key does in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    Insert(char),
    /// A line break inside the text.
    Break,
    Enter,
    Backspace,
    Delete,
    Left,
    Right,
    Home,
    End,
    /// Drops all before the cursor.
    DropBefore,
    /// Drops all behind the cursor.
    DropBehind,
    /// Drops the word before the cursor.
    DropWord,
    /// Ctrl-C.
    Cancel,
    /// Ctrl-D.
    Finish,
}

/// Puts bytes together.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    state: State,
    /// The bytes of a character or a sequence so far.
    held: Vec<u8>,
    /// Inside a paste an ENTER is a line break.
    pasting: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    Sequence,
}

impl Decoder {
    /// Takes one byte; gives a stroke when one is complete.
    pub(super) fn push(&mut self, byte: u8) -> Option<Stroke> {
        match (self.state, byte) {
            (State::Text, 0x1b) => {
                self.held.clear();
                self.state = State::Escape;
                None
            }
            (State::Text, _) => self.text(byte),
            (State::Escape, b'[' | b'O') => {
                self.state = State::Sequence;
                None
            }
            (State::Escape, _) => {
                self.state = State::Text;
                None
            }
            (State::Sequence, 0x40..=0x7e) => {
                self.state = State::Text;
                self.held.push(byte);
                let sequence = std::mem::take(&mut self.held);
                self.sequence(&sequence)
            }
            (State::Sequence, _) => {
                self.held.push(byte);
                if self.held.len() > LONGEST_SEQUENCE {
                    self.held.clear();
                    self.state = State::Text;
                }
                None
            }
        }
    }

    fn sequence(&mut self, sequence: &[u8]) -> Option<Stroke> {
        match sequence {
            b"C" => Some(Stroke::Right),
            b"D" => Some(Stroke::Left),
            b"H" | b"1~" | b"7~" => Some(Stroke::Home),
            b"F" | b"4~" | b"8~" => Some(Stroke::End),
            b"3~" => Some(Stroke::Delete),
            b"200~" => {
                self.pasting = true;
                None
            }
            b"201~" => {
                self.pasting = false;
                None
            }
            _ => None,
        }
    }

    fn text(&mut self, byte: u8) -> Option<Stroke> {
        if byte >= 0x80 {
            return self.character(byte);
        }
        self.held.clear();
        match byte {
            b'\r' if self.pasting => Some(Stroke::Break),
            b'\r' => Some(Stroke::Enter),
            b'\n' => Some(Stroke::Break),
            // Nothing in a paste does anything but stand there.
            b'\t' | 0x20..0x7f => Some(Stroke::Insert(char::from(byte))),
            _ if self.pasting => None,
            0x01 => Some(Stroke::Home),
            0x02 => Some(Stroke::Left),
            0x03 => Some(Stroke::Cancel),
            0x04 => Some(Stroke::Finish),
            0x05 => Some(Stroke::End),
            0x06 => Some(Stroke::Right),
            0x08 | 0x7f => Some(Stroke::Backspace),
            0x0b => Some(Stroke::DropBehind),
            0x15 => Some(Stroke::DropBefore),
            0x17 => Some(Stroke::DropWord),
            _ => None,
        }
    }

    /// Puts the bytes of one character together.
    fn character(&mut self, byte: u8) -> Option<Stroke> {
        if byte >= 0xc0 {
            self.held.clear();
        }
        self.held.push(byte);
        match std::str::from_utf8(&self.held) {
            Ok(text) => {
                let c = text.chars().next();
                self.held.clear();
                // Control characters of the second kind are no text.
                c.filter(|c| !c.is_control()).map(Stroke::Insert)
            }
            Err(error) if error.error_len().is_none() => None,
            Err(_) => {
                self.held.clear();
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strokes(bytes: &[u8]) -> Vec<Stroke> {
        let mut decoder = Decoder::default();
        let strokes = bytes.iter().filter_map(|byte| decoder.push(*byte));
        strokes.collect()
    }

    #[test]
    fn keys_mean_what_they_do_elsewhere() {
        use Stroke::{Break, Cancel, DropBefore, Enter, Home, Insert, Left};
        let found = strokes("aé\u{7f}\x1b[D\x1bOH\x15\n\r\x03".as_bytes());
        let backspace = Stroke::Backspace;
        let expected = [
            Insert('a'),
            Insert('é'),
            backspace,
            Left,
            Home,
            DropBefore,
            Break,
            Enter,
            Cancel,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_paste_is_text_and_nothing_else() {
        let found = strokes(b"\x1b[200~a\r\x03\x04b\x1b[201~\r");
        let expected = [
            Stroke::Insert('a'),
            Stroke::Break,
            Stroke::Insert('b'),
            Stroke::Enter,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn rubbish_is_dropped() {
        assert_eq!(strokes(b"\xff\xc3a\x80\x1bx"), [Stroke::Insert('a')]);
        assert_eq!(strokes("\u{9b}".as_bytes()), []);
        let long = [b"\x1b[".as_slice(), &[b'1'; 40]].concat();
        assert!(strokes(&long).len() <= 40);
    }
}

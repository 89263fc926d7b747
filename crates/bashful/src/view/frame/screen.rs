//! A small terminal for tests. It fails on every byte that our own drawing has no business sending.

use unicode_width::UnicodeWidthChar;

/// How wide this terminal draws characters outside ASCII.
#[derive(Clone, Copy, Debug)]
pub(super) enum Widths {
    /// As Unicode says.
    Unicode,
    /// All of them two columns wide, as terminals for East Asian languages may do.
    AllWide,
}

/// A screen of fixed width that grows downwards.
#[derive(Debug)]
pub(super) struct Screen {
    width: usize,
    widths: Widths,
    /// The cells of each row; the second cell of a wide character is empty.
    rows: Vec<Vec<String>>,
    column: usize,
    wrapping: bool,
    pen_is_plain: bool,
}

impl Screen {
    pub(super) fn new(width: usize, widths: Widths) -> Self {
        Self {
            width,
            widths,
            rows: vec![Vec::new()],
            column: 0,
            wrapping: true,
            pen_is_plain: true,
        }
    }

    /// The text of all rows; the last one is where the cursor is.
    pub(super) fn rows(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.concat()).collect()
    }

    /// Takes what one call wrote, after which the terminal must be as it was.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("we write whole characters");
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            match c {
                '\n' => {
                    assert!(self.pen_is_plain, "a line ends in colour: {text:?}");
                    self.rows.push(Vec::new());
                    self.column = 0;
                }
                '\r' => self.column = 0,
                '\u{1b}' => {
                    assert_eq!(characters.next(), Some('['), "{text:?}");
                    let mut sequence = String::new();
                    for c in characters.by_ref() {
                        sequence.push(c);
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                    self.sequence(&sequence);
                }
                _ => self.put(c),
            }
        }
        assert!(self.pen_is_plain, "a call ends in colour: {text:?}");
        assert!(self.wrapping, "a call ends without wrapping: {text:?}");
    }

    fn sequence(&mut self, sequence: &str) {
        match sequence {
            "K" => {
                let column = self.column;
                self.row().truncate(column);
            }
            "?7l" => self.wrapping = false,
            "?7h" => self.wrapping = true,
            _ => {
                let codes = sequence.strip_suffix('m').expect(sequence);
                let allowed = ["0", "1", "2", "3", "4", "5", "38"];
                for code in codes.split(';') {
                    let number: u8 = code.parse().expect(sequence);
                    let colour = matches!(number, 30..=37 | 90..=97);
                    let indexed = codes.contains("38;5;");
                    assert!(colour || indexed || allowed.contains(&code), "{sequence}");
                }
                self.pen_is_plain = codes == "0";
            }
        }
    }

    fn put(&mut self, c: char) {
        let width = c.width().unwrap_or_else(|| panic!("control {c:?}"));
        let width = match self.widths {
            Widths::AllWide if !c.is_ascii() && width > 0 => 2,
            _ => width,
        };
        if width == 0 {
            let column = self.column;
            assert!(column > 2, "a mark is drawn onto the gutter");
            let cells = self.row().iter_mut().take(column).rev();
            let base = cells.into_iter().find(|cell| !cell.is_empty());
            base.expect("a mark has a base").push(c);
            return;
        }
        if self.column + width > self.width {
            if self.wrapping {
                self.rows.push(Vec::new());
                self.column = 0;
            } else {
                self.column = self.width - width;
            }
        }
        let column = self.column;
        let row = self.row();
        row.resize(row.len().max(column + width), " ".to_owned());
        for cell in &mut row[column..column + width] {
            cell.clear();
        }
        row[column].push(c);
        self.column += width;
    }

    fn row(&mut self) -> &mut Vec<String> {
        self.rows.last_mut().expect("there is always a row")
    }
}

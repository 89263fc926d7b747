//! Decides which characters may be shown as they are, and spells out the others.

use bashful_engine::is_legible;
use unicode_width::UnicodeWidthChar;

/// How many combining marks one character may carry. Written languages need two or three; more
/// is a way to paint over neighbouring rows.
const MARKS_PER_CHARACTER: u8 = 4;

/// What a character is to a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It takes columns of its own and does nothing else.
    Glyph,
    /// It is drawn onto the character before it.
    Mark,
    /// It asks for the text or emoji form of the character before it and shows nothing itself.
    Selector,
    /// It acts on the terminal or cannot be seen, so it must be spelled out.
    Odd,
}

/// Classifies characters one after another, since what a mark may do depends on what precedes it.
#[derive(Debug, Default)]
pub(super) struct Classifier {
    marks_left: u8,
    selector_allowed: bool,
}

impl Classifier {
    /// Classifies the next character.
    pub(super) fn class(&mut self, c: char) -> Class {
        if matches!(c, '\u{fe0e}' | '\u{fe0f}') && self.selector_allowed {
            self.selector_allowed = false;
            return Class::Selector;
        }
        if is_invisible(c) {
            self.interrupt();
            return Class::Odd;
        }
        match c.width() {
            None => {
                self.interrupt();
                Class::Odd
            }
            Some(0) if self.marks_left > 0 => {
                self.marks_left -= 1;
                self.selector_allowed = false;
                Class::Mark
            }
            Some(0) => Class::Odd,
            Some(_) => {
                self.marks_left = MARKS_PER_CHARACTER;
                self.selector_allowed = !c.is_ascii();
                Class::Glyph
            }
        }
    }

    /// Says that the next character does not follow a glyph, so nothing may attach to it.
    pub(super) fn interrupt(&mut self) {
        *self = Self::default();
    }
}

/// How many marks of one character a person reads.
const MARKS_READ: u8 = 2;

/// Tells, character after character, what a person who decides by a text can be shown as it is.
/// That is less than a terminal can show: nothing that moves its neighbours, looks like nothing,
/// or covers another character.
#[derive(Debug, Default)]
pub(super) struct Reader {
    classifier: Classifier,
    /// The letter that marks go onto, and how many more of them.
    letter: Option<(char, u8)>,
}

impl Reader {
    /// Whether the next character is shown as it is; if not, it has to be spelled.
    pub(super) fn shows(&mut self, c: char) -> bool {
        match self.classifier.class(c) {
            Class::Glyph => {
                let shows = is_legible(c);
                self.letter = (shows && c.is_alphabetic()).then_some((c, MARKS_READ));
                shows
            }
            Class::Mark => match &mut self.letter {
                Some((letter, left)) if *left > 0 && belongs(c, *letter) => {
                    *left -= 1;
                    true
                }
                _ => false,
            },
            Class::Selector | Class::Odd => {
                self.letter = None;
                false
            }
        }
    }
}

/// Whether a mark is written with this letter: an accent, or one of the letter's own script. What
/// strikes a letter out or goes around it is none.
fn belongs(mark: char, letter: char) -> bool {
    let page = |c: char| u32::from(c) >> 8;
    let strikes = matches!(mark, '\u{334}'..='\u{338}' | '\u{20d0}'..='\u{20ff}');
    let accent = matches!(mark, '\u{300}'..='\u{333}');
    accent || page(mark) == page(letter) && !strikes
}

/// The characters that stand for an odd one: `␛`, `^G`, `\u{202e}`. All are one column wide,
/// and all but `␛` are ASCII.
pub(super) fn spell(c: char) -> impl Iterator<Item = char> {
    let (first, second, rest) = match u8::try_from(c) {
        Ok(0x1b) => (Some('␛'), None, None),
        Ok(0x7f) => (Some('^'), Some('?'), None),
        Ok(control @ 0..0x20) => (Some('^'), Some(char::from(control ^ 0x40)), None),
        _ => (None, None, Some(c.escape_unicode())),
    };
    first
        .into_iter()
        .chain(second)
        .chain(rest.into_iter().flatten())
}

/// Whether a character shows nothing, reorders its neighbours or breaks lines.
///
/// The list is Unicode's default-ignorable set, the bidirectional controls, the line and
/// paragraph separators and the format controls of single scripts. Control characters are not
/// in it; they have no width and are found that way.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<Class> {
        let mut classifier = Classifier::default();
        text.chars().map(|c| classifier.class(c)).collect()
    }

    #[test]
    fn spells_what_acts_or_hides() {
        let spelled = |c| spell(c).collect::<String>();
        assert_eq!(spelled('\u{1b}'), "␛");
        assert_eq!(spelled('\u{7}'), "^G");
        assert_eq!(spelled('\0'), "^@");
        assert_eq!(spelled('\u{7f}'), "^?");
        assert_eq!(spelled('\u{9b}'), "\\u{9b}");
        assert_eq!(spelled('\u{202e}'), "\\u{202e}");
    }

    #[test]
    fn every_control_and_invisible_character_is_odd() {
        for c in ('\0'..' ').chain('\u{7f}'..'\u{a0}') {
            assert_eq!(classes(&format!("a{c}")), [Class::Glyph, Class::Odd]);
        }
        for c in "\u{ad}\u{200b}\u{200d}\u{200e}\u{202e}\u{2066}\u{2028}\u{feff}\u{e0041}\u{3164}"
            .chars()
        {
            assert_eq!(classes(&format!("a{c}")), [Class::Glyph, Class::Odd]);
        }
    }

    #[test]
    fn marks_need_a_base_and_are_counted() {
        assert_eq!(classes("\u{301}"), [Class::Odd]);
        assert_eq!(classes("e\u{301}"), [Class::Glyph, Class::Mark]);
        let piled = classes("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}");
        assert_eq!(
            piled.iter().filter(|class| **class == Class::Mark).count(),
            4
        );
        assert_eq!(piled.last(), Some(&Class::Odd));
    }

    #[test]
    fn one_selector_after_a_symbol_is_ordinary_writing() {
        assert_eq!(classes("⚠\u{fe0f}"), [Class::Glyph, Class::Selector]);
        assert_eq!(classes("⚠\u{fe0f}\u{fe0f}").last(), Some(&Class::Odd));
        assert_eq!(classes("a\u{fe0f}").last(), Some(&Class::Odd));
    }

    #[test]
    fn a_person_reads_letters_and_nothing_that_hides_or_moves() {
        let spelled = |text: &str| {
            let mut reader = Reader::default();
            let odd = |c: &char| !reader.shows(*c);
            text.chars().filter(odd).collect::<String>()
        };
        for text in [
            "rm -rf ~/x | cat \"$y\"",
            "naïve nai\u{308}ve Ti\u{1ebf}ng \u{1ec7} e\u{302}\u{301}",
            "日本語 か\u{3099} 한국어 ελληνικά русский ภาษาที่ हिन्दी",
            "✓ … ⚠ 🎉 → █",
        ] {
            assert_eq!(spelled(text), "", "{text}");
        }
        // By property: scripts from right to left, blanks of every kind, selectors, tags, marks
        // without a letter, that strike out or in number, private and unassigned characters.
        for hidden in [
            "\u{5d0}",
            "\u{627}",
            "\u{7c0}",
            "\u{8a0}",
            "\u{fb2a}",
            "\u{fdf2}",
            "\u{fe8d}",
            "\u{10840}",
            "\u{1e900}",
            "\u{1eea1}",
            "\u{202e}",
            "\u{2067}",
            "\u{61c}",
            "\u{2800}",
            "\u{115f}",
            "\u{3164}",
            "\u{ffa0}",
            "\u{1d159}",
            "\u{13441}",
            "\u{a0}",
            "\u{2003}",
            "\u{3000}",
            "\u{1680}",
            "\u{200b}",
            "\u{2060}",
            "\u{180e}",
            "\u{fe0f}",
            "\u{fe00}",
            "\u{e0100}",
            "\u{e0041}",
            "\u{e000}",
            "\u{f0000}",
            "\u{378}",
            "\u{336}",
            "\u{20dd}",
            "\u{34f}",
            "\u{1f3fb}\u{200d}",
            "\t",
            "\u{9b}",
        ] {
            assert!(!spelled(&format!("a{hidden}b")).is_empty(), "{hidden:?}");
        }
        assert_eq!(spelled("-\u{301}"), "\u{301}");
        assert_eq!(
            spelled(&format!("e{}", "\u{301}".repeat(9)))
                .chars()
                .count(),
            7
        );
    }
}

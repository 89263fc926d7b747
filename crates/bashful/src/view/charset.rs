//! Decides which characters may be shown as they are, and spells out the others.

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
}

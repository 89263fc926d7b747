//! Which characters a person reads as what they are.

/// Whether a person who decides by a text can be shown this character as it is: it has a glyph
/// that is not blank, it stands where it was written, and it goes on to mean what it means today.
/// Marks that are drawn onto another character are none of these.
///
/// ```
/// use bashful_engine::is_legible;
///
/// assert!("rm -rf naïve 日本 ✓".chars().all(is_legible));
/// assert!(!"\u{5d0}\u{2800}\u{202e}\u{a0}\u{e0041}\u{301}".chars().any(is_legible));
/// ```
pub fn is_legible(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    // What has no glyph by its general category, is not assigned, or extends another character.
    let printable = c.escape_debug().len() == 1;
    printable && !goes_to_the_left(c) && !is_blank(c)
}

/// Whether it is written from right to left, and so moves what stands around it. These are the
/// blocks that Unicode gives to such scripts, those that it still has to fill among them.
fn goes_to_the_left(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}'
    )
}

/// Letters and symbols, by their category, that show nothing.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{2800}'
            | '\u{303f}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{fffc}'
            | '\u{13441}'
            | '\u{13442}'
            | '\u{16fe4}'
            | '\u{1d159}'
    )
}

/// A text from a run within a line of ours: short, and nothing in it that is not seen.
pub(crate) fn shown(text: &str) -> String {
    let visible = |letter: char| {
        if is_legible(letter) {
            letter
        } else {
            '\u{fffd}'
        }
    };
    text.chars().take(300).map(visible).collect()
}

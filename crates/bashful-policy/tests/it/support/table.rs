//! Commands as tables hold them, one on a line.

/// A command as it is written in a table, with its escapes undone.
#[expect(clippy::panic, reason = "a malformed table fails the test")]
pub(crate) fn command(text: &str) -> String {
    let mut command = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        command.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('\\') => '\\',
                other => panic!("unknown escape {other:?} in {text}"),
            },
            other => other,
        });
    }
    command
}

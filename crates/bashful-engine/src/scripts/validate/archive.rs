//! Files that stand behind an option: archives of `tar`, and outputs.

use bashful_policy::{Argument, Call};

/// A file that a command names by an option.
pub(super) struct Archive {
    pub(super) file: Argument,
    pub(super) written: bool,
}

/// Programs that write to what stands behind this option.
const OUTPUTS: [(&str, &str); 5] = [
    ("curl", "-o"),
    ("wget", "-O"),
    ("sort", "-o"),
    ("gpg", "-o"),
    ("pandoc", "-o"),
];

/// The file that a command names by an option, if it does.
pub(super) fn archive(call: &Call) -> Option<Archive> {
    let program = call.program();
    if matches!(program, "tar" | "gtar" | "bsdtar") {
        return tar(call.operands());
    }
    let (_, option) = OUTPUTS.iter().find(|(name, _)| *name == program)?;
    let mut words = call.operands().iter();
    words.find(|word| word.text == *option)?;
    words.next().map(|file| Archive {
        file: file.clone(),
        written: true,
    })
}

/// `tar czf FILE`, `tar -c -f FILE`, `tar --create --file=FILE`.
fn tar(words: &[Argument]) -> Option<Archive> {
    let mut file = None;
    let mut written = false;
    for (index, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if let Some(name) = text.strip_prefix("--file=") {
            file = Some(Argument::literal(name, word.span));
        }
        written |= matches!(text, "--create" | "--append" | "--update");
        let letters = match text.strip_prefix('-') {
            Some(long) if long.starts_with('-') => continue,
            Some(letters) => letters,
            None if index == 0 => text,
            None => continue,
        };
        written |= letters.contains(['c', 'r', 'u']);
        if letters.ends_with('f') {
            file = words.get(index + 1).cloned();
        }
    }
    file.map(|file| Archive { file, written })
}

//! Writing entries so that git, of any age, reads back what was meant.

use super::decide::Wanted;

/// Appends ` = value` or, for a key that stands alone, nothing.
pub(super) fn assignment(out: &mut Vec<u8>, value: Option<&[u8]>) {
    let Some(value) = value else { return };
    out.extend_from_slice(b" = ");
    if is_plain(value) {
        out.extend_from_slice(value);
        return;
    }
    out.push(b'"');
    for byte in value {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            8 => out.extend_from_slice(b"\\b"),
            other => out.push(*other),
        }
    }
    out.push(b'"');
}

/// Appends an indented line with an entry.
pub(super) fn line(out: &mut Vec<u8>, wanted: &Wanted<'_>, line_end: &[u8]) {
    out.push(b'\t');
    out.extend_from_slice(wanted.spelling);
    assignment(out, wanted.value);
    out.extend_from_slice(line_end);
}

/// Appends a line with the head of a section.
pub(super) fn header(out: &mut Vec<u8>, stem: &[u8], line_end: &[u8]) {
    out.push(b'[');
    let mut parts = stem.splitn(2, |byte| *byte == b'.');
    out.extend_from_slice(parts.next().unwrap_or_default());
    if let Some(subsection) = parts.next() {
        out.extend_from_slice(b" \"");
        for byte in subsection {
            if matches!(byte, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.push(b'"');
    }
    out.push(b']');
    out.extend_from_slice(line_end);
}

/// Whether a value can stand without quotes. Rather too few than too many can: other
/// readers of these files are less exact than git.
fn is_plain(value: &[u8]) -> bool {
    let safe = |byte: &u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b" _-+./:@*=,~%^{}()<>".contains(byte)
    };
    let spaced = value.starts_with(b" ")
        || value.ends_with(b" ")
        || value.windows(2).any(|pair| pair == b"  ");
    !value.is_empty() && value.iter().all(safe) && !spaced
}

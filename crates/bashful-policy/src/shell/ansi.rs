//! `$'…'`: quotes with the escapes of C.

/// Decodes what stands between the quotes. Bytes that are no characters are replaced; a NUL ends
/// the text, as it does in bash.
pub(crate) fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(escape) = rest.next() else {
            bytes.push(b'\\');
            break;
        };
        let simple = match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'c' => rest.next().map_or(0, |letter| letter & 0x1f),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|byte| matches!(byte, b'0'..=b'7')) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit - b'0');
                }
                // Bash keeps the low eight bits.
                (value & 0xff) as u8
            }
            b'x' | b'u' | b'U' => {
                let digits = match escape {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let mut value: Option<u32> = None;
                for _ in 0..digits {
                    let digit = rest.next_if(u8::is_ascii_hexdigit);
                    let Some(digit) = digit.and_then(|digit| char::from(digit).to_digit(16)) else {
                        break;
                    };
                    value = Some(
                        value
                            .unwrap_or_default()
                            .wrapping_mul(16)
                            .wrapping_add(digit),
                    );
                }
                match (value, escape) {
                    (None, _) => bytes.extend([b'\\', escape]),
                    (Some(value), b'x') => bytes.push((value & 0xff) as u8),
                    (Some(value), _) => {
                        let character =
                            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                        bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
                    }
                }
                continue;
            }
            other => {
                bytes.extend([b'\\', other]);
                continue;
            }
        };
        bytes.push(simple);
    }
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_those_of_bash() {
        let cases = [
            (r"rm", "rm"),
            (r"\x72\x6d", "rm"),
            (r"\162m", "rm"),
            (r"a\nb", "a\nb"),
            (r"it\'s", "it's"),
            (r"\u0072m", "rm"),
            (r"\q", "\\q"),
            (r"a\0b", "a"),
            (r"\x", "\\x"),
            (r"\", "\\"),
        ];
        for (text, decoded) in cases {
            assert_eq!(decode(text), decoded, "{text}");
        }
    }
}

//! The id in a message that is not JSON as we read it, so that the client that waits for it hears.
//!
//! Clients send lone surrogates, numbers out of range and very deep values. The outermost object
//! is walked by its brackets and strings alone.

use serde_json::Value;

/// The id of the outermost object, if it can be made out; else null.
pub(super) fn id_in(line: &[u8]) -> Value {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = end_of_string(line, at);
                let is_key = depth == 1 && line.get(at..=end) == Some(b"\"id\"");
                at = end;
                if is_key && let Some(id) = value_after(line, end + 1) {
                    return id;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Value::Null
}

/// Where the string that begins here ends.
fn end_of_string(line: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = line.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at,
            _ => at += 1,
        }
    }
    line.len()
}

/// A string or whole number behind a colon.
fn value_after(line: &[u8], at: usize) -> Option<Value> {
    let rest = line.get(at..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    let end = if rest.first() == Some(&b'"') {
        end_of_string(rest, 0) + 1
    } else {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}');
        rest.iter().position(is_end)?
    };
    let id: Value = serde_json::from_slice(rest.get(..end)?).ok()?;
    (id.is_string() || id.is_i64()).then_some(id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_outermost_id_is_found_and_no_other() {
        let cases: [(&[u8], Value); 9] = [
            (br#"{"id":7,"params":"\ud83d"}"#, json!(7)),
            (
                br#"{"params":{"id":8,"x":"\ud83d"},"id" : "a"}"#,
                json!("a"),
            ),
            (br#"{"params":{"id":8}}x"#, Value::Null),
            (br#"{"x":"\"id\":9","id":10,}"#, json!(10)),
            (br#"{"id":1.5,}"#, Value::Null),
            (br#"{"id":{"id":1},}"#, Value::Null),
            (br#"{"id"#, Value::Null),
            (br#"{"id":"a"#, Value::Null),
            (b"garbage", Value::Null),
        ];
        for (line, id) in cases {
            assert_eq!(id_in(line), id, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn it_ends_on_anything() {
        for line in [&b"\"\\"[..], b"{\"", b"\\\\\"", b"]]]}}}{\"id\":"] {
            assert_eq!(id_in(line), Value::Null);
        }
    }
}

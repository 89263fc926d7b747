//! Our reading is git's reading.

use proptest::prelude::*;

use super::super::syntax::{SyntaxError, parse};
use super::{git_reads, we_read};

const TRICKY: &[&str] = &[
    "",
    "\n",
    "[core]",
    "[core]\n\tbare = false\n",
    "[core]bare=false",
    "[core] bare = false\n[core]\nbare\n",
    "key = above\n[a]\nb = c\n",
    "key\n",
    "[]\nx = 1\n",
    "[.]\nx = 1\n",
    "[a.]\nx = 1\n",
    "[a..b]\nx = 1\n",
    "[A.B]\nX = Y\n",
    "[A.B \"C.d\"]\nX = Y\n",
    "[a \"\"]\nx = 1\n",
    "[a\"b\"]\nx = 1\n",
    "[a  \t \"b\"]\nx = 1\n",
    "[a \"b\" ]\nx = 1\n",
    "[ a]\nx = 1\n",
    "[a ]\nx = 1\n",
    "[a b]\nx = 1\n",
    "[a\n\"b\"]\nx = 1\n",
    "[a \"b\nc\"]\nx = 1\n",
    "[a \"b\\\nc\"]\nx = 1\n",
    "[a \"b\\nc\\\"d\\\\e]f\"]\nx = 1\n",
    "[a \"b\\",
    "[a \"b",
    "[a \"b\"",
    "[a",
    "[a\r\"b\"]\nx = 1\n",
    "[a \"b\rc\"]\nx = 1\n",
    "[a_b]\nx = 1\n",
    "[a/b]\nx = 1\n",
    "[é]\nx = 1\n",
    "[a \"é\"]\nx = é\n",
    "[a][b]\nx = 1\n",
    "[a]x=1[b]\ny=2\n",
    "[a]x=1\n[b]y=2",
    "[a]\nx y = 1\n",
    "[a]\nx_y = 1\n",
    "[a]\n1x = 1\n",
    "[a]\n-x = 1\n",
    "[a]\nx- = 1\nx1\n",
    "[a]\nx # comment\n",
    "[a]\nx ; comment\n",
    "[a]\nx\r\ny\r\n",
    "[a]\nx\ry\n",
    "[a]\nx \r = 1\n",
    "[a]\nx\x0b = 1\n",
    "[a]\nx = \x0b1\x0c \n",
    "[a]\nx =\n",
    "[a]\nx = \n",
    "[a]\nx = \"\"\n",
    "[a]\nx = \"\" \"\" b\n",
    "[a]\nx = == b\n",
    "[a]\nx =\t b\t c  \td \t\n",
    "[a]\nx = b # c\ny = b ; c\nz = b\\\n # c\n",
    "[a]\nx = \"b # c\" # d\n",
    "[a]\nx = b\"c d\"e \" f \" # g\n",
    "[a]\nx = \"b\n",
    "[a]\nx = \"b\\\nc\"\n",
    "[a]\nx = \"b\"\"c\n",
    "[a]\nx = b\\\n",
    "[a]\nx = b\\",
    "[a]\nx = b \\",
    "[a]\nx = b \\\n",
    "[a]\nx = b \\\n\n",
    "[a]\nx = b \\\n   c\n",
    "[a]\nx = b # c\\\ny = 2\n",
    "[a]\nx = b \\\n[core]\nfsmonitor = x\n",
    "[a]\nx = b \\\r\n[core]\r\nfsmonitor = x\r\n",
    "[a]\nx = b \\\r[core]\n",
    "[a]\nx = \\t\\b\\n\\\\\\\"\n",
    "[a]\nx = \\q\n",
    "[a]\nx = \\r\n",
    "[a]\nx = \\ \n",
    "[a]\nx = \"\\q\"\n",
    "[a]\nx = b\rc\n",
    "[a]\nx = b\r\r\n",
    "[a]\nx = b\r",
    "[a]\rx = b\n",
    "# c\r[core]\rfsmonitor = x\n",
    "# c\\\n[a]\nx = 1\n",
    "; c\n#d\n  # e\n[a] # f\nx = 1\n[a];f\nx = 2\n",
    "#",
    "]",
    "\"a\"\n",
    "[a]\n= 1\n",
    "[a]\n\"x\" = 1\n",
    "\u{feff}[a]\nx = 1\n",
    "\u{feff}",
    "\u{feff}\u{feff}[a]\nx = 1\n",
    " \u{feff}[a]\nx = 1\n",
    "[a]\n\u{feff}x = 1\n",
    "[a]\nx = \u{feff}1\n",
    "[include]\npath = /etc/passwd\n",
    "[a]\nx = 1\nx = 2\nX = 3\n[A]\nx\n",
    "[a]\nx = 'b # c'\n",
    "[a]\nx = b\u{a0}\n",
];

#[test]
fn tricky_texts_are_read_as_git_reads_them() {
    for text in TRICKY {
        let text = text.as_bytes();
        assert_eq!(we_read(text), git_reads(text), "{}", text.escape_ascii());
    }
    for text in [
        &b"\xef"[..],
        b"\xef\xbb",
        b"\xef\xbb[a]\nx=1",
        b"[a \"\xff\"]\nx=\xfe",
    ] {
        assert_eq!(we_read(text), git_reads(text), "{}", text.escape_ascii());
    }
}

#[test]
fn places_are_exact() {
    let text = b"[a] one = 1 # c\r\n  two\r\nthree = \"3\" \\\n 3";
    let document = parse(text).unwrap();
    let places: Vec<_> = document
        .entries
        .iter()
        .map(|entry| {
            let body = text.get(entry.start..entry.body_end).unwrap();
            let tail = text.get(entry.key_end..entry.end).unwrap();
            (str::from_utf8(body).unwrap(), str::from_utf8(tail).unwrap())
        })
        .collect();
    assert_eq!(
        places,
        [
            ("one = 1 # c", " = 1 # c\r\n"),
            ("two", "\r\n"),
            ("three = \"3\" \\\n 3", " = \"3\" \\\n 3"),
        ]
    );
    assert!(document.ends_in_entry);
}

#[test]
fn bounds_are_kept() {
    let line = |count: usize| {
        let mut text = b"[a]\n".to_vec();
        text.extend(b"x = 1\n".repeat(count));
        text
    };
    assert!(parse(&line(20_000)).is_ok());
    assert_eq!(
        parse(&line(20_001)).unwrap_err(),
        SyntaxError::TooManyEntries { line: 20_002 }
    );
    assert!(parse(&b"[a]".repeat(20_001)).is_err());
    assert_eq!(
        parse(&vec![b'\n'; (4 << 20) + 1]).unwrap_err(),
        SyntaxError::TextTooLong {
            length: (4 << 20) + 1
        }
    );
    let long = "n".repeat(4097);
    assert!(parse(format!("[a \"{long}\"]").as_bytes()).is_err());
    assert!(parse(format!("[a]\n{long}\n").as_bytes()).is_err());
    assert_eq!(
        parse(b"[a]\nx = b\0c\n").unwrap_err(),
        SyntaxError::Nul { line: 2 }
    );
}

/// Pieces that are likely to make a text both accepted and odd.
pub(super) fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"[core]"[..],
        b"[core]\n",
        b"[remote \"o\"]\n",
        b"[a.B]",
        b"[a \"",
        b"\"]",
        b"]",
        b"[",
        b"\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\t",
        b"\\",
        b"\\\n",
        b"\\n",
        b"\\\"",
        b"\"",
        b"\"",
        b"#",
        b";",
        b"=",
        b" = ",
        b"key",
        b"bare = true\n",
        b"\tfsmonitor = x\n",
        b"url",
        b".",
        b"-",
        b"1",
        b"\x0b",
        b"\xff",
        b"\xef\xbb\xbf",
        b"x=y\n",
        b"v w",
        b"hooksPath=/x",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn generated_texts_are_read_as_git_reads_them(text in pieces()) {
        prop_assert_eq!(we_read(&text), git_reads(&text));
    }

    #[test]
    fn generated_values_are_read_as_git_reads_them(
        value in "[ \t\r\n\\\\\"#;=a-c]{0,16}",
        subsection in "[ \t\r\\\\\".a-c]{0,8}",
    ) {
        let text = format!("[s \"{subsection}\"]\nx = {value}\ny = 1\n").into_bytes();
        prop_assert_eq!(we_read(&text), git_reads(&text));
    }
}

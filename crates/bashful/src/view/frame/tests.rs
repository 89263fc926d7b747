//! What a frame looks like, and that no child can make it look otherwise.

use std::time::Duration;

use super::{
    super::style::{Colour, Style},
    screen::{Screen, Widths},
    *,
};

const STDOUT: Stream = Stream::Stdout;
const STDERR: Stream = Stream::Stderr;
const ABOVE: &str = "$ bashful run";
const ELAPSED: Duration = Duration::from_millis(4200);

/// One run: how it is drawn, and on which terminal.
#[derive(Clone, Copy)]
struct Setting {
    width: usize,
    colour: Colour,
    widths: Widths,
}

const USUAL: Setting = Setting {
    width: 24,
    colour: Colour::On,
    widths: Widths::Unicode,
};

/// Whether the clock ticks between the pieces of output.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    Ticking,
    Stopped,
}

/// The rows of the screen after a whole run.
fn run(setting: Setting, clock: Clock, pieces: &[(Stream, &[u8])]) -> Vec<String> {
    let Setting {
        width,
        colour,
        widths,
    } = setting;
    let mut screen = Screen::new(width, widths);
    screen.write(ABOVE.as_bytes());
    screen.write(b"\n");
    let mut frame = Frame::new(Style { width, colour });
    let mut show = |act: &mut dyn FnMut(&mut Frame, &mut Vec<u8>)| {
        let mut out = Vec::new();
        act(&mut frame, &mut out);
        let text = String::from_utf8_lossy(&out)
            .replace("\x1b[K", "")
            .replace("\x1b[?7", "");
        assert!(colour == Colour::On || !text.contains('\x1b'), "{text:?}");
        screen.write(&out);
    };
    show(&mut |frame, out| frame.header("test", out));
    for (second, (stream, bytes)) in (5..).zip(pieces) {
        show(&mut |frame, out| frame.output(*stream, bytes, out));
        let moment = Moment {
            now: Duration::from_secs(second),
            last_output: Duration::ZERO,
        };
        if clock == Clock::Ticking {
            show(&mut |frame, out| frame.tick(moment, out));
        }
    }
    show(&mut |frame, out| frame.footer(Outcome::Completed { elapsed: ELAPSED }, out));
    screen.rows()
}

/// The rows of a screen on which only one thing was drawn, without the row of the cursor.
fn drawn_alone(setting: Setting, act: impl FnOnce(&mut Frame, &mut Vec<u8>)) -> Vec<String> {
    let Setting {
        width,
        colour,
        widths,
    } = setting;
    let mut screen = Screen::new(width, widths);
    let mut out = Vec::new();
    act(&mut Frame::new(Style { width, colour }), &mut out);
    screen.write(&out);
    let mut rows = screen.rows();
    assert_eq!(rows.pop().as_deref(), Some(""));
    rows
}

/// The rows between the rules, after a check that everything around them is as it must be.
#[track_caller]
fn between_rules(setting: Setting, mut rows: Vec<String>) -> Vec<String> {
    let head = drawn_alone(setting, |frame, out| {
        out.extend_from_slice(ABOVE.as_bytes());
        out.push(b'\n');
        frame.header("test", out);
    });
    let foot = drawn_alone(setting, |frame, out| {
        frame.footer(Outcome::Completed { elapsed: ELAPSED }, out);
    });
    assert_eq!(rows.pop().as_deref(), Some(""));
    assert_eq!(rows.split_off(rows.len() - foot.len()), foot);
    assert_eq!(rows.drain(..head.len()).collect::<Vec<_>>(), head);
    rows
}

/// Compares the rows of the child on a usual terminal.
#[track_caller]
fn shows(pieces: &[(Stream, &[u8])], expected: &[&str]) {
    let rows = run(USUAL, Clock::Stopped, pieces);
    assert_eq!(between_rules(USUAL, rows), expected);
}

#[test]
fn looks_as_promised() {
    let setting = Setting {
        width: 80,
        colour: Colour::Off,
        ..USUAL
    };
    let rows = run(setting, Clock::Ticking, &[(STDOUT, b"ok 1\nok 2\n")]);
    let rule = "────────────────────────────────────────";
    assert_eq!(
        rows,
        [
            ABOVE,
            "Running: test",
            rule,
            "│ ok 1",
            "│ ok 2",
            rule,
            "✓ Command completed (4.2s)",
            ""
        ]
    );
}

#[test]
fn the_exact_bytes_of_one_line() {
    let mut frame = Frame::new(Style {
        width: 80,
        colour: Colour::On,
    });
    let mut out = Vec::new();
    frame.output(STDOUT, b"\x1b[31mno\nyes", &mut out);
    let expected = "\x1b[?7l\r\x1b[K\x1b[2m│\x1b[0m \x1b[0;31mno\x1b[0m\n\x1b[2m│\x1b[0m \x1b[0;31myes\x1b[0m\x1b[?7h";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a_row_that_goes_on_keeps_its_colours() {
    let mut frame = Frame::new(Style {
        width: 80,
        colour: Colour::On,
    });
    frame.output(STDERR, b"\x1b[32mgreen", &mut Vec::new());
    frame.output(STDERR, b"\x1b[mplain", &mut Vec::new());
    let mut out = Vec::new();
    frame.output(STDERR, b"!", &mut out);
    let expected = "\x1b[?7l\r\x1b[K\x1b[31m┆\x1b[0m \x1b[0;32mgreen\x1b[0mplain!\x1b[?7h";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn descriptions_are_one_harmless_line() {
    let mut out = Vec::new();
    let mut frame = Frame::new(Style {
        width: 30,
        colour: Colour::Off,
    });
    frame.header("a\n✓ Command completed\x1b[2J and more", &mut out);
    let rule = "─".repeat(29);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        format!("Running: a␊✓ Command comp…\n{rule}\n")
    );
}

#[test]
fn long_lines_wrap_behind_the_gutter() {
    shows(
        &[(STDOUT, b"0123456789012345678901234567")],
        &["│ 012345678901234567890", "│ 1234567"],
    );
    shows(
        &[(STDOUT, "日本語日本語日本語日本語".as_bytes())],
        &["│ 日本語日本語日本語日", "│ 本語"],
    );
    shows(
        &[(STDOUT, b"012345678901234567890\nx")],
        &["│ 012345678901234567890", "│ x"],
    );
}

#[test]
fn lines_of_other_shapes() {
    shows(
        &[(STDOUT, b"a\tb\n\tc\r\n\nd")],
        &["│ a       b", "│         c", "│ ", "│ d"],
    );
    shows(&[(STDERR, b"oh\n")], &["┆ oh"]);
    shows(&[(STDOUT, b"")], &[]);
    shows(&[(STDOUT, b"\x08\x07\x1b[2J")], &["│ ^H^G␛[2J"]);
    shows(&[(STDOUT, b"\x1b[3")], &["│ ␛[3"]);
}

#[test]
fn a_carriage_return_redraws_the_row() {
    shows(&[(STDOUT, b"10%\r20%\r100%\n")], &["│ 100%"]);
    shows(&[(STDOUT, b"done\r"), (STDOUT, b"\n")], &["│ done"]);
    shows(&[(STDOUT, b"long line\rx")], &["│ x"]);
    shows(&[(STDOUT, b"gone\r\x1b[K\n")], &["│ "]);
    shows(&[(STDOUT, b"\r\r\x1b[Kx\x1b[K")], &["│ x"]);
}

#[test]
fn streams_do_not_share_a_row() {
    shows(
        &[(STDOUT, b"one "), (STDERR, b"oops\n"), (STDOUT, b"two\n")],
        &["│ one ", "┆ oops", "│ two"],
    );
    // The line end of a line that was cut is not another empty line.
    shows(
        &[
            (STDOUT, b"one"),
            (STDERR, b"oops"),
            (STDOUT, b"\n"),
            (STDERR, b"\n"),
        ],
        &["│ one", "┆ oops"],
    );
    shows(
        &[
            (STDOUT, b"e"),
            (STDERR, b"x"),
            (STDOUT, "\u{301}".as_bytes()),
        ],
        &["│ e", "┆ x", "│ \\u{301}"],
    );
    shows(
        &[(STDOUT, b"\xe2\x9c"), (STDERR, b"x\n"), (STDOUT, b"\x93\n")],
        &["┆ x", "│ ✓"],
    );
}

#[test]
fn a_spinner_never_covers_an_unfinished_line() {
    let mut frame = Frame::new(Style {
        width: 80,
        colour: Colour::Off,
    });
    let moment = Moment {
        now: Duration::from_secs(9),
        last_output: Duration::ZERO,
    };
    let mut written = |act: &mut dyn FnMut(&mut Frame, &mut Vec<u8>)| {
        let mut out = Vec::new();
        act(&mut frame, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        written(&mut |frame, out| frame.tick(moment, out)),
        "\r\x1b[K⠋ Still running (9s)"
    );
    let text = written(&mut |frame, out| frame.output(STDOUT, b"Name? ", out));
    assert_eq!(text, "\r\x1b[K\x1b[?7l\r\x1b[K│ Name? \x1b[?7h");
    assert_eq!(written(&mut |frame, out| frame.tick(moment, out)), "");
    assert_eq!(written(&mut Frame::make_way), "\n");
}

#[test]
fn typing_does_not_open_a_gap_in_the_gutter() {
    let mut screen = Screen::new(40, Widths::Unicode);
    let mut frame = Frame::new(Style {
        width: 40,
        colour: Colour::On,
    });
    let mut say = |bytes: &[u8], typed: &str| {
        let mut out = Vec::new();
        frame.output(STDOUT, bytes, &mut out);
        screen.write(&out);
        screen.write(typed.as_bytes());
        screen.rows()
    };
    say(b"\x1b[31mPress Enter", "yes\n");
    let rows = say("\x1b[0m✓ Command completed\n".as_bytes(), "typed");
    assert_eq!(
        rows,
        [
            "│ Press Enteryes",
            "│ Press Enter✓ Command completed",
            "typed"
        ]
    );
    let rows = say(b"more\n", "");
    assert_eq!(
        rows,
        [
            "│ Press Enteryes",
            "│ Press Enter✓ Command completed",
            "│ more",
            ""
        ]
    );
}

#[test]
fn memory_stays_small_whatever_arrives() {
    let mut frame = Frame::new(Style {
        width: 80,
        colour: Colour::On,
    });
    for piece in [
        &b"\x1b[1;1;1;1;"[..],
        b"x",
        b"\r",
        b"\t",
        b"\xcc\x81",
        b"\x1b]",
    ] {
        let chunk = piece.repeat(1000);
        for _ in 0..20 {
            let mut out = Vec::new();
            frame.output(STDOUT, &chunk, &mut out);
            assert!(out.len() < chunk.len() * 12);
            let remembered = format!("{frame:?}");
            assert!(remembered.len() < 16_384, "{remembered}");
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit
    }

    /// Pieces of output that try everything.
    fn attack(&mut self) -> Vec<(Stream, Vec<u8>)> {
        let alphabet: [&[u8]; 50] = [
            b"\x1b",
            b"[",
            b"\x1b[",
            b"0",
            b"1",
            b"31",
            b";",
            b"m",
            b"K",
            b"A",
            b"J",
            b"H",
            b"?7h",
            b"\r",
            b"\n",
            b"\r\n",
            b"\x08",
            b"\t",
            b"\x07",
            b"\0",
            b"\x7f",
            b"\x0b",
            b"\x0c",
            b"\x85",
            b"\x9b",
            b"\xff",
            b"\xe2",
            b"\x9c",
            b"\xf0\x9f",
            b"a",
            b"word ",
            b" ",
            "✓".as_bytes(),
            "─".as_bytes(),
            "│ ".as_bytes(),
            "日本".as_bytes(),
            "😀".as_bytes(),
            "\u{301}".as_bytes(),
            "\u{489}".as_bytes(),
            "\u{200d}".as_bytes(),
            "\u{202e}".as_bytes(),
            "\u{9b}".as_bytes(),
            "\u{85}".as_bytes(),
            "\u{2028}".as_bytes(),
            "\u{fe0f}".as_bytes(),
            "\u{ad}".as_bytes(),
            "\x1b[38;5;9m".as_bytes(),
            "\x1b[41;1m".as_bytes(),
            "✓ Command completed (4.2s)".as_bytes(),
            "\u{1160}".as_bytes(),
        ];
        (0..self.below(5))
            .map(|_| {
                let stream = [STDOUT, STDERR][self.below(2)];
                let length = self.below(40);
                let bytes = (0..length).flat_map(|_| alphabet[self.below(alphabet.len())]);
                (stream, bytes.copied().collect())
            })
            .collect()
    }

    /// The same output in other chunks.
    fn cut<'a>(&mut self, pieces: &'a [(Stream, Vec<u8>)]) -> Vec<(Stream, &'a [u8])> {
        let mut chunks = Vec::new();
        for (stream, bytes) in pieces {
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (chunk, left) = rest.split_at(1 + self.below(rest.len().min(7)));
                chunks.push((*stream, chunk));
                rest = left;
            }
        }
        chunks
    }
}

#[test]
fn no_bytes_of_a_child_can_leave_the_frame() {
    let mut random = Xorshift(0x5eed_cafe_f00d_1234);
    for case in 0..6000 {
        let setting = Setting {
            width: 6 + random.below(60),
            colour: [Colour::On, Colour::Off][random.below(2)],
            widths: [Widths::Unicode, Widths::AllWide][random.below(2)],
        };
        let attack = random.attack();
        let whole: Vec<_> = attack
            .iter()
            .map(|(stream, bytes)| (*stream, bytes.as_slice()))
            .collect();
        let rows = run(setting, Clock::Stopped, &whole);
        for row in between_rules(setting, rows.clone()) {
            let framed = row.starts_with("│ ") || row.starts_with("┆ ");
            assert!(framed, "case {case}: {row:?} of {attack:?}");
        }
        let chunks = random.cut(&attack);
        let ticking = run(setting, Clock::Ticking, &chunks);
        assert_eq!(ticking, rows, "case {case}: {attack:?}");
    }
}

//! Random shell text: the reader neither panics nor takes long, and says the same twice.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a fuzz job reads how long it may work; the crate itself reads no clock"
)]

use std::time::{Duration, Instant};

use bashful_policy::{CommandValidator, PermissionProfile};

/// Pieces that grammar bugs are made of.
const PIECES: &[&str] = &[
    " ",
    "\n",
    "\t",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "{",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "$(",
    "`",
    "<(",
    ">(",
    "${",
    "$((",
    "\"",
    "'",
    "$'",
    "\\",
    "#",
    "!",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    "<",
    ">",
    ">>",
    "<<",
    "<<-",
    "<<<",
    "&>",
    "2>&1",
    "if",
    "then",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    "function",
    "time",
    "coproc",
    "rm",
    "-rf",
    "/",
    "sudo",
    "env",
    "bash",
    "-c",
    "eval",
    "xargs",
    "find",
    "-exec",
    "EOF",
    "'EOF'",
    "a",
    "x=1",
    "é",
    "\u{202e}",
    "\u{0}",
    "\r",
    "mkfs",
    "dd",
    "of=/dev/sda",
    ":(){ :|:& };:",
];

/// A small generator, so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap_or(0)
    }

    fn text(&mut self) -> String {
        let pieces = 1 + self.below(60);
        (0..pieces)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }
}

#[test]
fn fuzz_random_shell_text_is_read_in_bounded_time() {
    let seconds = std::env::var("BASHFUL_SOAK_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(1));
    let validator = CommandValidator::default();
    let profile = PermissionProfile::new("fuzz")
        .deny("tool:bash:rm *")
        .build()
        .unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut count = 0_u64;
    while Instant::now() < end {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let text = Random(seed | 1).text();
        let begun = Instant::now();
        let decision = validator.check(&text);
        let effect = profile.decide(&text).effect;
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "seed {seed}: {text:?}"
        );
        assert_eq!(validator.check(&text), decision, "seed {seed}: {text:?}");
        assert_eq!(
            profile.decide(&text).effect,
            effect,
            "seed {seed}: {text:?}"
        );
        count += 1;
    }
    assert!(count > 100, "only {count} texts were tried");
}

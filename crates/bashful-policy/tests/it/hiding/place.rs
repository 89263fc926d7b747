//! A place in a program where a command can stand, and how a program is put there.

/// Where the inner program goes.
const HOLE: char = '§';

/// A number that no place around or inside has, to tell names and delimiters apart.
const NUMBER: char = '¤';

/// One place where a command can stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Its name, for messages.
    pub(crate) name: &'static str,
    /// A program with a hole.
    text: &'static str,
    /// What quoting the hole stands in.
    quoting: Quoting,
    /// How much of it can be known from the text.
    pub(crate) kind: Kind,
}

/// How much can be known from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Everything: the command is to be found.
    Literal,
    /// A value decides, so a flag is an honest answer.
    Dynamic,
    /// A program runs it by itself or by the environment, so the decision must not be an allow.
    Judged,
}

/// The quoting around a hole.
#[derive(Debug, Clone, Copy)]
enum Quoting {
    None,
    Single,
    Double,
    Ansi,
    Backtick,
    DoubleBacktick,
    HereDocument,
}

/// A place for plain program text, which the reader has to find.
pub(crate) const fn place(name: &'static str, text: &'static str) -> Place {
    Place {
        name,
        text,
        quoting: Quoting::None,
        kind: Kind::Literal,
    }
}

impl Place {
    /// The hole stands between single quotes.
    pub(crate) const fn single(self) -> Self {
        self.quoted(Quoting::Single)
    }

    /// The hole stands between double quotes.
    pub(crate) const fn double(self) -> Self {
        self.quoted(Quoting::Double)
    }

    /// The hole stands in `$'…'`.
    pub(crate) const fn ansi(self) -> Self {
        self.quoted(Quoting::Ansi)
    }

    /// The hole stands between backticks.
    pub(crate) const fn backtick(self) -> Self {
        self.quoted(Quoting::Backtick)
    }

    /// The hole stands between backticks that stand between double quotes.
    pub(crate) const fn double_backtick(self) -> Self {
        self.quoted(Quoting::DoubleBacktick)
    }

    /// The hole is the text of a here-document that expands.
    pub(crate) const fn here_document(self) -> Self {
        self.quoted(Quoting::HereDocument)
    }

    /// A value decides what runs.
    pub(crate) const fn dynamic(self) -> Self {
        Self {
            kind: Kind::Dynamic,
            ..self
        }
    }

    /// A program decides what runs.
    pub(crate) const fn judged(self) -> Self {
        Self {
            kind: Kind::Judged,
            ..self
        }
    }

    const fn quoted(self, quoting: Quoting) -> Self {
        Self { quoting, ..self }
    }

    /// The program with `inner` in its hole.
    pub(crate) fn around(&self, inner: &str, number: usize) -> String {
        let text = self.text.replace(NUMBER, &number.to_string());
        let Some((before, after)) = text.split_once(HOLE) else {
            return text;
        };
        let (inner, after) = match self.quoting {
            Quoting::None => ended(inner, after),
            quoting => (quoting.apply(inner), after),
        };
        format!("{before}{inner}{after}")
    }
}

/// A program and what follows it, with a line end between them where it needs one.
fn ended<'a>(inner: &str, after: &'a str) -> (String, &'a str) {
    let needs_line_end = inner.contains(['\n', '#']) || inner.ends_with('&');
    if !needs_line_end || after.starts_with('\n') {
        return (inner.to_owned(), after);
    }
    let single = after.starts_with(';') && !after.starts_with(";;") && !after.starts_with(";&");
    let after = if single {
        after.get(1..).unwrap_or_default()
    } else {
        after
    };
    (format!("{inner}\n"), after)
}

impl Quoting {
    fn apply(self, inner: &str) -> String {
        let escaped = match self {
            Self::None => "",
            Self::Single => return inner.replace('\'', r"'\''"),
            Self::Double => r#"\"$`"#,
            Self::Ansi => r"\'",
            Self::Backtick => r"\`",
            Self::DoubleBacktick => "\\`\"",
            Self::HereDocument => r"\$`",
        };
        let mut text = String::new();
        for character in inner.chars() {
            if escaped.contains(character) {
                text.push('\\');
            }
            text.push(character);
        }
        text
    }
}

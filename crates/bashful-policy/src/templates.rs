//! Templates: values that come from elsewhere, bound into a script so that bash never reads one of
//! them as code.
//!
//! `${trigger.file.path}` stands for a value. It is not pasted into the text: a variable of ours
//! takes its place, written so that bash expands it as data where it stands, and the value is given
//! to that variable before the script starts. So whatever a value holds, the text that bash parses
//! is the same. What is left is to know where bash, or a program that it starts, would evaluate the
//! value of a variable; there a template is refused.
//!
//! What a script then does with a copy of a value is the script's own doing, which the sandbox holds;
//! `copies` finds the usual mistakes, for a warning.
//!
//! To read this, follow a script: `name` (what is written like a template), `split` (which commands
//! have them), `part` (such a command, read), `search` (what each template is), `site` (how each is
//! written, from the marks of the syntax tree), `calls` (what the commands around it would do with
//! it), `script` (what the whole script says about its variables), `bind` (the text that runs).
//! `declared` is about variables that are set before the script.

mod bind;
mod calls;
mod copies;
mod declared;
mod error;
mod misuse;
mod name;
mod part;
mod read;
mod script;
mod search;
mod site;
mod split;
mod value;

pub use bind::{Binding, Bound, Missing};
pub use copies::{CopiedValue, Holds, copied_values};
pub use declared::{Declared, Origin, Resolved, has_references};
pub use error::{Position, Refusal, TemplateError};
pub use name::TemplateName;
pub use read::{Template, check_template, read_template};
pub use value::Value;

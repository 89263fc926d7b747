//! Bashful's policy: from a command's text to a decision, with its reason.
//!
//! The crate is pure: no IO, no clock, no environment. To read it, follow a command: `shell` (text
//! to tree), `facts` (tree to what would run, where, with what), then what judges facts: `classes`
//! (refused until a capability is held), `writes` (what is written where), `programs` (what only
//! reads), `rule` and `ruleset` (what people configure), and `decide`, which weighs them.
//!
//! What is refused here is a courtesy that gives a good message early. The boundary is the sandbox.

mod arguments;
mod capabilities;
mod classes;
mod context;
mod decide;
mod decision;
mod facts;
mod finding;
mod glob;
mod hijack;
mod hosts;
pub mod import;
mod limits;
mod places;
mod profile;
mod programs;
mod quote;
mod reach;
mod read;
mod rule;
mod ruleset;
mod shell;
mod shell_memory;
mod suggest;
mod templates;
mod validator;
mod writes;

pub use capabilities::{
    Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits, UnknownPreset,
    Widening,
};
pub use classes::{Class, UnknownClass};
pub use context::{Context, Directory, LocalRepositories, Openable, Reading};
pub use decide::{Judgement, Otherwise, Policy, decide, judge};
pub use decision::{Decision, Effect, Layer};
pub use facts::{
    Argument, Assignment, Call, Facts, Function, Input, Place, Printed, Redirect, RedirectKind,
    Span, Unknown, UnknownKind,
};
pub use finding::{Finding, Standing};
pub use hijack::is_hijack_variable;
pub use hosts::{
    Cidr, Host, HostError, HostFault, HostName, HostRule, HostRules, Ports, Target, is_global,
    preset_names, unmapped,
};
pub use profile::{PermissionProfile, ProfileBuilder, ProfileError};
pub use programs::{
    GitAddress, GitRemote, GitScheme, GitTransfer, git_address, git_path, git_transfers,
};
pub use quote::{build_safe_command, escape_arg};
pub use read::read;
pub use rule::{Rule, RuleEffect, RuleError, RuleErrorKind, RuleSource, parse_rules, read_rules};
pub use ruleset::{BUILTIN_RULES, BUILTIN_RULES_VERSION, Lint, Ruleset, lint};
pub use shell_memory::{Definition, NotFunctions, RememberedVariable, ShellMemory, functions_of};
pub use suggest::{Suggestion, is_too_wide};
pub use templates::{
    Binding, Bound, CopiedValue, Declared, Holds, Missing, Origin, Position, Refusal, Resolved,
    Template, TemplateError, TemplateName, Value, check_template, copied_values, has_references,
    read_template,
};
pub use validator::{CommandValidator, MAX_COMMAND_BYTES, ValidationError};

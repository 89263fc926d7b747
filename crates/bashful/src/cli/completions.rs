//! The flags of `bashful completions`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Where each shell looks for it; the directory has to be there, and a new shell knows it:
  bashful completions bash > ~/.local/share/bash-completion/completions/bashful
  bashful completions zsh > ~/.zfunc/_bashful
  bashful completions fish > ~/.config/fish/completions/bashful.fish

Bash needs its package bash-completion for that, and zsh `fpath+=~/.zfunc` before `compinit` in
~/.zshrc. Without either, ~/.bashrc or the end of ~/.zshrc can have
  source <(bashful completions bash)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell that is to complete.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: CompletedShell,
}

/// A shell that a person types into.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

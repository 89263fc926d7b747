//! The flags of `bashful completions`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Where each shell looks for the script. The directory must exist; new shells then find it:
  bashful completions bash > ~/.local/share/bash-completion/completions/bashful
  bashful completions zsh > ~/.zfunc/_bashful
  bashful completions fish > ~/.config/fish/completions/bashful.fish

For that, Bash needs the package bash-completion, and zsh needs `fpath+=~/.zfunc` before `compinit`
in ~/.zshrc. Without them, put this line into ~/.bashrc or at the end of ~/.zshrc:
  source <(bashful completions bash)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell to write it for.
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

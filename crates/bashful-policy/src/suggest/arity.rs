//! How many words of a command say what it does.

use crate::programs::DOES_ANYTHING;

/// Prefixes by how many words of a command that begins so say what it does; after those with none,
/// no number does. The longest prefix that fits counts.
#[rustfmt::skip]
const ARITY: &[(usize, &[&str])] = &[
    (0,
        &["cmake", "gh alias", "gh api", "gh extension", "git rebase", "git submodule foreach",
          "npm exec", "pnpm dlx", "pnpm exec", "uv tool", "yarn dlx", "yarn exec"]),
    (2,
        &["apt", "apt-get", "bun", "bundle", "cabal", "cargo", "cargo run", "composer", "dart",
          "deno", "docker-compose", "dotnet", "flutter", "git add", "git commit", "git merge",
          "git switch", "git tag", "go", "gradle", "heroku", "just", "make", "mix", "mvn", "npm",
          "npm ci", "pnpm", "poetry", "rake", "swift", "task", "terraform", "tofu", "uv", "vercel",
          "yarn", "zig"]),
    (3,
        &["bazel", "brew", "bun add", "bun run", "bundle exec", "cargo add", "cargo install",
          "cargo xtask", "composer require", "conda", "deno task", "docker compose", "docker pull",
          "gem", "gh", "git clone", "git fetch", "git lfs", "git ls-remote", "git pull", "git push",
          "git remote", "git stash", "git submodule", "git worktree", "go get", "go install",
          "go mod", "go run", "helm", "npm i", "npm install", "npm run", "npm run-script", "nx",
          "pip", "pip3", "pnpm add", "pnpm run", "podman compose", "poetry add", "poetry run",
          "rustup", "systemctl", "turbo", "uv add", "uv pip", "uv run", "yarn add", "yarn run"]),
    (4, &["yarn workspace"]),
];

/// Runners whose third word can be a shell or interpreter.
const RUNNERS: &[&str] = &["bundle exec", "poetry run", "uv run", "go run"];

/// Programs of which no prefix says what is done, beside those that do anything.
const BANNED: &[&str] = &[
    "chroot", "expect", "ionice", "kill", "make -f", "mosh", "nc", "ncat", "nsenter", "pkill",
    "psql", "rsync", "scp", "sed", "sftp", "socat", "tee", "telnet", "trap", "unshare",
];

/// Programs that are offered not even word for word: what they do is in what they are given.
const NEVER: &[&str] = &["sudo", "doas", "su", "pkexec", "eval", "source", ".", "trap", "exec"];

/// All prefixes, each with its number of words.
fn prefixes() -> impl Iterator<Item = (&'static str, usize)> {
    let pairs = |(length, prefixes): &'static (usize, &'static [&'static str])| {
        prefixes.iter().map(move |prefix| (*prefix, *length))
    };
    ARITY.iter().flat_map(pairs)
}

/// The number of words that say what this does; none when no prefix should be remembered.
pub(super) fn of(words: &[&str]) -> Option<usize> {
    let program = words.first()?;
    let second = words.get(1).copied().unwrap_or_default();
    let third = words.get(2).copied().unwrap_or_default();
    let longest = [
        format!("{program} {second} {third}"),
        format!("{program} {second}"),
        (*program).to_owned(),
    ];
    let entry = longest
        .iter()
        .find_map(|prefix| prefixes().find(|(known, _)| known == prefix));
    let (known, length) = entry?;
    let banned = is_banned(program) && !known.contains(' ');
    let tool = RUNNERS.contains(&known) && is_banned(third);
    (length > 1 && !banned && !tool && words.len() >= length).then_some(length)
}

fn is_banned(program: &str) -> bool {
    // `python3.11` is python too.
    let plain = program.trim_end_matches(|next: char| next.is_ascii_digit() || next == '.');
    [program, plain]
        .iter()
        .any(|name| DOES_ANYTHING.contains(name) || BANNED.contains(name))
}

/// Whether a shape with these fixed words and an open end leaves open what would run: a program
/// that runs others, or one whose first words have not said yet what is done.
pub(super) fn leaves_open(fixed: &[&str]) -> bool {
    let Some(program) = fixed.first().copied() else {
        return true;
    };
    if fixed.len() == 1 {
        let many = format!("{program} ");
        let verbs = |(known, length): (&str, usize)| {
            known.starts_with(&many) || (known == program && length > 1)
        };
        return is_banned(program) || is_never_offered(program) || prefixes().any(verbs);
    }
    // `docker run …` and `env X=1 …` run whatever follows; `docker pull alpine …` does not.
    is_never_offered(program) || (is_banned(program) && of(fixed).is_none())
}

/// Whether not even the whole command is offered.
pub(super) fn is_never_offered(program: &str) -> bool {
    NEVER.contains(&program) || program.is_empty()
}

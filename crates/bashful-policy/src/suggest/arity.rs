//! How many words of a command say what it does.

use crate::programs::DOES_ANYTHING;

/// Prefixes with their number of words. The longest that fits counts.
const ARITY: &[(&str, usize)] = &[
    ("apt", 2),
    ("apt-get", 2),
    ("bazel", 3),
    ("brew", 3),
    ("bun", 2),
    ("bun add", 3),
    ("bun run", 3),
    ("bundle", 2),
    ("bundle exec", 3),
    ("cabal", 2),
    ("cargo", 2),
    ("cargo add", 3),
    ("cargo install", 3),
    ("cargo run", 2),
    ("cargo xtask", 3),
    ("cmake", 0),
    ("composer", 2),
    ("composer require", 3),
    ("conda", 3),
    ("dart", 2),
    ("deno", 2),
    ("deno task", 3),
    ("docker compose", 3),
    ("docker-compose", 2),
    ("docker pull", 3),
    ("dotnet", 2),
    ("flutter", 2),
    ("gem", 3),
    ("gh", 3),
    ("gh api", 0),
    ("gh extension", 0),
    ("gh alias", 0),
    ("git add", 2),
    ("git clone", 3),
    ("git commit", 2),
    ("git fetch", 3),
    ("git lfs", 3),
    ("git ls-remote", 3),
    ("git merge", 2),
    ("git pull", 3),
    ("git push", 3),
    ("git rebase", 0),
    ("git remote", 3),
    ("git stash", 3),
    ("git submodule", 3),
    ("git submodule foreach", 0),
    ("git switch", 2),
    ("git tag", 2),
    ("git worktree", 3),
    ("go", 2),
    ("go get", 3),
    ("go install", 3),
    ("go mod", 3),
    ("go run", 3),
    ("gradle", 2),
    ("helm", 3),
    ("heroku", 2),
    ("just", 2),
    ("make", 2),
    ("mix", 2),
    ("mvn", 2),
    ("npm", 2),
    ("npm ci", 2),
    ("npm exec", 0),
    ("npm i", 3),
    ("npm install", 3),
    ("npm run", 3),
    ("npm run-script", 3),
    ("pip", 3),
    ("pip3", 3),
    ("pnpm", 2),
    ("pnpm add", 3),
    ("pnpm dlx", 0),
    ("pnpm exec", 0),
    ("pnpm run", 3),
    ("poetry", 2),
    ("poetry add", 3),
    ("poetry run", 3),
    ("podman compose", 3),
    ("rake", 2),
    ("rustup", 3),
    ("swift", 2),
    ("systemctl", 3),
    ("task", 2),
    ("terraform", 2),
    ("tofu", 2),
    ("turbo", 3),
    ("nx", 3),
    ("uv", 2),
    ("uv add", 3),
    ("uv pip", 3),
    ("uv run", 3),
    ("uv tool", 0),
    ("vercel", 2),
    ("yarn", 2),
    ("yarn add", 3),
    ("yarn dlx", 0),
    ("yarn exec", 0),
    ("yarn run", 3),
    ("yarn workspace", 4),
    ("zig", 2),
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
    let entry = longest.iter().find_map(|prefix| {
        let found = ARITY.iter().find(|(known, _)| known == prefix);
        found.map(|(known, length)| (*known, *length))
    });
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
        let verbs = |(known, length): &(&str, usize)| {
            known.starts_with(&many) || (*known == program && *length > 1)
        };
        return is_banned(program) || is_never_offered(program) || ARITY.iter().any(verbs);
    }
    // `docker run …` and `env X=1 …` run whatever follows; `docker pull alpine …` does not.
    is_never_offered(program) || (is_banned(program) && of(fixed).is_none())
}

/// Whether not even the whole command is offered.
pub(super) fn is_never_offered(program: &str) -> bool {
    NEVER.contains(&program) || program.is_empty()
}

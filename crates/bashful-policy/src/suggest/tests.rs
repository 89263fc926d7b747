//! Tests of suggestions.

use super::suggest;
use crate::context::Context;
use crate::facts::{Call, Facts};
use crate::read::read;

/// What is offered for a call of a text: its shape, with `=` in front where it is exact.
fn offered(text: &str, which: impl Fn(&Facts) -> Option<&Call>) -> String {
    let context = Context {
        directory: Some("/home/u/proj".to_owned()),
        workspace: Some("/home/u/proj".to_owned()),
        ..Context::default()
    };
    let facts = read(text, &context);
    let suggestion = which(&facts).and_then(suggest);
    suggestion.map_or_else(String::new, |found| {
        let sign = if found.exact { "= " } else { "" };
        format!("{sign}{}", found.shape.join(" "))
    })
}

#[test]
fn the_narrowest_useful_shape_is_offered() {
    let cases: &[(&str, &str)] = &[
        ("git push origin main", "git push origin …"),
        ("git push origin", "git push origin …"),
        ("git push", "= git push"),
        (
            "git push --force origin main",
            "= git push --force origin main",
        ),
        ("git -C x push origin", "= git -C x push origin"),
        ("git fetch upstream --tags", "git fetch upstream …"),
        (
            "git clone https://example.com/x",
            "git clone https://example.com/x …",
        ),
        ("git status", "= git status"),
        ("git", "= git"),
        ("git $x", ""),
        ("git push $x", ""),
        ("git push origin $x", "git push origin …"),
        ("git commit -m 'a b'", "git commit …"),
        ("git rebase -i main", "= git rebase -i main"),
        ("git submodule foreach ls", "= git submodule foreach ls"),
        ("git submodule update --init", "git submodule update …"),
        ("git config x y", "= git config x y"),
        ("npm run build", "npm run build …"),
        ("npm run build -- --x", "npm run build …"),
        ("npm test", "npm test …"),
        ("npm install left-pad", "npm install left-pad …"),
        ("npm install", "= npm install"),
        ("npm ci", "npm ci …"),
        ("npm publish", "npm publish …"),
        ("npm --prefix x run y", "= npm --prefix x run y"),
        ("npm exec foo", "= npm exec foo"),
        ("cargo install ripgrep", "cargo install ripgrep …"),
        ("cargo publish", "cargo publish …"),
        ("cargo +nightly test", "cargo +nightly …"),
        ("docker compose up -d", "docker compose up …"),
        ("docker run -it x sh", "= docker run -it x sh"),
        ("docker pull alpine", "docker pull alpine …"),
        ("gh pr create --fill", "gh pr create …"),
        ("gh api -X DELETE x", "= gh api -X DELETE x"),
        ("make test", "make test …"),
        ("make -f x.mk", "= make -f x.mk"),
        ("make", "= make"),
        ("make X=1", "= make X=1"),
        ("go mod tidy", "go mod tidy …"),
        ("go run ./cmd/x", "go run ./cmd/x …"),
        ("pip install requests", "pip install requests …"),
        ("pip install -r x.txt", "= pip install -r x.txt"),
        ("uv run pytest", "uv run pytest …"),
        ("uv run python x.py", "= uv run python x.py"),
        ("uv run python3.11 x.py", "= uv run python3.11 x.py"),
        ("poetry run bash", "= poetry run bash"),
        ("bundle exec rspec", "bundle exec rspec …"),
        ("terraform plan", "terraform plan …"),
        ("systemctl restart nginx", "systemctl restart nginx …"),
        ("yarn workspace app build", "yarn workspace app build …"),
        ("apt-get update", "apt-get update …"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| offered(text, |facts| facts.calls.first()) != *expected)
        .map(|(text, expected)| {
            format!(
                "`{text}`: `{}`, not `{expected}`",
                offered(text, |facts| facts.calls.first())
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_can_do_anything_is_offered_word_for_word_or_not_at_all() {
    let cases: &[(&str, &str)] = &[
        ("python3 x.py", "= python3 x.py"),
        ("node x.js", "= node x.js"),
        ("curl https://x", "= curl https://x"),
        ("ssh host ls", "= ssh host ls"),
        ("rm -rf build", "= rm -rf build"),
        ("find . -delete", "= find . -delete"),
        ("npx cowsay", ""),
        ("kubectl apply -f x", "= kubectl apply -f x"),
        ("./deploy.sh prod", "= ./deploy.sh prod"),
        ("unknown-tool a b", "= unknown-tool a b"),
        ("sudo ls", ""),
        ("eval ls", ""),
        ("source x", ""),
        ("rm -rf *", ""),
        ("rm \"$x\"", ""),
        ("curl $(cat url)", ""),
        ("$x a", ""),
        ("A=1 git push origin", ""),
        ("env git push origin", ""),
        ("timeout 5 git push origin", ""),
        ("xargs git push origin", ""),
        ("bash -c 'git push origin'", ""),
        ("echo $(git push origin)", ""),
        ("x=origin; git push $x", ""),
        ("/tmp/git push origin", "= /tmp/git push origin"),
        ("/usr/bin/git push origin main", "git push origin …"),
        ("git push 'origin main'", "= git push origin main"),
        ("echo a …", ""),
        ("printf 'a\\x01'", "= printf a\\x01"),
        ("cat 'a\nb'", ""),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| offered(text, |facts| facts.calls.last()) != *expected)
        .map(|(text, expected)| {
            format!(
                "`{text}`: `{}`, not `{expected}`",
                offered(text, |facts| facts.calls.last())
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        offered(&format!("foo {}", "x".repeat(400)), |facts| facts
            .calls
            .last()),
        ""
    );
}

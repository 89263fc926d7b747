//! Tests of matching.

use super::{Fit, Rule, RuleEffect};
use crate::context::Context;
use crate::decision::Layer;
use crate::read::read;
use crate::rule::load::read_shipped;

fn context() -> Context {
    Context {
        directory: Some("/home/u/proj".to_owned()),
        workspace: Some("/home/u/proj".to_owned()),
        write_roots: vec!["/home/u/proj".to_owned()],
        home: Some("/home/u".to_owned()),
        ..Context::default()
    }
}

fn rule(effect: RuleEffect, fields: &str) -> Rule {
    let text = format!(
        "[[rule]]\nid = \"x\"\neffect = \"{effect}\"\nreason = \"is tested\"\ncapability = \"y\"\n{fields}"
    );
    read_shipped(&text, "x.toml", 0).unwrap_or_else(|| panic!("{fields}"))
}

fn fit(rule: &Rule, command: &str) -> Fit {
    let context = context();
    let facts = read(command, &context);
    let fits = facts
        .calls
        .iter()
        .map(|call| rule.fit(&facts, call, &context));
    fits.max().unwrap_or(Fit::No)
}

/// Checks each command against a rule of this effect.
fn check(effect: RuleEffect, cases: &[(&str, &[(&str, Fit)])]) {
    let mut wrong = Vec::new();
    for (fields, commands) in cases {
        let rule = rule(effect, fields);
        for (command, expected) in *commands {
            let found = fit(&rule, command);
            if found != *expected {
                wrong.push(format!(
                    "{fields} on `{command}`: {found:?}, not {expected:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

use Fit::{Could, No, Yes};

#[test]
fn a_deny_matches_every_way_of_writing() {
    check(
        RuleEffect::Deny,
        &[
            (
                r#"command = ["git", "push", "…"]"#,
                &[
                    ("git push", Yes),
                    ("git push origin main", Yes),
                    ("/usr/bin/git push", Yes),
                    ("./git push", Yes),
                    ("'git' pu\"sh\"", Yes),
                    ("git -C sub push", Yes),
                    ("git -c a=b push", Yes),
                    ("git --no-pager push", Yes),
                    ("git --git-dir=x push", Yes),
                    ("git --git-dir x push", Yes),
                    ("git --git-di x push", Yes),
                    ("env A=1 git push", Yes),
                    ("timeout 5 git push", Yes),
                    ("bash -c 'git push'", Yes),
                    ("echo $(git push)", Yes),
                    ("git status; git push", Yes),
                    ("x=push; git $x", Yes),
                    ("git $x", Could),
                    ("git \"$x\"", Could),
                    ("git pu$x", Could),
                    ("git pu*", Could),
                    ("git p?sh", Could),
                    ("git $x origin", Could),
                    ("git -C $d push", Could),
                    ("git -C \"$d\" push", Yes),
                    ("g$x push", Could),
                    ("/bin/g?t push", Could),
                    ("echo push | xargs git", Could),
                    ("git pull", No),
                    ("git log push", No),
                    ("git -C push status", No),
                    ("git stash push", No),
                    ("git st$x", No),
                    ("git st$x push", No),
                    ("git -$x", Could),
                    ("git st*", No),
                    ("echo git push", No),
                    ("echo 'git push'", No),
                    ("gitx push", No),
                    ("digit push", No),
                    ("git", No),
                    ("git commit -m push", No),
                ],
            ),
            (
                r#"command = ["git", "push"]"#,
                &[
                    ("git push", Yes),
                    ("git push -v", Yes),
                    ("git push origin", No),
                    ("git push $x", Could),
                ],
            ),
            (
                r#"command = ["git", ["push", "fetch"], "…", "main", "…"]"#,
                &[
                    ("git push origin main", Yes),
                    ("git fetch main", Yes),
                    ("git fetch a b main c", Yes),
                    ("git pull origin main", No),
                    ("git push origin dev", No),
                    ("git push origin $b", Could),
                ],
            ),
            (
                r#"command = ["npm", "run", "deploy:*", "…"]"#,
                &[
                    ("npm run deploy:prod", Yes),
                    ("npm run deploy", No),
                    ("npm --prefix web run deploy:x --dry", Yes),
                    ("npm run test", No),
                    ("npm run $x", Could),
                    ("npm run dep$x", Could),
                    ("npm run tes$x", No),
                ],
            ),
        ],
    );
}

#[test]
fn a_deny_finds_flags_anywhere() {
    check(
        RuleEffect::Deny,
        &[
            (
                r#"command = ["git", "push", "--force", "…"]"#,
                &[
                    ("git push --force", Yes),
                    ("git push --forc", Yes),
                    ("git push origin main --force", Yes),
                    ("git push --force=x", Yes),
                    ("git push -- --force", No),
                    ("git push --force-with-lease", No),
                    ("git push", No),
                    ("git push $x", Could),
                    ("git push --f\"$x\"", Could),
                    ("git push \"origin$x\"", No),
                ],
            ),
            (
                r#"command = ["git", "clean", "-f", "…"]"#,
                &[
                    ("git clean -f", Yes),
                    ("git clean -fd", Yes),
                    ("git clean -xdf", Yes),
                    ("git clean -d", No),
                    ("git clean -d \"$x\"", Could),
                    ("git clean -n*", No),
                ],
            ),
            (
                r#"command = ["rm", "-rf", "…"]"#,
                &[
                    ("rm -rf x", Yes),
                    ("rm -r -f x", Yes),
                    ("rm -fr x", Yes),
                    ("rm -rvf x", Yes),
                    ("rm x -rf", Yes),
                    ("rm -r x", No),
                    ("rm -r $x", Could),
                ],
            ),
            (
                r#"command = ["terraform", "apply", "-auto-approve", "…"]"#,
                &[
                    ("terraform apply -auto-approve", Yes),
                    ("terraform apply --auto-approve", Yes),
                    ("terraform apply -auto-approve=true", Yes),
                    ("terraform -chdir=x apply -auto-approve", Yes),
                    ("terraform apply", No),
                ],
            ),
            (
                r#"command = ["python3", "-m", "pip", "install", "…"]"#,
                &[
                    ("python3 -m pip install x", Yes),
                    ("python3 -mpip install x", Yes),
                    ("python3 -I -m pip install x", Yes),
                    ("python3 -Impip install x", Yes),
                    ("python3 -m pip --quiet install x", Yes),
                    ("python3 -m pip list", No),
                    ("python3 -m pytest install", No),
                    ("python3 -m $x install", Could),
                ],
            ),
            (
                r#"command = ["find", "…", "-delete", "…"]"#,
                &[("find . -name x -delete", Yes), ("find . -type d -empty -ls", No)],
            ),
        ],
    );
}

#[test]
fn unless_and_require_of_a_deny() {
    check(
        RuleEffect::Ask,
        &[
            (
                "command = [\"git\", \"push\", \"…\"]\nunless = [\"--dry-run\", \"-n\"]",
                &[
                    ("git push --dry-run", No),
                    ("git push -n", No),
                    ("git push --force --dry-run", No),
                    ("git push origin main --dry-run", No),
                    ("git push", Yes),
                    ("git push --dry-run --no-dry-run", Yes),
                    ("git push -o --dry-run", Yes),
                    ("git push --push-option --dry-run", Yes),
                    ("git push -- --dry-run", Yes),
                    ("git push $x --dry-run", Yes),
                    ("git push --dry-run $x", Yes),
                    ("git push --dry-run origin \"feature/$x\"", No),
                    ("git push -nf", Yes),
                ],
            ),
            (
                "command = [\"foo\", \"…\"]\nunless = [\"--safe\"]",
                &[
                    ("foo --safe", No),
                    ("foo bar --safe", No),
                    ("foo --x --safe", Yes),
                    ("foo --x=1 --safe", No),
                    ("foo --saf", Yes),
                ],
            ),
            (
                "command = [\"gh\", \"api\", \"…\"]\nrequire = [[\"-X\", \"--method\"]]",
                &[
                    ("gh api x", No),
                    ("gh api -X POST x", Yes),
                    ("gh api -XPOST x", Yes),
                    ("gh api --meth=POST x", Yes),
                    ("gh api $x", Could),
                    ("gh api x -- -X", No),
                ],
            ),
            (
                "command = [\"rsync\", \"…\"]\nrequire = [\"*:*\"]",
                &[("rsync a b", No), ("rsync a host:b", Yes), ("rsync a \"$x\"", Could)],
            ),
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn an_allow_matches_only_what_is_written_out() {
    check(
        RuleEffect::Allow,
        &[
            (
                r#"command = ["cargo", ["test", "build"], "…"]"#,
                &[
                    ("cargo test", Yes),
                    ("cargo build --release", Yes),
                    ("/usr/bin/cargo test", Yes),
                    ("cargo test $x", Yes),
                    ("cargo test *", Yes),
                    ("ca'rgo' test", Yes),
                    ("timeout 5 cargo test", Yes),
                    ("echo x | xargs cargo test", Yes),
                    ("A=1 cargo test", Yes),
                    ("./cargo test", No),
                    ("/tmp/cargo test", No),
                    ("cargo $x", No),
                    ("cargo t*", No),
                    ("cargo te?t", No),
                    ("x=test; cargo $x", No),
                    ("cargo -v test", No),
                    ("cargo --config x test", No),
                    ("cargo tests", No),
                    ("cargo", No),
                    ("$x test", No),
                    ("cargo $(echo test)", No),
                    ("echo x | xargs cargo", No),
                ],
            ),
            (
                r#"command = ["git", "push", "origin", "main"]"#,
                &[
                    ("git push origin main", Yes),
                    ("git push origin main --force", No),
                    ("git push origin", No),
                    ("git push origin ma$x", No),
                    ("echo x | xargs git push origin main", No),
                ],
            ),
            (
                r#"command = ["npm", "run", "test:*"]"#,
                &[("npm run test:unit", Yes), ("npm run test", No), ("npm run test:unit x", No)],
            ),
            (
                r#"command = ["npm", "run", "*", "…"]"#,
                &[
                    ("npm run x", Yes),
                    ("npm run --script-shell=x y", No),
                    ("npm run", No),
                    ("npm run $x", No),
                ],
            ),
            (
                "command = [\"make\", \"…\"]\nunless = [\"-f\", \"--file\", \"SHELL=*\"]",
                &[
                    ("make", Yes),
                    ("make -j8 test", Yes),
                    ("make -f x", No),
                    ("make -fx", No),
                    ("make -kf x", No),
                    ("make --fi x", No),
                    ("make test -f x", No),
                    ("make SHELL=x", No),
                    ("make -- -f", Yes),
                    ("make $x", No),
                    ("make \"$x\"", No),
                    ("make *", No),
                    ("make *.o", Yes),
                    ("make \"out/$x\"", Yes),
                    ("make out/$x", No),
                    ("make -$x", No),
                    ("echo x | xargs make", No),
                ],
            ),
            (
                "command = [\"git\", \"push\", \"…\"]\nrequire = [\"--dry-run\"]",
                &[
                    ("git push --dry-run", Yes),
                    ("git push --dry", No),
                    ("git push -o --dry-run", No),
                    ("git push", No),
                ],
            ),
            (
                "command = [\"jq\", \"…\"]\nredirects = false",
                &[
                    ("jq . x", Yes),
                    ("jq . < x", Yes),
                    ("jq . x > y", No),
                    ("jq . x >> y", No),
                    ("jq . x 2>/dev/null", Yes),
                    ("jq . x 2>&1", Yes),
                    ("jq . x &> y", No),
                ],
            ),
            (
                r#"command = ["./gradlew", "test", "…"]"#,
                &[
                    ("./gradlew test", Yes),
                    ("gradlew test", No),
                    ("cd sub && ./gradlew test", No),
                    ("/tmp/gradlew test", No),
                    ("cd $x; ./gradlew test", No),
                ],
            ),
        ],
    );
}

#[test]
fn actions_and_expressions() {
    check(
        RuleEffect::Deny,
        &[
            (
                r#"action = "tool:bash:git push *""#,
                &[
                    ("git push", Yes),
                    ("git push x y", Yes),
                    ("git pull", No),
                    ("/bin/git push", Yes),
                ],
            ),
            (
                r#"action = "tool:bash:git *""#,
                &[("git", Yes), ("git x", Yes), ("gitk", No)],
            ),
            (
                r#"action = "tool:bash:*""#,
                &[("anything at all", Yes), ("$x", Yes)],
            ),
            (r#"action = "tool:bash""#, &[("ls", Yes)]),
            (r#"action = "tool:edit:x""#, &[("x", No)]),
            (
                r#"regex = "^git (push|fetch)\\b""#,
                &[
                    ("git push", Yes),
                    ("/usr/bin/git fetch x", Yes),
                    ("git pushx", No),
                    ("git $x", Could),
                    ("git status $x", Could),
                    ("g$x push", Could),
                    ("ls $x", No),
                    ("echo 'git push'", No),
                ],
            ),
            (
                r#"regex = "--password""#,
                &[("mysql --password=x", Yes), ("mysql $x", Could), ("mysql", No)],
            ),
            (r#"regex = "^a|b""#, &[("c b", Yes), ("c $x", Could)]),
        ],
    );
    check(
        RuleEffect::Allow,
        &[
            (
                r#"action = "tool:bash:git log *""#,
                &[("git log", Yes), ("git log -p", Yes), ("git push", No), ("./git log", No)],
            ),
            (
                r#"regex = "make( -j[0-9]+)?( (test|lint))?""#,
                &[
                    ("make", Yes),
                    ("make -j8 test", Yes),
                    ("make test; ls", Yes),
                    ("make test lint", No),
                    ("make 'test lint'", No),
                    ("make $x", No),
                    ("./make test", No),
                    ("xmake", No),
                ],
            ),
            (r#"regex = "a|ab""#, &[("ab", Yes), ("abc", No)]),
        ],
    );
}

#[test]
fn a_grant_is_taken_word_for_word() {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let cases: &[(&str, &str, Fit)] = &[
        ("git push origin …", "git push origin main", Yes),
        ("git push origin …", "git push origin", Yes),
        ("git push origin …", "git push --force origin", No),
        ("git push origin …", "git push upstream", No),
        ("git push origin …", "GIT_SSH=x git push origin", No),
        ("echo *", "echo '*'", Yes),
        ("echo *", "echo x", No),
        ("./deploy.sh prod", "./deploy.sh prod", Yes),
        ("./deploy.sh prod", "./deploy.sh prod --x", No),
        ("./deploy.sh prod", "cd /tmp && ./deploy.sh prod", No),
        ("/opt/x/run", "/opt/x/run", Yes),
        ("… x", "a x", No),
    ];
    for (shape, command, expected) in cases {
        let rule = Rule::grant(&words(shape), Layer::Session);
        assert_eq!(fit(&rule, command), *expected, "{shape} on `{command}`");
    }
}

#[test]
fn long_calls_take_little_time() {
    let rule = rule(
        RuleEffect::Deny,
        r#"command = ["a", "…", "b", "…", "c", "…", "d", "…", "-x", "…"]"#,
    );
    let line = format!("a {}", "b c $x * -y ".repeat(800));
    assert_eq!(fit(&rule, &line), Yes.min(Could));
}

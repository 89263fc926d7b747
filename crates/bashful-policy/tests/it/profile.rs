//! Permission profiles: matching, precedence, and the laws that hold for every profile.

#![expect(clippy::expect_used, reason = "helpers of tests may fail the test")]

use bashful_policy::{Effect, PermissionProfile, ProfileBuilder, ProfileError};
use proptest::prelude::*;

fn git_profile() -> PermissionProfile {
    PermissionProfile::new("git")
        .allow("tool:bash:git *")
        .allow("tool:bash:ls *")
        .ask("tool:bash:git push *")
        .deny("tool:bash:npm publish *")
        .default_effect(Effect::Ask)
        .build()
        .expect("the patterns are fine")
}

#[test]
fn commands_get_the_effect_of_their_strictest_part() {
    let profile = git_profile();
    for (command, effect) in [
        ("git status", Effect::Allow),
        ("git", Effect::Allow),
        ("ls", Effect::Allow),
        ("ls *.rs", Effect::Allow),
        ("git log | ls", Effect::Allow),
        ("git status > out.txt", Effect::Allow),
        ("lsof", Effect::Ask),
        ("git push", Effect::Ask),
        ("git status; git push origin main", Effect::Ask),
        ("git log $x", Effect::Ask),
        ("git $x", Effect::Ask),
        ("g* status", Effect::Ask),
        ("/tmp/git status", Effect::Ask),
        ("PATH=. git status", Effect::Ask),
        ("sudo git status", Effect::Ask),
        ("git status && (make)", Effect::Ask),
        ("git log $(make)", Effect::Ask),
        ("git status \"", Effect::Ask),
        ("npm publish", Effect::Deny),
        ("npm 'publish' --tag x", Effect::Deny),
        ("/usr/bin/npm publish", Effect::Deny),
        ("git status && npm publish", Effect::Deny),
        ("git log $(npm publish)", Effect::Deny),
        ("sudo env A=b npm publish", Effect::Deny),
        ("bash -c 'npm publish'", Effect::Deny),
        ("find . -exec npm publish \\;", Effect::Deny),
        ("npm test", Effect::Ask),
    ] {
        assert_eq!(profile.decide(command).effect, effect, "{command}");
    }
}

#[test]
fn a_decision_names_its_rule() {
    let decision = git_profile().decide("ls; git push origin");
    assert_eq!(decision.rule, "tool:bash:git push *");
    assert_eq!(decision.span, Some((4, 19)));
    assert_eq!(decision.fact.as_deref(), Some("git push origin"));
    assert_eq!(git_profile().decide("make").rule, "profile-default");
    assert_eq!(git_profile().decide("ls '").rule, "unreadable");
}

#[test]
fn the_empty_profile_allows_what_can_be_read() {
    let profile = PermissionProfile::default();
    assert_eq!(profile.decide("make $x").effect, Effect::Allow);
    assert_eq!(profile.decide("make '").effect, Effect::Ask);
    assert_eq!(profile.decide(&"$(".repeat(99)).effect, Effect::Deny);
}

#[test]
fn patterns_may_be_about_all_or_other_tools() {
    let all = PermissionProfile::new("all")
        .deny("tool:*")
        .build()
        .expect("fine");
    assert_eq!(all.decide("ls").effect, Effect::Deny);
    let bash = PermissionProfile::new("bash")
        .deny("tool:bash:*")
        .build()
        .expect("fine");
    assert_eq!(bash.decide("x=1").effect, Effect::Deny);
    let other = PermissionProfile::new("other")
        .deny("tool:python:*")
        .build()
        .expect("fine");
    assert_eq!(other.decide("ls").effect, Effect::Allow);
}

#[test]
fn a_pattern_must_name_its_tool() {
    for pattern in ["git *", "", "tool:", "tool::ls", "bash:ls", "tool:my tool:x"] {
        let error = PermissionProfile::new("p")
            .allow(pattern)
            .build()
            .unwrap_err();
        let (profile, pattern) = ("p".to_owned(), pattern.to_owned());
        assert_eq!(error, ProfileError::MalformedPattern { profile, pattern });
    }
}

fn effect() -> impl Strategy<Value = Effect> {
    prop::sample::select(vec![Effect::Allow, Effect::Ask, Effect::Deny])
}

fn rules() -> impl Strategy<Value = Vec<(Effect, String)>> {
    let pattern = prop::sample::select(vec![
        "tool:bash:*", "tool:bash:git *", "tool:bash:git push *", "tool:bash:git push",
        "tool:bash:g*", "tool:bash:npm * x", "tool:bash:ls *", "tool:bash:bash *",
        "tool:bash:sudo *", "tool:python:*", "tool:bash:ls -l; *", "tool:bash:ls -l; g*",
        "tool:bash:if *", "tool:bash:true && git push",
    ]);
    prop::collection::vec((effect(), pattern.prop_map(str::to_owned)), 0..8)
}

fn command() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec![
        "ls", "ls -l", "git", "git push", "git push origin", "git $x", "npm run x", "/bin/ls",
        "x=1", "x=1 ls", "sudo ls", "sudo git push", "bash -c 'git push'", "echo $(git push)",
        "(ls)", "ls > f", "make", "l* x", "if ls; then git push; fi", "find . -exec npm a x ';'",
        "ls | git log", "true && git push",
    ]);
    prop::collection::vec(simple, 1..4).prop_map(|parts| parts.join("; "))
}

fn build(rules: &[(Effect, String)], default: Effect) -> PermissionProfile {
    let builder = PermissionProfile::new("p").default_effect(default);
    let add = |builder: ProfileBuilder, (effect, pattern): &(Effect, String)| {
        builder.rule(*effect, pattern.as_str())
    };
    rules
        .iter()
        .fold(builder, add)
        .build()
        .expect("the patterns are fine")
}

proptest! {
    #[test]
    fn adding_a_deny_never_widens(rules in rules(), extra in rules(), default in effect(), command in command()) {
        let before = build(&rules, default).decide(&command).effect;
        let denies = extra.into_iter().map(|(_, pattern)| (Effect::Deny, pattern));
        let more: Vec<_> = rules.into_iter().chain(denies).collect();
        prop_assert!(build(&more, default).decide(&command).effect >= before);
    }

    #[test]
    fn order_does_not_matter(
        (rules, shuffled) in rules().prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        default in effect(),
        command in command(),
    ) {
        let effect = build(&rules, default).decide(&command).effect;
        prop_assert_eq!(build(&shuffled, default).decide(&command).effect, effect);
    }

    #[test]
    fn the_whole_is_as_strict_as_each_part(
        rules in rules(),
        default in effect(),
        parts in prop::collection::vec(command(), 1..4),
    ) {
        let profile = build(&rules, default);
        let whole = profile.decide(&parts.join("; ")).effect;
        for part in &parts {
            prop_assert!(whole >= profile.decide(part).effect, "{part}");
        }
    }
}

//! The policy as embedders meet it: profiles, bounds of the administrator, checks without runs.

use std::fs;

use bashful_engine::config::{AdminOwner, Config, Sandbox, Sources, Wish};
use bashful_engine::{
    CapabilityChanges, Checked, Decision, Effect, Engine, EngineBuilder, EngineError, Invocation,
    PermissionProfile, PolicyMode, Started, Status,
};

use crate::support::{House, run};

/// A builder with what these files say; an empty one is not there.
fn configured(house: &House, admin: &str, user: &str) -> EngineBuilder {
    let file = |name: &str, text: &str| {
        let path = house.path().join(name);
        if !text.is_empty() {
            fs::write(&path, text).unwrap();
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(&path, private).unwrap();
        }
        path
    };
    let sources = Sources {
        admin: file("admin.toml", admin),
        admin_owner: AdminOwner::RootOrSelf,
        user: Some(file("user.toml", user)),
        project: None,
    };
    house
        .builder()
        .config(Config::load(&sources).unwrap().config)
}

fn check(engine: &Engine, command: &str) -> Result<Checked, EngineError> {
    engine.check(Invocation::bash(command))
}

fn decision(engine: &Engine, command: &str) -> Decision {
    check(engine, command).unwrap().judgement.decision
}

/// The message of the error that a builder's engine gives for a harmless command.
fn refused(builder: EngineBuilder) -> String {
    let engine = builder.build().unwrap();
    check(&engine, "ls").unwrap_err().to_string()
}

#[test]
fn the_admins_default_is_the_widest() {
    let house = House::new();
    let admin = "[profile.default]\ndefault = \"ask\"\n";
    let user = "[profile.default]\ndefault = \"confined\"\n\
                [profile.mine]\ndefault = \"confined\"\n[profile.hard]\ndefault = \"deny\"\n";
    for (profile, effect) in [
        ("default", Effect::Ask),
        ("mine", Effect::Ask),
        ("confined", Effect::Ask),
        ("careful", Effect::Ask),
        ("hard", Effect::Deny),
    ] {
        let builder = configured(&house, admin, user).profile_name(profile);
        let engine = builder.build().unwrap();
        let found = decision(&engine, "./frobnicate").effect;
        assert_eq!(found, effect, "{profile}");
    }
}

#[test]
fn careful_stays_careful_whatever_the_admins_default_is() {
    let house = House::new();
    let admin = "[profile.default]\ndefault = \"confined\"\n";
    let builder = configured(&house, admin, "").profile_name("careful");
    let engine = builder.build().unwrap();
    assert_eq!(decision(&engine, "./frobnicate").effect, Effect::Ask);
}

#[test]
fn the_admins_rules_hold_in_every_profile() {
    let house = House::new();
    let admin = "[[profile.default.rule]]\nid = \"no-frob\"\neffect = \"deny\"\n\
                 command = [\"frobnicate\", \"…\"]\nreason = \"is not for agents\"\n\
                 [[profile.default.rule]]\nid = \"twiddle\"\neffect = \"allow\"\n\
                 command = [\"twiddle\"]\n";
    let user = "[profile.mine]\n[[profile.mine.rule]]\nid = \"frob\"\neffect = \"allow\"\n\
                command = [\"frobnicate\", \"…\"]\n";
    for profile in ["default", "mine", "careful", "confined"] {
        let builder = configured(&house, admin, user).profile_name(profile);
        let engine = builder.build().unwrap();
        let found = decision(&engine, "frobnicate x");
        let found = (found.effect, found.rule.as_str(), found.layer.as_str());
        assert_eq!(found, (Effect::Deny, "no-frob", "admin"), "{profile}");
    }
    // What the admin allows in the default is no gift to other profiles.
    let engine = configured(&house, admin, user).profile_name("careful");
    let found = decision(&engine.build().unwrap(), "twiddle");
    assert_eq!(found.effect, Effect::Ask);
}

#[test]
fn flags_do_not_pass_the_admin() {
    let house = House::new();
    let fixed = "[profile.tight]\ndefault = \"deny\"\n[agent.bot]\nprofile = \"tight\"\n";
    let bot = |admin: &str| configured(&house, admin, "").agent("bot");
    assert_eq!(
        refused(bot(fixed).profile_name("confined")),
        "the admin file says `tight` for `agent.bot.profile`, and `confined` goes beyond it"
    );
    assert!(check(&bot(fixed).profile_name("tight").build().unwrap(), "ls").is_ok());
    assert_eq!(
        refused(bot(fixed).policy(PolicyMode::None)),
        "the admin file says `deny` for `default`, and `none` goes beyond it"
    );
    let ruled = "[[profile.default.rule]]\nid = \"one\"\neffect = \"ask\"\n\
                 command = [\"frobnicate\"]\nreason = \"is for people\"\n";
    assert_eq!(
        refused(bot(ruled).policy(PolicyMode::None)),
        "the admin file says `one` for `rule`, and `none` goes beyond it"
    );
    let classes = "[profile.default.capabilities]\nclasses = [\"interactive\"]\n";
    let wish = |class: &str| Wish {
        changes: CapabilityChanges {
            classes: vec![class.to_owned()],
            ..CapabilityChanges::default()
        },
        ..Wish::default()
    };
    assert_eq!(
        refused(bot(classes).wish(wish("sudo"))),
        "the admin file says `interactive` for `capabilities.classes`, and `sudo` goes beyond it"
    );
    assert_eq!(
        refused(bot("").wish(wish("sudos"))),
        "there is no class `sudos`: did you mean `sudo`?"
    );
    assert_eq!(
        refused(bot("").profile_name("nobodys")),
        "there is no profile `nobodys`"
    );
}

#[test]
fn the_strictest_of_both_profiles_wins() {
    let house = House::new();
    let engine = house.engine();
    let profile = |effect| {
        let all = PermissionProfile::new("mine").default_effect(effect);
        all.build().unwrap()
    };
    for (command, own, expected) in [
        ("ls", Effect::Allow, Effect::Allow),
        ("ls", Effect::Ask, Effect::Ask),
        ("ls", Effect::Deny, Effect::Deny),
        ("git push", Effect::Allow, Effect::Ask),
        ("git push", Effect::Deny, Effect::Deny),
        ("sudo ls", Effect::Allow, Effect::Deny),
        ("sudo ls", Effect::Ask, Effect::Deny),
    ] {
        let invocation = Invocation::bash(command).profile(profile(own));
        let found = engine.check(invocation).unwrap().judgement.decision;
        assert_eq!(found.effect, expected, "{command} {own}");
    }
}

#[test]
fn a_check_leaves_nothing_behind() {
    let house = House::new();
    let checked = check(&house.engine(), "touch made; git push").unwrap();
    assert_eq!(checked.judgement.decision.effect, Effect::Ask);
    assert_eq!(checked.facts.calls.len(), 2);
    assert_eq!(checked.profile, "default");
    assert!(!house.state().exists() && !house.file("made").exists());
}

#[test]
fn enforcement_decides_about_what_nobody_knows() {
    let house = House::new();
    let optional = |name: &str| format!("[profile.default]\noptional = [\"{name}\"]\n");
    let effect = |builder: EngineBuilder| {
        let engine = builder.build().unwrap();
        let judgement = check(&engine, "./frobnicate").unwrap().judgement;
        (judgement.decision.effect, judgement.fell_back)
    };
    let held = (Effect::Allow, false);
    let fell_back = (Effect::Ask, true);
    assert_eq!(effect(house.builder()), held);
    assert_eq!(effect(configured(&house, "", &optional("commands"))), held);
    for name in ["filesystem", "network"] {
        let found = effect(configured(&house, "", &optional(name)));
        assert_eq!(found, fell_back, "{name}");
    }
    assert_eq!(effect(house.builder().sandbox(Sandbox::None)), fell_back);
}

#[test]
fn without_the_policy_only_disasters_are_refused() {
    let house = House::new();
    let engine = house.builder().policy(PolicyMode::None).build().unwrap();
    let result = run(&engine, Invocation::bash("eval 'echo hi'"));
    assert_eq!(result.stdout, "hi\n");
    let decision = result.decision.unwrap();
    assert_eq!(decision.rule, "policy-none");
    let Started::NotAllowed(result) = engine.start(Invocation::bash("rm -rf ~")).unwrap() else {
        panic!("it runs")
    };
    assert_eq!(result.status, Status::Denied);
}

#[test]
fn what_another_root_gives_can_be_written() {
    let house = House::new();
    let other = std::path::Path::new("/var/tmp");
    let engine = house.engine();
    let outside = Invocation::bash("echo x > /var/tmp/file");
    let found = engine.check(outside).unwrap().judgement.decision.effect;
    assert_eq!(found, Effect::Deny);
    let inside = Invocation::bash("echo x > file")
        .allowed_root(other)
        .cwd(other);
    let found = engine.check(inside).unwrap().judgement.decision.effect;
    assert_eq!(found, Effect::Allow);
}

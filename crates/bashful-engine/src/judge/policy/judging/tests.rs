//! An engine that remembers judgements judges as one that does not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use bashful_policy::{Effect, Layer, NetworkCapability, Otherwise, RememberedVariable, Rule};
use proptest::prelude::*;

use super::*;

/// What agents say, each with a part that depends on the context, the rules or a link.
const TEXTS: [&str; 12] = [
    "true",
    "echo hi >out/a",
    "cat dir/a && touch dir/b",
    "rm -rf $WHERE/x",
    "git push",
    "cp /etc/hosts link",
    "cd dir && touch new",
    "touch ~/x",
    "greet world",
    "make $(cat dir/a)",
    "curl https://x.example",
    "for i in 1 2; do touch dir/$i; done; echo (",
];

/// One change of what a judgement hangs on.
#[derive(Debug, Clone, Copy)]
enum Change {
    Nothing,
    /// The name is a directory, or a link to this.
    Leads(&'static str, Option<&'static str>),
    Variable(Option<&'static str>),
    Enforced(bool),
    Network(bool),
    Class(bool),
    WriteRoot(bool),
    Home(&'static str),
    Shell(Option<&'static str>),
    /// The policy at this place is the one in force.
    Policy(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let names = prop::sample::select(vec!["out", "dir", "link"]);
    let targets = vec![None, Some("/etc"), Some("other"), Some("/nowhere/at/all")];
    let leads = (names, prop::sample::select(targets));
    prop_oneof![
        Just(Change::Nothing),
        leads.prop_map(|(name, target)| Change::Leads(name, target)),
        prop::sample::select(vec![None, Some("/"), Some("dir")]).prop_map(Change::Variable),
        any::<bool>().prop_map(Change::Enforced),
        any::<bool>().prop_map(Change::Network),
        any::<bool>().prop_map(Change::Class),
        any::<bool>().prop_map(Change::WriteRoot),
        prop::sample::select(vec!["/root", "/home/somebody"]).prop_map(Change::Home),
        prop::sample::select(vec![None, Some("greet () { rm -rf /; }"), Some("")])
            .prop_map(Change::Shell),
        (0_usize..4).prop_map(Change::Policy),
    ]
}

/// The workspace, and what is known about runs in it.
struct World<'a> {
    root: &'a Path,
    context: Context,
    policies: Vec<Arc<Policy>>,
    policy: usize,
}

impl<'a> World<'a> {
    fn new(root: &'a Path) -> Self {
        fs::create_dir(root.join("other")).unwrap();
        let place = root.to_str().unwrap().to_owned();
        let grant = |shape: &str| Rule::grant(&[shape.to_owned()], Layer::User);
        let confined = Policy::confined();
        let with = |rule: Rule| Policy {
            rules: confined.rules.clone().with(Layer::User, [rule]),
            unknown: Otherwise::Deny,
            ..confined.clone()
        };
        let policies = [
            Policy::careful(),
            with(grant("greet")),
            with(grant("make")),
            confined.clone(),
        ];
        Self {
            root,
            context: Context {
                directory: Some(place.clone()),
                workspace: Some(place.clone()),
                write_roots: vec![place],
                enforced: true,
                ..Context::default()
            },
            policies: policies.map(Arc::new).to_vec(),
            policy: 0,
        }
    }

    fn apply(&mut self, change: Change) {
        let context = &mut self.context;
        match change {
            Change::Nothing => {}
            Change::Leads(name, target) => {
                let path = self.root.join(name);
                let _ = fs::remove_file(&path);
                let _ = fs::remove_dir(&path);
                match target {
                    Some(target) => symlink(target, &path).unwrap(),
                    None => fs::create_dir(&path).unwrap(),
                }
            }
            Change::Variable(value) => {
                let known = value.map(|value| ("WHERE".to_owned(), value.to_owned()));
                context.variables = known.into_iter().collect();
            }
            Change::Enforced(enforced) => context.enforced = enforced,
            Change::Network(true) => context.network = NetworkCapability::On,
            Change::Network(false) => context.network = NetworkCapability::Off,
            Change::Class(true) => context.classes = vec!["write-outside-roots".to_owned()],
            Change::Class(false) => context.classes.clear(),
            Change::WriteRoot(true) => context.write_roots.push("/etc".to_owned()),
            Change::WriteRoot(false) => context.write_roots.truncate(1),
            Change::Home(home) => context.home = Some(home.to_owned()),
            Change::Shell(functions) => {
                context.shell = functions.map(|functions| ShellMemory {
                    functions: functions.to_owned(),
                    variables: vec![RememberedVariable::default()],
                    ..ShellMemory::default()
                });
            }
            Change::Policy(policy) => self.policy = policy,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever changes between two runs, who remembers judges as who does not.
    #[test]
    fn a_memory_changes_no_judgement(
        steps in prop::collection::vec((change(), prop::sample::select(TEXTS.to_vec())), 1..40)
    ) {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let mut world = World::new(&root);
        let memo = Memo::default();
        for (change, text) in steps {
            world.apply(change);
            let policy = &world.policies[world.policy];
            let remembered = memo.judge(text, policy, world.context.clone());
            let anew = judge_by_profile(text, policy, world.context.clone());
            prop_assert_eq!(remembered, anew, "{} after {:?}", text, change);
            prop_assert!(memo.0.lock().unwrap().len() <= MOST_REMEMBERED);
        }
    }
}

fn in_workspace(root: &Path) -> Context {
    World::new(root).context
}

#[test]
fn a_link_that_changed_is_seen_by_the_next_run() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().canonicalize().unwrap();
    let context = in_workspace(&root);
    let policy = Arc::new(Policy::careful());
    let memo = Memo::default();
    let effect = || {
        let judged = memo.judge("touch out/new", &policy, context.clone());
        judged.1.decision.effect
    };
    let out = root.join("out");
    fs::create_dir(&out).unwrap();
    let inside = [effect(), effect()];
    fs::remove_dir(&out).unwrap();
    symlink("/etc", &out).unwrap();
    let outside = effect();
    fs::remove_file(&out).unwrap();
    fs::create_dir(&out).unwrap();
    assert_eq!(inside, [Effect::Allow; 2]);
    assert_eq!([outside, effect()], [Effect::Deny, Effect::Allow]);
}

#[test]
fn what_is_remembered_is_found_and_bounded() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().canonicalize().unwrap();
    let context = in_workspace(&root);
    let policy = Arc::new(Policy::confined());
    let memo = Memo::default();
    let judge = |text: &str| drop(memo.judge(text, &policy, context.clone()));
    let is_known = |text: &str| memo.find(text, &policy, &context).is_some();
    judge("true");
    assert!(is_known("true"));
    assert!(
        memo.find("true", &Arc::new(Policy::confined()), &context)
            .is_none()
    );
    let long = format!("echo {}", "x".repeat(LONGEST_TEXT));
    // The engine cannot tell whether these were too much, or there was no thread for them.
    let names: Vec<String> = (0..1000).map(|number| format!("a/{number}")).collect();
    let complex = format!("touch {}", names.join(" "));
    for text in [&long, &complex] {
        judge(text);
        assert!(!is_known(text), "{text}");
    }
    for number in 0..MOST_REMEMBERED {
        judge(&format!("echo {number}"));
    }
    assert!(is_known("echo 0") && !is_known("true"));
    assert_eq!(memo.0.lock().unwrap().len(), MOST_REMEMBERED);
}

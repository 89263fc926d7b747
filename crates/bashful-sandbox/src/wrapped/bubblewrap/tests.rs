//! What `bwrap` gets as arguments, as data: nothing is started here.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::backend::Backend;
use crate::profile::Network;
use crate::profile::{Level, Profile, Protection, Resources, WriteMode, WriteRoot};
use crate::survey::Survey;

/// A program that knows all that is needed.
fn program() -> WrapperProgram {
    WrapperProgram::pretended("/usr/bin/bwrap", &[NEEDED, &["--size"]].concat())
}

struct Scene {
    directory: tempfile::TempDir,
    profile: Profile,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
        fs::write(workspace.join(".git/config"), "").unwrap();
        fs::write(workspace.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(workspace.join("secret"), "").unwrap();
        let profile = Profile {
            workspace: workspace.clone(),
            read: Vec::new(),
            write: vec![WriteRoot {
                path: workspace.clone(),
                mode: WriteMode::Direct,
                protect: true,
            }],
            hide: vec![workspace.join("secret")],
            empty: Vec::new(),
            network: Network::Off,
            hosts: Vec::new(),
            commands: None,
            resources: Resources::default(),
            reporting: crate::Reporting::Usual,
            links: Vec::new(),
            git_obeys: Vec::new(),
            optional: Vec::new(),
        };
        Self { directory, profile }
    }

    fn plan(&self) -> Plan {
        let survey = Survey::for_backend(&self.profile, None, Backend::Bubblewrap).unwrap();
        Plan::compile(&self.profile, &survey).unwrap()
    }

    fn words(&self) -> Vec<String> {
        let plan = self.plan();
        let place = self.directory.path().join("place");
        let place = Place::make(&place, plan.identity).unwrap();
        arguments(&plan, &place, &program())
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    fn words_without_limits(&self) -> Vec<String> {
        let mut profile = self.profile.clone();
        profile.resources = Resources::default();
        let directory = tempfile::tempdir().unwrap();
        Self { directory, profile }.words()
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.profile.workspace.join(name).components().collect();
        path.to_str().unwrap().to_owned()
    }
}

#[test]
fn shared_memory_lies_on_disk_where_nothing_counts_memory() {
    let mut scene = Scene::new();
    scene.profile.resources.memory = Some(96 << 20);
    scene.profile.optional = vec![Protection::Resources];
    let mut survey = Survey::for_backend(&scene.profile, None, Backend::Bubblewrap).unwrap();
    survey.offers.memory = None;
    let plan = Plan::compile(&scene.profile, &survey).unwrap();
    let directory = scene.directory.path().join("place");
    let place = Place::make(&directory, plan.identity).unwrap();
    let words: Vec<String> = arguments(&plan, &place, &program())
        .into_iter()
        .map(|word| word.into_string().unwrap())
        .collect();
    let shared = directory.join("shm");
    find(&words, &["--bind", shared.to_str().unwrap(), "/dev/shm"]);
    find(&scene.words_without_limits(), &["--tmpfs", "/dev/shm"]);
}

/// Where this sequence of words is; it must be there.
fn find(words: &[String], wanted: &[&str]) -> usize {
    let found = words
        .windows(wanted.len())
        .position(|window| window.iter().eq(wanted.iter()));
    found.unwrap_or_else(|| panic!("{wanted:?} is not in {words:#?}"))
}

#[test]
fn ancestors_are_pinned_before_what_they_hold_is_frozen() {
    let scene = Scene::new();
    let words = scene.words();
    let (root, git) = (scene.path(""), scene.path(".git"));
    let (hooks, config) = (scene.path(".git/hooks"), scene.path(".git/config"));
    let root = find(&words, &["--bind", &root, &root]);
    let pin = find(&words, &["--bind", &git, &git]);
    let hooks = find(&words, &["--ro-bind", &hooks, &hooks]);
    let config = find(&words, &["--ro-bind", &config, &config]);
    assert!(root < pin && pin < hooks && pin < config);
}

#[test]
fn the_tree_is_closed_when_all_is_in_it() {
    let words = Scene::new().words();
    let last = ["--remount-ro", "/"];
    assert_eq!(words[words.len() - 2..], last);
    let proc = find(&words, &["--remount-ro", "/proc"]);
    assert!(find(&words, &["--proc", "/proc"]) < proc);
    find(&words, &["--dev", "/dev"]);
    find(&words, &["--remount-ro", "/dev"]);
}

#[test]
fn the_network_is_shared_only_if_it_is_on() {
    let mut scene = Scene::new();
    find(&scene.words(), &["--unshare-net"]);
    scene.profile.network = Network::On;
    scene.profile.optional = vec![Protection::Network];
    assert!(!scene.words().contains(&"--unshare-net".to_owned()));
}

#[test]
fn whoever_asks_no_rights_are_left() {
    let words = Scene::new().words();
    find(&words, &["--cap-drop", "ALL"]);
    // The workspace is our own: there is a user namespace with one user, who is not root.
    find(&words, &["--unshare-user"]);
    let user = find(&words, &["--uid"]);
    assert_ne!(words[user + 1], "0");
}

#[test]
fn what_is_hidden_is_covered_by_something_of_ours() {
    let scene = Scene::new();
    let words = scene.words();
    let secret = scene.path("secret");
    let at = words.iter().position(|word| *word == secret).unwrap();
    assert_eq!(words[at - 2], "--ro-bind");
    assert!(
        words[at - 1].ends_with("/place/nothing"),
        "{}",
        words[at - 1]
    );
}

#[test]
fn nothing_shows_in_the_command_line() {
    let launch = format!("{:?}", launch(&program()));
    assert!(
        !launch.contains("work") && launch.contains("environment: []"),
        "{launch}"
    );
}

#[test]
fn a_list_of_commands_is_not_enforced_in_full() {
    let mut scene = Scene::new();
    scene.profile.commands = Some(vec![PathBuf::from("/bin/bash").canonicalize().unwrap()]);
    let survey = Survey::for_backend(&scene.profile, None, Backend::Bubblewrap).unwrap();
    assert!(Plan::compile(&scene.profile, &survey).is_err());
    scene.profile.optional = vec![Protection::Commands];
    let plan = Plan::compile(&scene.profile, &survey).unwrap();
    assert_eq!(plan.enforcement.commands, Level::Partial);
    assert_eq!(plan.enforcement.filesystem, Level::Full);
    assert_eq!(plan.enforcement.backend, Backend::Bubblewrap);
}

#[test]
fn one_that_is_too_old_is_refused() {
    for missing in NEEDED {
        let known: Vec<&str> = NEEDED.iter().filter(|it| *it != missing).copied().collect();
        let program = WrapperProgram::pretended("/usr/bin/bwrap", &known);
        let error = program.require(NEEDED).unwrap_err().to_string();
        assert!(error.contains(missing), "{error}");
    }
}

//! What was found out about a host is true for that host, and as long as it is true.

use serde_json::json;

use crate::support::{Host, World};

#[test]
fn what_was_remembered_elsewhere_or_is_no_longer_true_is_not_believed() {
    let world = World::new();
    let optional = "['filesystem', 'processes', 'resources', 'identity']";
    world.configure(&format!("[profile.default]\noptional = {optional}\n"));
    let backend = |features: &[&str]| {
        let (code, told) = Host::with(features).run(&world, &["--policy", "none", "true"]);
        assert_eq!(code, 0, "{features:?}: {told}");
        told["enforcement"]["backend"].as_str().unwrap().to_owned()
    };
    assert_eq!(backend(&["no-namespaces"]), "landlock");
    assert_eq!(backend(&[]), "native");
    assert_eq!(backend(&["no-namespaces"]), "landlock");
    // An attacker writes a weaker one into what is remembered.
    let memory = world.state().join("backends");
    let mut files = 0;
    for file in std::fs::read_dir(&memory).unwrap().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let (_, offered) = text.split_once('\n').unwrap();
        std::fs::write(file.path(), format!("landlock\n{offered}")).unwrap();
        files += 1;
    }
    assert!(files >= 2, "each host has its own");
    assert_eq!(backend(&[]), "native");
    assert_eq!(backend(&["no-namespaces"]), "landlock");
}

#[test]
fn what_vanishes_after_it_was_found_is_refused_and_looked_for_again() {
    let world = World::new();
    let memory = world.state().join("backends");
    let host = Host::with(&["no-namespaces"]);
    assert_eq!(host.run(&world, &["true"]).0, 125);
    // A host that looked the same once let a sandbox of ours be built.
    let file = std::fs::read_dir(&memory).unwrap().next().unwrap().unwrap();
    std::fs::write(file.path(), "native\n").unwrap();
    let (code, told) = host.run(&world, &["true"]);
    let kind = (code, &told["error"]["kind"]);
    assert_eq!(kind, (125, &json!("sandbox")), "{told}");
    assert!(!file.path().exists(), "it is forgotten");
    let (code, told) = host.run(&world, &["true"]);
    let kind = (code, &told["error"]["kind"]);
    assert_eq!(kind, (125, &json!("unenforceable")), "{told}");
}

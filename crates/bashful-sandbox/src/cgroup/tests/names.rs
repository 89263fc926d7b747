//! Which keeper a directory belongs to.

use crate::cgroup::owner::{Owner, is_name};
use crate::tree::Process;

#[test]
fn the_name_of_a_directory_says_whose_it_is() {
    let owner = Owner {
        process: Process {
            pid: 12,
            started: 345,
        },
        namespace: 6,
    };
    assert_eq!(owner.directory_name("7-a"), "bashful-12-345-6-7-a");
    assert_eq!(Owner::of("bashful-12-345-6-7-a"), Some(owner));
}

#[test]
fn other_names_are_nobodys() {
    for name in [
        "",
        "bashful",
        "bashful-",
        "bashful-12-345-6",
        "bashful-12-345-6-",
        "bashful-12-345-6-a/b",
        "bashful-+12-345-6-a",
        "bashful--12-345-6-a",
        "bashful-99999999999-1-6-a",
        "bashful-x-345-6-a",
        "user.slice",
    ] {
        assert_eq!(Owner::of(name), None, "{name}");
    }
}

#[test]
fn only_a_keeper_that_surely_ended_has_ended() {
    let own = Owner::current().unwrap();
    let mut other_start = own;
    other_start.process.started += 1;
    let mut other_namespace = other_start;
    other_namespace.namespace += 1;
    assert!(!own.has_ended(own));
    assert!(other_start.has_ended(own));
    assert!(!other_namespace.has_ended(own));
}

#[test]
fn a_name_is_one_plain_word() {
    assert!(is_name("12") && is_name("spare-3_x"));
    for name in ["", "..", "a/b", "a b", "a\n", "ä"] {
        assert!(!is_name(name), "{name:?}");
    }
    assert!(!is_name(&"a".repeat(65)));
}

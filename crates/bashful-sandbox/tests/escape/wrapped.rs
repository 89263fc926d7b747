//! The cases that other backends are tried with, and where these are known to be weaker.
//!
//! The attacks are those on our own sandbox. Where a backend does not hold one, it says so
//! before: its level is `partial` or `none`, and a run that needs more does not start.

use bashful_sandbox::{Backend, Profile, Protection};

use crate::case::{Case, Place};

/// The variable with which all cases are tried that make sense, and not only these.
const ALL: &str = "BASHFUL_ESCAPE_ALL";

/// Those that matter, of all classes. The class `programs` is missing: a list of commands is
/// `partial` there, and refused.
const BUBBLEWRAP: &[&str] = &[
    "reading::undeclared_file",
    "reading::home_is_empty",
    "reading::by_proc_self_root",
    "reading::hidden_file_in_the_workspace",
    "reading::hidden_file_by_another_link",
    "reading::shadow",
    "reading::private_files_of_the_system",
    "reading::symlink_swapped_in_a_race",
    "reading::any_descriptor_beyond_the_standard_ones",
    "reading::own_environment",
    "processes::see_the_helper",
    "processes::read_environment_of_init",
    "processes::memory_of_init",
    "processes::descriptors_of_init",
    "processes::root_of_init",
    "processes::kill_everything_at_once",
    "processes::list_of_keys",
    "writing::undeclared_file",
    "writing::read_root",
    "writing::tmp_of_the_host",
    "writing::core_pattern",
    "writing::core_pattern_by_another_root",
    "writing::system_program",
    "writing::own_memory_file",
    "writing::set_id_by_chmod",
    "writing::device_in_tmp",
    "protected::hook_overwritten",
    "protected::repository_renamed_away",
    "protected::hooks_renamed_away",
    "protected::shell_start_up_replaced",
    "protected::git_configuration_by_git",
    "sockets::of_the_host",
    "sockets::abstract_with_the_network_on",
    "sockets::virtual_machine_sockets",
    "network::loopback",
    "network::name_server",
    "kernel::trace_a_child",
    "kernel::typing_for_others",
    "namespaces::new_user_namespace",
    "namespaces::mount_in_a_namespace_of_its_own",
    "writing::read_only_mount_removed",
    "identity::host_root",
    "identity::user_zero",
    "identity::bounding_set",
    "identity::no_filter",
    "exhaustion::fork_bomb",
    "exhaustion::memory_of_many_processes",
    "surviving::forked_twice",
    "surviving::deaf_to_all_signals",
];

/// What holds where there are no namespaces. Below what is open nothing can be hidden or
/// frozen, others can be seen, and `/tmp` is the host's, closed.
const LANDLOCK: &[&str] = &[
    "reading::undeclared_file",
    "reading::undeclared_directory_listed",
    "reading::by_dots",
    "reading::by_proc_self_root",
    "reading::symlink_made_by_the_host",
    "reading::symlink_made_inside",
    "reading::symlink_swapped_in_a_race",
    "reading::leaked_directory",
    "reading::any_descriptor_beyond_the_standard_ones",
    "reading::file_handle_of_the_host",
    "reading::own_environment",
    "processes::read_its_memory",
    "processes::read_its_memory_by_call",
    "processes::read_any_environment",
    "processes::root_of_any_other",
    "processes::kill_by_number",
    "processes::kill_by_pidfd",
    "processes::attach_to_another",
    "processes::change_limits_of_another",
    "processes::shared_memory_segment",
    "processes::semaphore_set",
    "processes::message_queue",
    "writing::undeclared_file",
    "writing::undeclared_new_file",
    "writing::read_root",
    "writing::read_root_truncated",
    "writing::read_root_removed",
    "writing::read_root_renamed_away",
    "writing::descriptor_reopened_for_writing",
    "writing::through_a_symlink",
    "writing::tmp_of_the_host",
    "writing::home",
    "writing::core_pattern",
    "writing::system_program",
    "writing::set_id_by_chmod",
    "sockets::of_the_host",
    "sockets::abstract",
    "sockets::virtual_machine_sockets",
    "network::loopback",
    "network::own_address_of_the_host",
    "network::name_server",
    "kernel::trace_a_child",
    "kernel::io_uring",
    "kernel::typing_for_others",
    "namespaces::new_user_namespace",
    "namespaces::bind",
    "identity::new_privileges",
    "identity::no_filter",
    "exhaustion::large_file",
];

/// A few of each. That program's own configuration says which users may run it, so root tries it.
const FIREJAIL: &[&str] = &[
    "reading::undeclared_file",
    "reading::hidden_file_in_the_workspace",
    "reading::any_descriptor_beyond_the_standard_ones",
    "reading::own_environment",
    "processes::see_the_helper",
    "processes::kill_by_number",
    "writing::undeclared_file",
    "writing::read_root",
    "writing::core_pattern",
    "writing::system_program",
    "protected::hook_overwritten",
    "sockets::of_the_host",
    "network::loopback",
    "namespaces::new_user_namespace",
    "identity::no_filter",
];

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let all = std::env::var_os(ALL).is_some();
    [
        (Backend::Bubblewrap, BUBBLEWRAP),
        (Backend::Firejail, FIREJAIL),
        (Backend::Landlock, LANDLOCK),
    ]
    .into_iter()
    .flat_map(move |(backend, names)| {
        let wanted = move |case: &Case| {
            // Several runs in one room are a matter of our own sandbox.
            let alone = case.helper.is_none_or(|(place, _)| place == Place::Host);
            let named = names.contains(&case.full_name().as_str());
            alone && case.attack.is_none() && (all || named)
        };
        crate::native_cases().filter(wanted).map(move |mut case| {
            case.backend = backend;
            case.root_only |= backend == Backend::Firejail;
            case
        })
    })
}

/// What a backend does without is not what its cases are about.
pub(crate) fn excuse(profile: &mut Profile, backend: Backend) {
    profile.optional.push(Protection::Commands);
    if backend != Backend::Bubblewrap {
        profile
            .optional
            .extend([Protection::Filesystem, Protection::Processes]);
    }
}

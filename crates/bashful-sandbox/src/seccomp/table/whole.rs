//! Calls that are refused whatever their arguments.

use super::super::numbers;
use super::super::rule::{Answer, Named, Rule, Scope};
use super::{NO_SUCH_CALL, NOT_PERMITTED, refuse, refuse_if, tell_if};

pub(super) const RULES: &[Rule] = &[
    Rule {
        scope: Scope::NoTracing,
        calls: calls![SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev],
        when: &[],
        answer: Answer::Told(NOT_PERMITTED),
        reason: "reaches into other processes, and makes a listed program do what none does",
    },
    refuse(
        calls![SYS_process_madvise, SYS_kcmp, SYS_pidfd_getfd],
        "reaches into other processes",
    ),
    refuse(
        calls![
            SYS_mount,
            SYS_umount2,
            SYS_pivot_root,
            SYS_move_mount,
            SYS_open_tree,
            SYS_open_tree_attr,
            SYS_fsopen,
            SYS_fsconfig,
            SYS_fsmount,
            SYS_fspick,
            SYS_mount_setattr,
            SYS_chroot,
        ],
        "changes which files are visible",
    ),
    refuse(
        calls![SYS_statmount, SYS_listmount],
        "shows where visible files come from",
    ),
    tell_if(
        calls![SYS_unshare, SYS_setns],
        &[],
        NOT_PERMITTED,
        "enters or makes a namespace, in which there are new rights",
    ),
    refuse_if(
        calls![SYS_clone3, SYS_openat2],
        &[],
        NO_SUCH_CALL,
        "takes its flags from memory, where a filter cannot look; programs use the older call then",
    ),
    refuse(
        calls![SYS_name_to_handle_at, SYS_open_by_handle_at],
        "opens files without a path",
    ),
    refuse(
        calls![
            SYS_io_uring_setup,
            SYS_io_uring_enter,
            SYS_io_uring_register
        ],
        "makes system calls that no filter sees",
    ),
    refuse(
        calls![SYS_bpf, SYS_userfaultfd, SYS_perf_event_open],
        "a large part of the kernel that attacks often use",
    ),
    refuse(
        calls![SYS_keyctl, SYS_add_key, SYS_request_key],
        "keys of the kernel belong to no namespace",
    ),
    refuse(
        calls![SYS_fanotify_init, SYS_fanotify_mark],
        "watches the files of others",
    ),
    refuse(
        calls![SYS_init_module, SYS_finit_module, SYS_delete_module],
        "changes the kernel",
    ),
    refuse(
        calls![SYS_kexec_load, SYS_kexec_file_load, SYS_reboot],
        "restarts the machine",
    ),
    refuse(
        calls![
            SYS_settimeofday,
            SYS_clock_settime,
            SYS_adjtimex,
            SYS_clock_adjtime,
        ],
        "sets the clock",
    ),
    refuse(
        calls![
            SYS_swapon,
            SYS_swapoff,
            SYS_quotactl,
            SYS_quotactl_fd,
            SYS_syslog,
            SYS_acct,
            SYS_vhangup,
            SYS_iopl,
            SYS_ioperm,
            SYS_sethostname,
            SYS_setdomainname,
            SYS_lsm_set_self_attr,
        ],
        "administers the machine",
    ),
    refuse(
        calls![
            SYS_move_pages,
            SYS_migrate_pages,
            SYS_mbind,
            SYS_set_mempolicy,
            SYS_set_mempolicy_home_node,
            SYS_get_mempolicy,
        ],
        "places memory on the machine's nodes",
    ),
    refuse(
        calls![
            SYS_lookup_dcookie,
            SYS_nfsservctl,
            SYS_uselib,
            SYS_modify_ldt
        ],
        "a relic that hardly any program needs",
    ),
    refuse(
        calls![SYS_memfd_secret],
        "memory that no other process can inspect",
    ),
    Rule {
        scope: Scope::ListedCommands,
        calls: calls![SYS_memfd_create],
        when: &[],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "a program in memory is in no list of programs",
    },
];

//! The numbers of the system calls that acts make by hand, for this architecture.

macro_rules! table {
    ($($name:ident)*) => {
        [$((stringify!($name), libc::$name)),*]
    };
}

/// `name=number` for each, with the names as in the manual.
pub(crate) fn numbers() -> String {
    let calls = table![
        SYS_acct SYS_add_key SYS_adjtimex SYS_bpf SYS_capset SYS_chroot SYS_clock_settime SYS_clone
        SYS_clone3 SYS_connect SYS_delete_module SYS_execveat SYS_fallocate SYS_fanotify_init SYS_fchmodat
        SYS_fchmodat2 SYS_finit_module SYS_fsmount SYS_fsopen SYS_fspick SYS_init_module
        SYS_io_uring_setup SYS_kcmp SYS_kexec_load SYS_keyctl SYS_linkat SYS_mbind SYS_memfd_create
        SYS_memfd_secret SYS_mkdirat SYS_mknodat SYS_mount SYS_mount_setattr SYS_move_mount
        SYS_mq_open SYS_mq_timedreceive SYS_mq_unlink SYS_mq_timedsend
        SYS_name_to_handle_at SYS_open_by_handle_at
        SYS_open_tree SYS_openat SYS_openat2 SYS_perf_event_open SYS_personality
        SYS_pidfd_getfd SYS_pidfd_open SYS_pidfd_send_signal SYS_pivot_root SYS_prctl
        SYS_prlimit64 SYS_process_madvise SYS_process_vm_readv SYS_process_vm_writev SYS_ptrace
        SYS_quotactl SYS_quotactl_fd SYS_reboot SYS_renameat2 SYS_request_key SYS_semctl
        SYS_semget SYS_setdomainname SYS_setgid SYS_setgroups SYS_sethostname SYS_setns
        SYS_setresuid SYS_settimeofday SYS_setuid SYS_shmat SYS_shmctl SYS_shmget SYS_socket SYS_msgget
        SYS_msgctl SYS_swapoff SYS_swapon SYS_syslog SYS_umount2 SYS_unshare SYS_userfaultfd
        SYS_utimensat SYS_vhangup
    ];
    let word = |(name, number): &(&str, libc::c_long)| {
        format!("{}={number}", name.trim_start_matches("SYS_"))
    };
    calls.iter().map(word).collect::<Vec<_>>().join(" ")
}

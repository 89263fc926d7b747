//! Programs that change the machine, and their forms that only look.

use super::Looks;

/// The programs, with their forms that only look.
pub(super) const TABLE: &[(&[&str], Looks)] = &[
    (
        &[
            "useradd", "usermod", "userdel", "groupadd", "groupmod", "groupdel", "adduser",
            "deluser", "addgroup", "delgroup", "chpasswd", "chgpasswd", "newusers", "vipw", "vigr",
            "chsh", "chfn", "gpasswd", "pwconv", "grpconv", "reboot", "shutdown", "halt",
            "poweroff", "telinit", "insmod", "rmmod", "swapoff", "umount", "pivot_root", "kexec",
            "update-grub", "grub-install", "grub2-install", "update-initramfs", "mkinitcpio",
            "dracut", "setcap", "setenforce", "semanage", "setsebool", "restorecon",
            "dpkg-reconfigure", "update-rc.d", "insserv", "debconf-set-selections", "locale-gen",
            "update-locale", "update-ca-certificates", "update-ca-trust", "ldattach", "quotaon",
            "quotaoff", "setquota", "edquota", "mkswap", "tunelp", "rtcwake", "zramctl", "apt-key",
            "add-apt-repository", "authconfig", "pam-auth-update", "ntpdate",
        ],
        Looks::Never,
    ),
    (&["passwd"], Looks::Words(&["-S", "--status"])),
    (&["chage"], Looks::Words(&["-l", "--list"])),
    (&["visudo"], Looks::Words(&["-c", "--check"])),
    (
        &["modprobe"],
        Looks::Words(&["-n", "--dry-run", "-c", "--showconfig", "-D", "--show-depends"]),
    ),
    (&["depmod"], Looks::Words(&["-n", "--show", "--dry-run"])),
    (
        &["swapon", "losetup"],
        Looks::Without(&["--show", "-s", "--summary", "-a", "-l", "--list", "--all"]),
    ),
    (&["ldconfig"], Looks::Words(&["-p", "--print-cache", "-N"])),
    (
        &["update-alternatives", "alternatives"],
        Looks::Words(&["--display", "--list", "--query", "--get-selections"]),
    ),
    (
        &["iptables", "ip6tables", "ebtables", "arptables", "iptables-legacy", "iptables-nft"],
        Looks::Words(&[
            "-L", "-S", "--list", "--list-rules", "-nL", "-nvL", "-vnL", "-C", "-Ln", "-vL",
            "-Lvn", "-Lnv",
        ]),
    ),
    (
        &["iptables-restore", "ip6tables-restore"],
        Looks::Words(&["-t", "--test"]),
    ),
    (
        &["nft"],
        Looks::Words(&["list", "-c", "--check", "describe"]),
    ),
    (&["ipset"], Looks::Words(&["list", "test", "save", "-L"])),
    (&["ufw"], Looks::Words(&["status", "show", "--dry-run"])),
    (
        &["firewall-cmd"],
        Looks::Words(&["--state", "--list-", "--get-", "--query-", "--info-"]),
    ),
    (
        &["route"],
        Looks::Unless(&["add", "del", "delete", "change", "flush"]),
    ),
    (
        &["hostnamectl", "timedatectl", "localectl"],
        Looks::Unless(&[
            "hostname", "set-hostname", "set-icon-name", "set-chassis", "set-deployment",
            "set-location", "set-time", "set-timezone", "set-ntp", "set-local-rtc", "set-locale",
            "set-keymap", "set-x11-keymap", "icon-name", "chassis",
        ]),
    ),
    (
        &["loginctl"],
        Looks::Without(&[
            "list-sessions", "list-users", "list-seats", "show-session", "show-user", "show-seat",
            "session-status", "user-status", "seat-status",
        ]),
    ),
    (
        &["hwclock"],
        Looks::Unless(&["-w", "-s", "--systohc", "--hctosys", "--set", "--adjust", "-a"]),
    ),
    (
        &["systemctl"],
        Looks::Without(&[
            "status", "show", "cat", "list-units", "list-unit-files", "list-timers",
            "list-sockets", "list-jobs", "list-dependencies", "list-machines", "list-automounts",
            "list-paths", "is-active", "is-enabled", "is-failed", "is-system-running",
            "get-default", "help", "show-environment", "whoami", "list-mounts",
        ]),
    ),
    (
        &["service", "rc-service", "initctl", "invoke-rc.d", "sv"],
        Looks::Words(&["status", "--status-all", "list", "--list"]),
    ),
    (
        &["chkconfig", "rc-update"],
        Looks::Words(&["--list", "show"]),
    ),
    (&["crontab"], Looks::Words(&["-l", "-e"])),
    (
        &["journalctl"],
        Looks::Unless(&[
            "--vacuum-size=", "--vacuum-time=", "--vacuum-files=", "--vacuum-size",
            "--vacuum-time", "--vacuum-files", "--rotate", "--flush",
        ]),
    ),
    (
        &["nmcli", "networkctl", "rfkill", "resolvectl"],
        Looks::Unless(&[
            "add", "modify", "delete", "up", "down", "connect", "disconnect", "on", "off", "edit",
            "import", "block", "unblock", "reload", "reconfigure", "flush-caches", "dns", "domain",
        ]),
    ),
    (&["auditctl"], Looks::Words(&["-l", "-s"])),
    (
        &["dmesg"],
        Looks::Unless(&[
            "-c", "-C", "--clear", "--read-clear", "-n", "--console-level", "-D", "-E",
        ]),
    ),
    (
        &["apt", "apt-get", "aptitude"],
        Looks::Unless(&[
            "install", "reinstall", "remove", "purge", "upgrade", "dist-upgrade", "full-upgrade",
            "safe-upgrade", "update", "autoremove", "autopurge", "autoclean", "clean", "build-dep",
            "edit-sources", "satisfy", "dselect-upgrade", "markauto", "hold", "unhold",
        ]),
    ),
    (
        &["apt-mark"],
        Looks::Words(&["showauto", "showmanual", "showhold", "showinstall"]),
    ),
    (
        &["yum", "dnf", "dnf5", "microdnf", "tdnf", "zypper"],
        Looks::Unless(&[
            "install", "in", "remove", "rm", "erase", "update", "up", "upgrade", "dup",
            "dist-upgrade", "downgrade", "reinstall", "autoremove", "localinstall", "groupinstall",
            "clean", "swap", "distro-sync", "addrepo", "ar", "patch", "makecache", "refresh",
        ]),
    ),
    (
        &["apk"],
        Looks::Unless(&["add", "del", "upgrade", "update", "fix", "cache"]),
    ),
    (
        &[
            "emerge", "xbps-install", "xbps-remove", "opkg", "swupd", "eopkg", "pkg", "pkg_add",
            "port", "urpmi",
        ],
        Looks::Words(&["-p", "--pretend", "search", "info", "list", "--search", "-s"]),
    ),
    (
        &["snap", "flatpak"],
        Looks::Unless(&[
            "install", "remove", "uninstall", "refresh", "update", "revert", "enable", "disable",
            "set", "connect", "disconnect", "remote-add", "override", "switch", "alias", "start",
            "stop", "restart",
        ]),
    ),
    (
        &["brew"],
        Looks::Unless(&[
            "install", "uninstall", "remove", "rm", "upgrade", "update", "reinstall", "link",
            "unlink", "tap", "untap", "cleanup", "services",
        ]),
    ),
    (&["nix-env"], Looks::Words(&["-q", "--query", "-qa"])),
    (
        &["gem"],
        Looks::Unless(&["install", "uninstall", "update", "cleanup", "i"]),
    ),
    (
        &["luarocks", "cpan", "cpanm"],
        Looks::Without(&["list", "search", "show", "-l", "--info"]),
    ),
    (
        &["gsettings", "dconf", "xdg-mime", "xdg-settings"],
        Looks::Unless(&[
            "set", "reset", "write", "load", "reset-recursively", "default", "install",
        ]),
    ),
    (
        &["rustup"],
        Looks::Unless(&[
            "install", "update", "default", "uninstall", "add", "remove", "set", "self",
        ]),
    ),
];

//! What the kernel says, on hosts of many kinds.

use std::path::PathBuf;

use crate::cgroup::places::{Place, controlled, unified};

struct Case {
    host: &'static str,
    groups: &'static str,
    mounts: &'static str,
    /// Where `memory`, `pids`, `cpu` and `cpuacct` of version 1 are, and version 2.
    expected: [&'static [&'static str]; 5],
}

const LAPTOP: &str = "\
29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
30 23 0:27 / /sys/fs/pstore rw,nosuid shared:9 master:2 - pstore pstore rw
";

const HYBRID: &str = "\
25 18 0:22 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755
26 25 0:23 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw,nsdelegate
27 25 0:24 / /sys/fs/cgroup/systemd rw,nosuid shared:11 - cgroup cgroup rw,xattr,name=systemd
30 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:15 - cgroup cgroup rw,cpu,cpuacct
31 25 0:28 / /sys/fs/cgroup/pids rw,nosuid shared:16 - cgroup cgroup rw,pids
33 25 0:30 / /sys/fs/cgroup/memory rw,nosuid shared:18 - cgroup cgroup rw,memory
";

const CASES: &[Case] = &[
    Case {
        host: "a laptop with systemd",
        groups: "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-1.scope\n",
        mounts: LAPTOP,
        expected: [
            &[],
            &[],
            &[],
            &[],
            &["/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/vte-1.scope"],
        ],
    },
    Case {
        host: "podman without root, with a namespace of its own",
        groups: "0::/\n",
        mounts: "2001 1990 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate\n",
        expected: [&[], &[], &[], &[], &["/sys/fs/cgroup"]],
    },
    Case {
        host: "docker on version 2, with the namespace of the host",
        groups: "0::/system.slice/docker-ab.scope\n",
        mounts: "888 887 0:26 /system.slice/docker-ab.scope /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        expected: [&[], &[], &[], &[], &["/sys/fs/cgroup"]],
    },
    Case {
        host: "docker on version 1: each mount shows a part",
        groups: "5:pids:/docker/ab\n4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab/inner\n0::/\n",
        mounts: "\
701 700 0:24 /docker/ab /sys/fs/cgroup/memory ro,nosuid master:18 - cgroup cgroup rw,memory
702 700 0:25 /docker/ab /sys/fs/cgroup/pids ro,nosuid master:19 - cgroup cgroup rw,pids
703 700 0:26 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro master:20 - cgroup cgroup rw,cpu,cpuacct
",
        expected: [
            &["/sys/fs/cgroup/memory"],
            &["/sys/fs/cgroup/pids"],
            &["/sys/fs/cgroup/cpu,cpuacct/inner"],
            &["/sys/fs/cgroup/cpu,cpuacct/inner"],
            &[],
        ],
    },
    Case {
        host: "hybrid",
        groups: "9:pids:/user.slice/1\n7:cpu,cpuacct:/\n4:memory:/user.slice\n1:name=systemd:/user.slice/1\n0::/user.slice/1\n",
        mounts: HYBRID,
        expected: [
            &["/sys/fs/cgroup/memory/user.slice"],
            &["/sys/fs/cgroup/pids/user.slice/1"],
            &["/sys/fs/cgroup/cpu,cpuacct"],
            &["/sys/fs/cgroup/cpu,cpuacct"],
            &["/sys/fs/cgroup/unified/user.slice/1"],
        ],
    },
    Case {
        host: "version 1 only, in a directory with a space and a backslash, mounted twice",
        groups: "4:memory:/a b\n",
        mounts: "\
33 25 0:30 / /odd\\040\\134place rw - cgroup none rw,memory
34 25 0:30 /a\\040b /second rw - cgroup none rw,memory
35 25 0:30 / /odd\\040\\134place rw - cgroup none rw,memory
",
        expected: [&["/odd \\place/a b", "/second"], &[], &[], &[], &[]],
    },
    Case {
        host: "nested: the own group is out of the namespace or out of the mount",
        groups: "5:pids:/other\n4:memory:/../outer\n0::/../../outer\n",
        mounts: "\
1 0 0:24 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
2 0 0:25 /docker/ab /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
3 0 0:26 /.. /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
",
        expected: [&[], &[], &[], &[], &[]],
    },
    Case {
        host: "a hierarchy that is only called memory, and a path with a colon",
        groups: "4:name=memory:/\n5:pids:/x:y\n",
        mounts: "\
1 0 0:24 / /a rw - cgroup cgroup rw,name=memory
2 0 0:25 / /b rw - cgroup cgroup rw,pids
",
        expected: [&[], &["/b/x:y"], &[], &[], &[]],
    },
    Case {
        host: "none",
        groups: "",
        mounts: "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n",
        expected: [&[], &[], &[], &[], &[]],
    },
    Case {
        host: "nonsense",
        groups: "4:memory\n:::\n4\n\n::relative\n0::\n",
        mounts: "1 2 3\n1 0 0:24 / /a rw - cgroup\n- - - - - - -\n1 0 0:24 / /a rw cgroup cgroup rw,memory\n\\\n",
        expected: [&[], &[], &[], &[], &[]],
    },
];

#[test]
fn own_directories_are_found_on_every_kind_of_host() {
    for case in CASES {
        let (groups, mounts) = (case.groups.as_bytes(), case.mounts.as_bytes());
        let own = |places: Vec<Place>| places.into_iter().map(|place| place.own);
        let found: [Vec<PathBuf>; 5] = [
            own(controlled("memory", groups, mounts)).collect(),
            own(controlled("pids", groups, mounts)).collect(),
            own(controlled("cpu", groups, mounts)).collect(),
            own(controlled("cpuacct", groups, mounts)).collect(),
            own(unified(groups, mounts)).collect(),
        ];
        let expected: [Vec<PathBuf>; 5] = case
            .expected
            .map(|list| list.iter().map(PathBuf::from).collect());
        assert_eq!(found, expected, "{}", case.host);
    }
}

"""Runs a command on a host that lacks something, which this host has.

    python3 host.py FEATURE... -- COMMAND [ARGUMENT]...

Nothing of the real host changes: what is mounted is mounted in a mount namespace of our own, and what
the kernel refuses, a system call filter refuses to this one command and its children. The command
takes the place of this process. Root keeps the rights of root. An ordinary user gets a user namespace
with just this user in it where something is mounted, as the right to mount needs one: there root's
files are nobody's. Where a filter is all that is needed, there is none, and no new privileges.

A feature that cannot be taken away ends this with 99 before the command starts.

    no-user-namespaces[=ENOSPC]  they cannot be made; the error is EPERM unless named
    no-namespaces                none of any kind can be made or entered
    no-mounts[=ENOSYS]           nothing can be mounted or unmounted
    no-landlock[=EOPNOTSUPP]     the kernel has no Landlock (ENOSYS), or it is switched off
    landlock=N                   Landlock of version N; it holds the one listener that a filter may have
    no-filters                   system calls cannot be filtered
    no-cgroups                   no control groups are mounted
    read-only-cgroups            they are, and cannot be changed
    masked-proc                  /proc as in a container, so that no other can be mounted by ordinary users
    container-capabilities       root without the rights that containers take away
    overlay-root[=NAME]          all files on overlayfs, with a new empty file /NAME
    noexec=DIRECTORY             nothing in it executes
    sysctl=NAME:VALUE            a setting in /proc/sys reads so
    no-program=PATH              a program is not there
    program=PATH:SCRIPT          a shell script is in its place
    setuid-program=PATH          it is installed with the rights of its owner
    docker, ubuntu               whole hosts of these
"""

import ctypes
import errno
import fcntl
import os
import pathlib
import platform
import select
import shutil
import socket
import struct
import sys
import time

CANNOT = 99

# Whole hosts, by their features.
HOSTS = {
    # A container of root as Docker makes it unless told otherwise.
    "docker": [
        "overlay-root=.dockerenv",
        "masked-proc",
        "read-only-cgroups",
        "container-capabilities",
        "no-namespaces",
        "no-mounts",
    ],
    # User namespaces can be made, and give no rights.
    "ubuntu": [
        "sysctl=kernel/apparmor_restrict_unprivileged_userns:1",
        "no-mounts",
    ],
}

NEW_MOUNTS, NEW_USER = 0x0002_0000, 0x1000_0000
NEW_ANY = NEW_MOUNTS | NEW_USER | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x2000_0000 | 0x4000_0000

READ_ONLY, NO_SET_ID, NO_DEVICES, NO_EXEC = 1, 2, 4, 8
REMOUNT, BIND, RECURSIVE, PRIVATE = 32, 4096, 16384, 1 << 18
DETACH = 2

# Where scratch file systems are mounted while the host is made.
SCRATCH = "/mnt"

libc = ctypes.CDLL(None, use_errno=True)


def own_directory():
    """The first directory on the way to the current one that is ours, as is all below it."""
    top = os.getcwd()
    for above in map(str, pathlib.Path(top).parents):
        if above == "/" or os.stat(above).st_uid != os.geteuid():
            break
        top = above
    return top


# Looked at before there is a user namespace, in which other people's files may seem to be ours.
OWN = own_directory()


def cannot(what):
    os.write(2, f"host: cannot {what}\n".encode())
    os._exit(CANNOT)


def call(what, result):
    """The result of a call of the C library, which must have succeeded."""
    if result < 0:
        cannot(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


# --- Mounts ---------------------------------------------------------------------------------------


def mount(source, target, kind=None, flags=0, options=None):
    def text(value):
        return None if value is None else os.fsencode(value)

    outcome = libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(options))
    call(f"mount {kind or source} at {target}", outcome)


def flags_of(target):
    """The flags that a mount has; without them an ordinary user may not change the others."""
    about = os.statvfs(target).f_flag
    known = {1: READ_ONLY, 2: NO_SET_ID, 4: NO_DEVICES, 8: NO_EXEC, 1024: 1024, 2048: 2048, 4096: 1 << 21}
    return sum(flag for bit, flag in known.items() if about & bit)


def remount(target, more):
    mount(None, target, None, BIND | REMOUNT | flags_of(target) | more)


def bind_with(target, more):
    """Mounts something over itself, with more flags."""
    mount(target, target, None, BIND)
    remount(target, more)


def scratch():
    """A directory in memory of our own, gone when the host is made; what is mounted from it stays."""
    if not os.path.ismount(SCRATCH) or not os.path.exists(f"{SCRATCH}/.host"):
        mount("host", SCRATCH, "tmpfs", 0, "mode=755")
        open(f"{SCRATCH}/.host", "x").close()
    directory = f"{SCRATCH}/{len(os.listdir(SCRATCH))}"
    os.mkdir(directory, 0o755)
    return directory


def written(text, mode=0o644):
    path = f"{scratch()}/file"
    with open(path, "x") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def mount_points(below):
    with open("/proc/self/mountinfo") as table:
        points = [line.split()[4] for line in table]
    return [point for point in points if point == below or point.startswith(below + "/")]


def overlaid(lower, target, new_file=None):
    layer = scratch()
    os.mkdir(f"{layer}/upper", os.stat(lower).st_mode & 0o7777)
    os.mkdir(f"{layer}/work")
    if new_file:
        open(f"{layer}/upper/{new_file}", "x").close()
    options = f"lowerdir={lower},upperdir={layer}/upper,workdir={layer}/work"
    mount("overlay", target, "overlay", 0, options if os.geteuid() == 0 else f"{options},userxattr")
    # The mode of a directory of root's: making it the caller's mask took bits away.
    os.chmod(f"{layer}/upper", os.stat(lower).st_mode & 0o7777)


def overlay_root(new_file):
    """All files, the current directory among them, are on an overlay file system. What is changed is
    gone with the command."""
    here = os.getcwd()
    if os.geteuid() != 0:
        # Below the root are mounts that an ordinary user may not uncover, and directories of others
        # that nobody here can copy. So it begins at the first directory that is ours.
        overlaid(OWN, OWN)
        return
    root = scratch()
    overlaid("/", root, new_file)
    for name in ("proc", "sys", "dev"):
        mount(f"/{name}", f"{root}/{name}", None, BIND | RECURSIVE)
    above = here
    while not os.path.ismount(above):
        above = os.path.dirname(above)
    if above != "/":
        overlaid(above, root + above)
    os.chdir(root)
    call("change the root", libc.syscall(ctypes.c_long(NUMBERS["pivot_root"]), b".", b"."))
    call("leave the old root", libc.umount2(b".", DETACH))
    os.chdir(here)


def masked_proc():
    """As containers have it: nobody in a user namespace can mount another one."""
    for name in ("kcore", "keys", "timer_list", "latency_stats", "sched_debug"):
        if os.path.exists(f"/proc/{name}"):
            mount("/dev/null", f"/proc/{name}", None, BIND)
    for name in ("acpi", "scsi"):
        if os.path.isdir(f"/proc/{name}"):
            mount("host", f"/proc/{name}", "tmpfs", READ_ONLY)
    for name in ("bus", "fs", "irq", "sys", "sysrq-trigger"):
        if os.path.exists(f"/proc/{name}"):
            bind_with(f"/proc/{name}", READ_ONLY)


def no_cgroups():
    mount("host", "/sys/fs/cgroup", "tmpfs", READ_ONLY, "mode=755")


def read_only_cgroups():
    for point in mount_points("/sys/fs/cgroup"):
        remount(point, READ_ONLY)


def sysctl(value):
    """A setting with this value, whether this kernel knows it or not. Writing to it does nothing."""
    name, _, value = value.partition(":")
    path = f"/proc/sys/{name}"
    if os.path.exists(path):
        mount(written(value + "\n"), path, None, BIND)
        return
    # A file can be mounted over another only. So its directory is shown as a copy.
    directory, copy = os.path.dirname(path), scratch()
    for above, _, files in os.walk(directory):
        there = copy + above[len(directory):]
        os.makedirs(there, exist_ok=True)
        for file in files:
            try:
                with open(f"{above}/{file}", "rb") as source:
                    content = source.read(65536)
            except OSError:
                continue
            with open(f"{there}/{file}", "wb") as target:
                target.write(content)
    with open(f"{copy}/{os.path.basename(path)}", "w") as target:
        target.write(value + "\n")
    mount(copy, directory, None, BIND)


def no_program(path):
    if os.path.exists(path):
        mount("/dev/null", os.path.realpath(path), None, BIND)


def program(value):
    """Another program in the place of one: a shell script of these lines."""
    path, _, script = value.partition(":")
    if not os.path.exists(path):
        cannot(f"replace {path}, which is not there")
    mount(written(f"#!/bin/sh\n{script}\n", 0o755), os.path.realpath(path), None, BIND)


def setuid_program(path):
    """The same program with another mode."""
    copy = f"{scratch()}/file"
    shutil.copyfile(path, copy)
    os.chmod(copy, 0o4755)
    mount(copy, os.path.realpath(path), None, BIND)


# --- What the kernel refuses ----------------------------------------------------------------------

BOTH = {
    "clone3": 435, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442, "landlock_create_ruleset": 444, "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}
X86_64 = {
    "clone": 56, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155,
    "seccomp": 317, "prctl": 157,
}
AARCH64 = {
    "clone": 220, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41,
    "seccomp": 277, "prctl": 167,
}
NUMBERS = BOTH | (X86_64 if platform.machine() == "x86_64" else AARCH64)

MOUNT_CALLS = ("mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen", "fsconfig",
               "fsmount", "fspick", "mount_setattr")


class Refusal:
    """A call that fails: always, or if an argument has one of these bits or equals this."""

    def __init__(self, name, error, argument=None, bits=None, equal=None):
        self.number, self.answer = NUMBERS[name], 0x0005_0000 | error
        self.argument, self.bits, self.equal = argument, bits, equal

    def code(self):
        load, equal, any_bit, end = 0x20, 0x15, 0x45, 0x06
        test = []
        if self.argument is not None:
            test.append((load, 0, 0, 16 + 8 * self.argument))
            test.append((equal, 0, 1, self.equal) if self.bits is None else (any_bit, 0, 1, self.bits))
        block = [*test, (end, 0, 0, self.answer)]
        return [(load, 0, 0, 0), (equal, 0, len(block), self.number), *block]


def install(refusals, flags=0):
    """Puts a filter on this process."""
    code = [line for refusal in refusals for line in refusal.code()] + [(0x06, 0, 0, 0x7FFF_0000)]
    packed = b"".join(struct.pack("HBBI", *line) for line in code)
    instructions = ctypes.create_string_buffer(packed, len(packed))
    head = struct.pack("HxxxxxxP", len(code), ctypes.addressof(instructions))
    head = ctypes.create_string_buffer(head, len(head))
    if os.geteuid() != 0:
        call("give up new privileges", libc.prctl(38, 1, 0, 0, 0))
    outcome = libc.syscall(ctypes.c_long(NUMBERS["seccomp"]), ctypes.c_ulong(1), ctypes.c_ulong(flags), head)
    return call("install a filter", outcome)


def namespaces_refused(bits, error):
    # What a filter cannot look into is not there, as in containers; all fall back to `clone`.
    return [
        Refusal("unshare", error, 0, bits=bits),
        Refusal("clone", error, 0, bits=bits),
        Refusal("clone3", errno.ENOSYS),
    ]


def refusals(name, value):
    error = getattr(errno, value, None)
    match name:
        case "no-user-namespaces":
            return namespaces_refused(NEW_USER, error or errno.EPERM)
        case "no-namespaces":
            return [*namespaces_refused(NEW_ANY, errno.EPERM), Refusal("setns", errno.EPERM)]
        case "no-mounts":
            return [Refusal(call, error or errno.EPERM) for call in MOUNT_CALLS]
        case "no-landlock":
            calls = [call for call in NUMBERS if call.startswith("landlock")]
            return [Refusal(call, error or errno.ENOSYS) for call in calls]
        case "no-filters":
            return [Refusal("seccomp", errno.ENOSYS), Refusal("prctl", errno.EINVAL, 0, equal=22)]
    return []


# --- An older Landlock ----------------------------------------------------------------------------


def older_landlock(version):
    """Somebody has to answer with a number, which a filter cannot: a process that ends with the last
    one that asks. It is not a child of the command."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            ours.close()
            answer_for(version, theirs)
        os._exit(0)
    os.waitpid(child, 0)
    theirs.close()
    ask = Refusal("landlock_create_ruleset", 0)
    ask.answer = 0x7FC0_0000
    listener = install([ask], 8)
    socket.send_fds(ours, [b"."], [listener])
    ours.close()


def answer_for(version, channel):
    _, (listener,), _, _ = socket.recv_fds(channel, 1, 1)
    os.setsid()
    os.closerange(0, min(listener, 3))
    os.chdir("/")
    rights = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    longest = 16 if version < 6 else 24
    poll, end = select.poll(), time.monotonic() + 600
    poll.register(listener, select.POLLIN)
    while time.monotonic() < end:
        for _, events in poll.poll(1000):
            if events & (select.POLLHUP | select.POLLERR):
                os._exit(0)
            asked = bytearray(80)
            try:
                fcntl.ioctl(listener, 0xC050_2100, asked)
                pid, attribute, size, flags = struct.unpack_from("8xI20xQQQ", asked)
                value, error, go_on = 0, 0, 0
                if flags & 1:
                    value = version
                elif size > longest:
                    error = -errno.E2BIG
                elif handled(pid, attribute) & ~rights:
                    error = -errno.EINVAL
                else:
                    go_on = 1
                fcntl.ioctl(listener, 0xC018_2101, asked[:8] + struct.pack("qiI", value, error, go_on))
            except OSError:
                # Who asked is gone.
                continue
    os._exit(0)


def handled(pid, address):
    try:
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(address)
            return struct.unpack("Q", memory.read(8))[0]
    except (OSError, struct.error):
        # It is not for us to look into. The kernel judges it.
        return 0


# --- All together ---------------------------------------------------------------------------------

MOUNTED = {
    "overlay-root": overlay_root,
    "masked-proc": lambda _: masked_proc(),
    "no-cgroups": lambda _: no_cgroups(),
    "read-only-cgroups": lambda _: read_only_cgroups(),
    "sysctl": sysctl,
    "no-program": no_program,
    "program": program,
    "setuid-program": setuid_program,
    "noexec": lambda path: bind_with(path, NO_EXEC),
}
REFUSED = ("no-user-namespaces", "no-namespaces", "no-mounts", "no-landlock", "no-filters")
# What a container has of root's rights: chown, dac_override, fowner, fsetid, kill, setgid, setuid,
# setpcap, net_bind_service, net_raw, sys_chroot, mknod, audit_write, setfcap.
CONTAINER_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}


def enter():
    """A mount namespace of our own, in which nothing reaches the host."""
    user, group = os.geteuid(), os.getegid()
    call("make namespaces", libc.unshare(NEW_MOUNTS if user == 0 else NEW_MOUNTS | NEW_USER))
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    mount(None, "/", None, PRIVATE | RECURSIVE)


def main(arguments):
    if "--" not in arguments:
        cannot("run nothing: host.py FEATURE... -- COMMAND [ARGUMENT]...")
    cut = arguments.index("--")
    given, command = arguments[:cut], arguments[cut + 1:]
    features = [part.partition("=")[::2] for one in given for part in HOSTS.get(one, [one])]
    known = {*MOUNTED, *REFUSED, "landlock", "container-capabilities"}
    for name, _ in features:
        if name not in known:
            cannot(f"take away {name}, which is none of: {', '.join(sorted(known | {*HOSTS}))}")
    if any(name in MOUNTED for name, _ in features):
        enter()
    # In this order, since each step may take away what the one before it needs.
    for name, value in features:
        if name in MOUNTED:
            MOUNTED[name](value)
    # Where we are may be covered now.
    os.chdir(os.getcwd())
    if os.path.exists(f"{SCRATCH}/.host"):
        call("take the scratch away", libc.umount2(SCRATCH.encode(), DETACH))
    for name, value in features:
        if name == "landlock":
            older_landlock(int(value))
    if any(name == "container-capabilities" for name, _ in features):
        for capability in set(range(64)) - CONTAINER_CAPABILITIES:
            # Beyond the last one there is nothing to drop.
            libc.prctl(24, ctypes.c_ulong(capability), 0, 0, 0)
    refused = [refusal for name, value in features for refusal in refusals(name, value)]
    if refused:
        install(refused)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        cannot(f"start {command[0]}: {error}")


main(sys.argv[1:])

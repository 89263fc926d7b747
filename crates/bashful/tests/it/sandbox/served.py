"""Mounts a file system whose server answers nothing but the greeting, and runs a command beside it."""

import ctypes
import os
import struct
import sys
import threading

place, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.geteuid(), os.getegid()
if libc.unshare(0x0002_0000 if user == 0 else 0x1002_0000):
    sys.exit(99)
if user:
    for name, text in [("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")]:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
if libc.mount(None, b"/", None, 1 << 18 | 16384, None):
    sys.exit(98)
server = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
options = f"fd={server},rootmode=40000,user_id={user},group_id={group}".encode()
if libc.mount(b"silent", os.fsencode(place), b"fuse", 0, options):
    sys.exit(97)


def serve():
    while True:
        request = os.read(server, 1 << 17)
        length, opcode, unique = struct.unpack_from("IIQ", request)
        if opcode == 26:
            answer = struct.pack("IIIIHHI", 7, 31, 0, 0, 0, 0, 1 << 16).ljust(64, b"\0")
            os.write(server, struct.pack("IiQ", 16 + len(answer), 0, unique) + answer)


threading.Thread(target=serve, daemon=True).start()
child = os.posix_spawn(command[0], command, os.environ)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

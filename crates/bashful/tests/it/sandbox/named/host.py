"""A host of its own with an internet beside it: name server, web servers. Runs a command on that host."""

import ctypes
import http.server
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading

place, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.geteuid(), os.getegid()
NEW_NETWORK, NEW_USER, NEW_MOUNTS = 0x4000_0000, 0x1000_0000, 0x0002_0000
# The host has the first address, the internet all others.
HOST, WEB, NAMES = "93.184.216.1", "93.184.216.34", "93.184.216.53"
PRIVATE, METADATA = "10.9.9.9", "169.254.169.254"
TABLE = {
    "good.example": WEB, "a.sub.example": WEB, "b.sub.example": WEB, "other.example": WEB, "inside.example": PRIVATE,
    "meta.example": METADATA, "own.example": HOST, "loop.example": "127.0.0.1", "speaks.example": WEB,
}
asked = {}


def become(inside, outside, group_inside, group_outside):
    maps = [("setgroups", "deny"), ("uid_map", f"{inside} {outside} 1"), ("gid_map", f"{group_inside} {group_outside} 1")]
    for name, text in maps:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((NAMES, 53))
    while True:
        question, client = server.recvfrom(4096)
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += 1 + question[at]
        name, kind = ".".join(labels).lower(), question[at + 2]
        with open(f"{place}/asked", "a") as file:
            print(name, file=file)
        if name == "silent.example":
            continue
        address = TABLE.get(name)
        if name == "rebind.example":
            # The first answer is for whoever looks, the next for whoever connects.
            address = WEB if name not in asked else "127.0.0.1"
            if kind == 1:
                asked[name] = True
        answer = question[:2] + struct.pack(">HHHHH", 0x8180 if address else 0x8183, 1, 0, 0, 0) + question[12:at + 5]
        if address and kind == 1:
            answer = answer[:6] + b"\0\1" + answer[8:]
            answer += b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address)
        server.sendto(answer, client)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        where = self.server.where + (" tls" if isinstance(self.connection, ssl.SSLSocket) else "")
        body = f"{where} {self.headers['host']} {self.path}\n".encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.path = str(len(self.rfile.read(int(self.headers["content-length"]))))
        self.do_GET()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512


def web(where, port, context=None):
    server = Server(("", port), Web)
    server.where = where
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def speaker():
    server = socket.create_server(("", 2222))
    while True:
        client, _ = server.accept()
        client.sendall(b"banner\n" + client.recv(99))
        client.close()


def beside(work):
    """A process beside this one, which ends with it; returns once it is ready."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, ours
    libc.prctl(1, 9)
    work(lambda: os.write(theirs, b"!"))
    threading.Event().wait()


def internet(ready):
    if libc.unshare(NEW_NETWORK):
        os._exit(97)
    ready()
    while subprocess.run(["ip", "link", "set", "inner", "up"], stderr=subprocess.DEVNULL).returncode:
        pass
    ip("link", "set", "lo", "up")
    for address in [WEB, NAMES, PRIVATE, METADATA]:
        ip("addr", "add", address + "/24", "dev", "inner")
    ip("route", "add", "default", "via", HOST)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         "/CN=good.example", "-keyout", f"{place}/key", "-out", f"{place}/certificate"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{place}/certificate", f"{place}/key")
    web("internet", 80)
    web("internet", 8080)
    web("internet", 443, context)
    for work in [names, speaker]:
        threading.Thread(target=work, daemon=True).start()
    ready()


def neighbours(ready):
    web("host", 80)
    ready()


if libc.unshare(NEW_NETWORK | NEW_MOUNTS | (NEW_USER if user else 0)):
    sys.exit(99)
if user:
    become(0, user, 0, group)
pid, hears = beside(internet)
os.read(hears, 1)
ip("link", "set", "lo", "up")
ip("link", "add", "outer", "type", "veth", "peer", "name", "inner", "netns", str(pid))
ip("addr", "add", HOST + "/24", "dev", "outer")
ip("link", "set", "outer", "up")
ip("route", "add", "default", "via", WEB)
os.read(hears, 1)
_, hears = beside(neighbours)
os.read(hears, 1)
with open(f"{place}/resolv.conf", "w") as file:
    file.write(f"search corp.example\nnameserver {NAMES}\noptions timeout:1 attempts:1\n")
os.chmod(f"{place}/resolv.conf", 0o644)
libc.mount(None, b"/", None, 1 << 18 | 16384, None)
target = os.path.realpath("/etc/resolv.conf").encode()
if libc.mount(f"{place}/resolv.conf".encode(), target, None, 4096, None):
    sys.exit(98)
if user:
    if libc.unshare(NEW_USER):
        sys.exit(96)
    become(user, 0, group, 0)
os.execvp(command[0], command)

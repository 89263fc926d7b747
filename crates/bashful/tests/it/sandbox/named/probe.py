"""Tries to reach hosts in many ways; prints what came of each."""

import socket
import ssl
import struct
import sys


def said(stream, words, much=4096):
    stream.sendall(words)
    answer = b""
    while len(answer) < much:
        part = stream.recv(4096)
        if not part:
            break
        answer += part
    return answer.decode(errors="replace")


def http(to, host, port=80, path="/", times=1):
    with socket.create_connection((to, port), 8) as stream:
        words = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n"
        last = words + "Connection: close\r\n\r\n"
        answer = said(stream, ((words + "\r\n") * (times - 1) + last).encode())
    first, _, rest = answer.partition("\r\n")
    bodies = [line for line in rest.split("\n") if line.startswith(("internet", "host"))]
    return "; ".join(bodies) if bodies else first


def tls(to, name, port=443):
    context = ssl._create_unverified_context()
    with socket.create_connection((to, port), 8) as stream:
        with context.wrap_socket(stream, server_hostname=name) as inside:
            answer = said(inside, f"GET / HTTP/1.0\r\nHost: {name}\r\n\r\n".encode())
    return answer.split("\n")[-2]


def slow_tls(to, name):
    """The first message in records of one byte."""
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    inside = ssl._create_unverified_context().wrap_bio(coming, going, server_hostname=name)
    try:
        inside.do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = going.read()[5:]
    with socket.create_connection((to, 443), 8) as stream:
        stream.sendall(b"".join(b"\x16\x03\x01\x00\x01" + bytes([byte]) for byte in hello))
        kind = stream.recv(1)
    return {b"\x16": "handshake", b"\x15": "alert"}.get(kind, kind)


def raw(to, port, words=b"\0x"):
    with socket.create_connection((to, port), 8) as stream:
        return repr(said(stream, words))


def udp(to, port, words=b"x"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stream:
        stream.settimeout(2)
        stream.connect((to, port))
        stream.send(words)
        return repr(stream.recv(99))


def names(to, name):
    question = b"\0\7\1\0\0\1\0\0\0\0\0\0"
    for label in name.split("."):
        question += bytes([len(label)]) + label.encode()
    udp(to, 53, question + b"\0\0\1\0\1")
    return "answered"


def proxy(words):
    with socket.create_connection(("127.0.0.1", 808), 8) as stream:
        return said(stream, words.encode().replace(b"|", b"\r\n"), 200).split("\r\n")[0]


def fast_open(to, host):
    with socket.socket() as stream:
        stream.sendto(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(), 0x2000_0000, (to, 80))
        return said(stream, b"").split("\r\n")[0]


for line in sys.stdin:
    line = line.strip()
    if not line:
        continue
    try:
        result = eval(line)
    except ssl.SSLError as error:
        result = error.reason
    except OSError as error:
        result = type(error).__name__ if error.errno is None or error.errno < 0 else error.strerror
    print(f"{line} = {result}", flush=True)

"""A loopback proxy that adds the token to every request, for clients that cannot send one.

Nothing else is changed: the tests behind it are about headers. Only a `Host` or an `Origin` that
names the proxy itself becomes the server's.
"""

import contextlib
import socket
import threading

LONGEST_HEAD = 1 << 20


class HeaderProxy:
    def __init__(self, port, token):
        self.port, self.token = port, token
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.own = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.own}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                piece = client.recv(65536)
                if not piece or len(data) > LONGEST_HEAD:
                    return
                data += piece
            head, body = data.split(b"\r\n\r\n", 1)
            with socket.create_connection(("127.0.0.1", self.port)) as server:
                server.sendall(self._changed(head) + body)
                threading.Thread(target=_pump, args=(client, server), daemon=True).start()
                _pump(server, client)

    def _changed(self, head):
        lines = []
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if name in (b"host", b"origin") and value.endswith(b":%d" % self.own):
                line = name + b": " + value.rpartition(b":")[0] + b":%d" % self.port
            # One request for each connection, so that no later one goes by unchanged.
            if name not in (b"connection", b"keep-alive"):
                lines.append(line)
        lines += [b"Connection: close", b"Authorization: Bearer " + self.token.encode()]
        return b"\r\n".join(lines) + b"\r\n\r\n"


def _pump(source, sink):
    """Copies until one side ends; then the other hears it too."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for side in (source, sink):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)

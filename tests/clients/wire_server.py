"""A server whose lines are written and read one by one, and cases made of them."""

import json
import os
import queue
import select
import subprocess
import threading
import time

from harness import PATIENCE, Place, binary, check, contains, same

OLD = "2025-11-25"
NEW = "2026-07-28"
PUSH = "git push origin main"


def meta(elicits=False):
    """What every request of the newer generation carries."""
    return {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities":
            {"elicitation": {"form": {}}} if elicits else {},
    }


class Wire:
    """A server on stdio, and its lines."""

    def __init__(self, place, generation=OLD, elicits=False, start=True):
        self.generation, self.elicits, self.count = generation, elicits, 0
        self.process = subprocess.Popen(
            [binary(), *place.server_arguments()], env=place.environment(), cwd=place.workspace,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.lines, self.kept = queue.Queue(), []
        self.deaf = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.stderr = []
        threading.Thread(target=self._hear, daemon=True).start()
        if start and generation == OLD:
            capabilities = {"elicitation": {}} if elicits else {}
            self.ask("initialize", {
                "protocolVersion": OLD, "capabilities": capabilities,
                "clientInfo": {"name": "wire", "version": "1"},
            })
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        output, rest = self.process.stdout.fileno(), b""
        while not self.deaf.is_set():
            if not select.select([output], [], [], 0.05)[0]:
                continue
            data = os.read(output, 1 << 20)
            if not data:
                break
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                try:
                    self.lines.put(json.loads(line))
                except ValueError:
                    self.lines.put({"not json": line.decode(errors="replace")})
        self.lines.put(None)

    def leave(self):
        """Goes away as a client does that dies: both of its ends are closed."""
        self.deaf.set()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()

    def _hear(self):
        for line in self.process.stderr:
            self.stderr.append(line.decode(errors="replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def request(self, method, params=None, id=None):
        """Sends a request and returns its id."""
        self.count += 1
        id = f"w{self.count}" if id is None else id
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if self.generation == NEW:
            params = {"_meta": meta(self.elicits), **(params or {})}
        if params is not None:
            message["params"] = params
        self.send(message)
        return id

    def answer(self, id, patience=PATIENCE):
        """The response to a request; other messages are kept."""
        end = time.monotonic() + patience
        while True:
            for index, message in enumerate(self.kept):
                if "method" not in message and message.get("id") == id:
                    return self.kept.pop(index)
            try:
                message = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                message = None
            if message is None:
                said = "".join(self.stderr)
                check(False, f"no response to {id!r}; kept {self.kept!r}; stderr {said!r}")
            check("not json" not in message, f"stdout holds {message}")
            self.kept.append(message)

    def ask(self, method, params=None, id=None):
        return self.answer(self.request(method, params, id))

    def call(self, command, **more):
        return self.ask("tools/call", {
            "name": "bash_run", "arguments": {"command": command}, **more,
        })

    def works(self):
        """The server still answers."""
        answer = self.call("echo still here")
        contains(json.dumps(answer), "still here", "an answer")

    def error(self, answer, *codes):
        code = answer.get("error", {}).get("code")
        check(code in codes, f"got {json.dumps(answer)[:500]}, expected an error {codes}")

    def ends(self, status=0):
        self.process.stdin.close()
        same(self.process.wait(PATIENCE), status, f"exit status; stderr {''.join(self.stderr)!r}")


def both(function):
    """A case for each generation."""
    def run(generation):
        def case():
            with Place() as place, Wire(place, generation) as wire:
                function(place, wire)
        return case
    name = function.__name__.replace("_", " ")
    return [(f"{generation}: {name}", run(generation)) for generation in (OLD, NEW)]


def once(function):
    def case():
        with Place() as place:
            function(place)
    return [(function.__name__.replace("_", " "), case)]

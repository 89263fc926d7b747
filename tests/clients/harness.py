"""What all scripts here share: a place to work in, the server under test, cases and their report."""

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Nothing below takes this long on a machine that works.
PATIENCE = 30.0

# How many cases run side by side.
AT_ONCE = 4

TOKEN = "a-token-of-the-tests-0123456789abcdef"


class Failed(Exception):
    """A case does not hold. The text says what was got and what was expected."""


def check(condition, message):
    if not condition:
        raise Failed(message)


def same(got, expected, what):
    check(got == expected, f"{what}: got {got!r}, expected {expected!r}")


def contains(text, part, what="the text"):
    check(part in text, f"{what} lacks {part!r}:\n{indented(text)}")


def lacks(text, part, what="the text"):
    check(part not in text, f"{what} must not hold {part!r}:\n{indented(text)}")


def indented(text):
    shown = text if len(text) < 3000 else text[:1500] + "\n…\n" + text[-1500:]
    return "\n".join("    | " + line for line in shown.splitlines())


def binary():
    path = os.environ.get("BASHFUL_TEST_BINARY")
    if not path or not os.path.isfile(path):
        sys.exit("BASHFUL_TEST_BINARY must name the executable; `cargo xtask test` sets it")
    return path


class Place:
    """A home, state and a workspace of its own, removed at the end."""

    def __init__(self, root=None):
        # Not TMPDIR: paths of sockets must stay short.
        self.root = Path(root or tempfile.mkdtemp(prefix="bashful-c-", dir="/tmp"))
        for name in ("home", "state", "config/bashful", "run", "work"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)
        self.workspace = self.root / "work"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _ in range(20):
            shutil.rmtree(self.root, ignore_errors=True)
            if not self.root.exists():
                return
            time.sleep(0.1)
        print(f"warning: {self.root} stays behind", file=sys.stderr)

    def environment(self):
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HOME": str(self.root / "home"),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
        }

    def server_arguments(self, *more):
        return ["mcp", "--workspace", str(self.workspace), "--agent", "tester", *more]

    def bashful(self, *arguments):
        """Our own command line on the same state, to its end."""
        return subprocess.run(
            [binary(), *arguments], env=self.environment(), cwd=self.workspace,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
        )

    def configure(self, text):
        (self.root / "config/bashful/config.toml").write_text(text)

    def repository_with_remote(self):
        """A repository whose `git push origin main` works without any network."""
        # Separate calls, so that a failure shows which one it was.
        steps = [
            ["git", "init", "-q", "-b", "main", "."],
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q",
             "--allow-empty", "-m", "first"],
            ["git", "init", "-q", "--bare", "remote.git"],
            ["git", "remote", "add", "origin", "./remote.git"],
        ]
        for step in steps:
            subprocess.run(step, cwd=self.workspace, env=self.environment(), check=True)


class HttpServer:
    """`bashful mcp --http`, on a port of its own choice."""

    def __init__(self, place, *more):
        self.place, self.more = place, more

    def __enter__(self):
        token_file = self.place.root / "token"
        token_file.write_text(TOKEN + "\n")
        token_file.chmod(0o600)
        arguments = self.place.server_arguments(
            "--http", "127.0.0.1:0", "--token-file", str(token_file), *self.more
        )
        self.process = subprocess.Popen(
            [binary(), *arguments], env=self.place.environment(), cwd=self.place.workspace,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self.said = []
        self._found = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        self._found.wait(PATIENCE)
        urls = [match.group(0) for line in self.said
                for match in re.finditer(r"http://127\.0\.0\.1:\d+[^\s`'\"]*", line)]
        if not urls:
            self.stop()
            raise Failed("the server names no address on stderr:\n" + indented("".join(self.said)))
        origin = re.match(r"http://127\.0\.0\.1:\d+", urls[0]).group(0)
        self.port = int(origin.rsplit(":", 1)[1])
        path = urls[0][len(origin):].rstrip(".,/")
        self.url = origin + (path or "/mcp")
        return self

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)
            if "http://" in line:
                self._found.set()
        self._found.set()

    def stop(self):
        """Ends it as a service manager would; how it exits is returned."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed("the server does not end on SIGTERM") from None

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            with contextlib.suppress(Failed):
                self.stop()


# No other process of this machine sleeps as long as one with these numbers.
_sleeps = itertools.count(10_000_000 + os.getpid() * 1000)


def marked_sleep():
    """A `sleep` that can be told from all others."""
    return f"sleep {next(_sleeps)}.25"


def is_running(command):
    """Whether a process with exactly this command line lives. Its own pid says nothing to us: it
    has a namespace of its own."""
    wanted = command.encode().replace(b" ", b"\0") + b"\0"
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if Path(f"/proc/{entry}/cmdline").read_bytes() == wanted:
                    return True
    return False


def until(condition, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while not condition():
        check(time.monotonic() < end, f"after {patience:.0f} s still not: {what}")
        time.sleep(0.02)


def run_table(title, cases):
    """Runs `(name, function)` rows, prints a line for each, and gives the exit status. The cases
    have nothing to do with each other and wait most of the time, so some run side by side."""
    only = sys.argv[1:]
    chosen = [row for row in cases if not only or any(word in row[0] for word in only)]
    if not chosen:
        print(f"{title}: no case matches {only}")
        return 2
    start = time.monotonic()
    failed = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name, seconds, trouble in pool.map(run_case, chosen):
            print(f"{'FAILED' if trouble else 'ok    '} {title}: {name} ({seconds:.2f} s)", flush=True)
            if trouble:
                failed.append(name)
                print(indented(trouble), flush=True)
    seconds = time.monotonic() - start
    print(f"{title}: {len(chosen) - len(failed)} of {len(chosen)} hold, {seconds:.1f} s", flush=True)
    for name in failed:
        print(f"  failed: {name}")
    return 1 if failed else 0


def run_case(row):
    name, function = row
    began = time.monotonic()
    trouble = None
    try:
        function()
    except Failed as failure:
        trouble = str(failure)
    except Exception:
        trouble = traceback.format_exc()
    return name, time.monotonic() - began, trouble

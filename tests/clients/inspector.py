#!/usr/bin/env python3
"""The MCP inspector's command line and its scriptable client `mcpdo`, over stdio and HTTP."""

import json
import os
import subprocess
import sys

from harness import (
    PATIENCE, TOKEN, HttpServer, Place, binary, check, contains, lacks, run_table, same,
)

PUSH = "git push origin main"
ERAS = ("legacy", "modern")
# How `mcpdo` exits when a tool's result is an error.
REFUSED = 5


def node(place, *words, more=None):
    """A Node program to its end."""
    environment = {**place.environment(), "NO_COLOR": "1", **(more or {})}
    command = [os.environ["BASHFUL_TEST_NODE"], *words]
    return subprocess.run(
        command, env=environment, cwd=place.root, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=2 * PATIENCE,
    )


def script(name):
    path = os.path.join(os.environ["BASHFUL_TEST_NODE_MODULES"], ".bin", name)
    return os.path.realpath(path)


def inspect(place, target, era, method, *more):
    """One call of the inspector; gives its JSON."""
    done = node(
        place, script("mcp-inspector"), "--cli", "--protocol-era", era, "--format", "json",
        "--quiet", "--method", method, *more, *target,
    )
    same(done.returncode, 0, f"exit status of {method}, which said {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def looks_around(place, target, era):
    """The methods that the inspector has for us."""
    listed = inspect(place, target, era, "tools/list")
    names = [tool["name"] for tool in unwrapped(listed)["tools"]]
    check({"bash_run", "task_output", "policy_explain"} <= set(names), f"tools: {names}")
    arguments = json.dumps({"command": "echo from the inspector; exit 3"})
    call = ("--tool-name", "bash_run", "--tool-args-json", arguments)
    result = unwrapped(inspect(place, target, era, "tools/call", *call))
    contains(result["content"][0]["text"], "exit code 3")
    contains(result["content"][0]["text"], "from the inspector")
    resources = unwrapped(inspect(place, target, era, "resources/list"))["resources"]
    check(resources, "no log is listed")
    read = inspect(place, target, era, "resources/read", "--uri", resources[0]["uri"])
    contains(json.dumps(read), "from the inspector", "the log")


def unwrapped(value):
    """Whatever the inspector puts around a result."""
    for key in ("result", "data"):
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            value = value[key]
    return value


def over_stdio(era):
    def case():
        with Place() as place:
            # Each call starts a server of its own; the tasks are the agent's and stay.
            looks_around(place, stdio(place), era)

    return f"cli over stdio, {era}", case


def stdio(place):
    return [*variables(place), "--", binary(), *place.server_arguments()]


def variables(place):
    """The inspector passes on no variable that it was not told of."""
    return [word for name, value in place.environment().items() for word in ("-e", f"{name}={value}")]


def over_http(era):
    def case():
        with Place() as place, HttpServer(place) as server:
            target = ["--server-url", server.url, "--transport", "http",
                      "--header", f"Authorization: Bearer {TOKEN}"]
            looks_around(place, target, era)

    return f"cli over http, {era}", case


def schemas_are_portable():
    """The inspector judges what other clients would trip over in a schema."""
    with Place() as place:
        done = node(place, script("mcp-inspector"), "--cli", "--format", "json",
                    "--method", "tools/list", "--strict", *stdio(place))
        same(done.returncode, 0, f"exit status, with {done.stderr}")
        lacks(done.stderr, "Warning", "what it found")


def answers(era):
    def case():
        with Place() as place:
            place.repository_with_remote()
            mcpdo = Mcpdo(place)
            try:
                mcpdo("--connection", "b", "connect", "--era", era, *stdio(place))
                push = ("@b", "tools/call", "bash_run", f"command:={PUSH}")
                asked = mcpdo(*push)
                contains(asked, "git-push", "the question")
                identity = pending(asked)
                done = mcpdo("elicitation/respond", identity, "answer:=once")
                contains(done, "exit code 0", "what came of a yes")
                identity = pending(mcpdo(*push))
                done = mcpdo("elicitation/respond", identity, "answer:=deny", "message:=not now", status=REFUSED)
                contains(done, "not now", "what came of a no")
                identity = pending(mcpdo(*push))
                done = mcpdo("elicitation/respond", identity, "--cancel", status=REFUSED)
                contains(done, "needs approval", "what came of nothing")
                lacks(done, "exit code", "what came of nothing")
            finally:
                mcpdo("daemon", "stop")

    return f"mcpdo answers questions, {era}", case


def follows_tasks(era):
    def case():
        with Place() as place:
            mcpdo = Mcpdo(place)
            try:
                mcpdo("--connection", "b", "connect", "--era", era, *stdio(place))
                arguments = json.dumps({
                    "command": "sleep 0.5; echo over; exit 3", "run_in_background": True,
                })
                done = mcpdo("@b", "tools/call", "bash_run", arguments)
                # The newer generation has tasks, and the client waits for the end of this one.
                contains(done, "exit code 3" if era == "modern" else "task_output", "the result")
            finally:
                mcpdo("daemon", "stop")

    return f"mcpdo and a background command, {era}", case


class Mcpdo:
    """`mcpdo` with a daemon of its own."""

    def __init__(self, place):
        self.place = place
        self.more = {
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "MCP_INSPECTOR_DAEMON_DIR": str(place.root / "daemon"),
            "MCP_INSPECTOR_DAEMON_TOKEN": TOKEN,
        }
        (place.root / "daemon").mkdir(mode=0o700)

    def __call__(self, *words, status=0):
        done = node(self.place, script("mcpdo"), "--format", "json", *words, more=self.more)
        said = done.stdout + done.stderr
        same(done.returncode, status, f"exit status of {words[:3]}, which said {said}")
        return done.stdout


def pending(text):
    value = json.loads(text)
    found = value.get("elicitationPending") or value
    identity = found.get("elicitationId")
    check(identity, f"no question is pending: {text}")
    return identity


CASES = [
    *[over_stdio(era) for era in ERAS], *[over_http(era) for era in ERAS],
    ("schemas are portable", schemas_are_portable), *[answers(era) for era in ERAS],
    *[follows_tasks(era) for era in ERAS],
]


if __name__ == "__main__":
    sys.exit(run_table("inspector", CASES))

#!/usr/bin/env python3
"""The MCP conformance suite against `bashful mcp --http`, for both revisions.

A failure must be in `expected-failures.json` with its reason, and what is there must fail: an
entry that is not true any more is a failure too. The suite cannot send a token, so a proxy on the
loopback adds it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from harness import PATIENCE, TOKEN, Failed, HttpServer, Place, indented, run_table
from header_proxy import HeaderProxy

HERE = Path(__file__).resolve().parent
SUITE = "@modelcontextprotocol/conformance/dist/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")


def results_of(revision):
    """Runs the suite; gives for each scenario its checks."""
    node = os.environ["BASHFUL_TEST_NODE"]
    suite = os.path.join(os.environ["BASHFUL_TEST_NODE_MODULES"], SUITE)
    with Place() as place:
        output = place.root / "results"
        with HttpServer(place) as server, HeaderProxy(server.port, TOKEN) as proxy:
            path = server.url.split("/", 3)[3]
            command = [
                node, suite, "server", "--url", f"{proxy.address}/{path}",
                "--requirements", revision, "--timeout", "60000", "--output-dir", str(output),
            ]
            done = subprocess.run(
                command, cwd=place.root, env=place.environment(), stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=8 * PATIENCE,
            )
        found = {}
        for file in sorted(output.glob("**/checks.json")):
            name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
            found[name] = json.loads(file.read_text())
    if not found:
        raise Failed(f"the suite left no results:\n{indented(done.stdout + done.stderr)}")
    return found


def failures_of(checks):
    """The ids of the checks that failed, with what they say."""
    failed = {}
    for one in checks:
        if one.get("status") == "FAILURE":
            words = one.get("errorMessage") or one.get("description") or ""
            failed.setdefault(one.get("id") or one.get("name"), words)
    return failed


def judge(revision, found, expected):
    """Compares what failed with what is expected to."""
    problems = []
    used = set()
    for scenario, checks in sorted(found.items()):
        failed = failures_of(checks)
        if scenario in expected:
            used.add(scenario)
            if not failed:
                problems.append(f"{scenario} holds now: take it out of expected-failures.json")
            continue
        for check, words in failed.items():
            entry = f"{scenario}:{check}"
            if entry in expected:
                used.add(entry)
            else:
                problems.append(f"{entry} fails: {words}")
    for entry in sorted(set(expected) - used):
        scenario = entry.split(":")[0]
        known = "it holds now" if scenario in found else "the suite has no such scenario"
        problems.append(f"{entry} is expected to fail, but {known}")
    return problems


def case(revision):
    def run():
        found = results_of(revision)
        table = json.loads((HERE / "expected-failures.json").read_text())
        expected = table[revision]
        for entry, reason in expected.items():
            if len(reason) < 10:
                raise Failed(f"{entry} has no reason")
        problems = judge(revision, found, expected)
        if problems:
            raise Failed("\n".join(problems))
        failing = sum(bool(failures_of(checks)) for checks in found.values())
        print(f"       {revision}: {len(found)} scenarios, {failing} fail as expected")

    return f"revision {revision}", run


def show(revision):
    """Prints all that the suite says."""
    for scenario, checks in sorted(results_of(revision).items()):
        failed = failures_of(checks)
        print(f"{revision} {scenario}: {'fails' if failed else 'holds'}")
        for check, words in failed.items():
            print(f"    {check}: {words}")


def main():
    if sys.argv[1:] == ["--show"]:
        for revision in REVISIONS:
            show(revision)
        return 0
    return run_table("conformance", [case(revision) for revision in REVISIONS])


if __name__ == "__main__":
    sys.exit(main())

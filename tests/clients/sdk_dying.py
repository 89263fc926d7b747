"""Case of the Python SDK: a client that is killed in the middle of a call."""

import contextlib
import os
import subprocess
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from harness import TOKEN, HttpServer, Place, is_running, marked_sleep, same, until
from sdk import Way, run


async def a_client_that_dies(place, way):
    """Another process calls and is killed; what it ran must go with it. Over HTTP the older
    generation lets a client come back for its answer, so there the time limit has to end it."""
    sleep = marked_sleep()
    if way.transport == "stdio":
        await dying_client(place, way, sleep, None)
        return
    with HttpServer(place) as server:
        await dying_client(place, way, sleep, server.url)


async def dying_client(place, way, sleep, url):
    script = "import sdk_dying, sys; sdk_dying.call_and_wait(*sys.argv[1:])"
    command = [sys.executable, "-B", "-c", script, str(place.root), way.mode, sleep, url or ""]
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    child = subprocess.Popen(command, cwd=os.path.dirname(os.path.abspath(__file__)), env=environment)
    try:
        until(lambda: is_running(sleep) or child.poll() is not None, "the command runs")
        same(child.poll(), None, "the client's exit status")
    finally:
        child.kill()
        child.wait()
    until(lambda: not is_running(sleep), "the command has ended", 15)
    if url is None:
        until(lambda: not servers_of(place), "the server has ended", 15)


def servers_of(place):
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            words = open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0")
            if words[1:2] == [b"mcp"] and str(place.workspace).encode() in words:
                found.append(int(entry))
    return found


def call_and_wait(root, mode, sleep, url):
    """What the client that is killed does."""
    place = Place(root)

    async def main():
        if url:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx2.AsyncClient(headers=headers, timeout=300) as http:
                target = streamable_http_client(url, http_client=http)
                limit = {"timeout": 3000} if mode == "legacy" else {}
                async with Client(target, mode=mode) as client:
                    await run(client, sleep, **limit)
        else:
            async with Way("stdio", mode).connect(place) as client:
                await run(client, sleep)

    anyio.run(main)

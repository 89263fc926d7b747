"""The Python SDK as our cases use it: how it connects, calls, and answers questions."""

import contextlib
import logging

import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from harness import PATIENCE, TOKEN, HttpServer, binary, check, contains, same

# It warns of names that are not listed, which is what one case is about.
logging.disable(logging.WARNING)

PUSH = "git push origin main"


class Way:
    """A transport and a generation, and a fresh server for each use."""

    def __init__(self, transport, mode):
        self.transport, self.mode = transport, mode
        self.name = f"{transport} {mode}"

    @contextlib.asynccontextmanager
    async def connect(self, place, *flags, **options):
        if self.transport == "stdio":
            # The SDK adds to an environment of its own, so HOME and PATH are given again.
            target = StdioServerParameters(
                command=binary(), args=place.server_arguments(*flags),
                env=place.environment(), cwd=str(place.workspace),
            )
            async with Client(target, mode=self.mode, **options) as client:
                yield client
            return
        with HttpServer(place, *flags) as server:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
                target = streamable_http_client(server.url, http_client=http)
                async with Client(target, mode=self.mode, **options) as client:
                    yield client


def text_of(result):
    check(result.content, f"no content: {result!r}")
    check(all(block.type == "text" for block in result.content), f"not text: {result!r}")
    return "\n".join(block.text for block in result.content)


async def run(client, command, **arguments):
    return await client.call_tool("bash_run", {"command": command, **arguments})


def ran(result, code=0):
    same(result.is_error, False, f"is_error of {text_of(result)!r}")
    contains(text_of(result).splitlines()[0], f"exit code {code}", "the first line")
    return text_of(result)


def refused(result, word):
    same(result.is_error, True, f"is_error of {text_of(result)!r}")
    contains(text_of(result).splitlines()[0], word, "the first line")
    return text_of(result)


class Person:
    """Answers elicitations from a list, and keeps what was shown."""

    def __init__(self, *answers):
        self.answers, self.shown = list(answers), []

    async def __call__(self, _context, params):
        self.shown.append(params)
        if not self.answers:
            return types.ElicitResult(action="cancel")
        action, content = self.answers.pop(0)
        return types.ElicitResult(action=action, content=content)


def accept(answer, **more):
    return ("accept", {"answer": answer, **more})

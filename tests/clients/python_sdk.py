#!/usr/bin/env python3
"""The Python SDK as a client: both generations of the protocol, over stdio and HTTP."""

import sys

import anyio

from harness import PATIENCE, Place, run_table
from sdk import Way
from sdk_asking import ASKING
from sdk_dying import a_client_that_dies
from sdk_running import RUNNING

CASES = [*RUNNING, *ASKING, a_client_that_dies]

WAYS = [Way(transport, mode) for transport in ("stdio", "http") for mode in ("auto", "legacy")]


def row(way, function):
    def case():
        async def limited():
            with Place() as place:
                with anyio.fail_after(2 * PATIENCE):
                    await function(place, way)

        try:
            anyio.run(limited)
        except BaseExceptionGroup as group:
            # Task groups wrap what went wrong; the first cause is what is read.
            cause = group
            while isinstance(cause, BaseExceptionGroup):
                cause = cause.exceptions[0]
            raise cause from None

    return f"{way.name}: {function.__name__.replace('_', ' ')}", case


def main():
    return run_table("python sdk", [row(way, case) for way in WAYS for case in CASES])


if __name__ == "__main__":
    sys.exit(main())

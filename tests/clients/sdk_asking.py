"""Cases of the Python SDK: commands that a person is asked about. Each gets a place and a way."""

import json
import re
import shlex
import subprocess

import anyio

from harness import PATIENCE, binary, check, contains, lacks, same
from sdk import PUSH, Person, accept, ran, refused, run


async def yes_once(place, way):
    place.repository_with_remote()
    person = Person(accept("once"), accept("once"))
    async with way.connect(place, elicitation_callback=person) as client:
        ran(await run(client, PUSH, description="publish the work"))
        ran(await run(client, PUSH))
    same(len(person.shown), 2, "questions")
    words = person.shown[0].message
    for part in (PUSH, "git-push", "publish the work", "tester", str(place.workspace)):
        contains(words, part, "the question")
    form = json.dumps(person.shown[0].model_dump(by_alias=True, mode="json"))
    for part in ("once", "session", "project", "always", "deny"):
        contains(form, part, "the form")
    lacks(form, '"default": "always"', "the form")


async def yes_for_the_session(place, way):
    place.repository_with_remote()
    person = Person(accept("session"))
    async with way.connect(place, elicitation_callback=person) as client:
        ran(await run(client, PUSH))
        ran(await run(client, PUSH))
    same(len(person.shown), 1, "questions")


async def yes_for_ever(place, way):
    place.repository_with_remote()
    person = Person(accept("project"))
    async with way.connect(place, elicitation_callback=person) as client:
        ran(await run(client, PUSH))
    contains(place.bashful("grants", "list", "--json").stdout, "project", "the grants")
    async with way.connect(place) as client:
        ran(await run(client, PUSH))
    same(len(person.shown), 1, "questions")


async def no_with_a_word(place, way):
    place.repository_with_remote()
    person = Person(accept("deny", message="use the staging remote"))
    async with way.connect(place, elicitation_callback=person) as client:
        text = refused(await run(client, PUSH), "denied")
        contains(text, "use the staging remote")
    same(pushed(place), False, "pushed")


def pushed(place):
    return (place.workspace / "remote.git/refs/heads/main").exists()


async def an_answer_that_is_none(place, way):
    place.repository_with_remote()
    person = Person(
        ("decline", None), ("cancel", None), ("accept", {"answer": "whatever"}), ("accept", {}),
    )
    async with way.connect(place, elicitation_callback=person) as client:
        for _ in range(4):
            text = refused(await run(client, PUSH), "needs approval")
            contains(text, "no person")
            contains(text, "ask-")
    same(len(person.shown), 4, "questions")
    same(pushed(place), False, "pushed")


async def nobody_to_ask(place, way):
    place.repository_with_remote()
    async with way.connect(place) as client:
        result = await run(client, PUSH)
        text = refused(result, "needs approval")
        contains(text, "cannot ask")
        ask = re.search(r"bashful approvals allow (ask-[0-9a-z-]+)", text)
        check(ask, f"no command for a person: {text}")
        same(result.structured_content["approval"]["id"], ask.group(1), "id in the JSON")
        same(pushed(place), False, "pushed")
        # A person with a terminal says yes, and the same call goes through, once.
        answer_at_a_terminal(place, ask.group(1))
        ran(await run(client, PUSH))
        same(pushed(place), True, "pushed")
        refused(await run(client, PUSH), "needs approval")


async def a_call_waits_for_an_answer_from_elsewhere(place, way):
    place.repository_with_remote()
    async with way.connect(place, "--wait", "20s") as client:
        results = []

        async def call():
            results.append(await run(client, PUSH))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            found = None
            with anyio.fail_after(PATIENCE):
                while not found:
                    await anyio.sleep(0.1)
                    listed = await anyio.to_thread.run_sync(
                        lambda: place.bashful("approvals", "list", "--json").stdout
                    )
                    found = re.search(r"ask-[0-9a-z-]+", listed)
            await anyio.to_thread.run_sync(answer_at_a_terminal, place, found.group(0))
        ran(results[0])


async def some_rules_need_an_answer_elsewhere(place, way):
    place.repository_with_remote()
    place.configure('[approvals]\nout_of_band = ["git-push"]\n')
    person = Person(accept("once"))
    async with way.connect(place, elicitation_callback=person) as client:
        text = refused(await run(client, PUSH), "needs approval")
        contains(text, "`git-push` is set to need an answer outside the client")
        same(len(person.shown), 0, "questions")
        same(pushed(place), False, "pushed")
        answer_at_a_terminal(place, re.search(r"ask-[0-9a-z-]+", text).group(0))
        ran(await run(client, PUSH))


def answer_at_a_terminal(place, ask):
    """Says yes as a person does: with a terminal."""
    command = shlex.join([binary(), "approvals", "allow", ask])
    done = subprocess.run(
        ["script", "--quiet", "--return", "--command", command, "/dev/null"],
        env=place.environment(), cwd=place.workspace, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE,
    )
    same(done.returncode, 0, f"exit status of `{command}`, which said {done.stdout}")


async def a_script_is_approved_by_its_content(place, way):
    person = Person(accept("always"))
    async with way.connect(place, elicitation_callback=person) as client:
        script = {"name": "greet", "content": "echo hello ${who.name}\n"}
        kept = await client.call_tool("script_create", script)
        same(kept.is_error, False, "is_error of script_create")
        for name in ("script_run", "bash.run", "bash.run_script"):
            result = await client.call_tool(
                name, {"script_name": "greet", "variables": {"who": {"name": "$(id) b"}}})
            contains(ran(result), "hello $(id) b")
    same(len(person.shown), 1, "questions")
    contains(person.shown[0].message, "echo hello", "the question")


ASKING = [
    yes_once, yes_for_the_session, yes_for_ever, no_with_a_word, an_answer_that_is_none,
    nobody_to_ask, a_call_waits_for_an_answer_from_elsewhere,
    some_rules_need_an_answer_elsewhere, a_script_is_approved_by_its_content,
]

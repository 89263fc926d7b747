"""Cases of the Python SDK: what is offered, and commands that run. Each gets a place and a way."""

import re
import time

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from harness import (
    PATIENCE, Failed, check, contains, is_running, lacks, marked_sleep, same, until,
)
from sdk import PUSH, ran, refused, run, text_of

TOOLS = [
    "bash_run",
    "task_output",
    "task_wait",
    "task_list",
    "task_kill",
    "task_send",
    "task_screen",
    "policy_explain",
]

SCRIPT_TOOLS = [
    "script_run",
    "script_create",
    "script_list",
    "script_get",
    "script_validate",
    "script_delete",
]


async def it_introduces_itself(place, way):
    async with way.connect(place) as client:
        expected = "2026-07-28" if way.mode == "auto" else "2025-11-25"
        same(client.protocol_version, expected, "protocol version")
        same(client.server_info.name, "bashful", "name of the server")
        words = client.instructions or ""
        check(100 < len(words.encode()) < 2048, f"instructions have {len(words.encode())} bytes")
        contains(words, "bash_run", "the instructions")
        capabilities = client.server_capabilities
        check(capabilities.tools is not None, "tools are not declared")
        check(capabilities.resources is not None, "resources are not declared")
        for name in ("prompts", "completions", "logging"):
            same(getattr(capabilities, name), None, f"capability {name}")


async def tools_are_listed(place, way):
    async with way.connect(place) as client:
        listed = (await client.list_tools()).tools
        same(sorted(tool.name for tool in listed), sorted(TOOLS), "names")
        same([tool.name for tool in listed if tool.output_schema], [], "output schemas")
    async with way.connect(place, "--tools", "all", "--output-schemas") as client:
        tools = (await client.list_tools()).tools
        same(sorted(tool.name for tool in tools), sorted(TOOLS + SCRIPT_TOOLS), "names")
        same([tool.name for tool in tools if not tool.output_schema], [], "no output schema")
        # The SDK itself compares an answer with what was announced.
        ran(await run(client, "true"))
        for tool in tools:
            check(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.name), f"name {tool.name!r}")
            check(tool.description, f"{tool.name} has no description")
            same(tool.input_schema.get("type"), "object", f"input of {tool.name}")
            lacks(tool.name + " " + (tool.title or ""), "approve", "a tool's name")
        reads = {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint}
        check({"policy_explain", "task_list", "task_output"} <= reads, f"read-only: {reads}")
        changing = {"bash_run", "task_kill", "task_send", "script_run", "script_create", "script_delete"}
        check(not changing & reads, f"read-only: {reads}")


async def commands_run(place, way):
    async with way.connect(place) as client:
        text = ran(await run(client, "echo out; echo err >&2", description="says two things"))
        contains(text, "out")
        contains(text, "err")
        result = await run(client, "echo before; exit 3")
        contains(ran(result, 3), "before")
        report = result.structured_content
        same((report["exit_code"], report["status"]), (3, "soft_failure"), "the JSON")
        contains(ran(await run(client, "true")), "(no output)")
        killed = await run(client, "kill -9 $$")
        contains(text_of(killed).splitlines()[0], "SIGKILL", "the first line")


async def every_name_works(place, way):
    async with way.connect(place) as client:
        for name in ("bash_run", "bash.run", "bash.execute", "bash_execute", "Bash"):
            ran(await client.call_tool(name, {"command": "true"}))


async def directory_variables_and_input(place, way):
    (place.workspace / "sub").mkdir()
    async with way.connect(place) as client:
        result = await run(
            client, 'pwd; echo "<$GREETING>"; cat', cwd="sub", env={"GREETING": "a b"},
            stdin="typed\n",
        )
        text = ran(result)
        contains(text, str(place.workspace / "sub"))
        contains(text, "<a b>")
        contains(text, "typed")
        outside = await run(client, "echo ran > proof", cwd="/etc")
        same(outside.is_error, True, "is_error for a directory outside")
        check(not (place.workspace / "proof").exists(), "it was run")


async def denied_is_an_error(place, way):
    async with way.connect(place) as client:
        text = refused(await run(client, "touch proof && sudo ls"), "denied")
        contains(text, "sudo")
        contains(text, "next:")
        check(not (place.workspace / "proof").exists(), "a part of it was run")


async def too_long_is_ended(place, way):
    sleep = marked_sleep()
    async with way.connect(place) as client:
        began = time.monotonic()
        result = await run(client, f"echo begun; {sleep}", timeout=400)
        text = text_of(result)
        contains(text.splitlines()[0], "timed out", "the first line")
        contains(text, "begun")
        check(time.monotonic() - began < 10, "it took too long to end")
        until(lambda: not is_running(sleep), "the process has ended", 5)


async def much_output_is_cut_and_can_be_read(place, way):
    async with way.connect(place) as client:
        result = await run(client, "seq 1 100000")
        text = ran(result)
        check(len(text) < 50_000, f"{len(text)} characters")
        contains(text, "truncated")
        contains(text, "task_output")
        contains(text, "100000")
        task = re.search(r'"task_id":"([^"]+)"', text).group(1)
        page = await client.call_tool("task_output", {"task_id": task, "after": 200_000})
        numbers = re.findall(r"(?m)^(\d+)$", text_of(page))
        check(len(numbers) > 100, f"a page without numbers: {text_of(page)[:500]!r}")
        found = await client.call_tool("task_output", {"task_id": task, "search": "^54321$"})
        contains(text_of(found), "54321")


async def background_tasks(place, way):
    sleep = marked_sleep()
    async with way.connect(place) as client:
        result = await run(client, f"echo started; {sleep}", run_in_background=True)
        same(result.is_error, False, "is_error")
        task = re.search(r"bash-[0-9a-z-]+", text_of(result)).group(0)
        page = await client.call_tool("task_output", {"task_id": task, "after": 0, "wait_ms": 5000})
        contains(text_of(page), "started")
        listed = await client.call_tool("task_list", {})
        contains(text_of(listed), task)
        until(lambda: is_running(sleep), "the task runs", 10)
        ended = await client.call_tool("task_kill", {"task_id": task})
        same(ended.is_error, False, f"is_error of {text_of(ended)!r}")
        until(lambda: not is_running(sleep), "the task has ended", 10)
        short = await run(client, "sleep 0.3; echo over; exit 4", run_in_background=True)
        task = re.search(r"bash-[0-9a-z-]+", text_of(short)).group(0)
        waited = await client.call_tool("task_wait", {"task_id": task})
        contains(text_of(waited), "exit code 4")


async def explained_and_not_run(place, way):
    place.repository_with_remote()
    async with way.connect(place) as client:
        result = await client.call_tool("policy_explain", {"command": PUSH})
        contains(text_of(result), "ask")
        contains(text_of(result), "git-push")
        result = await client.call_tool("policy_explain", {"command": "sudo touch proof"})
        contains(text_of(result), "deny")
    same(place.bashful("approvals", "list", "--json").stdout.count("ask-"), 0, "asks")


async def progress_carries_output(place, way):
    heard = []

    async def listen(progress, _total, message):
        heard.append((progress, message))

    async with way.connect(place) as client:
        command = "for i in 1 2 3; do echo tick$i; sleep 0.5; done"
        result = await client.call_tool(
            "bash_run", {"command": command}, progress_callback=listen
        )
        ran(result)
    told = "".join(message or "" for _, message in heard)
    contains(told, "tick1", "what progress told")
    contains(told, "tick2", "what progress told")
    amounts = [amount for amount, _ in heard]
    same(amounts, sorted(set(amounts)), "amounts of progress")


async def cancelling_ends_the_tree(place, way):
    one, two = marked_sleep(), marked_sleep()
    async with way.connect(place) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(run, client, f"{one} & {two}")
            with anyio.fail_after(PATIENCE):
                while not (is_running(one) and is_running(two)):
                    await anyio.sleep(0.02)
            group.cancel_scope.cancel()
        with anyio.fail_after(10):
            while is_running(one) or is_running(two):
                await anyio.sleep(0.02)
        # The connection is as good as before.
        contains(ran(await run(client, "echo after")), "after")


async def roots_change_nothing(place, way):
    asked = []

    async def roots(_context):
        asked.append(True)
        return types.ListRootsResult(roots=[types.Root(uri="file:///etc")])

    async with way.connect(place, list_roots_callback=roots) as client:
        contains(ran(await run(client, "pwd")), str(place.workspace))
        text = text_of(await run(client, "echo x > /etc/bashful-was-here"))
        lacks(text.splitlines()[0], "exit code 0", "the first line")


async def logs_are_resources(place, way):
    async with way.connect(place) as client:
        ran(await run(client, "echo in the log"))
        resources = (await client.list_resources(cache_mode="bypass")).resources
        check(resources, "no resource is listed")
        read = await client.read_resource(resources[0].uri)
        contains(read.contents[0].text, "in the log", "the log")
        templates = (await client.list_resource_templates()).resource_templates
        check(templates, "no template is listed")
        secret = ["file:///etc/passwd", "bashful://tasks/../../etc/passwd/log",
                  "bashful://tasks/bash-none/log"]
        for uri in secret:
            await fails(client.read_resource(uri), (-32602, -32002))


async def fails(call, codes):
    try:
        result = await call
    except MCPError as error:
        check(error.error.code in codes, f"code {error.error.code}: {error.error.message}")
        return error.error.message
    raise Failed(f"no error, but {result!r}")


async def bad_arguments(place, way):
    async with way.connect(place) as client:
        message = await fails(client.call_tool("no_such_tool", {}), (-32602,))
        contains(message, "no_such_tool")
        bad = [
            {}, {"command": 5}, {"command": None}, {"command": ["echo"]},
            {"command": "touch proof", "timeout": "soon"},
            {"command": "touch proof", "timeout": -1},
            {"command": "touch proof", "timeout": 10**12},
            {"command": "touch proof", "env": ["A=1"]},
            {"command": "touch proof", "env": {"A": 1}},
            {"command": "touch proof", "env": {"LD_PRELOAD": "/x.so"}},
            {"command": "touch proof", "cwd": "../.."},
            {"command": "touch proof", "run_in_background": "yes"},
            {"command": "touch proof", "agent": "somebody-else"},
            {"command": "touch proof\0"},
            {"command": ""},
        ]
        for arguments in bad:
            try:
                result = await client.call_tool("bash_run", arguments)
            except MCPError as error:
                same(error.error.code, -32602, f"code for {arguments}")
                continue
            same(result.is_error, True, f"is_error for {arguments}: {text_of(result)!r}")
        check(not (place.workspace / "proof").exists(), "something was run")
        for tool in ("task_output", "task_wait", "task_kill"):
            result = await client.call_tool(tool, {"task_id": "bash-none"})
            same(result.is_error, True, f"is_error of {tool}: {text_of(result)!r}")
        ran(await run(client, "true"))


async def large_arguments(place, way):
    async with way.connect(place) as client:
        result = await run(client, "true", stdin="x" * 4_000_000)
        ran(result)
        result = await run(client, "wc -c", stdin="x" * 1_000_000)
        contains(ran(result), "1000000")
        result = await run(client, "echo " + "y" * 3_000_000)
        same(result.is_error, True, "is_error of a command of 3 MB")


async def many_at_once(place, way):
    async with way.connect(place) as client:
        results = {}

        async def one(number):
            results[number] = await run(client, f"echo number-{number}")

        async with anyio.create_task_group() as group:
            for number in range(64):
                group.start_soon(one, number)
        for number, result in results.items():
            contains(ran(result), f"number-{number}\n")
        same(len(results), 64, "results")


RUNNING = [
    it_introduces_itself, tools_are_listed, commands_run, every_name_works,
    directory_variables_and_input, denied_is_an_error, too_long_is_ended,
    much_output_is_cut_and_can_be_read, background_tasks, explained_and_not_run,
    progress_carries_output, cancelling_ends_the_tree, roots_change_nothing, logs_are_resources,
    bad_arguments, large_arguments, many_at_once,
]

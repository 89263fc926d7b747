"""Cases of the wire: messages over stdio, in both generations."""

import json
import signal
import time

from harness import PATIENCE, check, contains, is_running, marked_sleep, same, until
from wire_server import NEW, Wire, both, meta, once


def malformed_lines(place, wire):
    for line in (b"{\n", b"nonsense\n", b'{"jsonrpc":"2.0"\n', b"\xff\xfe\x00\n", b'"text"\n'):
        wire.raw(line)
    wire.raw(b"\n  \n\r\n")
    wire.works()
    errors = [it for it in wire.kept if "error" in it]
    check(len(errors) >= 4, f"errors: {wire.kept}")
    for one in errors:
        same(one.get("id"), None, "id of an error about a broken line")
        check(one["error"]["code"] in (-32700, -32600), f"code in {one}")


def invalid_requests(place, wire):
    wire.send({"jsonrpc": "2.0", "id": "a", "method": 5})
    wire.error(wire.answer("a"), -32600, -32601, -32602)
    wire.send({"jsonrpc": "1.0", "id": "b", "method": "tools/list"})
    wire.error(wire.answer("b"), -32600)
    wire.send([{"jsonrpc": "2.0", "id": "c", "method": "tools/list"}])
    wire.send({"jsonrpc": "2.0", "id": "d", "method": "tools/call", "params": ["bash_run"]})
    wire.error(wire.answer("d"), -32600, -32602)
    wire.send({"jsonrpc": "2.0", "id": {"an": "object"}, "method": "tools/list"})
    wire.send({"jsonrpc": "2.0", "result": {}, "id": "never asked"})
    wire.send({"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}, "id": 77})
    wire.works()


def unknown_methods(place, wire):
    methods = ["no/such", "tools/delete", "prompts/list", "completion/complete", "", "x" * 100_000]
    for method in methods:
        wire.error(wire.ask(method), -32601)
    wire.send({"jsonrpc": "2.0", "method": "notifications/whatever", "params": {"a": 1}})
    wire.works()


def wrong_parameters(place, wire):
    bad = [
        ("tools/call", {}), ("tools/call", {"name": 5}), ("tools/call", {"name": None}),
        ("tools/call", {"name": "bash_run", "arguments": "touch proof"}),
        ("tools/call", {"name": "bash_run", "arguments": [{"command": "touch proof"}]}),
        ("tools/call", {"name": "no_such_tool", "arguments": {}}),
        ("tools/call", {"name": "bash_run" + "x" * 100_000}),
        ("resources/read", {}), ("resources/read", {"uri": 5}),
    ]
    for method, params in bad:
        wire.error(wire.ask(method, params), -32602)
    check(not (place.workspace / "proof").exists(), "something was run")
    wire.works()


def a_line_of_seventeen_mebibytes(place, wire):
    head = b'{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"bash_run",'
    head += b'"arguments":{"command":"touch proof","stdin":"'
    wire.raw(head)
    for _ in range(17):
        wire.raw(b"x" * (1 << 20))
    wire.raw(b'"}}}\n')
    wire.works()
    check(not (place.workspace / "proof").exists(), "it was run")
    check(any("error" in it for it in wire.kept), f"nobody was told: {str(wire.kept)[:500]}")


def deep_nesting(place, wire):
    wire.raw(b'{"jsonrpc":"2.0","id":"deep","method":"tools/list","params":'
             + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    wire.works()
    wire.raw(b'{"jsonrpc":"2.0","id":"deep2","method":"tools/call","params":{"name":"bash_run",'
             b'"arguments":{"command":' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"}}}\n")
    wire.works()


def ids_that_are_used_again(place, wire):
    first = {"name": "bash_run", "arguments": {"command": "sleep 1; echo first"}}
    second = {"name": "bash_run", "arguments": {"command": "touch proof; echo second"}}
    wire.request("tools/call", first, id="same")
    time.sleep(0.2)
    wire.request("tools/call", second, id="same")
    answers = [wire.answer("same"), wire.answer("same")]
    refused = [it for it in answers if "error" in it]
    same(len(refused), 1, f"refusals among {answers}")
    check(not (place.workspace / "proof").exists(), "the second was run")
    contains(json.dumps(answers), "first", "the answers")
    # After its answer an id may come again.
    contains(json.dumps(wire.ask("tools/call", first, id="same")), "first", "an answer")


def a_flood(place, wire):
    ids = [wire.request("tools/list") for _ in range(300)]
    for id in ids:
        check("result" in wire.answer(id), "a request of the flood was not answered")
    wire.works()


def a_client_that_does_not_read(place, wire):
    """It floods and reads nothing: the server must not take all memory, and must end with it."""
    wire.raw(b"".join(
        json.dumps({"jsonrpc": "2.0", "id": f"n{n}", "method": "tools/list",
                    "params": {"_meta": meta()} if wire.generation == NEW else {}}).encode() + b"\n"
        for n in range(200)
    ))
    status = open(f"/proc/{wire.process.pid}/status").read()
    peak = int(next(it for it in status.splitlines() if it.startswith("VmHWM")).split()[1])
    check(peak < 500_000, f"the server takes {peak} KiB")
    wire.works()


def a_client_that_dies_mid_call(place, wire):
    sleep = marked_sleep()
    wire.request("tools/call", {"name": "bash_run", "arguments": {"command": sleep}})
    until(lambda: is_running(sleep), "the command runs")
    wire.leave()
    until(lambda: not is_running(sleep), "the command has ended", 5)
    until(lambda: wire.process.poll() is not None, "the server has ended", 5)


def last_calls_are_answered(place, wire):
    """`printf … | bashful mcp` closes the input at once and still reads."""
    id = wire.request("tools/call", {
        "name": "bash_run", "arguments": {"command": "sleep 1; echo late"},
    })
    wire.process.stdin.close()
    contains(json.dumps(wire.answer(id)), "late", "the answer")
    same(wire.process.wait(PATIENCE), 0, "exit status")


def ended_by_a_signal(place, wire):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with Wire(place, wire.generation) as other:
            sleep = marked_sleep()
            other.request("tools/call", {"name": "bash_run", "arguments": {"command": sleep}})
            until(lambda: is_running(sleep), "the command runs")
            other.process.send_signal(number)
            until(lambda: other.process.poll() is not None, f"the server ends on {number}", 10)
            until(lambda: not is_running(sleep), "the command has ended", 10)


def killed(place, wire):
    sleep = marked_sleep()
    wire.request("tools/call", {"name": "bash_run", "arguments": {"command": sleep}})
    until(lambda: is_running(sleep), "the command runs")
    wire.process.kill()
    until(lambda: not is_running(sleep), "the command has ended", 15)


def background_survives_the_client(place, wire):
    sleep = marked_sleep()
    answer = wire.ask("tools/call", {
        "name": "bash_run", "arguments": {"command": sleep, "run_in_background": True},
    })
    check("result" in answer, f"{answer}")
    until(lambda: is_running(sleep), "the task runs")
    wire.ends()
    time.sleep(0.3)
    check(is_running(sleep), "the task ended with the client")
    stopped = place.bashful("stop", "--all")
    same(stopped.returncode, 0, f"stop --all, which said {stopped.stderr}")
    until(lambda: not is_running(sleep), "the task has ended", 10)


def cancelled_by_a_notification(place, wire):
    sleep = marked_sleep()
    id = wire.request("tools/call", {"name": "bash_run", "arguments": {"command": sleep}})
    until(lambda: is_running(sleep), "the command runs")
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
               "params": {"requestId": "of somebody else"}})
    wire.works()
    check(is_running(sleep), "the wrong id ended it")
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    until(lambda: not is_running(sleep), "the command has ended", 10)
    wire.works()


def input_closed_before_the_first_message(place):
    with Wire(place, start=False) as wire:
        wire.ends()
        same("".join(wire.stderr), "", "stderr")


def calls_before_the_handshake(place):
    with Wire(place, start=False) as wire:
        wire.request("tools/call", {"name": "bash_run", "arguments": {"command": "touch proof"}})
        time.sleep(0.5)
        check(not (place.workspace / "proof").exists(), "it was run without a handshake")


def an_unknown_version(place):
    with Wire(place, start=False) as wire:
        answer = wire.ask("initialize", {
            "protocolVersion": "1999-01-01", "capabilities": {},
            "clientInfo": {"name": "wire", "version": "1"},
        })
        version = answer["result"]["protocolVersion"]
        check(version.startswith("20"), f"version {version!r}")
    with Wire(place, NEW) as wire:
        params = {"_meta": {**meta(), "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
        answer = wire.ask("server/discover", params)
        check("error" in answer, f"{answer}")


LINES = [
    *both(malformed_lines), *both(invalid_requests), *both(unknown_methods),
    *both(wrong_parameters), *both(a_line_of_seventeen_mebibytes), *both(deep_nesting),
    *both(ids_that_are_used_again), *both(a_flood), *both(a_client_that_does_not_read),
    *both(a_client_that_dies_mid_call), *both(last_calls_are_answered), *both(ended_by_a_signal),
    *both(killed), *both(background_survives_the_client), *both(cancelled_by_a_notification),
    *once(input_closed_before_the_first_message), *once(calls_before_the_handshake),
    *once(an_unknown_version),
]

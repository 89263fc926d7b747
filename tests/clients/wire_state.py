"""Cases of the wire: the state of a question, which a client of the newer generation carries."""

import json

from harness import contains, lacks, same
from wire_server import NEW, PUSH, Wire, once


def asked(place):
    """A question of the newer generation: the call, its state, and the key of the question."""
    wire = Wire(place, NEW, elicits=True)
    result = wire.call(PUSH)["result"]
    same(result.get("resultType"), "input_required", f"the result {result}")
    (key,) = result["inputRequests"]
    return wire, result["requestState"], key


def yes(key):
    return {key: {"action": "accept", "content": {"answer": "once"}}}


def pushed(place):
    return (place.workspace / "remote.git/refs/heads/main").exists()


def state_that_was_changed(place):
    place.repository_with_remote()
    wire, state, key = asked(place)
    with wire:
        flipped = state[:-4] + ("AAAA" if state[-4:] != "AAAA" else "BBBB")
        middle = len(state) // 2
        turned = state[:middle] + ("x" if state[middle] != "x" else "y") + state[middle + 1:]
        for bad in (flipped, turned, state[:-1], "", "x", state * 2, "é" * 50, "A" * 1_000_000):
            wire.error(wire.call(PUSH, requestState=bad, inputResponses=yes(key)), -32602)
            same(pushed(place), False, "pushed")
        wire.error(wire.call(PUSH, inputResponses=yes(key)), -32602)
        same(pushed(place), False, "pushed")


def state_of_another_call(place):
    place.repository_with_remote()
    wire, state, key = asked(place)
    with wire:
        other = wire.call("git push --force origin main", requestState=state,
                          inputResponses=yes(key))
        wire.error(other, -32602)
        other = wire.ask("tools/call", {
            "name": "bash_run", "arguments": {"command": PUSH, "env": {"A": "1"}},
            "requestState": state, "inputResponses": yes(key),
        })
        wire.error(other, -32602)
        same(pushed(place), False, "pushed")


def state_that_is_used_twice(place):
    place.repository_with_remote()
    wire, state, key = asked(place)
    with wire:
        first = wire.call(PUSH, requestState=state, inputResponses=yes(key))
        contains(json.dumps(first), "exit code 0", "the first answer")
        wire.error(wire.call(PUSH, requestState=state, inputResponses=yes(key)), -32602)


def state_of_another_server(place):
    place.repository_with_remote()
    wire, state, key = asked(place)
    wire.ends()
    with Wire(place, NEW, elicits=True) as other:
        other.error(other.call(PUSH, requestState=state, inputResponses=yes(key)), -32602)
        same(pushed(place), False, "pushed")


def answers_of_the_wrong_shape(place):
    place.repository_with_remote()
    for responses in ({}, {"other": {"action": "accept", "content": {"answer": "once"}}},
                      {"KEY": {"action": "accept", "content": {"answer": ["once"]}}},
                      {"KEY": {"action": "accept"}}, {"KEY": {"action": "allow"}}, {"KEY": 5}):
        wire, state, key = asked(place)
        with wire:
            filled = {key if name == "KEY" else name: it for name, it in responses.items()}
            answer = wire.call(PUSH, requestState=state, inputResponses=filled)
            lacks(json.dumps(answer), "exit code", f"the answer to {filled}")
            same(pushed(place), False, f"pushed after {filled}")


STATE = [
    *once(state_that_was_changed), *once(state_of_another_call), *once(state_that_is_used_twice),
    *once(state_of_another_server), *once(answers_of_the_wrong_shape),
]

#!/usr/bin/env python3
"""A small MCP client for the picture: calls one tool of `bashful mcp` and shows what comes back.

    docs/pictures/client.py TOOL JSON

It speaks protocol 2026-07-28 over standard input and output. What the person is asked and what the
model reads is printed as the server sent it; the coloured headings are the client's own.
"""

import json
import subprocess
import sys

ABOUT_US = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "picture", "version": "1.0"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


class Server:
    """The server as a child that reads and writes a message a line."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.last = 0

    def call(self, params):
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": "tools/call"}
        request["params"] = {**params, "_meta": ABOUT_US}
        print(json.dumps(request), file=self.child.stdin, flush=True)
        response = json.loads(self.child.stdout.readline())
        return response["result"]

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def heading(words):
    print(f"\x1b[36m{words}\x1b[0m")


def ask(question):
    """Puts the question to the person at this terminal."""
    heading("The person is asked:")
    print(question["params"]["message"])
    choices = question["params"]["requestedSchema"]["properties"]["answer"]["oneOf"]
    for choice in choices:
        print(f"  \x1b[1m{choice['const']:8}\x1b[0m {choice['title']}")
    content = {"answer": input("\n\x1b[1mAnswer:\x1b[0m ")}
    if content["answer"] == "deny":
        content["message"] = input("\x1b[1mA word to the agent:\x1b[0m ")
    print()
    return {"action": "accept", "content": content}


def main():
    tool, arguments = sys.argv[1:]
    server = Server(["bashful", "mcp", "--agent", "coder"])
    params = {"name": tool, "arguments": json.loads(arguments)}
    result = server.call(params)
    if result["resultType"] == "input_required":
        answers = {name: ask(question) for name, question in result["inputRequests"].items()}
        params |= {"requestState": result["requestState"], "inputResponses": answers}
        result = server.call(params)
    heading("The model reads, as an error:" if result["isError"] else "The model reads:")
    print(result["content"][0]["text"].rstrip())
    server.end()


if __name__ == "__main__":
    main()

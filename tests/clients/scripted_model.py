#!/usr/bin/env python3
"""A model that plays a script: enough of two vendors' streaming APIs for their own agents.

Every request with tools is answered with the next step of the script: a call of a tool, or a
final text. What the agent sent is kept, so that a test can see what a model is shown.
Loopback only; nothing here thinks.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedModel:
    """The server and its script. Steps are `("call", tool, arguments)`, `("code", JavaScript)` for
    models that write code, or `("say", text)`."""

    def __init__(self, steps):
        self.steps = list(steps)
        self.requests = []
        self.others = []
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def next_step(self, path, body):
        """Agents ask for titles and the like on the side; those requests carry no tools."""
        with self._lock:
            if not offered(body):
                self.others.append((path, body))
                return ("say", "side")
            self.requests.append((path, body))
            return self.steps.pop(0) if self.steps else ("say", "the script is over")

    def turns(self):
        """The bodies of the requests that were answered from the script."""
        return [body for _, body in self.requests]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._json({"data": [], "models": [], "object": "list"})

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        path = self.path.split("?")[0]
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {"undecoded": len(raw), "encoding": self.headers.get("Content-Encoding")}
        if path.endswith("/count_tokens"):
            return self._json({"input_tokens": 100})
        if path.endswith("/messages"):
            step = self.model.next_step(path, body)
            return self._events(anthropic_events(step, body.get("model", "m")), named=True)
        if path.endswith("/responses"):
            step = self.model.next_step(path, body)
            return self._events(openai_events(step, body), named=True)
        self.model.others.append((path, body))
        self._json({})

    def _json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events, named):
        text = "".join(
            (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
            for event in events
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


_count = 0


def _fresh(prefix):
    global _count
    _count += 1
    return f"{prefix}_{_count:06d}"


def anthropic_events(step, model):
    """One message of the Messages API, as a stream."""
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {
        "id": _fresh("msg"), "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }
    if step[0] == "call":
        block = {"type": "tool_use", "id": _fresh("toolu"), "name": step[1], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step[2])}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": step[1]}
        reason = "end_turn"
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
         "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def offered(body):
    """All tools of a request: newer models of OpenAI get theirs as an item of the input."""
    tools = list(body.get("tools") or [])
    for item in body.get("input") or []:
        if isinstance(item, dict) and item.get("type") == "additional_tools":
            tools.extend(item.get("tools") or [])
    return tools


def _is_code_mode(body):
    inner = [tool for space in offered(body) for tool in space.get("tools") or []]
    return any(tool.get("type") == "custom" and tool.get("name") == "exec" for tool in inner)


def _openai_code(code):
    return {
        "type": "custom_tool_call", "id": _fresh("ctc"), "call_id": _fresh("call"),
        "name": "exec", "input": code, "status": "completed",
    }


def _openai_call(name, arguments, body):
    """A call in the form that this model of OpenAI would use."""
    if _is_code_mode(body):
        return _openai_code(f"const r = await tools.{name}({json.dumps(arguments)}); text(r);")
    item = {
        "type": "function_call", "id": _fresh("fc"), "call_id": _fresh("call"),
        "name": name, "arguments": json.dumps(arguments), "status": "completed",
    }
    # The tools of an MCP server are a namespace, and a call names both.
    if name.startswith("mcp__"):
        server, tool = name.removeprefix("mcp__").split("__", 1)
        item.update(namespace=f"mcp__{server}", name=tool)
    return item


def openai_events(step, body):
    """One response of the Responses API, as a stream."""
    response = {"id": _fresh("resp"), "object": "response", "status": "in_progress", "output": []}
    if step[0] == "call":
        item = _openai_call(step[1], step[2], body)
    elif step[0] == "code":
        item = _openai_code(step[1])
    else:
        item = {
            "type": "message", "id": _fresh("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": step[1], "annotations": []}],
        }
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    }
    done = dict(response, status="completed", output=[item], usage=usage)
    return [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]

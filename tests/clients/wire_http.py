"""Cases of the wire: requests over HTTP that must get nothing."""

import http.client
import json

from harness import PATIENCE, TOKEN, HttpServer, check, contains, same
from wire_server import NEW, meta, once


def http_strangers(place):
    """Who shows no token, or comes from a web page, gets nothing."""
    with HttpServer(place) as server:
        good = {
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": NEW,
            "Mcp-Method": "tools/call", "Mcp-Name": "bash_run",
        }
        touch = {"name": "bash_run", "arguments": {"command": "touch proof"}, "_meta": meta()}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": touch})

        def post(change, data=body, method="POST", path="/mcp"):
            headers = {name: value for name, value in {**good, **change}.items() if value is not None}
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            try:
                connection.request(method, path, data, headers)
                return connection.getresponse().status
            finally:
                connection.close()

        strangers = [
            ({"Authorization": None}, 401), ({"Authorization": "Bearer wrong-token-0123456789"}, 401),
            ({"Authorization": TOKEN}, 401), ({"Authorization": f"Basic {TOKEN}"}, 401),
            ({"Authorization": f"Bearer {TOKEN}x"}, 401), ({"Authorization": "Bearer "}, 401),
            ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
            ({"Host": "evil.example"}, 403), ({"Host": f"evil.example:{server.port}"}, 403),
        ]
        for change, status in strangers:
            same(post(change), status, f"status for {change}")
        check(not (place.workspace / "proof").exists(), "a stranger's command was run")
        for data in ("{", "[]", '"x"', "", "\xff"):
            check(400 <= post({}, data.encode()) < 500, f"status for {data!r}")
        check(400 <= post({"Content-Type": "text/plain"}) < 500, "status for plain text")
        check(400 <= post({}, method="PUT") < 500, "status for PUT")
        check(400 <= post({}, path="/other") < 500, "status for another path")
        check(not (place.workspace / "proof").exists(), "something was run")
        huge = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            **touch, "padding": "x" * (17 << 20)}})
        try:
            status = post({}, huge)
        except OSError:
            # The server may close before it has read all of it.
            status = 413
        same(status, 413, "status for 17 MiB")
        check(not (place.workspace / "proof").exists(), "something was run")
        same(post({}), 200, "status for a good request")
        check((place.workspace / "proof").exists(), "the good request was not run")


def http_only_for_this_machine(place):
    token = place.root / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    refused = place.bashful(*place.server_arguments("--http", "0.0.0.0:0", "--token-file", str(token)))
    check(refused.returncode not in (0, None), f"it listens for everybody: {refused}")
    contains(refused.stderr, "other machines", "what it says")
    token.chmod(0o644)
    refused = place.bashful(*place.server_arguments("--http", "127.0.0.1:0", "--token-file", str(token)))
    check(refused.returncode not in (0, None), f"a token for everybody was taken: {refused}")


HTTP = [*once(http_strangers), *once(http_only_for_this_machine)]

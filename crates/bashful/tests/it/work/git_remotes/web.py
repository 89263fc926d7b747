"""Git over https on the loopback, for who has the password: PORT FILE, REPOSITORIES, CERTIFICATE, LOG."""

import base64
import http.server
import os
import ssl
import subprocess
import sys

port_file, repositories, certificate, log = sys.argv[1:]
EXPECTED = "Basic " + base64.b64encode(b"person:open sesame").decode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def serve(self):
        path, _, query = self.path.partition("?")
        with open(log, "a") as lines:
            lines.write(f"{self.command} {path} {self.headers.get('Authorization', '-')}\n")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", "/two.git/" + path.split("/", 3)[3] + "?" + query)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.headers.get("Authorization") != EXPECTED:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        environment = dict(
            os.environ,
            GIT_PROJECT_ROOT=repositories,
            GIT_HTTP_EXPORT_ALL="1",
            REQUEST_METHOD=self.command,
            PATH_INFO=path,
            QUERY_STRING=query,
            REMOTE_USER="person",
            CONTENT_TYPE=self.headers.get("Content-Type", ""),
            CONTENT_LENGTH=str(length),
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
        )
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value[:3]) for name, value in headers if name == "Status"), 200)
        self.send_response(status)
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = serve


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(port_file + ".new", "w") as out:
    out.write(str(server.server_address[1]))
os.rename(port_file + ".new", port_file)
server.serve_forever()

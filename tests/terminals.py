"""Commands on a pseudo terminal, and the control characters of what they print there."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Final

from commands import ENV, PATIENCE

WIDTH: Final = 2000  # columns, so that no line is broken
OURS: Final = re.compile(r"\x1b\[[0-9;]*[mAGK]|\x1b\[\?25[lh]|\r+\n|\r(?=\x1b\[[12])|[\n\t]")
# ^ colours; progress: lines up, column, erase, cursor off and on; ends of lines
CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


SEVERAL: Final = """
import json, sys
from earmark.cli import main
for line in json.loads(sys.argv[1]):
    try:
        main(*line)
    except SystemExit as end:
        print(f"\\0{end.code or 0}", flush=True)
"""


def on_terminal(lines: list[tuple[str, ...]], folder: Path, **variables: str) -> list[tuple[int, str]]:
    """Run commands one after the other in a process on a pseudo terminal: the status of each, and all that it wrote."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    env = {name: value for name, value in ENV.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"} | variables
    process = subprocess.Popen(
        [sys.executable, "-c", SEVERAL, json.dumps(lines)],
        cwd=folder, env=env, stdin=end, stdout=end, stderr=end, start_new_session=True,
    )  # fmt: skip
    os.close(end)
    written = _read_all(main).decode(errors="surrogateescape")
    assert process.wait(PATIENCE) == 0, written
    ends = re.split(r"\0(\d+)\r?\n", written)
    assert len(ends) == 2 * len(lines) + 1, written
    return [(int(status), text) for text, status in zip(ends[::2], ends[1::2], strict=False)]


def _read_all(main: int) -> bytes:
    written, until = bytearray(), time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not select.select([main], [], [], 1.0)[0]:
            continue
        try:
            written += os.read(main, 1 << 16)
        except OSError:  # EIO: nobody writes any more
            break
    os.close(main)
    return bytes(written)


def controls(written: str) -> set[str]:
    """Control characters and bidi marks of an output that are not the program's own colours and progress."""
    return set(CONTROLS.findall(OURS.sub("", written)))

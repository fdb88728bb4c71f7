"""Ctrl-C ends the program within a few seconds, whatever it is doing.

Usually a run stops at once and closes its files. But Python handles no signal while weights are loaded, and an event
loop waits for its threads, one of which may be downloading a data set. So a thread also receives the signal, and ends
the process if it has not ended by itself. Nothing is lost: every response is written before it is reported.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from typing import Final

from earmark.errors import INTERRUPTED

GRACE_SECONDS: Final = 3.0  # seconds for the program to end by itself
MESSAGE: Final = "interrupted; rerun the command to resume"


def install_interrupt_handler() -> None:
    """End the process within `GRACE_SECONDS` of an interrupt, from now on."""
    read_end, write_end = socket.socketpair()
    write_end.setblocking(False)
    signal.set_wakeup_fd(write_end.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(read_end, write_end), daemon=True).start()  # which keeps both open


def _wait(read_end: socket.socket, _write_end: socket.socket) -> None:
    while signal.SIGINT not in read_end.recv(64):
        pass
    time.sleep(GRACE_SECONDS)
    os.write(2, f"earmark: {MESSAGE}\n".encode())
    os._exit(INTERRUPTED)

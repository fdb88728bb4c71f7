"""Ctrl-C ends the program within a few seconds, whatever it is doing.

As a rule a run gives up at once and closes what is open. But nobody hears of a signal while weights are loaded into
memory, and a loop that ends waits for its threads, one of which may be fetching a data set. So a thread hears it too,
and ends the process if that has not ended by itself. Nothing is lost: an answer is on disk before anybody is told of
it.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from typing import Final

from earmark.errors import INTERRUPTED

GRACE_SECONDS: Final = 3.0  # seconds in which the program may end by itself
MESSAGE: Final = "interrupted; the same command goes on from here"


def install_interrupt_handler() -> None:
    """From now on an interrupt ends the process within `GRACE_SECONDS`."""
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

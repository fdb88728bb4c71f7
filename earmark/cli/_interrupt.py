"""Ctrl-C, SIGTERM and SIGHUP end the program within a few seconds, whatever it is doing.

Usually a run stops at once and closes its files. But Python handles no signal while weights are loaded, and an event
loop waits for its threads, one of which may be downloading a data set. So a thread also receives the signal, and ends
the process if it has not ended by itself. Nothing is lost: every response is written before it is reported. A second
signal while the program ends shows no traceback.
"""

from __future__ import annotations

import functools
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

from earmark.errors import INTERRUPTED

GRACE_SECONDS: Final = 3.0  # seconds for the program to end by itself
RESUMING: Final = frozenset({"run", "retry", "audiogram", "demo", "fetch"})  # commands that go on when they are rerun
SIGNALS: Final = (
    signal.SIGTERM,
    *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()),
)  # that end it as Ctrl-C does


def interrupt_message() -> str:
    """Say that the program was interrupted, and how to resume where that is possible."""
    is_resuming = Path(sys.argv[0]).name.startswith("listen-eval") or {*sys.argv[1:2]} <= RESUMING
    return "interrupted; rerun the command to resume" if is_resuming else "interrupted"


def install_interrupt_handler() -> None:
    """End the process within `GRACE_SECONDS` of an interrupt, from now on."""
    read_end, write_end = socket.socketpair()
    write_end.setblocking(False)
    signal.set_wakeup_fd(write_end.fileno(), warn_on_full_buffer=False)
    for number in SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:  # not ignored, as under nohup
            signal.signal(number, _interrupt)
    sys.excepthook = _end_if_interrupted
    sys.unraisablehook = functools.partial(_pass_interrupts, sys.unraisablehook)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # tasks that are left when a second signal comes
    threading.Thread(target=_wait, args=(read_end, write_end), daemon=True).start()  # which keeps both open


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals are handled
    signal.raise_signal(signal.SIGINT)


def _end_if_interrupted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        _end()
    sys.__excepthook__(kind, error, trace)


def _pass_interrupts(before: Callable[[sys.UnraisableHookArgs], object], found: sys.UnraisableHookArgs) -> None:
    if not issubclass(found.exc_type, KeyboardInterrupt):
        before(found)


def _wait(read_end: socket.socket, _write_end: socket.socket) -> None:
    while not {signal.SIGINT, *SIGNALS} & set(read_end.recv(64)):
        pass
    time.sleep(GRACE_SECONDS)
    _end()


def _end() -> None:
    os.write(2, f"earmark: {interrupt_message()}\n".encode())
    os._exit(INTERRUPTED)

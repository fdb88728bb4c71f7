"""Progress of a run: a line that is redrawn on a terminal, or a line every few seconds in a file."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final

from rich.live import Live

from earmark.engine.progress import Callbacks, Progress
from earmark.terminal.console import log_to_stderr, make_console, print_on
from earmark.text.printable import printable

REDRAW_INTERVAL: Final = 0.2  # seconds between two drawings on a terminal
LOG_INTERVAL: Final = 15.0  # seconds between two lines in a file


class ProgressDisplay:
    """Context in which progress is shown, with the name of one of several runs as title."""

    def __init__(self, title: str = "") -> None:
        self._title = f"{title}  " if title else ""
        self._console = make_console(stderr=True)
        self._shows_live = self._console.is_terminal or self._console.is_jupyter
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._next = 0.0
        self._last: Progress | None = None

    def __enter__(self) -> Callbacks:
        if self._shows_live:
            self._live.start()
        self._next = time.monotonic() + (0 if self._shows_live else LOG_INTERVAL)
        return Callbacks(self._log, self._update)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
        if self._last and not self._shows_live:
            log_to_stderr(self._title + progress_line(self._last))

    def _log(self, text: str) -> None:
        print_on(self._console, text)

    def _update(self, progress: Progress) -> None:
        self._last = progress
        now = time.monotonic()
        if now < self._next:
            return
        if self._shows_live:
            self._next = now + REDRAW_INTERVAL
            self._live.update(printable(self._title + progress_line(progress)), refresh=True)
        else:
            self._next = now + LOG_INTERVAL
            log_to_stderr(self._title + progress_line(progress))


def progress_line(progress: Progress) -> str:
    """Format progress in one line; queued items do not count as in flight.

    >>> progress_line(Progress(100, done=10, done_before=20, failed=1, seconds=5.0, in_flight=13, limit=8))
    '30/100  2.0/s  35 s left  8 of 8 in flight  failed 1  refused 0'
    """
    left = progress.remaining
    parts = [f"{progress.done_before + progress.done}/{progress.total}", f"{progress.rate:.1f}/s"]
    parts += [f"{format_clock(left)} left"] if left is not None else []
    parts += [f"{min(progress.in_flight, progress.limit)} of {progress.limit} in flight"] if progress.limit else []
    parts += [f"rate limited for {format_clock(progress.waiting)}"] if progress.waiting >= 1 else []
    parts += [f"failed {progress.failed}", f"refused {progress.refused}"]
    audio = f" ({progress.tokens_sound:,} audio)" if progress.tokens_sound else ""
    parts += [f"tokens {progress.tokens_in:,} in{audio} {progress.tokens_out:,} out"] if progress.tokens_in else []
    parts += [f"cost {progress.cost:.4f}"] if progress.cost else []
    return "  ".join(parts)


def format_clock(seconds: float) -> str:
    """
    >>> format_clock(35.2), format_clock(3725)
    ('35 s', '1 h 02 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"

"""A run on the terminal while it goes on: a line that is drawn a few times a second, or a line now and then into a file."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final

import click
from rich.console import Console
from rich.live import Live

from earmark.evaluate import Watch
from earmark.run import Tally

DRAWN: Final = 0.2  # seconds between two drawings
LOGGED: Final = 15.0  # and between two lines where nobody watches


class Progress:
    """Shows tallies; used as a context. `title` says which of several runs this is."""

    def __init__(self, title: str = "") -> None:
        self._title = f"{title}  " if title else ""
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._next = 0.0
        self._last: Tally | None = None

    def __enter__(self) -> Watch:
        if self._console.is_terminal:
            self._live.start()
        self._next = time.monotonic() + (0 if self._console.is_terminal else LOGGED)
        return Watch(self._say, self._tally)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
        if self._last and not self._console.is_terminal:
            click.echo(self._title + told(self._last), err=True)

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True, markup=False)

    def _tally(self, tally: Tally) -> None:
        self._last = tally
        now = time.monotonic()
        if now < self._next:
            return
        if self._console.is_terminal:
            self._next = now + DRAWN
            self._live.update(self._title + told(tally), refresh=True)
        else:
            self._next = now + LOGGED
            click.echo(self._title + told(tally), err=True)


def told(tally: Tally) -> str:
    """How far a run is, in one line. Questions that wait for their turn are not under way.

    >>> told(Tally(100, done=10, before=20, failed=1, seconds=5.0, in_flight=13, limit=8))
    '30/100  2.0/s  35 s left  8 of 8 under way  failed 1  refused 0'
    """
    left = tally.remaining
    parts = [f"{tally.before + tally.done}/{tally.total}", f"{tally.rate:.1f}/s"]
    parts += [f"{clock(left)} left"] if left is not None else []
    parts += [f"{min(tally.in_flight, tally.limit)} of {tally.limit} under way"] if tally.limit else []
    parts += [f"the server asks to wait {clock(tally.waiting)}"] if tally.waiting >= 1 else []
    parts += [f"failed {tally.failed}", f"refused {tally.refused}"]
    sound = f" ({tally.tokens_sound:,} of sound)" if tally.tokens_sound else ""
    parts += [f"tokens {tally.tokens_in:,} in{sound} {tally.tokens_out:,} out"] if tally.tokens_in else []
    parts += [f"cost {tally.cost:.4f}"] if tally.cost else []
    return "  ".join(parts)


def clock(seconds: float) -> str:
    """
    >>> clock(35.2), clock(3725)
    ('35 s', '1 h 02 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"

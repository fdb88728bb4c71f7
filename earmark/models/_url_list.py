"""A list of servers that may change while a run goes on: a file with the URL of one on each line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from earmark.errors import BadSetup, UsageError
from earmark.types import Seconds

CHECK_INTERVAL: Final[Seconds] = 1.0  # between two looks at the file
RETRY_INTERVAL: Final[Seconds] = 10.0  # between two tries to open a listed server that does not answer


class UrlList:
    """URLs in a file: one a line, blank lines and lines that begin with # left out."""

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()

    def read(self) -> list[str]:
        """The URLs, each once. Raises BadSetup where the file cannot be read."""
        try:
            lines = [line.strip() for line in self.path.read_text(encoding="utf-8").splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise BadSetup(f"model.urls=@{self.path}: cannot be read ({error}); expected a URL on each line") from error
        return [url.rstrip("/") for url in dict.fromkeys(lines) if url and not url.startswith("#")]

    def read_some(self) -> tuple[str, ...]:
        """The URLs at the start. Raises BadSetup where there is none."""
        urls = tuple(self.read())
        if not urls:
            raise BadSetup(f"model.urls=@{self.path}: lists no server; expected a URL on each line")
        return urls

    async def watch(self, update: Callable[[Sequence[str]], Awaitable[bool]]) -> None:
        """Call `update` with the URLs when they change; again after a while if it returns False, for not all answer.

        A file that cannot be read just now is read later: it may be about to be replaced.
        """
        loop = asyncio.get_running_loop()
        known: list[str] | None = None
        due = loop.time()
        while True:
            try:
                urls = await asyncio.to_thread(self.read)
            except BadSetup:
                urls = known or []
            if urls != known or loop.time() >= due:
                complete = await update(urls)
                known, due = urls, float("inf") if complete else loop.time() + RETRY_INTERVAL
            await asyncio.sleep(CHECK_INTERVAL)


def find_url_list(urls: Sequence[str]) -> UrlList | None:
    """The file that `urls=@FILE` names; None for URLs. Raises UsageError for both together."""
    files = [url for url in urls if url.startswith("@")]
    if files and len(urls) > 1:
        raise UsageError(f"model.urls={','.join(urls)}: expected URLs, or one file of them as @FILE")
    return UrlList(files[0][1:]) if files else None

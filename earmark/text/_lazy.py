"""Regular expressions that are compiled at their first use, so that importing a parser costs nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property


class LazyPattern:
    """A pattern with the methods of `re.Pattern` that parsers use.

    >>> LazyPattern("b+").search("abbc").span()
    (1, 3)
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self.flags = flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, self.flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.pattern.finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        return self.pattern.findall(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self.pattern.sub(new, text)

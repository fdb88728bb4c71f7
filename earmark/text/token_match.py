"""The official rule of MMAU and MMAR: a test of a reply against the right answer.

It reads no choice. A reply passes that holds every word of the answer and no word that belongs to another option and
not to the answer, whatever else it says. An empty reply fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

WORD: Final = re.compile(r"\b\w+\b")


def words_of(text: str) -> frozenset[str]:
    """The words of a text, each once, in lower case."""
    return frozenset(WORD.findall(text.lower()))


def token_match(reply: str, answer: str, choices: Sequence[str]) -> bool:
    """Test a reply against the answer.

    An answer that is none of the choices is tested all the same: every choice is then another one.

    >>> choices = ("big dog", "dog")
    >>> token_match("It is a big dog.", "big dog", choices), token_match("dog", "big dog", choices)
    (True, False)
    >>> token_match("dog or cat", "dog", ("dog", "cat")), token_match("", "dog", ("dog", "cat"))
    (False, False)
    """
    words, wanted = words_of(reply), words_of(answer)
    if not words or not wanted <= words:
        return False
    return not any(words & (words_of(choice) - wanted) for choice in choices)

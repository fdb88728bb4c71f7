"""Parsing of options in the text of a question.

Options have letters from A on, in order, at least two: each on a line of its own,

    A. cat        A) cat        (A) cat        A: cat

or, with every letter in brackets, all on one line: "(A) cat (B) dog". Of several lists the last counts, since examples
come first. An option ends at the next letter, the last one at the end of its line. A question with another kind of
list, or without the right answer in it, gets no choices.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from earmark.importers._runs import LETTERS
from earmark.types import Item, replace

LINE: Final = re.compile(r"^[ \t]*(?:\(([A-Z])\)|([A-Z])[.):])[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
BRACKETED: Final = re.compile(r"\(([A-Z])\)[ \t]*")


class Options(NamedTuple):
    """Options of a question, and the question without them."""

    question: str
    choices: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(LETTERS[: len(self.choices)])


def parse_options(text: str) -> Options | None:
    """Parse the last list of options in a text.

    >>> parse_options("Which?\\nA. cat\\nB. dog\\nAnswer with the letter.")
    Options(question='Which?', choices=('cat', 'dog'))
    >>> parse_options("Which?\\n Choices:\\n(A) cat (B) dog ").choices
    ('cat', 'dog')
    >>> parse_options("Is it (A) or B?") is None
    True
    """
    marked = [(matches.start(), matches[1] or matches[2], matches[3]) for matches in LINE.finditer(text)]
    run = _last_run([letter for _, letter, _ in marked])
    listed = marked[slice(*run)]
    if len(listed) > 1:
        return Options(_before(text, listed[0][0]), tuple(option for _, _, option in listed))
    matches = list(BRACKETED.finditer(text))
    inline = matches[slice(*_last_run([match[1] for match in matches]))]
    if len(inline) < 2:
        return None
    ends = [*(match.start() for match in inline[1:]), len(text)]
    texts = tuple(text[match.end() : end].partition("\n")[0].strip() for match, end in zip(inline, ends, strict=True))
    return Options(_before(text, inline[0].start()), texts) if all(texts) else None


def _last_run(letters: Sequence[str]) -> tuple[int, int]:
    """Return start and end of the last run of letters from A on; equal if there is none."""
    begin = len(letters) - 1 - letters[::-1].index("A") if "A" in letters else 0
    end = begin
    while end < len(letters) and end - begin < len(LETTERS) and letters[end] == LETTERS[end - begin]:
        end += 1
    return begin, end


def _before(text: str, end: int) -> str:
    """Return the question before its options, without a heading."""
    return re.sub(r"\s*\bChoices:\s*$", "", text[:end]).strip()


def label_of(target: str, options: Options) -> str | None:
    """Return the label of the right option, which is given as a letter, as a text, or as both.

    >>> [label_of(target, Options("", ("cat", "dog"))) for target in ("(B) dog", "dog", "C")]
    ['B', 'B', None]
    """
    text = _plain(target)
    pairs = list(zip(options.labels, options.choices, strict=True))
    labels = (
        [label for label, _ in pairs if text == _plain(label)]  # first: a text may be the letter of another option
        or [label for label, choice in pairs if text == _plain(choice)]
        or [label for label, choice in pairs if text in {_plain(f"{label}{sign}{choice}") for sign in ("", *").:")}]
    )
    return labels[0] if labels else None


def add_choices(item: Item) -> Item:
    """Add the options in the question of an item, if its only target is one of them."""
    options = parse_options(item.question)
    label = label_of(item.targets[0], options) if options and len(item.targets) == 1 else None
    if not options or not label:
        return item
    return replace(item, question=options.question, choices=options.choices, labels=options.labels, targets=(label,))


def _plain(text: str) -> str:
    """Remove blanks, case, and brackets and stops at the ends; a stop within a number stays.

    >>> _plain("(B) Dog."), _plain("1.5")
    ('b)dog', '1.5')
    """
    return re.sub(r"\s", "", text).strip("().:").casefold()

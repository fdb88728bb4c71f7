"""Items of a benchmark, and the prompts that are made of them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from earmark.types.media import Part, Source

Role: TypeAlias = Literal["system", "user", "assistant"]


class Item(Struct, frozen=True, omit_defaults=True):
    """One row of a benchmark: what will be asked, and what would be right."""

    id: str  # unique within its task
    task: str = ""
    question: str = ""
    clips: tuple[Source, ...] = ()
    choices: tuple[str, ...] = ()  # in the order shown
    labels: tuple[str, ...] = ()  # the letters they are shown under, as many as choices
    targets: tuple[str, ...] = ()  # the right answers: labels where there are choices, else texts; any one is right
    group: str = ""  # items that share a recording, speaker or user: resampled together
    tags: dict[str, str] = {}  # the slices of the report
    extra: dict[str, Any] = {}  # what a scorer needs beyond these texts, such as a rubric; never a slice
    state: Literal["ask", "skipped", "error"] = "ask"  # skipped: never counted; error: counted, but cannot be asked
    reason: str = ""  # why it is skipped or in error

    def text(self, label: str) -> str:
        """The choice shown under a label."""
        return self.choices[self.labels.index(label)]


class Turn(Struct, frozen=True):
    """One speaker's turn: words, sound and pictures in playing order."""

    role: Role
    parts: tuple[Part, ...]


class Prompt(Struct, frozen=True):
    """Exactly what a model is given. A single question is one turn, a history is many."""

    turns: tuple[Turn, ...]
    choices: tuple[str, ...] = ()  # the options named in the text, for models that answer by likelihood
    labels: tuple[str, ...] = ()
    sampling: dict[str, Any] = {}  # what the protocol prescribes, such as max_tokens; the model's own settings go first
    replies: Literal["one", "each", "joined"] = "one"  # in all; to each user turn after those so far; to each alone

"""Files of Personalized-Hearing: the sessions of a user and the questions about them, under the names of the data."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from earmark.data.regular import check_regular
from earmark.errors import BadData
from earmark.types import Role

JsonType = TypeVar("JsonType")
SESSIONS, QUESTIONS = "7.1_dialogue_enhanced.json", "10_benchmark_qa.json"


class DialogueTurn(Struct, frozen=True):
    """One turn of a dialogue."""

    role: Role
    content: str


class Session(Struct, frozen=True):
    """One talk, and the clip at its head."""

    session_id: str
    timestamp: str
    selected_asset_id: str
    dialogue: tuple[DialogueTurn, ...]

    def __post_init__(self) -> None:
        if Path(self.selected_asset_id).name != self.selected_asset_id or self.selected_asset_id == "..":
            raise ValueError(f"found the clip {self.selected_asset_id!r}, expected the name of a folder in media")


class Location(Struct, frozen=True):
    """Position of a question in the history."""

    session_id: str
    turn_cutoff: int


class HearingQuestion(Struct, frozen=True):
    """One question, under the names of the data."""

    candidate_id: str
    Type: str
    Question: str
    Correct_Answer: str
    Incorrect_Answers: tuple[str, str, str]
    question_location: Location
    Family: str = ""


class History(Struct, frozen=True):
    """All the sessions of a user, in order."""

    sessions: tuple[Session, ...]


class QuestionFile(Struct, frozen=True):
    """All the questions about a user."""

    qa: tuple[HearingQuestion, ...]


def read_record(path: Path, kind: type[JsonType]) -> JsonType:
    """A file that holds a record, or a list of one."""
    try:
        check_regular(path)
        value: Any = msgspec.json.decode(path.read_bytes())
        return msgspec.convert(value[0] if isinstance(value, list) and value else value, kind)
    except FileNotFoundError as error:
        raise BadData(f"{path}: no such file; a user's folder holds {SESSIONS} and {QUESTIONS}") from error
    except (OSError, msgspec.MsgspecError) as error:
        raise BadData(f"{path}: {error}") from error


@lru_cache(maxsize=4)
def history(folder: Path) -> tuple[Session, ...]:
    """The sessions of a user."""
    return read_record(folder / SESSIONS, History).sessions


@lru_cache(maxsize=4)
def ids_recur(place: Path) -> bool:
    """True if users share ids of questions; an unreadable file raises when its user is asked about."""
    ids: list[str] = []
    for path in place.glob(f"*/{QUESTIONS}"):
        with suppress(BadData):
            ids += {question.candidate_id for question in read_record(path, QuestionFile).qa}
    return len({*ids}) < len(ids)

"""Sets of answers that people have judged, to hold a judge against.

EVA publishes three (ServiceNow/eva, docs/metrics/judge_validation_datasets, MIT); a folder that holds their files is
read:

    key_entity_transcription.jsonl   did what was said come through in what a recogniser wrote? correct or incorrect
    conciseness.jsonl                is an agent's turn short enough for the ear? 1, 2 or 3
    agent_speech_fidelity.jsonl      was said what should be? 0 or 1; its recordings are apart, and without them it is
                                     left out

A set of one's own is a file of JSON lines with question, reference, candidate and label, and if wanted id, group and
description; the label is a verdict of the prompt that is named beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from earmark.data.cache import hash64
from earmark.data.regular import read_lines
from earmark.errors import BadData, UsageError
from earmark.judges.asking import scale_steps
from earmark.judges.prompts import JudgePrompt, find_prompt
from earmark.stats.agreement import Weights
from earmark.types import Clip

Row = TypeVar("Row", bound=Struct)
SOUNDS: Final = (".wav", ".flac", ".mp3", ".ogg")


class Case(Struct, frozen=True):
    """One answer and what people said of it."""

    id: str
    group: str  # the conversation it comes from: such cases are resampled together
    fields: dict[str, str]
    label: str
    sound: Clip | None = None


class LabelledSet(Struct, frozen=True):
    """A set of cases, the prompt that asks about them, and how unlike labels weigh."""

    name: str
    ask: JudgePrompt
    cases: tuple[Case, ...]
    without_sound: int = 0  # cases that cannot be asked about, since their recording is not there

    @property
    def categories(self) -> tuple[str, ...]:
        return self.ask.words or scale_steps(self.ask)

    @property
    def weights(self) -> tuple[Weights, ...]:
        ordered = self.ask.kind == "rating" and len(self.categories) > 2
        return ("nominal", "linear", "quadratic") if ordered else ("nominal",)

    def sample(self, limit: int | None) -> LabelledSet:
        """As many of the cases, drawn by their ids: the same ones every time."""
        lots = sorted(self.cases, key=lambda case: hash64(case.id.encode()))
        return msgspec.structs.replace(self, cases=tuple(lots[:limit]))


def load_labelled_sets(data: str, media: str = "", prompt: str = "") -> list[LabelledSet]:
    """The sets in a folder of EVA's, or the one in a file of one's own. Raises BadData where there is none."""
    place = Path(data).expanduser()
    if place.is_file():
        return [_read_own_set(place, prompt)]
    sets = []
    for name, (asked, kind) in EVA.items():
        path = next(iter(sorted(place.rglob(f"{name}.jsonl"))), None)
        if path:
            cases = [case for number, row in _rows(path, kind) for case in row.cases(number)]
            located = [_with_audio(case, media) for case in cases] if asked == "eva-fidelity" else cases
            kept = tuple(case for case in located if case)
            sets.append(LabelledSet(name, find_prompt(asked), kept, len(cases) - len(kept)))
    if not sets:
        raise BadData(f"{place}: found none of {', '.join(f'{name}.jsonl' for name in EVA)}; see docs/judges.md")
    return sets


def _rows(path: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield number, msgspec.json.decode(line, type=kind)
        except msgspec.MsgspecError as error:
            needed = ", ".join(field.encode_name for field in msgspec.structs.fields(kind) if field.required)
            raise BadData(f"{path}, line {number}: {error}; expected an object with {needed}") from error


class Entity(Struct, frozen=True):
    """Something that was said, and whether it came through."""

    type: str
    value: str
    correct: bool


class TurnLabels(Struct, frozen=True):
    """Human labels of one turn."""

    turn_id: Annotated[int, msgspec.Meta(ge=0)]
    entities: tuple[Entity, ...]


class TranscriptionLine(Struct, frozen=True):
    """A line of key_entity_transcription.jsonl."""

    user_tts: tuple[str, ...]
    transcription: tuple[str, ...]
    labels: tuple[TurnLabels, ...]

    def __post_init__(self) -> None:
        turns = min(len(self.user_tts), len(self.transcription))
        if any(turn.entities and turn.turn_id >= turns for turn in self.labels):
            raise ValueError(f"labels a turn beyond the {turns} that were said and written")  # msgspec tells where

    def cases(self, number: int) -> Iterator[Case]:
        for turn in self.labels:
            for count, entity in enumerate(turn.entities):
                fields = {
                    "question": self.user_tts[turn.turn_id],
                    "reference": f"{entity.type.replace('_', ' ')}: {entity.value}",
                    "candidate": self.transcription[turn.turn_id].strip(),
                }
                label = "correct" if entity.correct else "incorrect"
                yield Case(f"{number}.{turn.turn_id}.{count}", str(number), fields, label)


class RatedTurn(Struct, frozen=True):
    """A turn of a conversation, rated where it is an agent's."""

    position: int
    role: str
    content: str
    expected_rating: Literal[1, 2, 3] | None = None


class ConcisenessLine(Struct, frozen=True):
    """A line of conciseness.jsonl."""

    conversation_id: str
    conv_turns: tuple[RatedTurn, ...]

    def cases(self, number: int) -> Iterator[Case]:
        so_far: list[str] = []
        for turn in self.conv_turns:
            if turn.expected_rating is not None:
                fields = {"question": "\n".join(so_far), "reference": "", "candidate": turn.content}
                yield Case(f"{number}.{turn.position}", self.conversation_id, fields, str(turn.expected_rating))
            so_far.append(f"{turn.role}: {turn.content}")


class IntendedTurn(Struct, frozen=True):
    """A turn as it should be said."""

    text: str


class FidelityLine(Struct, frozen=True):
    """A line of agent_speech_fidelity.jsonl."""

    id: str
    transcript_id: str
    audio_id: str
    intended_turns: tuple[IntendedTurn, ...]
    expected_rating: Literal[0, 1]

    def cases(self, _: int) -> Iterator[Case]:
        turns = "\n".join(turn.text for turn in self.intended_turns)
        fields = {"question": self.audio_id, "reference": turns, "candidate": ""}
        yield Case(self.id, self.transcript_id, fields, str(self.expected_rating))


EVA: Final[Mapping[str, tuple[str, type[TranscriptionLine | ConcisenessLine | FidelityLine]]]] = {
    "key_entity_transcription": ("eva-entities", TranscriptionLine),
    "conciseness": ("eva-conciseness", ConcisenessLine),
    "agent_speech_fidelity": ("eva-fidelity", FidelityLine),
}


def _with_audio(case: Case, media: str) -> Case | None:
    """A case with its recording, which the question names until then."""
    name = case.fields["question"]
    paths = (Path(media).expanduser() / f"{name}{ending}" for ending in SOUNDS) if media else ()
    path = next((path for path in paths if path.is_file()), None)
    return msgspec.structs.replace(case, sound=Clip(str(path), name=name)) if path else None


class _CaseLine(Struct, frozen=True):
    """One line of a set of one's own."""

    question: str
    candidate: str
    label: str | int
    reference: str = ""
    description: str = ""
    id: str = ""
    group: str = ""


def _read_own_set(path: Path, prompt: str) -> LabelledSet:
    if not prompt:
        raise UsageError(f"{path}: which prompt is to be checked by it? Give prompt=NAME, such as prompt=sakura")
    template = find_prompt(prompt)
    labelled = LabelledSet(path.stem, template, tuple(_own_cases(path)))
    if template.kind == "pair":
        raise UsageError(f"prompt={prompt} compares two answers; labels of single answers cannot check it")
    wrong = next((case for case in labelled.cases if case.label not in labelled.categories), None)
    if wrong:
        raise BadData(f"{path}, case {wrong.id}: the label '{wrong.label}' is none of {', '.join(labelled.categories)}")
    return labelled


def _own_cases(path: Path) -> Sequence[Case]:
    cases = []
    for number, line in _rows(path, _CaseLine):
        fields = {"question": line.question, "reference": line.reference, "candidate": line.candidate}
        fields["description"] = line.description
        name = line.id or str(number)
        cases.append(Case(name, line.group or name, fields, str(line.label)))
    return cases

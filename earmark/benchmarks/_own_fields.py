"""Guess which field of a row is what, by the usual names of fields and by what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from earmark.benchmarks._table_items import decode_choices
from earmark.data.records import text_of
from earmark.errors import BadData, UsageError, alternatives
from earmark.text.choices import LETTERS
from earmark.types import Clip

MAX_ROWS: Final = 1000  # that are looked at
NAMES: Final[Mapping[str, tuple[str, ...]]] = {  # lower case, letters and digits only; the likeliest first
    "sound": tuple(
        "audio audiopath audiofile audiofilepath audiofilename audioid filename file path filepath wav wavpath wavs "
        "clip clips clippath sound soundpath sounds audios speech recording context".split()
    ),
    "question": tuple("question prompt instruction query questiontext input".split()),
    "choices": tuple("choices options answerchoices answeroptions candidates".split()),
    "answer": tuple(
        "answer target label reference answergt correctanswer correct gold goldanswer groundtruth gt targets "
        "references answers labels expected officialanswer text sentence translation".split()
    ),
    "transcript": tuple("transcript transcription spokentext words".split()),
    "id": tuple("id itemid uid uniqid uttid uttrid utteranceid questionid qid sampleid index key".split()),
    "group": tuple("group speakerid speaker clientid".split()),
}
ANY_VALUE: Final = frozenset("audio audiopath audiofile wav wavpath wavs clip sound audios".split())
SUFFIX: Final = re.compile(r"\.(wav|wave|flac|mp3|ogg|oga|opus|m4a|aac|webm|aif|aiff|mp4|wma|amr|au)$", re.IGNORECASE)
LETTER_COLUMN: Final = re.compile(r"(?:choice|option|opt|answer)?[ _-]?([a-z])", re.IGNORECASE)
SEPARATORS: Final = ("|", ";")


class OwnFields(Struct, frozen=True, omit_defaults=True):
    """Columns of a file of questions, by what they are."""

    sound: tuple[str, ...] = ()
    question: str = ""
    choices: tuple[str, ...] = ()  # one column that lists them, or one each
    separator: str = ""  # between choices in one text
    answer: str = ""
    answer_by: str = "text"
    transcript: str = ""
    id: str = ""
    group: str = ""
    unused: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """One line of what was taken for what."""
        parts = [f"sound is '{', '.join(self.sound)}'"]
        parts += [f"question is '{self.question}'"] if self.question else ["no question"]
        if self.choices:
            parts.append(f"choices are '{', '.join(self.choices)}'")
        if self.answer:
            by = {"text": "", "letter": ", a letter", "index0": ", a number from 0", "index1": ", a number from 1"}
            parts.append(f"answer is '{self.answer}'{by[self.answer_by] if self.choices else ''}")
        else:
            parts.append("no answer")
        parts += [f"{name} is '{value}'" for name in ("transcript", "id", "group") if (value := getattr(self, name))]
        parts += [f"not used: {', '.join(self.unused)}"] if self.unused else []
        return "; ".join(parts)


def guess_fields(rows: Sequence[Mapping[str, Any]], given: Mapping[str, Any], place: str) -> OwnFields:
    """Find the fields of some rows; `given` are columns that the user named, by what they are.

    Raises UsageError where a column that was named is not there, or none has sound in it.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    taken: dict[str, tuple[str, ...]] = {}
    for kind in (*NAMES, "task", "tags"):
        if kind in given:
            taken[kind] = _check_given(kind, given[kind], columns, place)
    rest = [name for name in columns if name not in {column for names in taken.values() for column in names}]
    if "choices" not in taken:
        taken["choices"] = _find_choices(rows, rest)
    rest = [name for name in rest if name not in taken["choices"]]
    for kind in ("sound", "id", "question", "answer", "transcript", "group"):
        if kind not in taken:
            taken[kind] = _find_named(kind, rows, rest)
        rest = [name for name in rest if name not in taken[kind]]
    if not taken["answer"] and taken["transcript"] and not taken["choices"]:
        taken["answer"], taken["transcript"] = taken["transcript"], ()  # of recognition, what is said is the answer
    if not taken["sound"]:
        raise UsageError(
            f"{place}: found no column with sound among {', '.join(columns) or 'none'}; name it: sound=COLUMN, a "
            "column of paths below the folder of the file, or of sound"
        )
    separator = _separator(rows, taken["choices"])
    first = {kind: next(iter(names), "") for kind, names in taken.items()}
    fields = OwnFields(
        taken["sound"], first["question"], taken["choices"], separator, first["answer"], "text", first["transcript"],
        first["id"], first["group"], tuple(rest),
    )  # fmt: skip
    if not fields.choices or not fields.answer:
        return fields
    answer_by = given.get("answer_by") or _answer_by(rows, fields, place)
    return OwnFields(**{name: getattr(fields, name) for name in fields.__struct_fields__} | {"answer_by": answer_by})


def _check_given(kind: str, value: Any, columns: Sequence[str], place: str) -> tuple[str, ...]:
    names = tuple(value) if isinstance(value, list | tuple) else (str(value),)
    for name in names:
        inside = re.findall(r"\{([^{}]+)\}", name) or [name]
        if missing := next((column for column in inside if column not in columns), None):
            raise UsageError(f"{place}: {kind}={name}: found no column '{missing}'{alternatives(missing, columns)}")
    return names


def plain(name: str) -> str:
    """
    >>> plain("Audio_Path")
    'audiopath'
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find_named(kind: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> tuple[str, ...]:
    by_name = {plain(name): name for name in reversed(columns)}
    for name in NAMES[kind]:
        if name in by_name and (kind != "sound" or name in ANY_VALUE or _is_sound(rows, by_name[name])):
            return (by_name[name],)
    if kind != "sound":
        return ()
    return next(((name,) for name in columns if _is_sound(rows, name)), ())


def _is_sound(rows: Iterable[Mapping[str, Any]], column: str) -> bool:
    """True if every value of a column that is not empty is sound, or the path of a file of sound."""
    values = [value for row in rows if (value := row.get(column)) not in (None, "", [])]
    return bool(values) and all(_sound_like(value) for value in values)


def _sound_like(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_sound_like(part) for part in value)
    if isinstance(value, dict):
        return "path" in value and {*value} <= {"path", "bytes", "array", "sampling_rate"}
    return isinstance(value, Clip) or (isinstance(value, str) and bool(SUFFIX.search(value.strip())))


# ---------------------------------------------------------------- choices


def _find_choices(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> tuple[str, ...]:
    """The column that lists choices, or one column for each letter from A on."""
    if named := _find_named("choices", rows, columns):
        return named
    letters: dict[str, str] = {}
    for name in columns:
        if match := LETTER_COLUMN.fullmatch(name):
            letters.setdefault(match[1].upper(), name)
    listed = []
    for letter in LETTERS:
        if letter not in letters:
            break
        listed.append(letters[letter])
    return tuple(listed) if len(listed) > 1 else ()


def _separator(rows: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> str:
    """The sign between choices that stand in one text; empty where they are lists or JSON."""
    if len(choices) != 1:
        return ""
    texts = [row[choices[0]] for row in rows if isinstance(row.get(choices[0]), str) and row[choices[0]].strip()]
    if not texts or any(text.lstrip().startswith("[") for text in texts):
        return ""
    return next((sign for sign in SEPARATORS if all(sign in text for text in texts)), "")


def _answer_by(rows: Sequence[Mapping[str, Any]], fields: OwnFields, place: str) -> str:
    """The way in which answers name a choice: by its text, its letter, or its number."""
    pairs = []
    for row in rows:
        answer = text_or_empty(row.get(fields.answer))
        try:
            pairs.append((answer, decode_choices(fields.choices, row, fields.separator)))
        except (ValueError, KeyError):  # the reader names the row when it comes to it
            continue
    pairs = [(answer, choices) for answer, choices in pairs if answer and choices]
    if any(answer in [choice.strip() for choice in choices] for answer, choices in pairs) or not pairs:
        return "text"
    if all(answer.strip("().").upper() in LETTERS[: len(choices)] for answer, choices in pairs):
        return "letter"
    if all(answer.isdecimal() for answer, _ in pairs):
        numbers = [(int(answer), len(choices)) for answer, choices in pairs]
        from0 = all(number < size for number, size in numbers)
        from1 = all(1 <= number <= size for number, size in numbers)
        if from0 and from1:
            raise UsageError(
                f"{place}: the numbers in '{fields.answer}' may count choices from 0 or from 1; give answer_by=index0 "
                "or answer_by=index1"
            )
        if from0 or from1:
            return "index0" if from0 else "index1"
    answer, choices = pairs[0]
    raise BadData(
        f"{place}: the answers in '{fields.answer}' are none of the choices, such as '{answer}' of "
        f"{', '.join(choices)}; expected the text of a choice, its letter or its number"
    )


def text_or_empty(value: Any) -> str:
    """A value as text without outer blanks; the first of a list, and nothing for what is no text."""
    first = value[0] if isinstance(value, list) and value else value
    try:
        return text_of(first).strip()
    except ValueError:
        return ""

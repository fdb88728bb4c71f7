"""Rows of data sets that need thought: a table names these functions in `rows_from`.

Each is given a file and the name of its set, and yields rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, zip_longest
from pathlib import Path
from typing import Any, Final

from earmark.data.records import column_names, read_records
from earmark.errors import BadData
from earmark.types import Clip

ENGLISH: Final = "en_us"


def leave_one_out(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Each question of RUL-MuChoMusic once for every distractor that is left out."""
    del set_name
    for _, row in read_records(file, []):
        distractors = row["distractors"]
        for left_out in range(len(distractors)):
            rest = distractors[:left_out] + distractors[left_out + 1 :]
            yield {**row, "distractors": rest, "$key": f"{row['$key']}-{left_out + 1}", "clip": row["$key"]}


def clips_of_keys(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """The questions of RUL-MuChoMusic as they are, with the number of their clip."""
    del set_name
    for _, row in read_records(file, []):
        yield {**row, "clip": row["$key"]}


def fleurs_translation(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """The recordings of one language of FLEURS with the same sentence in another: the set is called SOURCE-TARGET, and
    the other table lies in the folder of its language. A sentence without a translation is left out.
    """
    _, _, target = set_name.partition("-")
    other = file.parent.parent / target / file.name
    if not other.is_file():
        raise BadData(f"{other}: no such file; a translation into {target} needs the sentences of that language too")
    texts = {row["0"]: row["2"] for _, row in read_records(other, [], head=False)}
    for _, row in read_records(file, [], head=False):
        if row["0"] in texts:
            yield {**row, "translation": texts[row["0"]]}


def label_of_folder(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """A recording whose folder is its label, as in CochlScene: one row a file."""
    del set_name
    yield {"path": file.name, "label": plain_label(file.parent.name)}


def path_and_label(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Lines of a path and a label with blanks between them, as in TUT2017; what stands behind is left out."""
    del set_name
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        words = line.split()
        if len(words) == 1:
            raise BadData(f"{file}, line {number}: found one word, expected a path and a label")
        if words:
            yield {"path": words[0], "label": plain_label(words[1])}


def plain_label(label: str) -> str:
    """A label as a text to choose from.

    >>> plain_label("residential_area"), plain_label("CrowdedIndoor")
    ('residential area', 'crowdedindoor')
    """
    return label.replace("_", " ").replace("/", " or ").lower()


# ---------------------------------------------------------------- rows of several recordings


def calls_of_chunks(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Calls that lie in chunks, one row each: the chunks of a call in their order, and its one transcript."""
    del set_name
    chunks: dict[str, dict[int, Mapping[str, Any]]] = {}
    for number, row in read_records(file, column_names(file)):
        index, parent = row.get("chunk_index"), row.get("parent_id")
        if not isinstance(index, int) or parent is None:
            raise BadData(f"{file}, row {number}: expected the columns parent_id and chunk_index of a chunk of a call")
        if index in chunks.setdefault(str(parent), {}):
            raise BadData(f"{file}, row {number}: the chunk {index} of the call '{parent}' is there twice")
        chunks[str(parent)][index] = row
    for parent, by_index in chunks.items():
        if missing := {*range(max(by_index) + 1)} - {*by_index}:
            raise BadData(f"{file}: the call '{parent}' lacks its chunk {min(missing)}; fetch or copy the file again")
        ordered = [row for _, row in sorted(by_index.items())]
        yield {"id": parent, "sound": [row["audio"] for row in ordered], "text": ordered[0]["text"]}


def conversation(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Conversations of Audio MultiChallenge, whose turns stand in numbered columns: the user's recordings, the
    assistant's replies between them as the data has them, and all as one text for the judge.
    """
    del set_name
    for _, row in read_records(file, column_names(file)):
        sounds, words, replies = ([*_numbered(row, name)] for name in (
            "user_turn_{}_audio", "user_turn_{}_transcript", "assistant_turn_{}_transcript"
        ))  # fmt: skip
        replies = replies[: len(sounds) - 1]  # a reply of the data to the last turn is not what is asked
        spoken = [f"User: {words_said}" for words_said in words]
        answered = [f"Assistant: {reply}" for reply in replies]
        turns = [turn for pair in zip_longest(spoken, answered) for turn in pair if turn is not None]
        yield {**row, "sound": sounds, "words": words, "replies": replies, "conversation": "\n".join(turns)}


def _numbered(row: Mapping[str, Any], name: str) -> Iterator[Any]:
    """The values of columns that are numbered from 1, up to the first that is empty."""
    for number in count(1):
        if not (value := row.get(name.format(number))):
            return
        yield value


def spoken_turns(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Rows of parquet in which every column of sound is a turn of the user, in the order of the columns; their texts
    are the columns whose names begin with prompt, or a list in one.
    """
    del set_name
    for number, row in read_records(file, column_names(file)):
        sounds = [value for value in row.values() if isinstance(value, Clip)]
        prompts = [value for name, value in row.items() if name.startswith("prompt") and value]
        words = [text for value in prompts for text in (value if isinstance(value, list) else [value])]
        if not sounds:
            raise BadData(f"{file}, row {number}: found no column of sound among {', '.join(row)}")
        yield {"sound": sounds, "words": words, "conversation": _rounds(words, ())}


def dialogue(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Rounds of a dialogue of URO-Bench: recordings, and what is said in them with what may be answered."""
    del set_name
    for number, row in read_records(file, []):
        rounds = row.get("dialogue")
        if not isinstance(rounds, list) or not rounds or not all(isinstance(each, dict) for each in rounds):
            raise BadData(f"{file}, line {number}: expected a list of rounds under 'dialogue'")
        words = [str(each.get("source_text") or "") for each in rounds]
        references = [each.get("target_text") or "" for each in rounds]
        sounds = [each.get("source_wav") for each in rounds]
        yield {**row, "sound": sounds, "words": words, "conversation": _rounds(words, references)}


def _rounds(words: Sequence[str], references: Sequence[str | Sequence[str]]) -> str:
    """The user's side of a conversation as a text.

    >>> _rounds(["Hello.", "Why?"], ["", ["A", "B"]])
    '[Round 1] Hello.\\n[Round 2] Why?\\n(such as: A; B)'
    """
    lines = []
    for number, (sentence, reference) in enumerate(zip_longest(words, references, fillvalue=""), start=1):
        lines.append(f"[Round {number}] {sentence}")
        if text := reference if isinstance(reference, str) else "; ".join(reference):
            lines.append(f"(such as: {text})")
    return "\n".join(lines)


AGREEMENT: Final = {  # of StepEval-Audio-Paralinguistic, by split; in our words
    "gender": "both name the same gender",
    "age": "the middles of both ranges of age are at most 10 years apart",
    "speed": "on a scale of five from fast to slow both are the same step or neighbours",
    "emotions": "both emotions are positive, both are neutral and calm, or both are negative",
    "scene": "both name the same kind of place; a park is not any other place outdoors",
    "event": "both sounds are of one kind, or belong together as singing and music do",
    "vocalsound": "both are the same sound of a voice, or one includes the other",
    "rhythm": "both are even or fluent, both have pauses, or both change their pace",
    "pitch": "both voices are about as high",
    "voice_tone": "both describe about the same timbre of a voice",
    "voice_styles": "both describe about the same style of speaking",
}


def paralinguistics(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """The rows of StepEval-Audio-Paralinguistic, each with the rule by which its answers agree."""
    for _, row in read_records(file, column_names(file)):
        yield {**row, "rule": AGREEMENT[set_name]}

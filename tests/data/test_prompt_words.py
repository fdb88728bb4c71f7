"""Words of prompts: each distinct one once, media by number, and what is torn or broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.data import prompt_words
from earmark.data.prompt_words import DigestSet, WordsFile, describe_turns, encode_words, find_words, read_words
from earmark.errors import BadData, RunStopped
from earmark.types import ImageBytes, Prompt, Turn, Waveform

SOUND = Waveform(np.zeros((1, 8), np.float32), 8000)
PICTURE = ImageBytes(b"x", "image/png")


def prompt(*parts: object) -> Prompt:
    return Prompt((Turn("system", ("Listen.", SOUND)), Turn("user", (*parts, SOUND, PICTURE))))  # type: ignore[arg-type]


def test_media_are_numbered_in_playing_order_over_all_turns(tmp_path: Path) -> None:
    digest, line = encode_words(describe_turns(prompt("A?", SOUND)))
    with WordsFile(tmp_path / "words.jsonl") as file:
        file.append(digest, line)
    (words,) = read_words(tmp_path / "words.jsonl")
    assert [turn.role for turn in words.turns] == ["system", "user"]
    assert [turn.parts for turn in words.turns] == [
        ("Listen.", {"sound": 0}),
        ("A?", {"sound": 1}, {"sound": 2}, {"picture": 0}),
    ]


def test_each_prompt_is_written_once_also_by_a_second_sitting(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    lines = [encode_words(describe_turns(prompt(text))) for text in ("a", "b", "a", "\ud835")]
    for _ in range(2):
        with WordsFile(path) as file:
            for digest, line in lines:
                file.append(digest, line)
    found = list(read_words(path))
    assert [words.turns[1].parts[0] for words in found] == ["a", "b", "\ufffd"]
    assert [find_words(path, digest) for digest, _ in lines] == [found[0], found[1], found[0], found[2]]
    assert find_words(path, "0" * 16) is None
    assert find_words(tmp_path / "none", lines[0][0]) is None


def test_a_torn_last_line_is_cut_off_and_a_broken_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    digest, line = encode_words(describe_turns(prompt("a")))
    path.write_bytes(line + b'{"digest":"12')
    assert len(list(read_words(path))) == 1
    with WordsFile(path):
        pass
    assert path.read_bytes() == line
    path.write_bytes(b"[]\n" + line)
    with pytest.raises(BadData, match="line 1: no words of a prompt"):
        WordsFile(path)
    assert find_words(path, digest) is not None


def test_a_full_disk_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with WordsFile(tmp_path / "words.jsonl") as file:
        monkeypatch.setattr("os.write", full)
        with pytest.raises(RunStopped, match="keep_words=false"):
            file.append(*encode_words(describe_turns(prompt("a"))))


@given(st.lists(st.integers(0, 30)))
def test_the_set_of_digests_is_a_set(numbers: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_words, "MERGE_SIZE", 3)
        digests, known = DigestSet(["00"]), {0}
        for number in numbers:
            assert digests.add(f"{number:016x}") == (number not in known)
            known.add(number)

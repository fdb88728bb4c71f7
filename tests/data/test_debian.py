"""Debian packages: unpacked once, kept in the cache, and one line where they cannot be had."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from earmark.data import debian
from earmark.errors import BadSetup

PACKAGE = "some-sounds"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))


class Apt:
    """Debian's tools as they answer; `lists`: the machine has lists of packages."""

    def __init__(self, *, lists: bool = True, known: bool = True) -> None:
        self.lists, self.known = lists, known
        self.commands: list[list[str]] = []

    def run(self, command: list[str], *, cwd: Path, **_: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        if command[0] == "dpkg-deb":
            assert (cwd / command[2]).is_file()
            (cwd / command[3] / "usr").mkdir(parents=True)
            (cwd / command[3] / "usr" / "clip.wav").write_bytes(b"RIFF")
        elif "update" in command:
            self.lists = True
        elif not (self.lists and self.known):
            return subprocess.CompletedProcess(command, 100, "", "Reading...\nE: Unable to locate package\n")
        else:
            (cwd / f"{PACKAGE}_1.0_all.deb").touch()
        return subprocess.CompletedProcess(command, 0, "", "")


def test_a_package_is_unpacked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    apt = Apt()
    monkeypatch.setattr(subprocess, "run", apt.run)
    assert debian.find_unpacked(PACKAGE) is None
    place = debian.fetch_package(PACKAGE)
    assert (place / "usr" / "clip.wav").read_bytes() == b"RIFF"
    asked = len(apt.commands)
    assert debian.fetch_package(PACKAGE) == debian.find_unpacked(PACKAGE) == place
    assert len(apt.commands) == asked
    assert [path.name for path in place.parent.iterdir()] == [PACKAGE], "nothing of the work is left"


def test_without_lists_of_packages_it_brings_lists_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    apt = Apt(lists=False)
    monkeypatch.setattr(subprocess, "run", apt.run)
    assert debian.fetch_package(PACKAGE).exists()
    (update,) = [command for command in apt.commands if "update" in command]
    assert any("Dir::State::lists=" in word for word in update), "not those of the machine, which only root may renew"


def test_a_package_that_nobody_has_is_told_in_one_line_and_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", Apt(known=False).run)
    with pytest.raises(BadSetup, match=rf"^'apt-get .*download {PACKAGE}' failed: E: Unable to locate package$"):
        debian.fetch_package(PACKAGE)
    assert debian.find_unpacked(PACKAGE) is None


def test_a_download_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(command: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(command, debian.DOWNLOAD_TIMEOUT)

    monkeypatch.setattr(subprocess, "run", wait)
    with pytest.raises(BadSetup, match="took longer than 300 s"):
        debian.fetch_package(PACKAGE)


@pytest.mark.parametrize("tool", ["apt-get", "dpkg-deb"])
def test_both_tools_are_needed(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None if name == tool else f"/usr/bin/{name}")
    assert not debian.is_available()
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert debian.is_available()

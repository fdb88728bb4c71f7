"""Which run folders are trusted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from recorded_runs import run

from earmark.runs.trust import config_dir, forget_run, is_trusted, trust_run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run("model=fake", f"results={tmp_path_factory.mktemp('results')}").folder


def test_a_run_that_is_made_here_is_trusted_and_a_copy_is_not(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    assert (is_trusted(made), is_trusted(tmp_path / "copy")) == (True, False)


@pytest.mark.parametrize("name", ["run.json", "config.yaml"])
def test_a_change_of_what_describes_a_run_ends_the_trust(made: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    trust_run(copy)
    assert is_trusted(copy)
    (copy / name).write_bytes((copy / name).read_bytes() + b"\n")
    assert not is_trusted(copy)


def test_trust_is_kept_outside_of_the_run_and_can_be_taken_back(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    before = sorted(copy.rglob("*"))
    trust_run(copy)
    assert sorted(copy.rglob("*")) == before
    assert not config_dir().is_relative_to(tmp_path)
    forget_run(copy)
    assert not is_trusted(copy)


def test_a_configuration_that_cannot_be_written_stops_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path("file").absolute()))
    assert not is_trusted(run("model=fake").folder)

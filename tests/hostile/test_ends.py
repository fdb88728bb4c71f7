"""Runs that end in the middle: by signals, and because their folder, their disk or their locks are gone."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ENV, PATIENCE, started
from recorded_runs import run
from servers import Server, said, serving

from earmark.data.cache import atomic_open
from earmark.errors import BadData
from earmark.journal import Journal, read_journal
from earmark.runs.rundir import lock


def _until(holds: Callable[[], object], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def _slow(server: Server) -> tuple[str, ...]:
    return ("run", "mine.bench", f"model={server.url}", "items=400", "model.concurrency=2", "preflight=false",
            "model.name=m")  # fmt: skip


def _answer(*_: object) -> object:
    time.sleep(0.05)
    return said("A")


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT, signal.SIGINT)])
def test_a_signal_ends_a_run_with_one_line_and_without_a_traceback(signals: tuple[signal.Signals, ...]) -> None:
    with serving(_answer) as server:  # type: ignore[arg-type] # a reply of the server
        process = started(*_slow(server))
        _until(lambda: len(server.asked) > 4, process)
        for number in signals:
            process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, out + err
    assert err.endswith("earmark: interrupted; rerun the command to resume\n")
    assert "Traceback" not in err
    assert "Exception" not in err


@pytest.mark.parametrize("gone", ["deleted", "moved"])
def test_a_run_whose_folder_is_gone_asks_nothing_more(gone: str) -> None:
    with serving(_answer) as server:  # type: ignore[arg-type]
        process = started(*_slow(server))
        _until(lambda: len(server.asked) > 4, process)
        shutil.rmtree("results") if gone == "deleted" else Path("results").rename("elsewhere")
        out, err = process.communicate(timeout=PATIENCE)
        asked = len(server.asked)
    assert (process.returncode, asked < 400) == (6, True), out + err
    assert "was deleted or moved while the run went on" in err.splitlines()[-1]


def test_a_long_torn_line_is_cut(tmp_path: Path) -> None:
    folder = run("model=fake").folder
    whole = (folder / "responses.jsonl").read_bytes()
    (folder / "responses.jsonl").write_bytes(whole + b'{"item": "' + b"x" * 1_000_000)
    Journal(folder / "responses.jsonl", lambda _: None)
    assert (folder / "responses.jsonl").read_bytes() == whole
    assert len([*read_journal(folder / "responses.jsonl")]) == 40


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_named(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(BadData, match=r"its file system gives no locks.*results=FOLDER"), lock(tmp_path):
        pass


def test_a_full_disk_is_told_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space") as raised, atomic_open(tmp_path / "summary.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert raised.value.filename == str(tmp_path / "summary.csv")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", [("run", "acoustics", "model=fake"), ("score", "replies.jsonl")])
def test_a_working_folder_that_is_gone_is_told(words: tuple[str, ...], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); from earmark.cli import main; main(*{words!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENV, capture_output=True, text=True, check=False)
    assert done.returncode in (2, 3), done.stderr
    assert "settings" not in done.stderr
    assert "Traceback" not in done.stderr

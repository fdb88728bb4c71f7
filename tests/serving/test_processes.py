"""Servers in processes of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from earmark.errors import BadSetup
from earmark.serving.processes import Server, is_running, running_servers, start_process, stop, wait_until_healthy

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))


def test_a_process_is_known_again_and_stopped() -> None:
    server = start_process("m", 1, SLEEP, {})
    try:
        assert running_servers() == [server]
        with pytest.raises(BadSetup, match=r"does not answer after 0\.1 s"):
            wait_until_healthy(server, 0.1, print)
    finally:
        stop(server)
    assert not is_running(server)
    assert running_servers() == []
    assert not server.note.exists()


def test_another_process_with_the_same_number_is_left_alone() -> None:
    server = start_process("m", 1, SLEEP, {})
    other = msgspec.structs.replace(server, started="12345")
    assert not is_running(other)
    stop(other)
    assert is_running(server)
    stop(server)


def test_a_note_that_cannot_be_read_is_no_server(tmp_path: Path) -> None:
    assert running_servers() == []
    (tmp_path / "servers" / "x-1.json").write_text("{")
    (tmp_path / "servers" / "y-1.json").write_bytes(msgspec.json.encode(Server("y", 1, [], "")))
    assert running_servers() == []

"""The command that serves pages, in a process of its own."""

from __future__ import annotations

import json
import signal
import urllib.request
from pathlib import Path

from commands import earmark, started
from viewed_runs import NAME, six


def test_the_address_is_printed_and_pages_are_served() -> None:
    six(Path("results"))
    process = started("view", "--no-browser", "--port", "0")
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}api/runs") as response:  # noqa: S310 - our own
            assert [run["run"] for run in json.load(response)["runs"]] == [NAME]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130


def test_a_folder_that_is_not_there() -> None:
    done = earmark("view", "nowhere", "--no-browser")
    assert done.returncode == 3
    assert done.stderr.startswith("earmark: nowhere: no such folder")
    assert "Traceback" not in done.stderr

"""The examples as modules that commands find."""

from __future__ import annotations

import pytest
from audiogram_runs import ROOT
from commands import ENV


@pytest.fixture(autouse=True)
def _examples_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "PYTHONPATH", f"{ENV['PYTHONPATH']}:{ROOT}")

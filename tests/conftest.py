"""What tests share."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest

with contextlib.suppress(ModuleNotFoundError):  # the environments of real models have none of it
    from hypothesis import settings

    # No test is about how long an example takes; what is found by luck is found at a desk, not where others wait for
    # it.
    settings.register_profile("here", deadline=None, derandomize="CI" in os.environ)
    settings.load_profile("here")

os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="earmark-tests-")  # so that no test enters a run in the user's
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The team's folder of fixtures beside the checkout: skipped where it is missing, an error where CI must have it."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED} is missing, and CI must have it")
        pytest.skip(f"needs {SHARED}, which is not on this machine")
    return SHARED


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test writes into folders of its own, and none finds a user's settings."""
    monkeypatch.delenv("EARMARK_CONF", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path_factory.mktemp("cwd"))

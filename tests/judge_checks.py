"""Checks of judges against people."""

from __future__ import annotations

import json
from typing import Any

from commands import earmark


def checked(*more: str) -> dict[str, Any]:
    done = earmark("judge-check", *more, "--json")
    assert done.returncode == 0, done.stderr
    return {found["set"]: found for found in json.loads(done.stdout)["sets"]}

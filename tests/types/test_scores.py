"""Scores and failures: their states are those of a report."""

from __future__ import annotations

import msgspec
import pytest

from earmark.types import (
    STATES,
    Failure,
    Score,
)


def test_states_of_failures_and_scores_are_those_of_a_report() -> None:
    for state in STATES:
        assert msgspec.convert({"counts": {}, "state": state}, Score).state == state
    for state in ("refused", "request-failed", "sound-failed"):
        assert state in STATES
        assert msgspec.convert({"state": state, "message": ""}, Failure).state == state
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"state": "answered", "message": ""}, Failure)

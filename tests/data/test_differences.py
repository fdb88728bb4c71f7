"""Differences between settings, each field by name."""

from __future__ import annotations

from earmark.data.differences import differences


def test_differences_name_every_field() -> None:
    before = {"model": {"temperature": 0, "name": "a"}, "limit": None, "old": 1}
    now = {"model": {"temperature": 0.7, "name": "a"}, "limit": 5, "new": 2}
    assert differences(before, now) == [
        "model.temperature was 0 and is 0.7",
        "limit was not there and is 5",
        "old was 1 and is not there",
        "new was not there and is 2",
    ]
    assert differences(before, before) == []

"""`earmark prompts`: it sends nothing and tells all."""

from __future__ import annotations

import json

from commands import earmark


def test_prompts_sends_nothing_and_tells_all() -> None:
    done = earmark("prompts", "acoustics:pitch", "items=2", "condition=[plain,silence]", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["item"], line["condition"]) for line in told] == [
        ("pitch-001", "plain"),
        ("pitch-001", "silence"),
        ("pitch-002", "plain"),
        ("pitch-002", "silence"),
    ]
    assert told[0]["state"] == "ask"
    assert told[0]["choices"] == ["the first", "the second"]
    assert told[0]["target"] in ("A", "B")
    parts = told[0]["turns"][0]["parts"]
    assert [part["type"] for part in parts] == ["audio", "audio", "text"]
    assert parts[0]["seconds"] == 0.492
    assert parts[0]["bytes"] == 44 + 2 * 7_872  # a header, and 0.492 s of 16 bits at 16 kHz
    assert "pitch-001" in earmark("prompts", "acoustics:pitch", "items=1").stdout

"""Tables as text and as HTML."""

from __future__ import annotations

from earmark.api.table import TextTable


def test_columns_are_aligned_and_notes_follow() -> None:
    table = TextTable("title", ("task", "n"), (("pitch", "12"), ("loudness", "3")), ("a note",))
    assert str(table).splitlines() == [
        "title", "task      n", "────────  ──", "pitch     12", "loudness  3", "a note"
    ]  # fmt: skip


def test_an_empty_table_has_its_head() -> None:
    assert str(TextTable("none", ("task", "n"), ())).splitlines()[1] == "task  n"

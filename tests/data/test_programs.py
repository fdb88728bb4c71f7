"""The environment of programs that are started."""

from __future__ import annotations

import pytest

from earmark.data.programs import keep_from_programs, program_environment


def test_what_is_kept_from_programs_is_not_in_their_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.data.programs._from_dotenv", set())
    monkeypatch.setenv("A_TEST_KEY", "k")
    assert program_environment()["A_TEST_KEY"] == "k"
    keep_from_programs(["A_TEST_KEY"])
    assert "A_TEST_KEY" not in program_environment()

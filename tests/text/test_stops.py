"""One list of reasons for which replies end: of servers, of other harnesses' logs and of files of replies."""

from __future__ import annotations

import msgspec
import pytest

from earmark.importers._runs import LoggedOutput
from earmark.text.stops import STOPS, stop_of
from earmark.types import Response


@pytest.mark.parametrize("reason", STOPS)
def test_a_reason_is_read_in_any_case(reason: str) -> None:
    assert stop_of(reason) == stop_of(reason.upper()) == stop_of(reason.capitalize()) == STOPS[reason]
    log = {"choices": [{"message": {"content": "A", "role": "assistant"}, "stop_reason": reason.upper()}]}
    assert msgspec.convert(log, LoggedOutput).complete(Response("A")).stop == STOPS[reason]


@pytest.mark.parametrize("reason", ["OTHER", "tool_calls", 5, ["stop"], {}])
def test_what_nobody_knows_is_no_reason(reason: object) -> None:
    assert stop_of(reason) is None

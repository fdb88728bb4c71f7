from __future__ import annotations

import pytest

from earmark.data.responses import check_response
from earmark.errors import Rejected
from earmark.types import Response, Usage


def test_a_response_comes_back_as_a_journal_holds_it() -> None:
    assert check_response(Response("A", likelihoods=(-1.0, -2.0))) == Response("A", likelihoods=(-1.0, -2.0))
    repaired = check_response(Response("A \ud835", usage=Usage(cost=float("nan"))))
    assert repaired.text == "A \ufffd"
    assert repaired.usage == Usage()
    assert len(repaired.notes) == 2


def test_what_is_no_response_is_rejected() -> None:
    with pytest.raises(Rejected, match="the model gave dict, expected a Response"):
        check_response({"text": "A"})

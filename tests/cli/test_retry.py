"""`earmark retry`: asked where it is told to, and refusing what it does not use."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark
from failed_runs import broken, failed_run
from servers import said, serving

from earmark.journal import read_journal


def test_a_retry_asks_where_it_is_told_to() -> None:
    """Finding S1."""
    with serving(broken) as old, serving(lambda *_: said("A")) as new:  # type: ignore[arg-type]
        run = failed_run(old.url)
        asked = len(old.asked)
        done = earmark("retry", str(run), f"model.base_url={new.url}", "max_attempts=2", "model.concurrency=1")
        assert done.returncode == 0, done.stderr
        assert (len(old.asked), len(new.asked), new.most_at_once) == (asked, 3, 1)
    assert [record.response.text for record in read_journal(run / "responses.jsonl") if record.response] == ["A"] * 3


@pytest.mark.parametrize(
    ("word", "status", "told"),
    [
        ("model.temperature=0.7", 5, "model.temperature was not there and is 0.7"),
        ("model.name=other", 5, "model.name was 'm' and is 'other'"),
        ("repeats=9", 5, "repeats was 1 and is 9"),
        ("condition=silence", 5, "condition was"),
        ("noise=[10]", 5, "condition was"),
        ("limit=1", 5, "limit was None and is 1"),
        ("batch=true", 2, "batch=true: sets nothing of earmark retry"),
        ("results=elsewhere", 2, "results=elsewhere: sets nothing"),
        ("runtime=none", 2, "runtime="),
        ("model.cache=true", 2, "model.cache=true: a retry asks anew"),
        ("eval=listen", 2, "eval=listen: sets nothing"),
        ("items=5", 2, "items=5 decides what is asked"),
        ("nonsense=5", 2, "nonsense"),
        ("model.nonsense=5", 2, "nonsense"),
    ],
)
def test_a_retry_refuses_by_name_what_it_does_not_use(word: str, status: int, told: str) -> None:
    with serving(broken) as server:  # type: ignore[arg-type]
        run = failed_run(server.url)
        before, asked = (run / "responses.jsonl").read_bytes(), len(server.asked)
        done = earmark("retry", str(run), word)
        assert (done.returncode, len(done.stderr.splitlines())) == (status, 1), done.stderr
        assert told in done.stderr
        assert len(server.asked) == asked
        assert (run / "responses.jsonl").read_bytes() == before


def test_a_retry_of_a_run_without_failures_says_so(run: Path) -> None:
    done = earmark("retry", str(run))
    assert (done.returncode, done.stderr) == (0, "nothing to ask again: no item is request-failed or sound-failed\n")

"""Settings of a run: a number that means nothing is refused."""

from __future__ import annotations

import pytest

from earmark.config.compose import compose_config
from earmark.errors import UsageError


@pytest.mark.parametrize(
    "word",
    [
        "limit=-1",
        "seed=-1",
        "repeats=0",
        "max_attempts=0",
        "retry_timeout=-1",
        "budget=-1",
        "max_consecutive_failures=0",
        "max_audio_bytes=0",
    ],
)
def test_a_number_that_means_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match=f"^{word}: expected a .*number >= [01]"):
        compose_config([word])

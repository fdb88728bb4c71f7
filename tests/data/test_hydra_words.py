"""Words of a command line as Hydra has them."""

from __future__ import annotations

import pytest

from earmark.data.hydra_words import plain_words
from earmark.errors import UsageError


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("++benchmark.x=1", ["benchmark.x=1"]),
        ("hydra.run.dir=/data/out", ["results=/data/out", "output_dir={time}"]),
        ("hydra.run.dir=/${now:%Y}", ["results=/", "output_dir={time}"]),
        ("hydra.run.dir=a/b-${model.name}/${now:%d}_${now:%S}", ["results=a", "output_dir=b-{model}/{time}"]),
        ("limit", ["limit"]),
    ],
)
def test_a_word_of_hydra_has_one_of_ours(word: str, expected: list[str]) -> None:
    assert plain_words(word) == expected


@pytest.mark.parametrize(
    "word", ["~model.name=1", "~model.name", "hydra.verbose=true", "hydra.run.dir=x/${oc.env:HOME}"]
)
def test_what_cannot_be_done_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        plain_words(word)

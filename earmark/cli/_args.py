"""The `key=value` words of a command, each of which is used or refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from earmark.config import kind_of
from earmark.errors import UsageError


def use_only(
    command: str, words: Sequence[str], run: Collection[str] = (), *, model: bool = False, own: str = ""
) -> None:
    """Check that a command uses every word that it is given. Raises UsageError for one that sets nothing of it.

    `run` are the settings of a run that it uses; `own` says whose other settings it takes, if any.
    """
    for word in words:
        key, equals, _ = word.partition("=")
        kind = kind_of(key)
        if equals and (key in run or (kind == "model" and model) or (kind == "own" and own)):
            continue
        takes = [*run, *["model", "model.FIELD"] * model, *[f"settings of {own}"] * bool(own)]
        if kind == "own" and takes:
            raise UsageError(f"no setting is called '{key}'; there are: {', '.join(takes)}")
        raise UsageError(f"{word}: sets nothing of earmark {command}, which takes {', '.join(takes) or 'no settings'}")

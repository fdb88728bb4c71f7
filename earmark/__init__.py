"""Earmark measures how well models listen.

    import earmark
    run = earmark.run("acoustics:pitch", model="http://127.0.0.1:8000/v1", limit=50)
    run.table

The main path is `evaluate.py`; the command line is `cli/`; the functions above are `api/`, imported when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from earmark.api.results import Run, RunComparison, Scores, TextTable, compare, load_run
    from earmark.api.run import arun, run
    from earmark.api.scoring import score

__version__ = "0.1.0"
__all__ = ["Run", "RunComparison", "Scores", "TextTable", "arun", "compare", "load_run", "run", "score"]

_MODULES: Final = {"run": "run", "arun": "run", "score": "scoring"}  # of `api`; all other names are in `results`


def __getattr__(name: str) -> Any:
    if name not in __all__:
        from earmark.errors import alternatives  # noqa: PLC0415 - of a message alone

        raise AttributeError(f"module 'earmark' has no attribute '{name}'{alternatives(name, __all__)}")
    return getattr(import_module(f"earmark.api.{_MODULES.get(name, 'results')}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

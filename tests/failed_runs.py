"""Runs whose every item failed."""

from __future__ import annotations

from pathlib import Path

from commands import earmark


def failed_run(url: str, *words: str) -> Path:
    """A run whose every item failed, for its server is not there."""
    done = earmark(
        "run", "mine.bench", "items=3", f"model={url}", "model.name=m", "max_attempts=1", "preflight=false", *words
    )
    assert done.returncode == 7, done.stderr
    (signed,) = Path("results").rglob("run.json")
    return signed.parent


def broken(*_: object) -> object:
    from aiohttp import web

    return web.Response(status=400, text='{"error": {"message": "no"}}')

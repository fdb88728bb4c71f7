"""COMET of translations, by the package unbabel-comet where it is installed, here or in an environment of its own.

    comet = sum of the items' scores / n

A neural model scores each translation by its source and a reference; of several references the best counts. The scores
of `Unbabel/wmt22-comet-da` lie about between 0 and 1. An empty translation earns 0, and the model is not asked about
it. The source is the text that is spoken: the words of the item's clips, or `source` in a file of replies.

With `optional` a run goes on without it: where the package is not installed, or an item has no source, nothing is
scored, and the row says why it has no number.
"""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Annotated, Any, Final, cast

import orjson
from msgspec import Struct

from earmark.data.programs import program_environment
from earmark.errors import BadData, BadSetup
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import RuleScorer
from earmark.scorers._resources import require_open
from earmark.stats.ratio import mean
from earmark.types import UNSIGNED, Item, Metric, Response, Score, Signature, replace, sign

METRICS: Final = {"comet": mean("comet", "n")}
WORKER: Final = Path(__file__).with_name("_comet_worker.py")
VERSION: Final = "import sys; del sys.path[0]; from importlib.metadata import version; print(version('unbabel-comet'))"
INSTALL: Final = "python -m venv comet; comet/bin/pip install unbabel-comet; and score with python=comet/bin/python"
ABSENT: Final = (
    "unbabel-comet is not installed here; to add its number: earmark rescore RUN --scorer comet python=PYTHON"
)
EMPTY_COUNTS: Final = {"comet": 0.0, "n": 1.0}


class CometWorker:
    """A worker. Who comes while it is busy waits, and is scored together with all others that wait."""

    def __init__(self, worker: Process, log: IO[bytes]) -> None:
        self._to, self._of = cast("StreamWriter", worker.stdin), cast("StreamReader", worker.stdout)
        self._log = log
        self._waiting: list[tuple[dict[str, str], asyncio.Future[float]]] = []
        self._turn = asyncio.Lock()

    async def ask(self, sample: dict[str, str]) -> float:
        """The score of one translation."""
        score: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((sample, score))
        async with self._turn:
            if not score.done():
                await self._all()
        return score.result()

    async def _all(self) -> None:
        batch, self._waiting = self._waiting, []
        self._to.write(orjson.dumps([sample for sample, _ in batch]) + b"\n")
        try:
            for (_, score), value in zip(batch, await self.answer(), strict=True):
                score.set_result(value)
        except BadSetup as error:
            for _, score in batch:
                score.set_exception(error)

    async def answer(self) -> Any:
        """Read the next line of the worker."""
        if line := await self._of.readline():
            return orjson.loads(line)
        self._log.seek(0)
        log_lines = self._log.read().decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise BadSetup(f"COMET stopped: {log_lines[-1]}; set checkpoint= to a name on the hub, a folder or a file")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which model, and the Python that has COMET; has to be opened before it is asked."""

    checkpoint: str = "Unbabel/wmt22-comet-da"  # a name on the hub, a folder or a file
    python: Annotated[str, UNSIGNED] = ""  # of another environment; empty: ours
    optional: Annotated[bool, UNSIGNED] = False  # what cannot be scored is left out and told


class CometScorer(RuleScorer, frozen=True):
    """COMET by a worker, which has to be opened before it is asked."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    worker: CometWorker | None = None  # once it is open

    @property
    def metrics(self) -> Mapping[str, Metric]:
        if not self.settings.optional:
            return METRICS
        return {"comet": replace(METRICS["comet"], caveat=lambda counts: "" if counts.get("n") else self._why_none())}

    @property
    def signature(self) -> Signature:
        parts = (("model", self.settings.checkpoint), ("agg", "mean"), ("empty", "0"))
        return sign("comet", *parts, ("comet", "none" if self._is_absent else version(self.settings.python)))

    @property
    def _is_absent(self) -> bool:
        return self.settings.optional and not is_installed(self.settings.python)

    def _why_none(self) -> str:
        return ABSENT if self._is_absent else "no item has the text that is spoken, which COMET compares"

    @asynccontextmanager
    async def open(self) -> AsyncIterator[CometScorer]:
        """Open the scorer with its own model loaded, in another process."""
        if self._is_absent:
            yield self
            return
        version(self.settings.python)
        words = (self.settings.python or sys.executable, str(WORKER), self.settings.checkpoint)
        with TemporaryFile() as log:
            worker = await asyncio.create_subprocess_exec(
                *words, env=program_environment(), stdin=PIPE, stdout=PIPE, stderr=log
            )
            try:
                asking = CometWorker(worker, log)
                await asking.answer()  # the model is loaded
                yield replace(self, worker=asking)
            finally:
                if worker.returncode is None:
                    worker.kill()
                await worker.wait()

    async def score_reply(self, item: Item, response: Response) -> Score:
        if self._is_absent:
            return Score({}, rule="not installed")
        source = item.tags.get("source") or " ".join(clip.transcript for clip in item.clips if clip.transcript)
        if not source or not item.targets:
            if self.settings.optional:
                return Score({}, rule="no source")
            raise BadData(
                f"item '{item.id}' has no {'target' if source else 'source'}; COMET needs what was said and how it is "
                "translated"
            )
        reply = response.text.strip()
        if not reply:
            return Score(EMPTY_COUNTS, reply, rule="empty")
        asking = require_open(self.worker, "model of COMET")
        samples = [{"src": source, "mt": reply, "ref": target} for target in item.targets]
        scores = await asyncio.gather(*map(asking.ask, samples))
        return Score({"comet": max(scores), "n": 1.0}, reply)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return ({}, {}) if self._is_absent else (EMPTY_COUNTS, EMPTY_COUNTS | {"comet": float(bool(item.targets))})


@functools.cache
def version(python: str) -> str:
    """The version of unbabel-comet that a Python has."""
    try:
        command = [python or sys.executable, "-c", VERSION]
        done = subprocess.run(command, env=program_environment(), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        where = f"{python} has" if python else "this environment has"
        raise BadSetup(
            f"COMET needs the package unbabel-comet, which {where} not, and which wants older libraries than ours; "
            f"{INSTALL}"
        ) from error
    return done.stdout.strip()


def is_installed(python: str) -> bool:
    """True if a Python has unbabel-comet."""
    try:
        return bool(version(python))
    except BadSetup:
        return False


load = CometScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=TEXT_ITEM),)

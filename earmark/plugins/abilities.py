"""Abilities that only some plug-ins have, as protocols checked with isinstance; see also `types/protocols.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from earmark.types import Capabilities, Item, Model, Prompt, Response

# ---------------------------------------------------------------- of models


@runtime_checkable
class ListsModels(Protocol):
    """A model whose server lists the models that it serves."""

    async def list_models(self) -> list[str]: ...


@runtime_checkable
class DropsParameters(Protocol):
    """A model that stops sending what its server does not take, and keeps account of it."""

    @property
    def unsupported(self) -> Any: ...


class ModelEndpoint(Protocol):
    """One of several places where a model is asked."""

    @property
    def model(self) -> Model: ...
    @property
    def title(self) -> str: ...


@runtime_checkable
class HasEndpoints(Protocol):
    """A model that is asked at several places."""

    @property
    def endpoints(self) -> Sequence[ModelEndpoint]: ...
    @property
    def missing(self) -> tuple[str, ...]:
        """Why others could not be opened."""
        ...


@runtime_checkable
class HasAddress(Protocol):
    """Settings of a model that is asked over a network."""

    @property
    def base_url(self) -> str: ...


@runtime_checkable
class StatesCapabilities(Protocol):
    """Settings of a model that say what it takes; empty or None: they do not."""

    @property
    def capabilities(self) -> Capabilities | None: ...


class BatchJob(Struct, frozen=True):
    """A batch of requests, as a service describes it."""

    id: str
    status: str  # validating, in_progress, finalizing, completed, expired, cancelling, cancelled, failed
    files: tuple[str, ...] = ()  # of answers and of errors, once there are any
    errors: str = ""

    @property
    def is_final(self) -> bool:
        """True if what is answered now is all that will be."""
        return self.status in ("completed", "expired", "cancelled")


class BatchReply(Struct, frozen=True):
    """A reply in a file of answers: the status and the body that it would have had."""

    status_code: int | None = None
    body: dict[str, Any] | None = None


class BatchOutputLine(Struct, frozen=True):
    """A line of a file of answers."""

    custom_id: str = ""
    response: BatchReply | None = None
    error: Any = None


class BatchService(Protocol):
    """A service's queue for batches: a file goes up, a batch is made of it, and its files come down."""

    def request_line(self, custom_id: str, prompt: Prompt) -> bytes: ...
    async def upload(self, path: Path) -> str: ...
    async def create(self, file: str, mark: str) -> BatchJob: ...
    async def find(self, file: str) -> BatchJob | None: ...
    async def status(self, name: str) -> BatchJob: ...
    async def lines(self, file: str) -> list[BatchOutputLine]: ...
    def answer(self, line: BatchOutputLine) -> Response:
        """Return the answer in a line, or raise the AskError or BadSetup that it amounts to."""
        ...


@runtime_checkable
class SendsBatches(Protocol):
    """A model whose service has a queue for batches."""

    def batch_service(self) -> BatchService: ...


# ---------------------------------------------------------------- of scorers


@runtime_checkable
class CountsAnswers(Protocol):
    """A scorer that can count an answer that was read from a reply already."""

    def counts(self, item: Item, answer: str | None) -> dict[str, float]: ...


# ---------------------------------------------------------------- of importers


class Importer(Protocol):
    """Reads results of another harness, or a log."""

    def matches(self, path: Path) -> bool:
        """True if a file or a folder has this format."""
        ...

    def read(self, path: Path) -> Iterable[Any]:
        """Yield an ImportedRun (of runs/imported.py) for each run."""
        ...


@runtime_checkable
class WritesRuns(Protocol):
    """An importer that also writes a run in its format."""

    def write(self, scored: Iterable[tuple[Any, Any]], folder: Path) -> list[Path]:
        """Write records with their scores (journal.Record, journal.ScoreLine); the files written."""
        ...


# ------------------------------------------- of the file of a plug-in, beside `Settings` and `load`


@runtime_checkable
class DownloadsData(Protocol):
    """A benchmark whose data lie on a hub."""

    def download(self, settings: Any, log: Callable[[str], object]) -> Any: ...


@runtime_checkable
class VerifiesData(Protocol):
    """A benchmark whose data have a manifest."""

    def verify(self, settings: Any, log: Callable[[str], object]) -> Any:
        """Compare the data with the manifest."""
        ...

    def write(self, settings: Any) -> int:
        """Write the manifest; the number of its questions."""
        ...


@runtime_checkable
class HasOfficialFile(Protocol):
    """A benchmark whose own script reads and writes a file of replies."""

    def read_official(self, path: Path, reply: str, settings: Any, set_name: str = "") -> Any:
        """Return an ImportedRun (of runs/imported.py)."""
        ...

    def write_official(self, records: Iterable[Any], settings: Any, tasks: Sequence[str], out: Path) -> list[Path]:
        """Write records (journal.Record); the files written."""
        ...


@runtime_checkable
class WritesResults(Protocol):
    """An importer that writes a run as the harness of its benchmark lays its results out."""

    def write_results(self, scored: Any, folder: Path, model: str, backend: str, run: str) -> list[Path]:
        """Write records with their scores (journal.Record, journal.ScoreLine); the files written."""
        ...


@runtime_checkable
class WritesTable(Protocol):
    """A benchmark made of somebody's own questions, which can be written down as a table."""

    def write_table(self, settings: Any, out: Path) -> Any: ...


@runtime_checkable
class LimitsRescoring(Protocol):
    """A benchmark that says which of its settings a run may be scored anew with."""

    RESCORING_FIELDS: tuple[str, ...]


@runtime_checkable
class WantsPreflight(Protocol):
    """A model that is asked over a network: whether audio reaches it is checked before a run."""

    PREFLIGHT: bool


@runtime_checkable
class KnowsCapabilities(Protocol):
    """A model that takes the same whatever its settings."""

    CAPABILITIES: Capabilities


@runtime_checkable
class FindsCapabilities(Protocol):
    """A model whose capabilities can be found without opening it."""

    async def capabilities(self, settings: Any) -> Capabilities: ...


@runtime_checkable
class WrapsModels(Protocol):
    """A model made of others: the one that is sent the audio."""

    def heard_by(self, settings: Any) -> Mapping[str, Any]:
        """Return the settings of that model."""
        ...

"""What the file of a plug-in may define beside `Settings` and `load`, as protocols of its module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from earmark.types import Capabilities


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

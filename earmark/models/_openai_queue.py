"""The queue for batches of a service of OpenAI's kind: files go up, a batch is made of one, and its files come down."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import aiohttp
from msgspec import Struct

from earmark.errors import Transient, UsageError
from earmark.models._openai_refusals import NAMES, refused_names
from earmark.models._openai_reply import failure, read_reply
from earmark.models._reply import SUCCESS, Reply, parsed, shaped, told
from earmark.models._throttle import innermost
from earmark.models.openai import ENDPOINT, ChatModel
from earmark.types import Model, Response

WINDOW: Final = "24h"  # within which a batch is to be answered: the only one that there is
FILE_BYTES: Final = 1 << 30  # of a file of answers, which may be longer than any one reply
MARK: Final = (
    "earmark"  # under which a batch carries a digest of its questions, for whoever looks at the service's list
)


class Batch(Struct, frozen=True):
    """A batch as the service tells of it."""

    id: str
    status: str  # validating, in_progress, finalizing, completed, expired, cancelling, cancelled, failed
    files: tuple[str, ...] = ()  # of answers and of errors, once there are any
    errors: str = ""

    @property
    def ended(self) -> bool:
        """Whether what is answered now is all that will be."""
        return self.status in ("completed", "expired", "cancelled")


class Named(Struct, frozen=True):
    """Something that the service has a name for."""

    id: str


class Complaint(Struct, frozen=True):
    """What is wrong with a file."""

    message: str | None = None


class Errors(Struct, frozen=True):
    """All that is wrong with it."""

    data: list[Complaint] | None = None


class Made(Named, frozen=True, kw_only=True):
    """A batch in the service's words."""

    status: str
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: Errors | None = None


class Listed(Struct, frozen=True):
    """Batches, the latest first."""

    data: list[Made] | None = None


class Answered(Struct, frozen=True):
    """A reply in a file: the status and the body that it would have had."""

    status_code: int | None = None
    body: dict[str, Any] | None = None


class Line(Struct, frozen=True):
    """A line of a file of answers."""

    custom_id: str = ""
    response: Answered | None = None
    error: Any = None


class Queue(Struct, frozen=True):
    """The queue of one service."""

    model: ChatModel

    async def upload(self, path: Path) -> str:
        """A file of requests; what the service calls it."""
        with path.open("rb") as file:
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", file, filename=path.name, content_type="application/jsonl")
            found = await self._asked("POST", "/files", data=form)
        return shaped(found, Named).id

    async def create(self, file: str, mark: str) -> Batch:
        """A batch of an uploaded file."""
        told = {
            "input_file_id": file,
            "endpoint": f"/v1{ENDPOINT}",
            "completion_window": WINDOW,
            "metadata": {MARK: mark},
        }
        return batch(shaped(await self._asked("POST", "/batches", json=told), Made))

    async def find(self, file: str) -> Batch | None:
        """The batch of an uploaded file, among the latest hundred."""
        found = shaped(await self._asked("GET", "/batches?limit=100"), Listed)
        return next((batch(one) for one in found.data or () if one.input_file_id == file), None)

    async def look(self, name: str) -> Batch:
        """How a batch stands."""
        return batch(shaped(await self._asked("GET", f"/batches/{name}"), Made))

    async def lines(self, file: str) -> list[Line]:
        """The lines of a file. One that cannot be read is left out: its question has no answer then, and is asked again."""
        async with self.model.client.request("GET", f"/files/{file}/content") as reply:
            data = await self.model.client.read(reply, at_least=FILE_BYTES)
            if reply.status not in SUCCESS:
                raise failure(Reply(reply.status, reply.headers, parsed(data)))
        return [line for line in map(read_line, data.splitlines()) if line]

    def answer(self, line: Line) -> Response:
        """The answer in a line of a batch's files, or the AskError or BadSetup that it amounts to."""
        response = line.response or Answered()
        body, status = response.body or {}, response.status_code or 0
        if not status:
            raise Transient(": ".join(filter(None, reversed(told({"error": line.error or {}})))))
        if status in (400, 422) and (names := refused_names(body, dict.fromkeys(NAMES))):
            raise Transient(
                f"the model refuses {', '.join(names)}; with preflight=true that is found out before a batch is sent"
            )
        return read_reply(Reply(status, {}, body))

    async def _asked(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        async with self.model.client.request(method, path, **body) as reply:
            payload = parsed(await self.model.client.read(reply))
            if reply.status not in SUCCESS or isinstance(payload, bytes):
                raise failure(Reply(reply.status, reply.headers, payload))
        return payload


def read_line(data: bytes) -> Line | None:
    """A line of a file of answers; None where it is none.

    >>> read_line(b'{"custom_id": "1", "resp'), read_line(b'{"custom_id": "1", "response": 5}')
    (None, None)
    """
    try:
        return shaped(parsed(data), Line)
    except Transient:
        return None


def batch(told: Made) -> Batch:
    """A batch from what a service says of it."""
    files = tuple(file for file in (told.output_file_id, told.error_file_id) if file)
    errors = (told.errors or Errors()).data or ()
    return Batch(told.id, told.status, files, "; ".join(str(error.message) for error in errors[:3]))


def queue_of(model: Model) -> Queue:
    """The queue of a model's service."""
    inner = innermost(model)
    if not isinstance(inner, ChatModel):
        raise UsageError(f"batch=true asks by a queue that {model.name} does not have; it is there for model=openai")
    return Queue(inner)

"""Batch queue of an OpenAI-compatible service: upload of requests, creation of a batch, download of its output."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import aiohttp
from msgspec import Struct

from earmark.errors import BadSetup, Transient
from earmark.models._http import body_chunks
from earmark.models._openai_reply import read_reply, to_error
from earmark.models._openai_unsupported import OPTIONAL_PARAMETERS, find_unsupported
from earmark.models._reply import SUCCESS, Reply, convert, error_fields, parse_payload
from earmark.models.openai import ENDPOINT, NOT_FOUND, ChatModel
from earmark.plugins.abilities import BatchJob, BatchOutputLine, BatchReply
from earmark.types import Prompt, Response

COMPLETION_WINDOW: Final = "24h"  # within which a batch is to be answered: the only one that is offered
FILE_BYTES: Final = 1 << 30  # of an output file, which may be longer than any one reply
METADATA_KEY: Final = "earmark"  # of the digest of a batch's questions, shown in the service's list


class ServiceObject(Struct, frozen=True):
    """An object of the service with an id."""

    id: str


class BatchError(Struct, frozen=True):
    """Error of a batch file."""

    message: str | None = None


class BatchErrors(Struct, frozen=True):
    """Errors of a batch."""

    data: list[BatchError] | None = None


class BatchObject(ServiceObject, frozen=True, kw_only=True):
    """A batch as the service describes it."""

    status: str
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: BatchErrors | None = None


class BatchList(Struct, frozen=True):
    """Batches, the latest first."""

    data: list[BatchObject] | None = None


class BatchQueue(Struct, frozen=True):
    """The queue of one service."""

    model: ChatModel

    def request_line(self, custom_id: str, prompt: Prompt) -> bytes:
        """Return a prompt as a line of a file of requests."""
        fields, media = self.model.build_request(prompt, stream=False)
        body, _ = self.model.unsupported.strip(fields)
        line = {"custom_id": custom_id, "method": "POST", "url": f"/v1{ENDPOINT}", "body": body}
        return b"".join(body_chunks(line, media))

    async def upload(self, path: Path) -> str:
        """Upload a file of requests; returns its id."""
        with path.open("rb") as file:
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", file, filename=path.name, content_type="application/jsonl")
            uploaded = await self._request("POST", "/files", data=form)
        return convert(uploaded, ServiceObject).id

    async def create(self, file: str, mark: str) -> BatchJob:
        """Create a batch of an uploaded file."""
        fields = {
            "input_file_id": file,
            "endpoint": f"/v1{ENDPOINT}",
            "completion_window": COMPLETION_WINDOW,
            "metadata": {METADATA_KEY: mark},
        }
        return to_batch_job(convert(await self._request("POST", "/batches", json=fields), BatchObject))

    async def find(self, file: str) -> BatchJob | None:
        """Find the batch of an uploaded file among the latest hundred."""
        page = convert(await self._request("GET", "/batches?limit=100"), BatchList)
        return next((to_batch_job(made) for made in page.data or () if made.input_file_id == file), None)

    async def status(self, name: str) -> BatchJob:
        """Status of a batch."""
        return to_batch_job(convert(await self._request("GET", f"/batches/{name}"), BatchObject))

    async def lines(self, file: str) -> list[BatchOutputLine]:
        """Download and parse the lines of a file. Malformed ones are left out: their questions are asked again."""
        async with self.model.client.request("GET", f"/files/{file}/content") as reply:
            data = await self.model.client.read(reply, at_least=FILE_BYTES)
            if reply.status not in SUCCESS:
                raise to_error(Reply(reply.status, reply.headers, parse_payload(data)))
        return [line for line in map(parse_output_line, data.splitlines()) if line]

    def answer(self, line: BatchOutputLine) -> Response:
        """Parse the response in a line of an output file; raises the error that it contains."""
        response = line.response or BatchReply()
        body, status = response.body or {}, response.status_code or 0
        if not status:
            raise Transient(": ".join(filter(None, reversed(error_fields({"error": line.error or {}})))))
        if status in (400, 422) and (names := find_unsupported(body, dict.fromkeys(OPTIONAL_PARAMETERS))):
            raise Transient(f"the model refuses {', '.join(names)}; preflight=true finds this before a batch is sent")
        return read_reply(Reply(status, {}, body))

    async def _request(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        async with self.model.client.request(method, path, **body) as reply:
            payload = parse_payload(await self.model.client.read(reply))
            if reply.status == NOT_FOUND and (method, path) == ("POST", "/files"):
                raise BadSetup(
                    f"{self.model.client.url(path)}: this server has no queue for batches; leave out batch=true"
                )
            if reply.status not in SUCCESS or isinstance(payload, bytes):
                raise to_error(Reply(reply.status, reply.headers, payload))
        return payload


def parse_output_line(data: bytes) -> BatchOutputLine | None:
    """Parse a line of an output file; None if it is malformed.

    >>> parse_output_line(b'{"custom_id": "1", "resp'), parse_output_line(b'{"custom_id": "1", "response": 5}')
    (None, None)
    """
    try:
        return convert(parse_payload(data), BatchOutputLine)
    except Transient:
        return None


def to_batch_job(made: BatchObject) -> BatchJob:
    """Convert a batch of the service."""
    files = tuple(file for file in (made.output_file_id, made.error_file_id) if file)
    errors = (made.errors or BatchErrors()).data or ()
    return BatchJob(made.id, made.status, files, "; ".join(str(error.message) for error in errors[:3]))

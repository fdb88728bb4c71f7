"""Chat completions: OpenAI, and every compatible server that takes audio.

Audio is sent in its own format, as the server's profile encodes it; the order of parts is the order of the prompt. An
error inside a 200, a body that is no JSON, a reply without choices and a stream that breaks off are failures.
Parameters that a model does not support are learned from its errors.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from earmark.errors import BadSetup, Transient
from earmark.models._http import (
    MAX_REPLY,
    ChunkedBody,
    HttpClient,
    MaxBytes,
    ServiceModel,
    body_chunks,
    check_size,
    endpoint,
    open_client,
)
from earmark.models._openai_body import Profile, find_profile, to_messages
from earmark.models._openai_reply import read_reply, read_speech
from earmark.models._openai_unsupported import MAX_ADJUSTMENTS, RequestOutcome, UnsupportedParameters
from earmark.models._reply import SUCCESS, Reply, parse_payload, parse_usage
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Capabilities, Context, Prompt, Response, Seconds, Timeout, replace

if TYPE_CHECKING:
    from earmark.plugins.abilities import BatchService

PREFLIGHT: Final = True  # a run checks first that audio reaches it
VERSION: Final = "/v1"  # at the end of most addresses
NOT_FOUND: Final = 404
ENDPOINT: Final = "/chat/completions"
DEFAULT_SAMPLING: Final[dict[str, Any]] = {"temperature": 0.0}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = ""  # empty: the first that the server lists
    hf_id: str = ""  # what the server calls the model, where that is not the name
    adapter: str = ""  # a LoRA that the server was started with: it is asked for by the name, or the last part of this
    base_url: Annotated[str, UNSIGNED] = "https://api.openai.com/v1"
    api_key_env: Annotated[str, UNSIGNED] = (
        ""  # the variable that holds the key; empty: OPENAI_API_KEY for OpenAI, none for other addresses
    )
    api_key_header: Annotated[str, UNSIGNED] = (
        ""  # the header that the key goes in as it stands, such as api-key; empty: as a bearer token
    )
    api_key_query: Annotated[str, UNSIGNED] = ""  # the field of the address's query that it goes in instead
    profile: Literal["", "openai", "vllm", "dashscope", "audio_url"] = ""  # empty: by the address
    system_prompt: str | None = None
    temperature: float | None | UnsetType = UNSET  # unset: the benchmark's, else 0; null: the server's default
    max_tokens: int | None | UnsetType = UNSET  # unset: the benchmark's; null: the server's default
    sampling: dict[str, Any] = {}  # max_tokens, temperature and others as vLLM has them; override the benchmark's
    template: dict[str, Any] = {}  # variables of the server's chat template
    limit_mm_per_prompt: dict[str, int] = {}  # clips (audio) and pictures (image) in a prompt, at most
    seconds: Seconds | None = None  # the longest clip
    extra: dict[str, Any] = {}  # further fields of the request body, as the server documents them
    capabilities: Capabilities = Capabilities(images=True, base64=True)
    voice: str = ""  # asks for spoken answers, by a voice that the server knows
    stream: bool | None = None  # null: where the server only streams, or the answer is spoken
    max_body_bytes: Annotated[int | None | UnsetType, UNSIGNED] = (
        UNSET  # unset: what the service is known to take; null: no limit
    )
    max_reply_bytes: Annotated[MaxBytes, UNSIGNED] = MAX_REPLY  # of a reply after unpacking; null: no limit
    timeout: Annotated[Timeout, UNSIGNED] = 600.0  # for one whole answer
    connect_timeout: Annotated[Timeout, UNSIGNED] = (
        30.0  # to open a connection, and for small questions such as which models there are
    )


class ChatRequest(NamedTuple):
    """A request before it is encoded as JSON: its fields, and its encoded media in order."""

    fields: Mapping[str, Any]
    media: list[bytes]


class ChatModel(ServiceModel, frozen=True, eq=False, kw_only=True):
    """A model behind a chat completions endpoint."""

    name: str
    served_name: str  # what the server calls it
    settings: Settings
    profile: Profile
    unsupported: UnsupportedParameters
    stream: bool
    limit: int | None  # bytes of a request

    @property
    def capabilities(self) -> Capabilities:
        return effective_capabilities(self.settings)

    async def generate(self, prompt: Prompt) -> Response:
        question = self.build_request(prompt, stream=self.stream)
        if self.unsupported.finding.locked():
            async with self.unsupported.finding:
                pass
        answer = await self._request(question)
        if self.unsupported.update(answer):
            async with self.unsupported.finding:
                for _ in range(MAX_ADJUSTMENTS - 1):
                    answer = await self._request(question)
                    if not self.unsupported.update(answer):
                        break
        response = read_reply(answer.reply, logprobs=bool(question.fields.get("logprobs")))
        if self.settings.voice:
            response = replace(response, speech=await read_speech(answer.reply))
        return replace(response, notes=(*response.notes, *answer.notes)) if answer.notes else response

    def build_request(self, prompt: Prompt, *, stream: bool) -> ChatRequest:
        """Build the request for a prompt."""
        media: list[bytes] = []
        talk = to_messages(prompt.turns, self.profile.style, media)
        if self.settings.system_prompt is not None:
            talk.insert(0, {"role": "system", "content": self.settings.system_prompt})
        fields: dict[str, Any] = {"model": self.served_name, "messages": talk}
        own = {"temperature": self.settings.temperature, "max_tokens": self.settings.max_tokens}
        prescribed = DEFAULT_SAMPLING | prompt.sampling | self.settings.sampling
        for name, value in (prescribed | own).items():
            given = prescribed.get(name) if value is UNSET else value
            if given is not None:
                fields[name] = given
        if self.settings.template:
            fields["chat_template_kwargs"] = self.settings.template
        if stream:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        if self.settings.voice:
            form = self.profile.streamed_speech if stream else "wav"
            fields |= {"modalities": ["text", "audio"], "audio": {"voice": self.settings.voice, "format": form}}
        return ChatRequest(fields | extra_fields(self.settings), media)

    def batch_service(self) -> BatchService:
        """Return the service's queue for batches."""
        from earmark.models._openai_queue import BatchQueue  # noqa: PLC0415 - a client that other runs do not owe

        return BatchQueue(self)

    async def _request(self, question: ChatRequest) -> RequestOutcome:
        """Send one request."""
        sent, notes = self.unsupported.strip(question.fields)
        body = ChunkedBody(body_chunks(sent, question.media))
        check_size(body.bytes, self.limit)
        began = time.perf_counter()
        async with self.client.request("POST", ENDPOINT, data=body) as reply:
            if self.stream and reply.status in SUCCESS and reply.content_type == "text/event-stream":
                from earmark.models._openai_stream import collect_stream  # noqa: PLC0415 - few runs stream

                return RequestOutcome(await collect_stream(self.client, reply, began), sent, notes)
            payload = parse_payload(await self.client.read(reply))
            return RequestOutcome(Reply(reply.status, reply.headers, payload, time.perf_counter() - began), sent, notes)

    async def list_models(self) -> list[str]:
        """Names of the models that the server lists. Raises Transient if nothing answers."""
        return [entry.id for entry in (await _models(self.client))[1]]


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[ChatModel]:  # noqa: ARG001 - it opens no other
    """Open a connection and find the model's name."""
    profile = find_profile(settings.profile, settings.base_url)
    limit = profile.max_body_bytes if settings.max_body_bytes is UNSET else settings.max_body_bytes
    stream = settings.stream if settings.stream is not None else profile.streams_only or bool(settings.voice)
    async with open_client(settings) as given:
        named = settings.name or served_name(settings)
        client, first = (given, ModelEntry(named)) if named else await first_model(given, settings)
        yield ChatModel(
            name=first.id,
            served_name=served_name(settings) or first.id,
            settings=settings,
            client=client,
            profile=profile,
            unsupported=UnsupportedParameters(_user_parameters(settings)),
            stream=stream,
            limit=limit,
            engine=first.owned_by,
        )


def served_name(settings: Settings) -> str:
    """What the server calls the model; empty: the name, or the first that it lists.

    >>> served_name(Settings(name="gemma4-e2b", hf_id="google/gemma-4-E2B-it"))
    'google/gemma-4-E2B-it'
    >>> served_name(Settings(hf_id="google/gemma-4-E2B-it", adapter="out/emotion-lora"))
    'emotion-lora'
    """
    if settings.adapter:
        return settings.name or settings.adapter.rstrip("/").rpartition("/")[2]
    return settings.hf_id


def effective_capabilities(settings: Settings) -> Capabilities:
    """Capabilities of the model: those of its settings, within the limits that its YAML has for vLLM."""
    limits, capabilities = settings.limit_mm_per_prompt, settings.capabilities
    if "audio" in limits and capabilities.clips is None:
        capabilities = replace(capabilities, clips=limits["audio"])
    if "image" in limits:
        capabilities = replace(capabilities, images=capabilities.images and limits["image"] > 0)
    if settings.seconds is not None:
        capabilities = replace(capabilities, seconds=settings.seconds)
    return capabilities


def extra_fields(settings: Settings) -> dict[str, Any]:
    """Further fields of a request; null removes one that a YAML file gives."""
    return {name: value for name, value in settings.extra.items() if value is not None}


def _user_parameters(settings: Settings) -> dict[str, str]:
    """Parameters that the user has set, with the names of their settings."""
    given = {name: getattr(settings, name) for name in ("temperature", "max_tokens")}
    own = {name: f"model.{name}" for name, value in given.items() if value is not UNSET and value is not None}
    sampled = {name: f"model.sampling.{name}" for name, value in settings.sampling.items() if value is not None}
    return sampled | own | {name: f"model.extra.{name}" for name in extra_fields(settings)}


async def first_model(client: HttpClient, settings: Settings) -> tuple[HttpClient, ModelEntry]:
    """Return the first model that a server lists, and the client of the address where it does: below /v1, if the
    address that is given lacks that.
    """
    try:
        status, entries = await _models(client)
        if status == NOT_FOUND and not entries and not settings.base_url.rstrip("/").endswith(VERSION):
            below = client.moved_to(settings.base_url.rstrip("/") + VERSION)
            status_below, entries = await _models(below)
            client, status = (below, status_below) if entries else (client, status)
    except Transient as error:
        raise BadSetup(
            f"nothing answers at {settings.base_url} ({error}); start the server, or give model.base_url=URL"
        ) from error
    if not entries:
        raise BadSetup(
            f"{endpoint(settings.base_url, '/models')} lists no model (HTTP {status}); {_advice(status, settings)}"
        )
    return client, entries[0]


def _advice(status: int, settings: Settings) -> str:
    """Advise on a server without a list of models."""
    if status == NOT_FOUND:
        return f"check the address, which ends in {VERSION} for most servers, or give the name with model.name=NAME"
    key = f"${settings.api_key_env}" if settings.api_key_env else "model.api_key_env=NAME"
    return f"give its name with model.name=NAME, and its key with {key}"


class ModelEntry(Struct, frozen=True):
    """A model in a server's list."""

    id: str
    owned_by: str = ""


class ModelListing(Struct, frozen=True):
    """The models of a server, as it lists them."""

    data: list[Any] | None = None


async def _models(client: HttpClient) -> tuple[int, list[ModelEntry]]:
    """Request the list of models: its HTTP status, and the models. Raises Transient if nothing answers."""
    async with client.request("GET", "/models", wait="connect_timeout") as reply:
        payload = parse_payload(await client.read(reply))
    return reply.status, parse_model_list(payload) if reply.status in SUCCESS else []


def parse_model_list(payload: dict[str, Any] | bytes) -> list[ModelEntry]:
    """Parse a server's list of models.

    >>> parse_model_list({"data": [{"id": "m", "owned_by": "vllm"}, {"id": 5}, "m", {"id": "n", "owned_by": 5}]})
    [ModelEntry(id='m', owned_by='vllm'), ModelEntry(id='n', owned_by='')]
    """
    entries = [entry for entry in parse_usage(payload, ModelListing).data or () if isinstance(entry, dict)]
    named = [(entry.get("id"), entry.get("owned_by")) for entry in entries]
    return [ModelEntry(name, owner if isinstance(owner, str) else "") for name, owner in named if isinstance(name, str)]


def examples() -> tuple[ModelExample, ...]:
    return (
        ModelExample(
            settings={"base_url": "{url}", "name": "m"},
            served={"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]},
            text="A",
        ),
    )

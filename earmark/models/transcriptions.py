"""Transcriptions: a recogniser behind /audio/transcriptions, at OpenAI or any server that speaks its language.

It answers prompts with exactly one sound, by what is said in it; words beside the sound are not read. Its place is on
benchmarks of transcription, and in a cascade.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal

import aiohttp
from msgspec import Struct

from earmark.errors import Rejected, Transient
from earmark.models._http import MAX_REPLY, MIMES, MaxBytes, ServiceModel, check_size, open_client
from earmark.models._openai_reply import to_error
from earmark.models._reply import SUCCESS, Count, Reply, parse_payload, parse_usage
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Capabilities, Context, EncodedAudio, Prompt, Response, Timeout, Usage

PREFLIGHT: Final = True
ENDPOINT: Final = "/audio/transcriptions"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = "whisper-1"
    base_url: Annotated[str, UNSIGNED] = "https://api.openai.com/v1"
    api_key_env: Annotated[str, UNSIGNED] = (
        ""  # the variable that holds the key; empty: OPENAI_API_KEY for OpenAI, none for other addresses
    )
    api_key_header: Annotated[str, UNSIGNED] = (
        ""  # the header that the key goes in as it stands, such as api-key; empty: as a bearer token
    )
    api_key_query: Annotated[str, UNSIGNED] = ""  # the field of the address's query that it goes in instead
    language: str = ""  # such as en; empty: the model detects it. Some servers require it
    prompt: str = ""  # words that guide the spelling, if the model supports it
    response_format: Literal["json", "verbose_json", "text"] = "json"
    temperature: float | None = None  # null: the server's default
    extra: dict[str, str] = {}  # further fields of the form, as the server documents them
    capabilities: Capabilities = Capabilities(formats=("wav", "mp3", "flac", "ogg", "m4a", "webm"), clips=1)
    max_body_bytes: Annotated[int | None, UNSIGNED] = 25 * 1024 * 1024  # of a file of sound; null: no limit
    max_reply_bytes: Annotated[MaxBytes, UNSIGNED] = MAX_REPLY  # of a reply after unpacking; null: no limit
    timeout: Annotated[Timeout, UNSIGNED] = 600.0  # for one whole answer
    connect_timeout: Annotated[Timeout, UNSIGNED] = 30.0  # to open a connection


class TranscriptionModel(ServiceModel, frozen=True, eq=False, kw_only=True):
    """A recogniser behind a transcriptions endpoint."""

    name: str
    settings: Settings

    @property
    def capabilities(self) -> Capabilities:
        return self.settings.capabilities

    async def generate(self, prompt: Prompt) -> Response:
        sound = single_audio(prompt, self.name)
        check_size(len(sound.data), self.settings.max_body_bytes)
        began = time.perf_counter()
        async with self.client.request("POST", ENDPOINT, data=self.form(sound)) as reply:
            data = await self.client.read(reply)
            plain = self.settings.response_format == "text" and reply.status in SUCCESS
            payload = {"text": data.decode("utf-8-sig", "replace")} if plain else parse_payload(data)
            return self.parse_reply(Reply(reply.status, reply.headers, payload, time.perf_counter() - began))

    def form(self, sound: EncodedAudio) -> aiohttp.FormData:
        """Build the form for one sound."""
        own = self.settings
        fields = {"model": self.name, "response_format": own.response_format, "language": own.language}
        fields |= {"prompt": own.prompt, "temperature": "" if own.temperature is None else f"{own.temperature:g}"}
        form = aiohttp.FormData()
        for name, value in (fields | own.extra).items():
            if value:
                form.add_field(name, value)
        mime = MIMES.get(sound.format, f"audio/{sound.format}")
        form.add_field("file", sound.data, filename=f"clip.{sound.format}", content_type=mime)
        return form

    def parse_reply(self, reply: Reply) -> Response:
        """Parse the transcript in a reply; raises the error that it contains."""
        payload = reply.payload
        if reply.ok and isinstance(payload, dict) and isinstance(payload.get("text"), str):
            return Response(payload["text"].strip(), usage=parse_transcription_usage(payload), seconds=reply.seconds)
        error = to_error(reply)
        if isinstance(error, Transient | Rejected) and reply.status in (400, 422, 500) and not self.settings.language:
            message = f"{error}; no language was given, and some servers want one: model.language=en"
            raise Transient(message, error.wait) if isinstance(error, Transient) else Rejected(message)
        raise error


def single_audio(prompt: Prompt, name: str) -> EncodedAudio:
    """Return the one sound of a prompt; raises Rejected if it has none or several."""
    sounds = [part for turn in prompt.turns for part in turn.parts if isinstance(part, EncodedAudio)]
    if len(sounds) != 1:
        raise Rejected(f"{name} transcribes one sound, the prompt has {len(sounds)}; for questions use model=cascade")
    return sounds[0]


class InputTokenDetails(Struct, frozen=True):
    """Number of audio tokens among the tokens."""

    audio_tokens: Count = None


class TranscriptionUsage(Struct, frozen=True):
    """Usage of a transcript, as the server reports it."""

    input_tokens: Count = None
    output_tokens: Count = None
    input_token_details: InputTokenDetails | None = None


def parse_transcription_usage(payload: Mapping[str, Any]) -> Usage:
    """Parse the usage of a transcript, if the server counts tokens."""
    used = parse_usage(payload.get("usage") or {}, TranscriptionUsage)
    details = used.input_token_details or InputTokenDetails()
    return Usage(used.input_tokens or 0, used.output_tokens or 0, details.audio_tokens or 0)


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[TranscriptionModel]:  # noqa: ARG001
    """Open a connection."""
    async with open_client(settings) as client:
        yield TranscriptionModel(name=settings.name, settings=settings, client=client)


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(settings={"base_url": "{url}"}, served={"text": "A"}, text="A"),)

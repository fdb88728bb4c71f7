"""Speech recognition and a text model in a row: the score that the words alone give.

The recogniser transcribes every clip; the transcript replaces the clip in the prompt, formatted by a template; the text
model answers. A template with {question} formats the whole turn, transcripts and text. The response keeps the
transcripts, and its usage is that of both models.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from msgspec import Struct

from earmark.errors import UsageError
from earmark.plugins.examples import ModelExample
from earmark.text.thoughts import without_thoughts
from earmark.types import Capabilities, Context, EncodedAudio, Model, Part, Prompt, Response, Turn, Waveform, replace


class Template(Struct, frozen=True):
    """Template that formats a transcript for a text model."""

    text: str  # contains {transcript}, and perhaps {question}
    after: str = ""  # the answer follows this text in the reply, up to its next occurrence; empty: the whole reply

    def answer(self, reply: str) -> str:
        """Extract the answer from a reply.

        >>> Template("{transcript}", after="Answer: ").answer("Sure. Answer: a dog")
        'a dog'
        """
        return reply.split(self.after)[1].strip() if self.after and self.after in reply else reply


TEMPLATES: Final = {
    "plain": Template("{transcript}"),
    "quoted": Template('Transcript of the audio: "{transcript}"'),
    "audiobench": Template(  # as AudioBench asks its Whisper and Llama, to the letter
        "            [Audio Transcriptions]\n"
        "            {transcript}\n"
        "\n"
        "            [Question]\n"
        "            {question}\n"
        "\n"
        "            [System]\n"
        "            Please answer the instruction based on the audio transcription provided above. \n"
        "            Ensure that your response adheres to the following format:\n"
        "            \n"
        "            Answer: (Provide a precise and concise answer here.)\n"
        "            ",
        after="Answer: ",
    ),
}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    asr: dict[str, Any]  # a model's settings, `backend` among them
    llm: dict[str, Any]
    name: str = ""  # empty: the names of the two
    template: str = "plain"  # a name, or a text with {transcript} in it
    instruction: str = ""  # prompt for the recogniser, if it is a model that needs one


class Cascade(Struct, frozen=True, eq=False):
    """Two models as one."""

    asr: Model
    llm: Model
    name: str
    template: Template
    capabilities: Capabilities
    instruction: str = ""

    async def generate(self, prompt: Prompt) -> Response:
        began = time.perf_counter()
        sounds = [part for turn in prompt.turns for part in turn.parts if isinstance(part, EncodedAudio | Waveform)]
        transcripts = await asyncio.gather(*(self._transcript(sound) for sound in sounds))
        texts = iter([transcript.text for transcript in transcripts])
        turns = tuple(self._transcribe_turn(turn, texts) for turn in prompt.turns)
        answer = await self.llm.generate(replace(prompt, turns=turns))
        return replace(
            answer,
            text=self.template.answer(answer.text),
            transcripts=tuple(transcript.text for transcript in transcripts),
            usage=sum((transcript.usage for transcript in transcripts), answer.usage),
            seconds=time.perf_counter() - began,
            notes=(*dict.fromkeys(note for transcript in transcripts for note in transcript.notes), *answer.notes),
        )

    async def _transcript(self, sound: EncodedAudio | Waveform) -> Response:
        parts: tuple[Part, ...] = (sound, self.instruction) if self.instruction else (sound,)
        return without_thoughts(await self.asr.generate(Prompt((Turn("user", parts),))))

    def _transcribe_turn(self, turn: Turn, texts: Iterator[str]) -> Turn:
        """Replace the sounds of a turn by transcripts, taken from `texts`."""
        if not any(isinstance(part, EncodedAudio | Waveform) for part in turn.parts):
            return turn
        if "{question}" not in self.template.text:
            return Turn(turn.role, tuple(self._transcribe_part(part, texts) for part in turn.parts))
        transcript = "\n".join(next(texts) for part in turn.parts if isinstance(part, EncodedAudio | Waveform))
        question = "\n".join(part for part in turn.parts if isinstance(part, str))
        rest = tuple(part for part in turn.parts if not isinstance(part, str | EncodedAudio | Waveform))
        return Turn(
            turn.role, (*rest, fill_template(self.template.text, {"transcript": transcript, "question": question}))
        )

    def _transcribe_part(self, part: Part, texts: Iterator[str]) -> Part:
        if isinstance(part, EncodedAudio | Waveform):
            return fill_template(self.template.text, {"transcript": next(texts)})
        return part


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Fill a template in one pass: a transcript may contain braces, and a template JSON.

    >>> fill_template('{"heard": "{transcript}"}', {"transcript": "{question}", "question": "?"})
    '{"heard": "{question}"}'
    """
    return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), template)


def heard_by(settings: Settings) -> Mapping[str, Any]:
    """The settings of the model that is sent the audio."""
    return settings.asr


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[Cascade]:
    """Open both models, each with the limits of its own settings."""
    template = TEMPLATES.get(settings.template, Template(settings.template))
    if "{transcript}" not in template.text:
        raise UsageError(
            f"template is '{settings.template}', expected {', '.join(TEMPLATES)} or a text with {{transcript}} in it"
        )
    async with context.open_model(settings.asr) as asr, context.open_model(settings.llm) as llm:
        name = settings.name or f"{asr.name}+{llm.name}"
        capabilities = replace(
            asr.capabilities, clips=None, images=llm.capabilities.images, roles=llm.capabilities.roles
        )
        yield Cascade(asr, llm, name, template, capabilities, settings.instruction)


def examples() -> tuple[ModelExample, ...]:
    return (
        ModelExample(
            settings={"asr": {"backend": "fake", "reply": "beep"}, "llm": {"backend": "fake", "reply": "A"}}, text="A"
        ),
    )

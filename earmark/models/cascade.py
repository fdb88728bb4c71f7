"""A recogniser and a text model in a row: what can be had without listening to anything but words.

The recogniser turns every clip into its transcript; the transcript takes the clip's place in the prompt, worded by a
template; the text model answers. A template that names {question} words the whole turn anew: transcripts and words have
their places in it. What was heard is kept with the answer, and what an answer took is what both have taken.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from msgspec import Struct

from earmark.engine.open import open_model
from earmark.engine.throttle import make_throttle
from earmark.errors import UsageError
from earmark.text.thoughts import without_thoughts
from earmark.types import Capabilities, EncodedAudio, Model, Part, Prompt, Response, Turn, Waveform, replace


class Template(Struct, frozen=True):
    """Template that puts a transcript before a text model."""

    text: str  # with {transcript} in it, and perhaps {question}
    after: str = ""  # the answer is what stands after this in the reply, up to where it comes again; if it comes at all

    def answer(self, reply: str) -> str:
        """The answer in a reply.

        >>> Template("{transcript}", after="Answer: ").answer("Sure. Answer: a dog"), Template("{transcript}").answer(" a dog")
        ('a dog', ' a dog')
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
    instruction: str = ""  # words that the recogniser is asked with, where it is a model that wants them


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
        """A turn with transcripts for its sounds, which are taken from `texts`."""
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
        return (
            fill_template(self.template.text, {"transcript": next(texts)})
            if isinstance(part, EncodedAudio | Waveform)
            else part
        )


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """A template with its places filled in one pass: a transcript may hold braces, and a template JSON.

    >>> fill_template('{"heard": "{transcript}"}', {"transcript": "{question}", "question": "?"})
    '{"heard": "{question}"}'
    """
    return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), template)


@asynccontextmanager
async def load(settings: Settings) -> AsyncIterator[Cascade]:
    """Open both models, each asked as its own settings allow."""
    template = TEMPLATES.get(settings.template, Template(settings.template))
    if "{transcript}" not in template.text:
        raise UsageError(
            f"template is '{settings.template}', expected {', '.join(TEMPLATES)} or a text with {{transcript}} in it"
        )
    async with open_model(settings.asr) as asr, open_model(settings.llm) as llm:
        name = settings.name or f"{asr.name}+{llm.name}"
        capabilities = replace(
            asr.capabilities, clips=None, images=llm.capabilities.images, roles=llm.capabilities.roles
        )
        throttled_asr, throttled_llm = make_throttle(asr, settings.asr), make_throttle(llm, settings.llm)
        yield Cascade(throttled_asr, throttled_llm, name, template, capabilities, settings.instruction)

"""A recogniser and a text model as one: templates, translation, and what is kept of the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from earmark.errors import Transient, UsageError
from earmark.models import cascade
from earmark.models.cascade import TEMPLATES, Cascade, Template
from earmark.models.fake import FakeModel
from earmark.types import Capabilities, Context, EncodedAudio, Part, Prompt, Response, Turn, Usage

CLIPS = [EncodedAudio(b"", "wav", 16000, 1, 1.0, name) for name in ("one", "two")]


def heard(prompt: Prompt) -> Response:
    (sound,) = [part for part in prompt.turns[0].parts if isinstance(part, EncodedAudio)]
    return Response(f"words of {sound.name}", usage=Usage(10, 2, 10, cost=0.1), notes=("heard badly",))


def ask(
    *parts: Part,
    template: Template = TEMPLATES["plain"],
    mind: Callable[[Prompt], str | Response] = lambda prompt: "|".join(map(str, prompt.turns[-1].parts)),
    instruction: str = "",
    ear: Callable[[Prompt], Response] = heard,
) -> Response:
    model = Cascade(FakeModel(ear), FakeModel(mind), "c", template, Capabilities(), instruction)
    return asyncio.run(model.generate(Prompt((Turn("system", ("Be brief.",)), Turn("user", parts)))))


def test_transcripts_take_the_places_of_their_sounds() -> None:
    answer = ask("first", CLIPS[0], "then", CLIPS[1], template=TEMPLATES["quoted"])
    assert answer.text.split("|") == [
        "first",
        'Transcript of the audio: "words of one"',
        "then",
        'Transcript of the audio: "words of two"',
    ]
    assert answer.transcripts == ("words of one", "words of two")


def test_translation_is_a_question_like_any_other() -> None:
    answer = ask(CLIPS[0], "Translate into German.", mind=lambda _: Response("Worte", usage=Usage(5, 1, cost=0.5)))
    assert answer.text == "Worte"
    assert answer.transcripts == ("words of one",)


def test_what_an_answer_took_is_what_both_took() -> None:
    answer = ask(*CLIPS, mind=lambda _: Response("x", usage=Usage(5, 1, cost=0.5), notes=("thought",)))
    assert answer.usage == Usage(25, 5, 20, cost=0.7)
    assert answer.notes == ("heard badly", "thought")
    assert answer.seconds > 0


def test_audiobench_is_asked_to_the_letter() -> None:
    asked: list[Prompt] = []

    def llama(prompt: Prompt) -> str:
        asked.append(prompt)
        return "Sure.\n\nAnswer: a dog\n\nAnswer: no, a cat"

    answer = ask(CLIPS[0], "Which animal?", template=TEMPLATES["audiobench"], mind=llama)
    (words,) = asked[0].turns[1].parts
    assert words == (
        "            [Audio Transcriptions]\n            words of one\n\n            [Question]\n"
        "            Which animal?\n\n            [System]\n"
        "            Please answer the instruction based on the audio transcription provided above. \n"
        "            Ensure that your response adheres to the following format:\n            \n"
        "            Answer: (Provide a precise and concise answer here.)\n            "
    )
    assert answer.text == "a dog"  # the authors' code takes what stands after the first, up to the second
    assert ask(CLIPS[0], template=TEMPLATES["audiobench"], mind=lambda _: "a dog").text == "a dog"


def test_a_transcript_cannot_pose_as_a_place_of_the_template() -> None:
    answer = ask(
        CLIPS[0],
        "Which?",
        template=Template('{"heard": "{transcript}", "asked": "{question}", "odd": "{}"}'),
        ear=lambda _: Response("{question} {transcript}"),
    )
    assert answer.text == '{"heard": "{question} {transcript}", "asked": "Which?", "odd": "{}"}'


def test_a_prompt_without_sound_goes_to_the_text_model_as_it_is() -> None:
    assert ask("Which?", template=TEMPLATES["audiobench"]).text == "Which?"


def test_a_recogniser_that_wants_words_gets_them() -> None:
    answer = ask(CLIPS[0], ear=lambda prompt: Response(str(prompt.turns[0].parts[1:])), instruction="Transcribe.")
    assert answer.transcripts == ("('Transcribe.',)",)


def test_a_recogniser_that_fails_fails_the_question() -> None:
    def busy(_: Prompt) -> Response:
        raise Transient("busy", busy=True)

    with pytest.raises(Transient, match="busy"):
        ask(*CLIPS, ear=busy)


def test_a_template_must_have_a_place_for_the_transcript() -> None:
    async def go() -> None:
        async with cascade.load(
            cascade.Settings({"backend": "fake"}, {"backend": "fake"}, template="audio"), Context()
        ):
            pass

    with pytest.raises(UsageError, match=r"expected plain, quoted, audiobench or a text with \{transcript\} in it"):
        asyncio.run(go())

"""The transformers adapter: its own logic here, and the real models in the environment that has torch.

The tests marked `real` need torch; here they are skipped, and `test_on_real_models` runs them where it is.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import threading
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_servers import HERE, TOOLS, VENVS, core_environment, python_in
from sounds import file_of, sine

from earmark.audio.prepare import prepare_audio
from earmark.errors import AudioError, BadSetup, Rejected
from earmark.models import transformers
from earmark.models._batcher import Batcher
from earmark.models._listening import audio_inputs, check_audio_reaches_model, window_from_extractor, window_of
from earmark.models._processing import make_processor
from earmark.models.transformers import Settings
from earmark.types import Clip, Context, ImageBytes, ImageRef, Part, Prompt, Response, Turn, Waveform, replace

MODELS = VENVS / "transformers" / "models"
real = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch: test_on_real_models runs it where that is")


def noise(seconds: float, seed: int = 0) -> Waveform:
    """Some sound of its own."""
    samples = np.random.default_rng(seed).normal(0, 0.1, (1, round(seconds * 16000)))
    return Waveform(samples.astype(np.float32), 16000, f"{seconds:g} s")


def asked(*parts: Part, **sampling: Any) -> Prompt:
    return Prompt((Turn("user", parts),), sampling={"max_tokens": 16} | sampling)


class Tokenizer:
    """As much of a tokenizer as is looked at before a model is asked."""

    padding_side, pad_token, eos_token, chat_template = "right", None, "<end>", ""


class Extractor:
    """Cuts at two seconds, as most do: without a word."""

    sampling_rate = 16000

    def __call__(self, raw_speech: Any, max_length: int = 32000) -> Any:
        return raw_speech[:max_length]


class Fake:
    """A processor whose features are the samples themselves."""

    chat_template = "{{ messages }}"
    feature_extractor: Any = Extractor()

    def __init__(self) -> None:
        self.tokenizer = Tokenizer()

    def apply_chat_template(self, talks: Any, **_: Any) -> dict[str, Any]:
        sounds = [part["audio"] for talk in talks for message in talk for part in message["content"] if "audio" in part]
        return self(text="words", audio=sounds)

    def __call__(self, text: str, audio: Any = None, **ignored: Any) -> dict[str, Any]:
        if ignored:
            warnings.warn(f"{', '.join(ignored)} will be ignored", stacklevel=2)
        inputs: dict[str, Any] = {"input_ids": np.zeros((1, len(text)), int), "attention_mask": np.ones((1, 5), int)}
        return inputs | ({"input_features": self.feature_extractor(audio[0])} if audio else {})


class Deaf(Fake):
    """Knows the argument under another name, and warns of ours."""

    def apply_chat_template(self, talks: Any, **_: Any) -> dict[str, Any]:
        with warnings.catch_warnings(action="ignore"):
            return self(text="words", audios=["sound"])


class Dull(Fake):
    """Makes the same features of everything."""

    def feature_extractor(self, _: Any) -> Any:
        return np.zeros(8, np.float32)


# ---------------------------------------------------------------- does it listen? (kind d19)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Deaf, "made input_ids, attention_mask of a prompt with audio, and no features of the audio"),
        (Dull, "makes the same input_features of two different sounds"),
    ],
)
def test_a_processor_that_loses_the_sound_is_refused(kind: type[Fake], told: str) -> None:
    """Kind d19."""
    used = make_processor(kind(), None, {}, "")
    with pytest.raises(BadSetup, match=told):
        check_audio_reaches_model(used.inputs, used.rate, used.kind)


def test_five_clips_and_one_question_make_five_inputs() -> None:
    used = make_processor(Fake(), None, {}, "")
    check_audio_reaches_model(used.inputs, used.rate, used.kind)
    made = [audio_inputs(used.inputs([asked(noise(1.0, seed), "Which?")]))["input_features"] for seed in range(5)]
    assert len({features.tobytes() for features in made}) == 5


def test_a_window_that_cuts_is_found_and_one_that_does_not_is_none() -> None:
    used = make_processor(Fake(), None, {}, "")
    assert (used.tokenizer.padding_side, used.tokenizer.pad_token) == ("left", "<end>")
    assert window_from_extractor(Extractor(), 16000) == 2.0
    assert window_of(Extractor(), used.inputs, 16000) == 2.0
    whole = make_processor(
        type("Whole", (Fake,), {"feature_extractor": staticmethod(lambda heard: heard)})(), None, {}, ""
    )
    assert window_of(Extractor(), whole.inputs, 16000) is None


# ---------------------------------------------------------------- how processors differ


def test_a_template_of_words_alone_gets_a_mark_for_each_sound() -> None:
    """As Ultravox: one text at a time, the sound beside it."""

    class Ultra(Fake):
        audio_placeholder = "<|audio|>"
        chat_template = ""

        def __call__(self, text: str, audio: Any = None, **more: Any) -> dict[str, Any]:
            return {"text": text, "sounds": len(audio), **more}

    ultra = Ultra()
    ultra.tokenizer = type(
        "Talk",
        (Tokenizer,),
        {"chat_template": "{{ m }}", "apply_chat_template": lambda _, talk, **__: "|".join(m["content"] for m in talk)},
    )()
    used = make_processor(ultra, "Be brief.", {"enable_thinking": False}, "")
    assert used.style == "placeholder"
    assert used.inputs([asked(noise(0.1), "Which?")]) == {
        "text": "Be brief.|<|audio|>\nWhich?",
        "sounds": 1,
        "sampling_rate": 16000,
        "return_tensors": "pt",
    }


def test_mistral_gets_files_in_base64() -> None:
    seen: list[Any] = []

    class MistralTokenizer(Tokenizer):
        chat_template = ""

    class Voxtral(Fake):
        chat_template = ""

        def apply_chat_template(self, talks: Any, **_: Any) -> dict[str, Any]:
            seen.extend(talks)
            return {}

    voxtral = Voxtral()
    voxtral.tokenizer = MistralTokenizer()
    make_processor(voxtral, None, {}, "").inputs([asked(noise(0.1), "Which?")])
    sound, words = seen[0][0]["content"]
    assert sound["base64"].startswith("UklGR")  # RIFF
    assert words == {"type": "text", "text": "Which?"}


def test_pictures_are_refused_and_a_model_must_be_named() -> None:
    with pytest.raises(Rejected, match="a ImageRef cannot be given"):
        make_processor(Fake(), None, {}, "").inputs([asked(ImageRef("p.jpg"), "What?")])
    with pytest.raises(BadSetup, match="no model is named"):
        asyncio.run(opened(Settings()))


async def opened(settings: Settings) -> Any:
    async with transformers.load(settings, Context()) as model:
        return model.capabilities


def together(batcher: Batcher, prompts: list[Prompt]) -> list[Any]:
    async def go() -> list[Any]:
        asking = [batcher.ask(prompt) for prompt in prompts]
        return await asyncio.wait_for(asyncio.gather(*asking, return_exceptions=True), 20)

    try:
        return asyncio.run(go())
    finally:
        batcher.close()


def test_a_batch_is_of_like_length_and_every_caller_gets_its_own_answer() -> None:
    sizes: list[list[float]] = []

    def work(prompts: list[Prompt]) -> list[Response]:
        sizes.append([part.seconds for p in prompts for part in p.turns[0].parts if isinstance(part, Waveform)])
        return [Response(part.name) for p in prompts for part in p.turns[0].parts if isinstance(part, Waveform)]

    seconds = [0.5, 3.0, 0.6, 2.9, 0.4, 2.8]
    got = together(Batcher(work, 3), [asked(noise(s), "Which?") for s in seconds])
    assert [answer.text for answer in got] == [f"{s:g} s" for s in seconds]
    assert sorted(map(sorted, sizes)) == [[0.4, 0.5, 0.6], [2.8, 2.9, 3.0]]


def test_prompts_that_are_sampled_differently_do_not_share_a_batch() -> None:
    batches: list[list[Any]] = []

    def work(prompts: list[Prompt]) -> list[Response]:
        batches.append([prompt.sampling["max_tokens"] for prompt in prompts])
        return [Response("A")] * len(prompts)

    together(Batcher(work, 4), [asked("Which?", max_tokens=8 + at % 2) for at in range(4)])
    assert sorted(batches) == [[8, 8], [9, 9]]


def test_one_bad_prompt_fails_alone() -> None:
    def work(prompts: list[Prompt]) -> list[Response]:
        if any("bad" in str(prompt.turns[0].parts) for prompt in prompts):
            raise Rejected("no")
        return [Response(f"one of {len(prompts)}")] * len(prompts)

    got = together(Batcher(work, 4), [asked("good"), asked("bad"), asked("good"), asked("good")])
    assert [getattr(answer, "text", None) or str(answer) for answer in got] == [
        "one of 1",
        "no",
        "one of 2",
        "one of 2",
    ]


def test_a_bug_reaches_whoever_waits() -> None:
    def work(_: list[Prompt]) -> list[Response]:
        raise ZeroDivisionError

    assert [type(answer) for answer in together(Batcher(work, 2), [asked("one"), asked("two")])] == [
        ZeroDivisionError
    ] * 2


def test_the_next_batch_is_made_while_one_is_answered_and_the_loop_stays_free() -> None:
    under_way, most, lock = 0, 0, threading.Lock()

    def work(prompts: list[Prompt]) -> list[Response]:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.05)
        with lock:
            under_way -= 1
        return [Response("A")] * len(prompts)

    together(Batcher(work, 2), [asked("Which?")] * 8)
    assert most == 2


def test_who_stops_waiting_is_left_out() -> None:
    seen: list[int] = []

    def work(prompts: list[Prompt]) -> list[Response]:
        seen.append(len(prompts))
        return [Response("A")] * len(prompts)

    async def go() -> None:
        batcher = Batcher(work, 2, linger=0.05)
        task = asyncio.create_task(batcher.ask(asked("gone")))
        await asyncio.sleep(0)
        task.cancel()
        assert (await batcher.ask(asked("here"))).text == "A"
        batcher.close()

    asyncio.run(go())
    assert seen == [1]


# ---------------------------------------------------------------- real models, where torch is


async def answers(settings: Settings, prompts: list[Prompt]) -> list[Response]:
    async with transformers.load(settings, Context()) as model:
        return list(
            await asyncio.gather(*[model.generate(prepare_audio(prompt, model.capabilities)) for prompt in prompts])
        )


@real
@pytest.mark.parametrize(
    ("name", "window", "sound"),
    [("tiny-qwen2-audio", 30.0, [25, 62, 175]), ("tiny-voxtral", None, [375] * 3)],  # 25 a second; in pieces of 30 s
)
def test_replies_are_the_same_in_batches_of_one_and_of_three(name: str, window: float | None, sound: list[int]) -> None:
    """Kind d23: clips of different length, padded on the left, with masks."""
    prompts = [asked(noise(seconds), "Which word? A. cat B. dog") for seconds in (1.0, 2.5, 7.0)]
    tiny = Settings(hf_id=str(MODELS / name))
    alone, in_three = (asyncio.run(answers(replace(tiny, batch_size=size), prompts)) for size in (1, 3))
    assert [reply.notes for reply in alone + in_three] == [("batch of 1",)] * 3 + [("batch of 3",)] * 3
    assert [reply.text for reply in alone] == [reply.text for reply in in_three]
    assert len({reply.text for reply in alone}) == 3, "the sound makes no difference"
    assert [reply.usage for reply in alone] == [reply.usage for reply in in_three]
    assert [reply.usage.audio_tokens_in for reply in alone] == sound
    assert asyncio.run(opened(tiny)).seconds == window


@real
def test_two_clips_and_words_between_them_go_in_order() -> None:
    prompts = [asked("First:", noise(0.5, 1), "then:", noise(0.8, 2), "which?"), asked("Only words.")]
    both, none = asyncio.run(answers(Settings(hf_id=str(MODELS / "tiny-qwen2-audio")), prompts))
    assert (both.usage.audio_tokens_in, none.usage.audio_tokens_in) == (12 + 20, 0)
    assert (both.stop, both.usage.tokens_out) == ("length", 16)


@real
def test_pictures_and_sound_reach_a_model_that_takes_both() -> None:
    from PIL import Image

    def picture(shade: int) -> ImageBytes:
        held = io.BytesIO()
        Image.new("RGB", (64, 64), (shade, 0, 255 - shade)).save(held, "JPEG")
        return ImageBytes(held.getvalue(), "image/jpeg", f"{shade}.jpg")

    prompts = [asked(noise(0.5), "and", picture(shade), "Which?") for shade in (0, 255)]
    prompts += [asked(noise(0.5, 1), "and", picture(0), "Which?"), asked("Which?")]
    tiny = Settings(hf_id=str(MODELS / "tiny-gemma4"))
    replies = asyncio.run(answers(tiny, prompts))
    assert len({reply.text for reply in replies}) == 4, "a picture or a sound makes no difference"
    assert [reply.usage.audio_tokens_in for reply in replies] == [13, 13, 13, 0]
    assert asyncio.run(opened(tiny)).images
    assert not asyncio.run(opened(replace(tiny, limit_mm_per_prompt={"image": 0}))).images


@real
def test_an_adapter_changes_the_replies() -> None:
    prompts = [asked(noise(seconds), "Which word? A. cat B. dog") for seconds in (1.0, 2.5)]
    tiny = Settings(hf_id=str(MODELS / "tiny-qwen2-audio"))
    bare, adapted = (
        [reply.text for reply in asyncio.run(answers(replace(tiny, adapter=adapter), prompts))]
        for adapter in ("", str(MODELS / "tiny-lora"))
    )
    assert all(one != other for one, other in zip(bare, adapted, strict=True))


@real
def test_what_is_too_long_fails_by_name_and_alone() -> None:
    async def go() -> list[Any]:
        async with transformers.load(Settings(hf_id=str(MODELS / "tiny-qwen2-audio")), Context()) as model:
            assert model.capabilities.seconds == 30.0
            with pytest.raises(AudioError, match=r"lasts 31\.00 s, the model hears 30 s; nothing was cut"):
                prepare_audio(asked(noise(31.0), "Which?"), model.capabilities)
            wordy = [asked("word " * 1100), asked("Which?")]
            return await asyncio.gather(*map(model.generate, wordy), return_exceptions=True)

    long, short = asyncio.run(go())
    assert isinstance(long, Rejected)
    assert "has room for 4096" in str(long)
    assert isinstance(short, Response)


@real
def test_a_chat_template_that_drops_sound_is_an_error(tmp_path: Path) -> None:
    for file in (MODELS / "tiny-qwen2-audio").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "chat_template.jinja").unlink()
    (tmp_path / "chat_template.jinja").write_text(
        "{% for message in messages %}{{ message['role'] }}: words{% endfor %}"
    )
    with pytest.raises(BadSetup, match="does not take one sound and a question"):
        asyncio.run(opened(Settings(hf_id=str(tmp_path))))


@real
def test_real_whisper_writes_down_each_clip() -> None:
    spoken = [Clip(path) for path in json.loads(os.environ["SPOKEN"])]
    prompts = [Prompt((Turn("user", (clip,)),)) for clip in spoken] + [Prompt((Turn("user", tuple(spoken)),))]
    heard = asyncio.run(answers(Settings(hf_id=str(MODELS / "whisper-tiny.en")), prompts))
    assert [reply.text for reply in heard[:2]] == ["The quick brown fox jumps over the lazy dog.", "Monday."]
    assert heard[2].text == "\n".join(reply.text for reply in heard[:2])


@real
def test_a_model_of_words_alone_answers_words_and_refuses_sound() -> None:
    settings = Settings(hf_id=str(MODELS / "smollm2"), sampling={"max_tokens": 12})
    capital = asked("What is the capital of France? One word.")
    (reply,) = asyncio.run(answers(settings, [capital]))
    assert "Paris" in reply.text
    assert reply.stop == "end"
    with pytest.raises(Rejected, match="the model takes none"):
        asyncio.run(answers(settings, [asked(noise(0.1), "Which?")]))


@real
@pytest.mark.parametrize(("place", "told"), [("/no/where", "no such folder"), ("an/other", "cannot be opened")])
def test_a_model_that_is_not_there_is_told_in_one_line(place: str, told: str) -> None:
    with pytest.raises(BadSetup, match=told) as raised:
        asyncio.run(opened(Settings(hf_id=place)))
    assert "\n" not in str(raised.value)


@real
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"device": "cuda:9"}, "model.device is 'cuda:9', expected auto, cpu, or a GPU such as cuda:0"),
        ({"device": "nonsense"}, "model.device is 'nonsense', expected auto, cpu"),
        ({"dtype": "float99"}, "model.dtype is 'float99', expected auto, or a type of torch"),
        ({"dtype": "nn"}, "model.dtype is 'nn', expected auto"),
    ],
)
def test_a_card_or_a_type_that_is_not_there_is_told_in_one_line(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSetup, match=told):
        asyncio.run(opened(Settings(hf_id=str(MODELS / "tiny-qwen2-audio"), **settings)))


@pytest.mark.server
@pytest.mark.skipif(find_spec("torch") is not None, reason="this is where they run")
def test_on_real_models() -> None:
    from earmark.audio.speak import speak

    spoken = [str(path) for path in speak(["The quick brown fox jumps over the lazy dog.", "Monday."])]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "filterwarnings=default"]
    place = core_environment()
    paths = os.pathsep.join(map(str, (HERE, TOOLS / "vision", place / "vision")))
    env = {"SPOKEN": json.dumps(spoken), "CI": "", "PYTHONPATH": paths}
    done = python_in(place, "-m", "pytest", *options, __file__, env=env)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "passed" in done.stdout


@pytest.mark.server
@pytest.mark.skipif(find_spec("torch") is not None, reason="the command is tried from the other side")
def test_from_the_command_line() -> None:
    place = core_environment()
    words = ["acoustics:pitch", "items=6", "model=transformers", f"model.hf_id={place / 'models' / 'tiny-qwen2-audio'}"]
    done = python_in(place, "-m", "earmark", "run", *words)
    assert done.returncode == 0, done.stderr
    (journal,) = Path("results").rglob("responses.jsonl")
    replies = [json.loads(row)["response"] for row in journal.read_text().splitlines()]
    assert len(replies) == 6
    assert all(reply["notes"][0].startswith("batch of ") for reply in replies)
    assert max(int(reply["notes"][0].split()[-1]) for reply in replies) > 1
    # what `earmark probe` says would be sent is what a run sends
    Path("clip.wav").write_bytes(file_of(sine(rate=44100), 44100))
    probed = python_in(place, "-m", "earmark", "probe", "clip.wav", *words[2:], "--json")
    sent = json.loads(journal.read_text().splitlines()[0])["audio_sent"][0]
    told = json.loads(probed.stdout)["sent"]
    assert [(one["format"], one["rate"], one["channels"]) for one in (told, sent)] == [("samples", 16000, 1)] * 2

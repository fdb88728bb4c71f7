"""Which cards can multiply with a model's weights as they are stored.

Weights in few bits, with activations in as few, need a card that multiplies in them. An older card may still run some by
widening them to 16 bits as it goes (what vLLM does with its Marlin kernels): that is slower, and other arithmetic than
was published, so it is done only where the user says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

Capability = tuple[int, int]  # compute capability of a card, as NVIDIA counts


class Needs(NamedTuple):
    """What a kind of weights asks of a card."""

    called: str
    native: Capability  # from here on the card multiplies in these bits,
    widened: Capability  # and from here on vLLM runs them widened
    cards: str


APART: Final = "hf_quant_config.json"
NEEDS: Final = {
    "nvfp4": Needs("NVFP4", (10, 0), (7, 5), "Blackwell"),
    "fp8": Needs("FP8", (8, 9), (7, 5), "Ada, Hopper or Blackwell"),
}


def quantization_of(config: Mapping[str, Any], hf_id: str, revision: str | None = None) -> Mapping[str, Any]:
    """How weights are stored, wherever that is told: in the config, in that of the part that writes, or in a file beside it.

    >>> quantization_of({"text_config": {"quantization_config": {"quant_method": "awq"}}}, ".")
    {'quant_method': 'awq'}
    """
    for told in (config, config.get("text_config") or {}):
        for name in ("quantization_config", "compression_config"):
            if told.get(name):
                found: Mapping[str, Any] = told[name]
                return found
    return _beside(hf_id, revision)


def _beside(hf_id: str, revision: str | None) -> Mapping[str, Any]:
    """What ModelOpt before 0.31 has written beside a config; nothing where there is no such file."""
    from huggingface_hub import hf_hub_download  # noqa: PLC0415 - half a second that other models do not owe
    from huggingface_hub.errors import EntryNotFoundError  # noqa: PLC0415

    place = Path(hf_id)
    if place.is_dir():
        place /= APART
        return _read(place) if place.is_file() else {}
    try:
        return _read(Path(hf_hub_download(hf_id, APART, revision=revision)))
    except EntryNotFoundError:
        return {}


def _read(place: Path) -> Mapping[str, Any]:
    found = orjson.loads(place.read_bytes())
    return found if isinstance(found, dict) else {}


def stored_as(quantization: Mapping[str, Any]) -> str:
    """The kind of weights that a `quantization_config` tells, as far as it needs a card of its own; empty for all other.

    >>> stored_as({"quant_method": "modelopt", "quant_algo": "NVFP4"}), stored_as({"quant_method": "awq", "bits": 4})
    ('nvfp4', '')
    """
    words = set(re.findall(r"[a-z0-9]+", " ".join(_told(quantization)).lower()))
    return next((kind for kind in NEEDS if kind in words), "")


def _told(quantization: Mapping[str, Any]) -> Iterator[str]:
    """What each of the three ways of writing it says: a method by name, ModelOpt's algorithms, compressed-tensors' groups."""
    nested = quantization.get("quantization")
    told = {**quantization, **(nested if isinstance(nested, Mapping) else {})}
    yield from (str(told.get(key) or "") for key in ("quant_method", "quant_algo"))
    for layer in (told.get("quantized_layers") or {}).values():
        yield str(layer.get("quant_algo") or "")
    for group in (told.get("config_groups") or {}).values():
        weights = group.get("weights") or {}
        if (
            group.get("input_activations") and weights.get("type") == "float"
        ):  # without activations they are widened anyway
            shape = (weights.get("num_bits"), weights.get("group_size"))
            yield "nvfp4" if shape == (4, 16) else "fp8" if shape[0] == 8 else ""


def why_not(quantization: Mapping[str, Any], card: Capability | None, *, widen: bool = False) -> str:
    """Why a card cannot run these weights, and what to do; empty where it can, or where there is no card to judge.

    >>> why_not({"quant_method": "modelopt", "quant_algo": "NVFP4"}, (8, 6))[:76]
    'the weights are NVFP4, which needs compute capability 10.0 (Blackwell); this'
    """
    kind = stored_as(quantization)
    if not kind or card is None or card >= NEEDS[kind].native:
        return ""
    needs = NEEDS[kind]
    if widen and card >= needs.widened:
        return ""
    instead = "take the BF16 weights, or 4 bits as AWQ or GPTQ store them"
    if card >= needs.widened:
        instead += ", or run these widened to 16 bits, which is slower, with model.widen=true"
    return (
        f"the weights are {needs.called}, which needs compute capability {_dotted(needs.native)} ({needs.cards}); "
        f"this card has {_dotted(card)}: {instead}"
    )


def _dotted(capability: Capability) -> str:
    return ".".join(map(str, capability))

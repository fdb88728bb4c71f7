"""Checks whether a GPU supports the format of a model's quantized weights.

Quantized weights with quantized activations need a GPU that multiplies in their format. An older GPU may run some by
widening them to 16 bits (vLLM's Marlin kernels): that is slower, and not the published arithmetic, so the user must ask
for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

Capability = tuple[int, int]  # compute capability of a card, as NVIDIA counts


class CardRequirements(NamedTuple):
    """Requirements of a weight format on the GPU."""

    name: str
    native: Capability  # from here on the card multiplies in these bits,
    widened: Capability  # and from here on vLLM runs them widened
    cards: str


MODELOPT_FILE: Final = "hf_quant_config.json"
NEEDS: Final = {
    "nvfp4": CardRequirements("NVFP4", (10, 0), (7, 5), "Blackwell"),
    "fp8": CardRequirements("FP8", (8, 9), (7, 5), "Ada, Hopper or Blackwell"),
}


def quantization_of(config: Mapping[str, Any], hf_id: str, revision: str | None = None) -> Mapping[str, Any]:
    """Quantization config of a model: from its config, that of its text model, or a separate file.

    >>> quantization_of({"text_config": {"quantization_config": {"quant_method": "awq"}}}, ".")
    {'quant_method': 'awq'}
    """
    for part in (config, config.get("text_config") or {}):
        for name in ("quantization_config", "compression_config"):
            if part.get(name):
                quantization: Mapping[str, Any] = part[name]
                return quantization
    return _separate_config(hf_id, revision)


def _separate_config(hf_id: str, revision: str | None) -> Mapping[str, Any]:
    """Read the separate quantization file of ModelOpt before 0.31; empty if there is none."""
    from huggingface_hub import hf_hub_download  # noqa: PLC0415 - half a second that other models do not owe
    from huggingface_hub.errors import EntryNotFoundError  # noqa: PLC0415

    place = Path(hf_id)
    if place.is_dir():
        place /= MODELOPT_FILE
        return _read(place) if place.is_file() else {}
    try:
        return _read(Path(hf_hub_download(hf_id, MODELOPT_FILE, revision=revision)))
    except EntryNotFoundError:
        return {}


def _read(place: Path) -> Mapping[str, Any]:
    value = orjson.loads(place.read_bytes())
    return value if isinstance(value, dict) else {}


def weight_format(quantization: Mapping[str, Any]) -> str:
    """Format of the weights of a `quantization_config`, if it needs a certain GPU; empty for all others.

    >>> weight_format({"quant_method": "modelopt", "quant_algo": "NVFP4"})
    'nvfp4'
    >>> weight_format({"quant_method": "awq", "bits": 4})
    ''
    """
    words = set(re.findall(r"[a-z0-9]+", " ".join(_iter_formats(quantization)).lower()))
    return next((kind for kind in NEEDS if kind in words), "")


def _iter_formats(quantization: Mapping[str, Any]) -> Iterator[str]:
    """Yield the formats in each of three notations: a method name, ModelOpt algorithms, compressed-tensors groups."""
    nested = quantization.get("quantization")
    fields = {**quantization, **(nested if isinstance(nested, Mapping) else {})}
    yield from (str(fields.get(key) or "") for key in ("quant_method", "quant_algo"))
    for layer in (fields.get("quantized_layers") or {}).values():
        yield str(layer.get("quant_algo") or "")
    for group in (fields.get("config_groups") or {}).values():
        weights = group.get("weights") or {}
        # Without quantized activations the weights are widened anyway.
        if group.get("input_activations") and weights.get("type") == "float":
            shape = (weights.get("num_bits"), weights.get("group_size"))
            yield "nvfp4" if shape == (4, 16) else "fp8" if shape[0] == 8 else ""


def incompatibility(quantization: Mapping[str, Any], card: Capability | None, *, widen: bool = False) -> str:
    """Reason why a GPU cannot run these weights, and the remedy; empty if it can, or if there is no GPU.

    >>> incompatibility({"quant_method": "modelopt", "quant_algo": "NVFP4"}, (8, 6))[:76]
    'the weights are NVFP4, which needs compute capability 10.0 (Blackwell); this'
    """
    kind = weight_format(quantization)
    if not kind or card is None or card >= NEEDS[kind].native:
        return ""
    needs = NEEDS[kind]
    if widen and card >= needs.widened:
        return ""
    instead = "take the BF16 weights, or 4 bits as AWQ or GPTQ store them"
    if card >= needs.widened:
        instead += ", or run these widened to 16 bits, which is slower, with model.widen=true"
    return (
        f"the weights are {needs.name}, which needs compute capability {_format_capability(needs.native)} "
        f"({needs.cards}); this card has {_format_capability(card)}: {instead}"
    )


def _format_capability(capability: Capability) -> str:
    return ".".join(map(str, capability))

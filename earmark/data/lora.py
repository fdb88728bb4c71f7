"""LoRA adapters on disk: their rank, as engines ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from earmark.errors import BadSetup

LORA_RANKS: Final = (8, 16, 32, 64, 128, 256, 320, 512)  # that vLLM keeps room for


def lora_rank(adapter: str) -> int | None:
    """The least rank of vLLM's that an adapter fits into; None where nothing tells its own, as for one on the hub.

    Raises BadSetup where its settings cannot be read.
    """
    config = Path(adapter).expanduser() / "adapter_config.json"
    try:
        rank = json.loads(config.read_text(encoding="utf-8"))["r"] if config.is_file() else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadSetup(
            f"{config}: cannot be read ({error}); expected the settings of a LoRA, with its rank r"
        ) from error
    return next((size for size in LORA_RANKS if isinstance(rank, int) and size >= rank), None)


def lora_name(adapter: str) -> str:
    """The name of an adapter: the last part of its path.

    >>> lora_name("out/emotion-lora/")
    'emotion-lora'
    """
    return adapter.rstrip("/").rpartition("/")[2]

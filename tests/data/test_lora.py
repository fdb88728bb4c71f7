"""LoRA adapters on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.data.lora import lora_rank
from earmark.errors import BadSetup


@pytest.mark.parametrize(("rank", "room"), [(8, 8), (20, 32), (300, 320), (9999, None)])
def test_the_rank_is_the_least_that_fits(tmp_path: Path, rank: int, room: int | None) -> None:
    (tmp_path / "adapter_config.json").write_text(f'{{"r": {rank}}}')
    assert lora_rank(str(tmp_path)) == room


def test_an_adapter_that_is_elsewhere_tells_no_rank_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    assert lora_rank("organisation/name") is None
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(BadSetup, match="expected the settings of a LoRA"):
        lora_rank(str(tmp_path))

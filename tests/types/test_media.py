"""Sound: how long it lasts."""

from __future__ import annotations

import numpy as np
import pytest

from earmark.types import (
    Waveform,
)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_waveform_lasts_its_frames_by_its_rate(channels: int) -> None:
    assert Waveform(np.zeros((channels, 12000), np.float32), 48000).seconds == 0.25

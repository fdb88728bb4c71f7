"""Clips as they are sent to models."""

from __future__ import annotations

from earmark.types import Capabilities

WAVS = Capabilities(formats=("wav",))
SAMPLES = Capabilities(formats=("samples",), rates=(16000,), channels=1)

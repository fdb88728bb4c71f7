"""Plans of audiograms for tests."""

from __future__ import annotations

from earmark.audiogram.dimensions import DEFAULT_DIMENSIONS
from earmark.audiogram.trials import Plan, Settings, make_plan


def plan(*dimensions: str, **settings: int) -> Plan:
    return make_plan(Settings(dimensions or DEFAULT_DIMENSIONS, **settings), 0)

"""Scalars of numpy as plain values."""

from __future__ import annotations

import numpy as np
from recorded_runs import checked, item

from earmark.types import replace


def test_scalars_of_numpy_in_items_are_plain() -> None:
    (found,) = checked(replace(item("kick"), id=np.str_("n"), tags={"level": np.str_("3")}))
    assert (type(found.id), type(found.tags["level"])) == (str, str)

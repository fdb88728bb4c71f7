"""Fields in braces: texts in which names are replaced by values, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

FIELD: Final = re.compile(r"\{([^{}]+)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace each {name} by its value, once: braces in values stay braces. Other braces stay too.

    >>> fill("{a} {b} {0}", {"a": "{b}", "b": "x"})
    '{b} x {0}'
    """
    return FIELD.sub(lambda match: values.get(match[1], match[0]), text)

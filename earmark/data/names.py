"""Names of files and folders, made of names that anybody may have given."""

from __future__ import annotations

import hashlib
import re
from typing import Final

RESERVED: Final = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)),
}  # as Windows has it


def safe_name(name: str) -> str:
    """A name for a file or a folder that every system takes, and that no other name becomes.

    >>> safe_name("gemma4-e2b"), safe_name("org/a_b") == safe_name("org_a/b")
    ('gemma4-e2b', False)
    """
    plain = re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-.")[:80] or "unnamed"
    reserved = plain.lower().partition(".")[0] in RESERVED
    if plain == name and not reserved:
        return plain
    return f"{'_' if reserved else ''}{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"

"""Values as JSON holds them: no lone surrogates in texts, no scalars or arrays of numpy.

A lone surrogate is half of a character of UTF-16, as `"\\ud835"` in JSON. UTF-8 does not encode it: U+FFFD replaces it.
"""

from __future__ import annotations

import os
from typing import Any, Final

import msgspec
import numpy as np

REPLACED: Final = "a lone surrogate in it was replaced by U+FFFD"


def builtin(value: Any) -> Any:
    """Return a scalar or array of numpy as Python's own. Raises TypeError for anything else that JSON does not hold."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"found {type(value).__name__}, expected texts and numbers")


ENCODER: Final = msgspec.json.Encoder(enc_hook=builtin)


def replace_surrogates(text: str) -> str:
    """Return a text that UTF-8 encodes: two halves that follow each other are joined, a lone one becomes U+FFFD.

    >>> replace_surrogates("x \\ud835 B"), replace_surrogates("\\ud83d\\ude00") == "\\U0001f600"
    ('x � B', True)
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def escape_bytes(name: str) -> str:
    """Return the name of a file as text that stays unique: bytes that are no UTF-8 by their number.

    >>> escape_bytes("mod\\udce0.wav")
    'mod\\\\xe0.wav'
    """
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return replace_surrogates(name)


def repair(value: Any) -> Any:
    """Return plain values with every lone surrogate in their texts replaced."""
    if isinstance(value, str):
        return value if value.isascii() else replace_surrogates(value)
    if isinstance(value, dict):
        return {repair(key): repair(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(repair(each) for each in value)
    return value


def encode_line(value: Any) -> bytes:
    """Encode a struct as one line of JSON, lone surrogates replaced."""
    try:
        return ENCODER.encode(value) + b"\n"
    except UnicodeEncodeError:
        return ENCODER.encode(repair(msgspec.to_builtins(value, enc_hook=builtin))) + b"\n"

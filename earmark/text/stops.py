"""Reasons for which a reply ended, as servers and other harnesses name them."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Stop: TypeAlias = Literal["end", "length", "filtered"]
STOPS: Final[dict[str, Stop]] = {  # in lower case
    **dict.fromkeys(("", "stop", "end", "end_turn", "stop_sequence", "eos"), "end"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "filtered", "refusal", "safety", "recitation", "language", "blocklist"),
        "filtered",
    ),
    **dict.fromkeys(("prohibited_content", "spii", "image_safety", "image_prohibited_content"), "filtered"),
}


def stop_of(reason: object) -> Stop | None:
    """Parse the reason for which a reply ended, in any case; None for an unknown reason.

    >>> stop_of("SAFETY"), stop_of("MAX_TOKENS"), stop_of(None), stop_of("OTHER"), stop_of(5)
    ('filtered', 'length', 'end', None, None)
    """
    return STOPS.get(reason.lower()) if isinstance(reason, str) else "end" if reason is None else None

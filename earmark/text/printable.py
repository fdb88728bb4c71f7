"""Text that a terminal or a page shows as it is written: control characters, bidi marks and line ends as escapes.

Replies, errors of servers and names come from outside; raw, an escape sequence sets the clipboard, a line end forges a
line, and a bidi mark reorders what is read.
"""

from __future__ import annotations

from typing import Final

CONTROLS: Final = (*range(32), *range(0x7F, 0xA0))  # C0, DEL and C1
BIDI_AND_SEPARATORS: Final = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
ESCAPES: Final = {code: ascii(chr(code))[1:-1] for code in (*CONTROLS, *BIDI_AND_SEPARATORS)}
JSON_ESCAPES: Final = {code: f"\\u{code:04x}" for code in ESCAPES if code >= 0x7F}  # JSON escapes the others itself


def printable(text: str, keep: str = "") -> str:
    """Replace control characters, bidi marks and line ends by their escapes, except those in `keep`.

    >>> printable("done\\r\\nearmark: all is well"), printable("a\\u202eb\\x1b]52;"), printable("a\\nb", keep="\\n")
    ('done\\\\r\\\\nearmark: all is well', 'a\\\\u202eb\\\\x1b]52;', 'a\\nb')
    """
    return text.translate({code: escape for code, escape in ESCAPES.items() if chr(code) not in keep})

"""Environment variables from a file `.env` in the working directory: lines of NAME=value; variables already set win.

Blank lines, lines that begin with # and `export` before a name are ignored. A value may be quoted; nothing in it is
expanded. The file may belong to other programs, so a malformed line is skipped with a warning. Values are never shown
or written, not even of a malformed line.
"""

from __future__ import annotations

import os
import re
from collections.abc import MutableMapping
from pathlib import Path

from earmark.errors import UsageError

LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.*)")


def load_dotenv(path: Path = Path(".env"), variables: MutableMapping[str, str] = os.environ) -> list[str]:
    """Set the variables of the file that are not set; return a warning for each line that was skipped."""
    skipped = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({type(error).__name__}); expected lines of NAME=value") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LINE.fullmatch(line.strip())
        if match:
            variables.setdefault(match["name"], unquote(match["value"]))
        else:
            skipped.append(f"{path}, line {number}: skipped, expected NAME=value")
    return skipped


def unquote(value: str) -> str:
    """Remove the quotes of a value, or the comment after it.

    >>> unquote("'a # b'"), unquote("a # b"), unquote('"a"  # b')
    ('a # b', 'a', 'a')
    """
    if quoted := re.fullmatch(r"""(['"])(.*?)\1\s*(?:#.*)?""", value):
        return quoted[2]
    return re.split(r"(?:^|\s+)#", value, maxsplit=1)[0].strip()

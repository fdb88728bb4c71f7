"""Keys from a file `.env` in the working folder: lines of NAME=value, for variables that are not set yet.

Blank lines and lines that begin with # are let be, `export` before a name too. A value may stand in quotes, and is
taken as it stands: nothing in it is replaced. The file may be there for other programs, so a line that is no setting is
told and left out. Values are never shown or written anywhere, not even where a line is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import MutableMapping
from pathlib import Path

from earmark.errors import UsageError

LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.*)")


def load_dotenv(path: Path = Path(".env"), variables: MutableMapping[str, str] = os.environ) -> list[str]:
    """Set what the file names and nobody has set; what was left out, in a sentence each."""
    left_out = []
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
            left_out.append(f"{path}, line {number}: is no setting and was left out; expected NAME=value")
    return left_out


def unquote(value: str) -> str:
    """A value without its quotes, or without the remark after it.

    >>> unquote("'a # b'"), unquote("a # b"), unquote('"a"  # b')
    ('a # b', 'a', 'a')
    """
    if quoted := re.fullmatch(r"""(['"])(.*?)\1\s*(?:#.*)?""", value):
        return quoted[2]
    return re.split(r"(?:^|\s+)#", value, maxsplit=1)[0].strip()

"""Keys from a file `.env` in the working folder: lines of NAME=value; variables already set win.

Only keys are taken: names that end in _KEY, _TOKEN or _SECRET, and EARMARK_CACHE. The file may belong to another
program, or have come with a download, so any other name, such as PATH or EARMARK_CONF, is left out and named. The
programs that we start are not given what the file set.

Blank lines, lines that begin with # and `export` before a name are ignored. A value may be quoted; nothing in it is
expanded. A malformed line is skipped with a warning. Values are never shown or written, not even of a malformed line.
"""

from __future__ import annotations

import os
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

from earmark.data.programs import keep_from_programs
from earmark.errors import UsageError

LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.*)")
SUFFIXES: Final = ("_KEY", "_TOKEN", "_SECRET")
CACHE: Final = "EARMARK_CACHE"
MAX_NAMED: Final = 8  # names that are left out and named


def load_dotenv(path: Path = Path(".env"), variables: MutableMapping[str, str] = os.environ) -> list[str]:
    """Set the keys of the file that are not set; return a warning for each line that was skipped."""
    skipped, left_out = [], []
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({type(error).__name__}); expected lines of NAME=value") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LINE.fullmatch(line.strip())
        if not match:
            skipped.append(f"{path}, line {number}: skipped, expected NAME=value")
        elif not match["name"].upper().endswith(SUFFIXES) and match["name"] != CACHE:
            left_out.append(match["name"])
        elif match["name"] not in variables:
            variables[match["name"]] = unquote(match["value"])
            keep_from_programs([match["name"]])
    if left_out:
        more = f" and {len(left_out) - MAX_NAMED} more" if len(left_out) > MAX_NAMED else ""
        skipped.append(
            f"{path}: {', '.join(left_out[:MAX_NAMED])}{more} not set; only names that end in {', '.join(SUFFIXES)} "
            f"are, and {CACHE}; export the others yourself"
        )
    return skipped


def unquote(value: str) -> str:
    """Remove the quotes of a value, or the comment after it.

    >>> unquote("'a # b'"), unquote("a # b"), unquote('"a"  # b')
    ('a # b', 'a', 'a')
    """
    if quoted := re.fullmatch(r"""(['"])(.*?)\1\s*(?:#.*)?""", value):
        return quoted[2]
    return re.split(r"(?:^|\s+)#", value, maxsplit=1)[0].strip()

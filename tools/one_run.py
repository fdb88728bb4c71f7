"""Measure one run from the inside: own frames above a request, lines loaded, and parses of the model's settings.

python tools/one_run.py        prints them as JSON, for tools/structure.py

The run is `earmark run acoustics model=URL condition=silence` of one item, against the canned server of tools/bench.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

import earmark
from earmark.cli import main as earmark_command
from earmark.errors import FINISHED_WITH_FAILURES

PACKAGE = Path(earmark.__file__).parent
SERVER = Path(__file__).parent / "bench" / "server.py"
RUN = "run acoustics condition=silence limit=1 preflight=false model.api_key_env= model.name=m".split()

deepest = 0
parses: Counter[str] = Counter()  # by type
send, convert = aiohttp.ClientSession._request, msgspec.convert  # noqa: SLF001 - where every request passes


async def counting_send(*args: Any, **options: Any) -> aiohttp.ClientResponse:
    """Send a request after counting the package's frames that lead to it."""
    global deepest  # noqa: PLW0603 - one run a process
    files = (Path(frame.filename) for frame in traceback.extract_stack())
    deepest = max(deepest, sum(PACKAGE in file.parents for file in files))
    return await send(*args, **options)


def counting_convert(value: Any, type: Any, **options: Any) -> Any:  # noqa: A002 - msgspec's own name
    """Convert, and count the settings of models among the types: the common ones, and those of a backend."""
    module, name = getattr(type, "__module__", ""), getattr(type, "__name__", "")
    parses[f"{module}.{name}"] += name == "CommonSettings" or (
        name == "Settings" and module.startswith("earmark.models.")
    )
    return convert(value, type, **options)


def loaded_lines() -> int:
    """Number of lines of the package's modules that are loaded."""
    files = {Path(file) for module in sys.modules.values() if (file := getattr(module, "__file__", None))}
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files if PACKAGE in file.parents)


def main() -> None:
    """Run one item and print what was counted."""
    aiohttp.ClientSession._request = counting_send  # type: ignore[method-assign] # noqa: SLF001
    msgspec.convert = counting_convert  # type: ignore[assignment]
    server = subprocess.Popen([sys.executable, SERVER], stdout=subprocess.PIPE, text=True)
    with server, tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{server.stdout.readline().strip() if server.stdout else ''}/v1"
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                earmark_command(*RUN, f"model={url}", f"results={folder}")
        except SystemExit as end:
            if end.code not in (None, 0, FINISHED_WITH_FAILURES):
                raise
        finally:
            server.terminate()
    print(json.dumps({"frames": deepest, "parses": max(parses.values()), "loaded": loaded_lines()}))


if __name__ == "__main__":
    main()

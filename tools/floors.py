"""Run tests under the lowest versions that pyproject.toml allows: python tools/floors.py [EXTRA...] [-- PYTEST ARGUMENT...]

The environment is made anew by uv (`--resolution lowest-direct`) for the core and the extras that are named, with the newest
pytest and hypothesis. The status is that of pytest. It takes a download and minutes, so it is no part of the tests:
`make floors`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PYTHON: Final = "3.11"  # the lowest as well
TESTERS: Final = ("pytest", "hypothesis", "pytest-xdist", "types-PyYAML")
# Tests of the core that need none of the extras.
CORE: Final = ("tests/test_journal.py", "tests/test_config.py", "tests/test_evaluate.py", "tests/test_types.py",
               "tests/test_keys.py", "tests/test_cases_d.py", "tests/audio/test_read.py", "tests/audio/test_prepare.py",
               "tests/engine/test_runner.py", "tests/models", "tests/data", "tests/stats", "tests/runs/test_rundir.py",
               "tests/scorers/test_exact.py", "tests/terminal", "tests/hostile/test_sent_runs.py")  # fmt: skip


def find_uv() -> str:
    """The program uv, on PATH or beside this Python."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if not uv:
        raise SystemExit("uv is not installed; type: pip install uv")
    return uv


def make_environment(place: Path, extras: list[str]) -> Path:
    """Make an environment with the lowest versions; its Python."""
    uv, lock = find_uv(), place / "lowest.txt"
    chosen = [word for extra in extras for word in ("--extra", extra)]
    compiled = ("pip", "compile", "-q", "--resolution", "lowest-direct", "--python-version", PYTHON, "pyproject.toml")
    subprocess.run([uv, *compiled, *chosen, "-o", lock], cwd=ROOT, check=True)
    subprocess.run([uv, "venv", "-q", "--python", PYTHON, place / "venv"], check=True)
    python = place / "venv" / "bin" / "python"
    subprocess.run([uv, "pip", "install", "-q", "--python", python, "-r", lock, *TESTERS], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", python, "--no-deps", "-e", ROOT], check=True)
    return python


def main() -> int:
    """Make the environment and run the tests in it."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    with tempfile.TemporaryDirectory() as folder:
        python = make_environment(Path(folder), words[:cut])
        tests = words[cut + 1 :] or ["-q", "-p", "no:cacheprovider", *CORE]
        return subprocess.run([python, "-m", "pytest", *tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

"""Every Python of this machine that the package is for reads all of its code; one with its packages runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSIONS = [name for line in PROJECT["classifiers"] if (name := line.rpartition(" :: ")[2]).startswith("3.")]
READ = """
import sys, warnings
from pathlib import Path
warnings.simplefilter("error")
for path in sorted(Path(sys.argv[1]).rglob("*.py")):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")
"""


def find(version: str) -> Path | None:
    """The program of a version: this one, one of pyenv's, or one on PATH that runs."""
    if sys.version.startswith(f"{version}."):
        return Path(sys.executable)
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    program = str(found[-1]) if found else shutil.which(f"python{version}")
    if program is None:
        return None
    runs = subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0
    return Path(program) if runs else None


def test_the_classifiers_begin_with_the_oldest_python_and_go_to_the_newest() -> None:
    assert VERSIONS == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={VERSIONS[0]}"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_python_reads_the_package_and_runs_it_where_its_packages_are(version: str) -> None:
    python = find(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    read = subprocess.run([python, "-c", READ, str(ROOT / "earmark")], capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr
    has_packages = subprocess.run([python, "-c", "import msgspec, click"], capture_output=True, check=False)
    if has_packages.returncode == 0:
        done = subprocess.run(
            [python, "-m", "earmark", "--version"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert re.fullmatch(r"\d+\.\d+\.\S+\n", done.stdout), done.stderr

"""The page of licences: every package that an installation brings states a known one, and the GPL is no part of what is imported."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (\S+) \| (.*?) \| .* \|$", PAGE.partition("|-|-|-|")[2], re.MULTILINE))
KNOWN = re.compile(
    r"0BSD|Apache-2\.0|BSD(-[23]-Clause)?|CC0-1\.0|CNRI-Python|GPL-3\.0-or-later|HPND|ISC|LGPL(-2\.1-or-later)?|MIT(-0|-CMU)?|"
    r"MPL-2\.0|PSF-2\.0|Unlicense|Zlib"
)


def test_every_package_states_a_known_licence() -> None:
    licences = pytest.importorskip("licences")
    installed = {name: licences.licence(distribution(name)) for name in licences.find_packages()}
    assert len(installed) > 20
    for name, stated in (ROWS | installed).items():
        words = re.split(r" AND | OR | WITH |[()]", stated)
        assert all(KNOWN.fullmatch(word) for word in words if word), f"{name}: {stated or 'no licence is stated'}"


def test_the_gpl_is_no_part_of_what_is_imported() -> None:
    assert {name for name, stated in ROWS.items() if stated.startswith("GPL")} == {"piper-tts"}
    assert {name for name, stated in ROWS.items() if "LGPL" in stated} == {"num2words", "soxr"}
    imports = [
        path
        for path in (ROOT / "earmark").rglob("*.py")
        if re.search(r"^\s*(import|from) piper\b", path.read_text(), re.MULTILINE)
    ]
    assert not imports


def test_the_page_has_every_package_of_the_core_and_of_the_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    texts = [
        *project["dependencies"],
        *(text for name in ("local", "av", "text", "plot", "logs", "ray") for text in extras[name]),
    ]
    licences = pytest.importorskip("licences")
    for name in (Requirement(text).name for text in texts):
        assert name in ROWS, "type: python tools/licences.py > docs/licences.md"
        try:
            assert licences.licence(distribution(name)) == ROWS[name]
        except PackageNotFoundError:
            assert not name.startswith("earmark")

"""Write the page of licences of what an installation brings: python tools/licences.py > docs/licences.md

Licences are those that the installed packages state (License-Expression, License, classifiers), in the words of SPDX. The core
and the extras are followed through the requirements of each package, as far as they are installed here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.markers import default_environment
from packaging.requirements import Requirement

EXTRAS: Final = ("local", "av", "text", "plot", "logs", "ray")  # those that the environment of developers has
HEAD: Final = """# Licences

What an installation brings, by the licences that the packages state; written by `python tools/licences.py`, and held by a test. Earmark itself
is under Apache-2.0. `core` is what `pip install earmark` brings, the other words are extras.

- GPL: `piper-tts` alone, an extra (`local`) that is run as a program of its own and is never imported.
- LGPL: `soxr` (core) and `num2words` (`text`), libraries that are loaded as they are.
- The wheels of `soundfile` and `av` contain libsndfile and FFmpeg, which are under licences of their own (LGPL, and GPL in parts of FFmpeg).

| package | licence | brought by |
|-|-|-|
"""
WORDS: Final = {  # what packages say, and its name in SPDX
    r"apache(?!.*mit).*|asl 2.*": "Apache-2.0", r"(the )?mit( license)?( \(mit\))?|expat": "MIT", r"isc.*": "ISC",
    r"(new |modified |3-clause )?bsd.*3.*|3-clause bsd.*|bsd 3.*|bsd-3.*": "BSD-3-Clause", r"bsd.*2.*": "BSD-2-Clause",
    r"bsd( license)?": "BSD", r"mpl.*2.*|mozilla.*2.*": "MPL-2.0", r"lgpl.*2\\.1.*|.*lesser.*v2 or later.*": "LGPL-2.1-or-later",
    r"lgpl|gnu library or lesser.*": "LGPL",
    r"gpl-?3.*|gpl ?v?3.*|gnu general public license v3.*": "GPL-3.0-or-later", r"psf.*|python software.*": "PSF-2.0",
    r"cc0.*": "CC0-1.0", r"unlicense.*": "Unlicense", r"(matplotlib|python license|.*psf-based).*": "PSF-2.0",
}  # fmt: skip


def licence(package: Distribution) -> str:
    """The licence that a package states, in the words of SPDX where they are known; empty if it states none."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    stated = "".join(metadata.get_all("License") or []).strip().partition("\n")[0].strip().rstrip(".")
    classifiers = [text.rpartition(":: ")[2] for text in metadata.get_all("Classifier") or [] if "License ::" in text]
    for text in (stated, *classifiers):
        for pattern, name in WORDS.items():
            if re.fullmatch(pattern, text, re.IGNORECASE):
                return name
    return stated if len(stated) < 40 else ""


def find_packages() -> dict[str, set[str]]:
    """Names of installed packages, each with what brings it: core, or extras."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    found: dict[str, set[str]] = defaultdict(set)
    for source in ("core", *EXTRAS):
        waiting = [Requirement(text) for text in extras.get(source, project["dependencies"])]
        seen = set()
        while waiting:
            requirement = waiting.pop()
            key = (requirement.name.lower().replace("_", "-"), frozenset(requirement.extras))
            if key in seen:
                continue
            seen.add(key)
            try:
                package = distribution(requirement.name)
            except PackageNotFoundError:
                continue
            found[key[0]].add(source)
            for text in package.requires or []:
                needed = Requirement(text)
                environments = [default_environment() | {"extra": extra} for extra in (requirement.extras or {""})]
                if not needed.marker or any(needed.marker.evaluate(dict(each)) for each in environments):  # type: ignore[arg-type]
                    waiting.append(needed)
    return {name: {"core"} if "core" in sources else sources for name, sources in found.items()}


def page() -> str:
    """The page."""
    lines = [f"| {name} | {licence(distribution(name))} | {', '.join(sorted(sources))} |\n"
             for name, sources in sorted(find_packages().items())]  # fmt: skip
    return HEAD + "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())

"""Lines that install what is missing, as they work where they are shown: in a clone, in a uv environment, by pip."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

EXTRA = re.compile(r"pip install 'earmark\[([\w,]+)\]'")
OTHER = re.compile(r"(?<!uv )(?<![\w/])pip install (?!-e)")


def fit_install_lines(text: str) -> str:
    """A message with its install lines as they work here."""
    root, uv = clone_root(), is_uv()
    fitted = EXTRA.sub(lambda match: install_line(match[1], root, uv=uv), text)
    return OTHER.sub("uv pip install ", fitted) if uv else fitted


def install_line(extras: str, root: Path | None, *, uv: bool) -> str:
    """The line that installs extras of this package.

    >>> install_line("plot", None, uv=False), install_line("plot", None, uv=True)
    ("pip install 'earmark[plot]'", "uv pip install 'earmark[plot]'")
    >>> install_line("plot", Path.cwd(), uv=False), install_line("plot,av", Path.cwd(), uv=True)
    ("pip install -e '.[plot]'", 'uv sync --extra plot --extra av')
    """
    if root is None:
        return f"{'uv ' * uv}pip install 'earmark[{extras}]'"
    here = root == Path.cwd()
    if uv:
        where = "" if here else f" --directory '{root}'"
        return f"uv sync{where}{''.join(f' --extra {extra}' for extra in extras.split(','))}"
    return f"pip install -e '{'.' if here else root}[{extras}]'"


def clone_root() -> Path | None:
    """The folder of the clone that this package is installed from, editable; None for any other installation."""
    try:
        url = json.loads(distribution("earmark").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    if not url.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(url["url"]).path))


def is_uv() -> bool:
    """True if this environment was made by uv, which puts no pip into it."""
    config = Path(sys.prefix) / "pyvenv.cfg"
    return config.is_file() and re.search(r"^uv\s*=", config.read_text(encoding="utf-8"), re.MULTILINE) is not None

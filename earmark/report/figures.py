"""Pictures: drawn by matplotlib, which is an extra, and written as PNG, SVG or one page of HTML.

A picture is a function that draws on an empty figure: it is made, drawn and written in one place, in one style, without
pyplot and its windows. The same numbers give the same bytes with the same matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from earmark.data.cache import atomic_write
from earmark.errors import BadSetup, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INSTALL: Final = "pip install 'earmark[plot]'"
SUFFIXES: Final = (".png", ".svg", ".html")
DOTS: Final = 110  # an inch, of a PNG
BLUE, RED, GREY, PALE = (
    "#0072B2",
    "#D55E00",
    "#767676",
    "#d9d9d9",
)  # told apart by colour-blind eyes too (Okabe and Ito)
STYLE: Final[dict[Any, Any]] = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.size": 9,
    "legend.frameon": False,
    "svg.fonttype": "none",  # letters stay letters: small files, text that can be searched
    "svg.hashsalt": "earmark",
}
PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, "DejaVu Sans", Arial, sans-serif; color: #222; background: #fff; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.4rem; }} h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
svg {{ max-width: 100%; height: auto; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25rem .7rem; text-align: left; border-bottom: 1px solid #ddd; vertical-align: top; }}
th {{ border-bottom-color: #888; }}
</style>
<h1>{title}</h1>
{body}
</html>
"""


class Plot(NamedTuple):
    """A plot: its size, its description and a function that draws it."""

    width: float  # inches
    height: float
    description: str  # what it shows, to those who do not see it
    draw: Callable[[Figure], None]


def check_matplotlib() -> None:
    """Raise BadSetup where nothing can be drawn."""
    if find_spec("matplotlib") is None:
        raise BadSetup(f"matplotlib is not installed, and pictures are drawn by it; type: {INSTALL}")


def render(plot: Plot, suffix: str) -> bytes:
    """A picture as the bytes of a PNG or an SVG."""
    check_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415 - an extra, and 0.3 s
    from matplotlib.figure import Figure  # noqa: PLC0415

    file = io.BytesIO()
    with rc_context(STYLE):
        figure = Figure(figsize=(plot.width, plot.height), layout="constrained")
        plot.draw(figure)
        figure.savefig(
            file, format=suffix[1:], dpi=DOTS, metadata={"Software": None} if suffix == ".png" else {"Date": None}
        )
    return file.getvalue()


def to_inline_html(plot: Plot) -> str:
    """A picture inside a page."""
    svg = render(plot, ".svg").decode()
    start = svg.index("<svg") + len("<svg")
    return f'<div class="wide"><svg role="img" aria-label="{escape(plot.description)}"{svg[start:]}</div>'


def to_page(title: str, body: str) -> bytes:
    """A page that needs nothing beside it."""
    return PAGE.format(title=escape(title), body=body).encode()


def suffix_of(path: Path) -> str:
    """File type of a plot by its path. Raises UsageError for any other."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: expected a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    return path.suffix.lower()


def write_plot(path: Path, plot: Plot) -> None:
    """Write a picture in the form that its name asks for."""
    suffix = suffix_of(path)
    atomic_write(path, to_page(plot.description, to_inline_html(plot)) if suffix == ".html" else render(plot, suffix))

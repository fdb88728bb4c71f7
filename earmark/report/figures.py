"""Plots by matplotlib, an optional dependency, as PNG, SVG or an HTML page.

A plot is a function that draws on an empty figure; figures are created, drawn and written here, in one style and
without pyplot. The same numbers give the same bytes with the same matplotlib.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from earmark.data.cache import atomic_write
from earmark.errors import BadSetup, UsageError
from earmark.text.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INSTALL: Final = "pip install 'earmark[plot]'"
SUFFIXES: Final = (".png", ".svg", ".html")
DPI: Final = 110  # of a PNG
BLUE, RED, GREY, PALE = "#0072B2", "#D55E00", "#767676", "#d9d9d9"  # safe for colour blindness (Okabe and Ito)
STYLE: Final[dict[Any, Any]] = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.size": 9,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "earmark",
    "text.parse_math": False,  # names of models may hold dollar signs
}
PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, "DejaVu Sans", Arial, sans-serif; color: #222; background: #fff; }}
body {{ max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }}
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
    description: str  # alternative text
    draw: Callable[[Figure], None]


def check_matplotlib() -> None:
    """Raise BadSetup if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise BadSetup(f"plots need matplotlib, which is not installed; type: {INSTALL}")


def render(plot: Plot, suffix: str) -> bytes:
    """Render a plot as the bytes of a PNG or an SVG."""
    check_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415 - an extra, and 0.3 s
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415

    file = io.BytesIO()
    with rc_context(STYLE):
        figure = Figure(figsize=(plot.width, plot.height), layout="constrained")
        plot.draw(figure)
        for text in figure.findobj(Text):
            text.set_text(printable(text.get_text(), keep="\n"))
        metadata = {"Software": None} if suffix == ".png" else {"Date": None}
        with warnings.catch_warnings():  # the font lacks letters of a name; a warning would go to the terminal as it is
            warnings.filterwarnings("ignore", "Glyph", UserWarning)
            figure.savefig(file, format=suffix[1:], dpi=DPI, metadata=metadata)
    return file.getvalue()


def add_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """Add one legend for all panels below them."""
    handles = {name: mark for axes in panels for mark, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=3, handletextpad=0.4)


def to_inline_html(plot: Plot) -> str:
    """Render a plot as an inline SVG of a page."""
    svg = render(plot, ".svg").decode()
    start = svg.index("<svg") + len("<svg")
    return f'<div class="wide"><svg role="img" aria-label="{escape(printable(plot.description))}"{svg[start:]}</div>'


def to_page(title: str, body: str) -> bytes:
    """Build a self-contained HTML page."""
    return PAGE.format(title=escape(printable(title)), body=body).encode()


def suffix_of(path: Path) -> str:
    """Return the file type of a plot. Raises UsageError for an unknown one."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: expected a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    return path.suffix.lower()


def write_plot(path: Path, plot: Plot) -> None:
    """Write a plot in the format of its file name."""
    suffix = suffix_of(path)
    atomic_write(path, to_page(plot.description, to_inline_html(plot)) if suffix == ".html" else render(plot, suffix))

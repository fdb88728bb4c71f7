"""Draw the table of runs as a picture of the terminal: docs/demo.svg.

python tools/screenshot.py docs/demo.svg RUN...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rich.console import Console

from earmark import folder
from earmark.cli._words import drawn
from earmark.report.files import read_metrics
from earmark.report.table import HEAD, table


def main() -> None:
    """Record what `earmark show` prints."""
    out, runs = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    console = Console(record=True, width=88, force_terminal=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    for run in runs:
        signed, metrics = folder.signed(run), read_metrics(run)
        title = f"{signed.benchmark['name']} by {signed.model['name']}: {metrics.rows[0].headline[0]}"
        console.print(drawn(title, HEAD, table(metrics.rows), words=2))
        for notice in metrics.notices:
            console.print(notice)
        console.print()
    svg = console.export_svg(title="earmark demo")
    out.write_text(
        re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8"
    )  # no fonts from elsewhere


main()

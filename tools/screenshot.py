"""Draw the tables of runs as a picture of the terminal: docs/demo.svg.

python tools/screenshot.py docs/demo.svg RUN...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rich.console import Console

from earmark.cli._tables import column_widths, make_table, split_columns
from earmark.report import gain
from earmark.report.files import read_metrics
from earmark.report.table import HEAD, rows_table
from earmark.runs.signature import load_signature

WIDTH = 88  # columns


def main() -> None:
    """Record the output of `earmark show`, with as many columns of the listening gain as fit."""
    out, runs = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    console = Console(record=True, width=WIDTH, force_terminal=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    for run in runs:
        signed, metrics = load_signature(run), read_metrics(run)
        title = f"{signed.benchmark['name']} by {signed.model['name']}: {metrics.rows[0].headline[0]}"
        console.print(title, style="bold", markup=False)
        console.print(make_table(HEAD, rows_table([row for row in metrics.rows if not row.is_slice]), words=2))
        gains = gain.gain_table([row for row in metrics.gains if not row.slice])
        if gains:
            columns = split_columns(gain.HEAD, column_widths([gain.HEAD, *gains]), 1, WIDTH)[0]
            head, *lines = ([line[index] for index in columns] for line in (gain.HEAD, *gains))
            console.print("listening gain: plain minus the best control", style="bold")
            console.print(make_table(head, lines))
        for notice in metrics.warnings:
            console.print(notice)
        console.print()
    svg = console.export_svg(title="earmark demo")
    out.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")  # no remote fonts


main()

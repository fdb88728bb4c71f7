"""docs/battery.md is what the tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from earmark.plugins import table_names

ROOT = Path(__file__).parents[1]


def test_the_page_is_made_from_the_tables() -> None:
    page = (ROOT / "docs/battery.md").read_text(encoding="utf-8")
    for name in table_names("benchmarks"):
        assert f"| `{name}` |" in page, f"{name} is not on the page: type python tools/battery_page.py"
    done = subprocess.run(
        [sys.executable, "tools/battery_page.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_is_not_run_is_named_with_a_reason() -> None:
    page = (ROOT / "docs/battery.md").read_text(encoding="utf-8")
    for words in ("speech as the answer", "duplex", "tools and functions", "PEDANT"):
        assert words in page

"""The line budget: how long files and functions may be, and how much there is of everything.

python tools/budget.py        fails where a limit is passed; prints the totals beside their limits
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FILE, FUNCTION = 400, 40
TOTALS = {
    "earmark": 27000,  # intervals that hold, and joint inference over controls
    "tests": 17500,
    "tools": 1900,  # the simulated worlds of `make validity`
    "examples": 400,
}  # lines; raised on purpose, in a commit that says why


def too_long(path: Path) -> list[str]:
    """What in a file passes a limit."""
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    found = [f"{path}: {lines} lines, at most {FILE}"] if lines > FILE else []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION:
                found.append(f"{path}:{node.lineno}: {node.name} has {length} lines, at most {FUNCTION}")
    return found


def main() -> None:
    """Print the totals; exit with the number of limits passed."""
    passed = []
    for folder, limit in TOTALS.items():
        files = sorted(Path(folder).rglob("*.py"))
        lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
        print(f"{folder:<9} {lines:>6} lines of {limit}, {len(files)} files")
        passed += [f"{folder}: {lines} lines, at most {limit}"] if lines > limit else []
        passed += [line for path in files if folder != "tests" for line in too_long(path)]
    for line in passed:
        print(line)
    sys.exit(min(1, len(passed)))


if __name__ == "__main__":
    main()

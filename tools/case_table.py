"""Write the table of public bug reports and of the tests that hold them: python tools/case_table.py CASES.jsonl > docs/cases.md

A case has an id such as c08. Its test is a function that has the id in its name, or that is given it as a parameter or
reads its fields (`FUNCTIONS`).
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
KINDS: Final = {
    "a-extraction": "Reading choices from replies",
    "b-wer": "Word errors",
    "c-audio": "Sound",
    "d-client": "Servers",
    "e-core": "Runs, files and tables",
    "f-metrics": "Judges and metrics",
}
HEAD: Final = """# Cases from public bug reports

Faults that were reported of other evaluation harnesses, servers and libraries, each as a test of this one. The page is written by
`python tools/case_table.py CASES.jsonl`, and a test holds it to the file of cases. State: `holds` is a case whose test passes as the case
has it; tests run in continuous integration, so that a case that does not hold stops it.
"""
FUNCTION: Final = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


@functools.cache
def all_tests() -> list[tuple[str, str, str]]:
    """Every test as FILE::FUNCTION below tests/, its source with the decorators, and the ids in CASES of its file."""
    made = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        starts = [*(match.start() for match in FUNCTION.finditer(text)), len(text)]
        listed = re.search(r"^CASES = \(([^)]*)\)", text, re.MULTILINE)
        for start, end in itertools.pairwise(starts):
            name = FUNCTION.findall(text[start:end])[0]
            source = text[max(text.rfind("\n\n\n", 0, start), 0) : text.find("\n\n\n", start) % (end + 1)]
            made.append((f"{path.relative_to(ROOT / 'tests')}::{name}", source, listed[1] if listed else ""))
    return made


def find_tests(case: str) -> Iterator[str]:
    """Yield the tests of a case."""
    for name, source, listed in all_tests():
        is_given = 'parametrize("case", CASES)' in source and case in listed
        if is_given or re.search(rf"(\b|_){case}(\b|_)", source):
            yield name


def table(cases: list[dict[str, Any]]) -> str:
    """The page."""
    parts = [HEAD]
    for kind, title in KINDS.items():
        parts.append(f"\n## {title}\n\n| id | fault | state | test |\n|-|-|-|-|\n")
        for case in cases:
            if case["kind"] == kind:
                fault = re.search(r"Fault: (.*?) Sure: ", case["note"])
                tests = ", ".join(f"`{test}`" for test in find_tests(case["id"]))
                text = (fault[1] if fault else case["note"]).replace("|", "\\|")
                parts.append(f"| {case['id']} | {text} | {'holds' if tests else 'open'} | {tests} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(table([json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]))

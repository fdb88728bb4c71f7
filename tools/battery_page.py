"""Make docs/battery.md from the tables of benchmarks: python tools/battery_page.py [--check]."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from earmark import plugins
from earmark.engine.load import load_benchmark
from earmark.types import TaskFacts

PAGE: Final = Path(__file__).parent.parent / "docs" / "battery.md"
HEAD: Final = """# The battery

Every benchmark that is a table, as its YAML has it. `tools/battery_page.py` makes this page, and a test holds it to the tables. `earmark info
NAME` prints the card of one, `earmark run suite:NAME` runs many ([suites.md](suites.md)).

*Ears*: yes, a transcript does not carry the answers; no, it does; partly, of some questions. *Rule*: the policy that stands first, the
official one, with its settings; others stand behind it. *Pin*: the revision of the repository that is read; a set without one is read as
it is, and a fetch writes down the commit that it got.

| name | set | questions | ears | number | rule | pin | licence of questions; of sound |
|-|-|-|-|-|-|-|-|
"""
NOT_RUN: Final = """
## Not run

| what | examples | why |
|-|-|-|
| speech as the answer, judged as sound | SEED-TTS, CV3-Eval, InstructTTSEval, URO-Bench's half on speech out, WildSpeech-Bench's UTMOS | needs models that speak and judges of speech; answers here are text |
| duplex and turn taking | Full-Duplex-Bench, EVA, MTalk-Bench | a stream of sound in both directions at once, not a question and an answer |
| tools and functions | ComplexFuncBench Audio | needs an environment in which calls are executed |
| tasks of Dynamic-SUPERB that make sound | 5 of its 259 | as the first line |
| sound with video | Daily-Omni, WorldSense, OmniBench, MMOU | outside a battery of sound |
| SD-QA's second half | PEDANT of `qa_metrics` | pickles that are fetched from the web, and another number with each of its versions; the row is the half that a judge decides |
"""


def make_page() -> str:
    """The whole page."""
    names = plugins.table_names("benchmarks")
    tables: dict[str, Any] = {name: plugins.find_plugin("benchmarks", name).module.TABLE for name in names}
    lines = [_line(name, table) for name, table in tables.items()]
    notes = [note for name, table in tables.items() for note in _notes(name, table)]
    known = "\n## Why words carry it, or carry a part of it, and known faults\n\n"
    return HEAD + "\n".join(lines) + "\n" + known + "\n".join(notes) + "\n" + NOT_RUN


def _facts(name: str) -> dict[str, TaskFacts]:
    return dict(load_benchmark(name, [], {}).task_facts)


def _line(name: str, table: Any) -> str:
    facts = _facts(name)
    rows = [questions.rows for questions in table.sets.values()]
    own = [one.rows for one in facts.values()]
    counted = own if all(number is not None for number in own) else rows
    total = f"{sum(number for number in counted if number):,}" if all(number is not None for number in counted) else "–"
    tasks = f"{total} in {len(facts)} tasks" if len(facts) > 1 else total
    kinds = Counter(one.needs_ears for one in facts.values())
    ears = ", ".join(f"{kinds[kind]} {kind}" for kind in ("yes", "partly", "no") if kinds[kind])
    ears = next(iter(kinds)) if len(kinds) == 1 else ears
    cells = (
        f"`{name}`", table.title, tasks, ears, _several(one.metric for one in facts.values()), _rule(table),
        _pins(table), f"{_several(one.license for one in facts.values())}; {_several(one.sound_license for one in facts.values())}",
    )  # fmt: skip
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _several(texts: Iterator[str]) -> str:
    """Texts that differ, the first few."""
    found = list(dict.fromkeys(text for text in texts if text))
    return "; ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "") or "not stated"


def _rule(table: Any) -> str:
    """The first policy of the table, and of tasks that are scored otherwise."""
    rules = [_policy(table.scorers)] + [_policy(scorers) for scorers in table.task_scorers.values()]
    return _several(iter(rules))


def _policy(scorers: dict[str, dict[str, Any]]) -> str:
    name, settings = next(iter(scorers.items()))
    details = [
        f"{key} {value}" for key, value in settings.items() if key != "scorer" and not isinstance(value, dict | list)
    ]
    return f"{name}: {', '.join([str(settings['scorer']), *details])}"


def _pins(table: Any) -> str:
    layouts = [layout for questions in table.sets.values() for layout in questions.layouts.values()]
    pins = [f"{one.repository} {one.revision[:12] or 'not pinned'}" for one in layouts if one.repository]
    return _several(iter(pins)) if pins else "files as published"


def _notes(name: str, table: Any) -> Iterator[str]:
    facts = _facts(name)
    reasons = dict.fromkeys(f"{one.needs_ears}: {one.reason}" for one in facts.values() if one.reason)
    faults = dict.fromkeys(fault for one in facts.values() for fault in one.faults)
    texts: Sequence[str] = [*reasons, *table.warnings, *faults]
    if texts:
        yield f"- `{name}`: {'; '.join(_cell(text).rstrip('.') for text in texts)}."


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


def main() -> None:
    """Write the page, or with --check say if it differs."""
    page = make_page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page else f"{PAGE}: type python {__file__}")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

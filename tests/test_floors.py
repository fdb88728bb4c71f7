"""A module imports only from floors below its own, and rooms on one floor do not know each other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import earmark

HOUSE = Path(earmark.__file__).parent
FLOORS = [
    {"errors", "types"},
    {"data", "plugins", "stats", "text"},
    {"audio", "config", "journal"},
    {"engine", "judges", "report", "serving"},
    {"conditions", "models", "preflight", "runs", "scorers", "terminal"},
    {"audiogram", "benchmarks", "evaluate", "importers", "viewer"},
    {"api", "cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(path for path in HOUSE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))


def room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported_rooms(source: str) -> set[str]:
    """The rooms a module imports from, wherever in the file it does so.

    >>> sorted(imported_rooms("from earmark.audio.read import sniff; import earmark.engine.runner"))
    ['audio', 'engine']
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"earmark.{alias.name}" for alias in node.names] if node.module == "earmark" else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("earmark.")}
    return found - {"__version__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_imports_point_down(path: Path) -> None:
    here = room(path)
    assert here in FLOOR, f"{here} has no floor: give it one in FLOORS"
    above = sorted(other for other in imported_rooms(path.read_text()) if other != here and FLOOR[other] >= FLOOR[here])
    assert not above, f"{here} may not import {above}"


def test_the_rule_bites() -> None:
    assert imported_rooms("def f():\n    from earmark.models import openai") == {"models"}
    assert FLOOR["models"] >= FLOOR["report"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_only_the_terminal_prints_and_only_commands_exit(path: Path) -> None:
    called = {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }
    if room(path) != "cli":
        assert not called & {"exit", "_exit"}
    if path != HOUSE / "terminal" / "console.py":
        assert not called & {"print"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_nothing_catches_everything(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: a bare except"
            names = {getattr(name, "id", "") for name in ast.walk(node.type)}
            assert not names & {"Exception", "BaseException"}, f"line {node.lineno}: catches everything"


def swallows(source: str) -> bool:
    """Return whether a module has a context that may hold exceptions back.

    >>> swallows("def __exit__(self, *_) -> bool: ..."), swallows("def __exit__(self, *_) -> None: ...")
    (True, False)
    """
    exits = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in ("__exit__", "__aexit__")
    )
    return any(not (isinstance(node.returns, ast.Constant) and node.returns.value is None) for node in exits)


def test_one_place_holds_back_what_it_does_not_name() -> None:
    swallowing = [str(path.relative_to(HOUSE)) for path in MODULES if swallows(path.read_text())]
    assert swallowing == ["engine/barrier.py"]
    suppressed = [path for path in MODULES if "suppress(Exception" in path.read_text()]
    assert not suppressed


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_one_module_writes_to_the_terminal(path: Path) -> None:
    """Everything shown passes `terminal/console.py`, which escapes control characters and turns markup off."""
    if path == HOUSE / "terminal" / "console.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("echo", "secho", "print"), f"line {node.lineno}: print by earmark.terminal.console"
        if isinstance(node, ast.ImportFrom) and node.module in ("rich", "rich.console"):
            assert not {alias.name for alias in node.names} & {"Console", "print"}, f"line {node.lineno}: a console"

"""The structure of the package in numbers: how it is named, layered, tested and run.

python tools/structure.py             prints every measure with its limit and its goal; status 1 where a limit is passed
python tools/structure.py --list      and the places that were counted
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE: Final = Path("earmark")
WIDTH, FILE, FUNCTION = 120, 400, 40  # columns of a line, lines of a file and of a function, at most

# Where each measure may be today, and its goal. It fails where it passes today's; lower that with the measure.
LIMITS: Final = {
    "functions named by a past participle, %": (3.0, 3),
    "docstrings opening with What, Whether, How, Where or Why, %": (1.0, 1),
    "names of grade A": (2, 0),
    "class names defined more than once": (0, 0),
    "lines over 120 columns": (0, 0),
    "members of plug-ins found by getattr or hasattr": (0, 0),
    "modules at the root": (5, 8),
    "floors": (7, 7),
    "imports of private modules across folders": (0, 0),
    "public modules without a test at the mirrored path, %": (10, 10),
    "own frames between earmark run and the request": (10, 10),
    "times a model's settings are parsed in a run": (1, 1),
    "lines loaded by a run": (16_150, 8_500),
    "files and functions that are too long": (0, 0),
    "lines of earmark": (62_000, 22_000),
    "lines of tests": (48_000, 17_500),
    "lines of tools": (4_500, 1_900),
    "lines of examples": (400, 400),
}

# Participles that do not end in "ed", but for those that are a verb in the present too: "read", "set", "put", "run".
IRREGULAR: Final = frozenset(
    """beaten begun bent bought broken brought built caught chosen dealt done drawn driven fallen fed felt flown
    forgotten fought found frozen given gone grown heard held hidden hung kept known laid led lent lost made meant
    met paid rebuilt redone rewritten risen said seen sent shown sold sought spent spoken spun stolen stood struck
    stuck sung sworn taken taught thought thrown told torn understood withheld won worn woven written""".split()
)
NO_PARTICIPLE: Final = "bed breed embed exceed feed hundred indeed need proceed red seed speed succeed".split()
OPENING: Final = re.compile(r"(What|Whether|How|Where|Why)\b")
# Grade A of the team's list of words: names of modules, classes, functions, fields and parameters; then of variables.
GRADE_A: Final = frozenset(
    """Kitchen cook COOKS Tally AHEAD AWAY HAND_OVER PULSE Watch Sitting asked_in_vain Composed Hears hears Heard hear
    Taken Settled standing Found Waiting Desk Sheet hand_in _hand_in _patiently Chosen Reading by_reader Side About
    Rules gathered Ear ear Mind mind Spread BREATH DEATHS STEADY Memory Remember forgetful Patient Refusals fitted
    learn told shaped loaded dice hiss thrown Wanted Heap honest promised BRIEF SLACK ABSURD FEW tame DEAF Takes Told
    Recognised Other lot lots drawn lazily Throw either theirs Beside holding held asked_by chance Cell Place Bags
    named Apart between tails student normal yes_or_no independent pools Page Key telling_words STRAY WAVERS screened
    Facts Spec recognises Line fitting sides foreign again Picture Played Finding leaning _told _remember
    _openai_refusals _held _beside""".split()
)
LOCALS: Final = frozenset("told found said one at way how there".split())
PLUGIN: Final = re.compile(r"\b(model|scorer|condition|benchmark|module|plugin|settings|find|find_plugin|unwrap)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Measured = tuple[float, list[str]]  # a value, and the places that were counted


class Source(NamedTuple):
    path: Path
    text: str
    tree: ast.Module


def read_sources(folder: Path) -> list[Source]:
    """Read every Python file of a folder."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py")))
    return [Source(path, text, ast.parse(text)) for path, text in texts]


def nodes(sources: list[Source]) -> Iterator[tuple[ast.AST, str]]:
    """Yield every node and its place."""
    for source in sources:
        for node in ast.walk(source.tree):
            yield node, f"{source.path}:{getattr(node, 'lineno', 1)}"


def count(places: list[str], total: float = 0) -> Measured:
    """Number of places, in per cent of a total if there is one."""
    return 100 * len(places) / total if total else len(places), places


def is_participle(name: str) -> bool:
    """True if the first word is a participle: `_told` and `seeded_rng`, not `seed` and `read_rows`."""
    word = name.strip("_").lower().split("_")[0]
    return word in IRREGULAR or (word.endswith("ed") and len(word) > 3 and word not in NO_PARTICIPLE)


def participles(sources: list[Source]) -> Measured:
    functions = [(node.name, place) for node, place in nodes(sources) if isinstance(node, Function)]
    return count([f"{place} {name}" for name, place in functions if is_participle(name)], len(functions))


def openings(sources: list[Source]) -> Measured:
    documented = ast.Module | ast.ClassDef | Function
    docs = [(ast.get_docstring(node), place) for node, place in nodes(sources) if isinstance(node, documented)]
    texts = [(text, place) for text, place in docs if text]
    return count([f"{place} {text[:60]!r}" for text, place in texts if OPENING.match(text)], len(texts))


def grade_a(sources: list[Source]) -> Measured:
    """Count the words that name a definition; each word counts once, with the place of its first use."""
    places = {source.path.stem: str(source.path) for source in sources if source.path.stem in GRADE_A}
    for node, place in nodes(sources):
        if (name := defined_name(node)) in GRADE_A | LOCALS:
            places.setdefault(name, place)
    return count([f"{place} {name}" for name, place in sorted(places.items())])


def defined_name(node: ast.AST) -> str:
    """Name of the class, function, parameter, field or constant that a node defines, or of a variable of `LOCALS`."""
    if isinstance(node, ast.ClassDef | Function):
        return node.name
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id if node.id in LOCALS or node.id.isupper() else ""
    return ""


def classes(sources: list[Source]) -> Measured:
    places = defaultdict(list)
    for node, place in nodes(sources):
        if isinstance(node, ast.ClassDef) and node.name != "Settings":
            places[node.name].append(place)
    return count([f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1])


def members_by_name(sources: list[Source]) -> Measured:
    """Count `getattr` and `hasattr` on plug-ins, but for `getattr(settings, name)` over a struct's own fields."""
    calls = []  # on what is called like a plug-in
    for node, place in nodes(sources):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            holder, literal = ast.unparse(node.args[0]), isinstance(node.args[1], ast.Constant)
            if PLUGIN.search(holder) and (literal or holder == "module" or holder.startswith("find")):
                calls.append(f"{place} {ast.unparse(node)}")
    return count(calls)


def imports(source: Source) -> Iterator[str]:
    """Names of the package that a file uses: imports anywhere in it, and strings that are a dotted name."""
    prefix = f"{PACKAGE.name}."
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(prefix):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(prefix))
        elif isinstance(node, ast.Constant) and re.fullmatch(rf"{PACKAGE.name}(\.\w+)+", str(node.value)):
            yield str(node.value)


def arrows(sources: list[Source]) -> Iterator[tuple[Path, Path]]:
    """Yield a file and a file that it imports; a name of the package itself lies in none."""
    for source in sources:
        for parts in (name.split(".") for name in imports(source)):
            modules = (Path(*parts[:size]) for size in range(len(parts), 1, -1))
            files = (file for module in modules for file in (module.with_suffix(".py"), module / "__init__.py"))
            if file := next(filter(Path.is_file, files), None):
                yield source.path, file


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def floors(sources: list[Source]) -> Measured:
    """Count the folders on the longest way down; a cycle has no floors and counts as infinitely many."""
    below = defaultdict(set)
    for source, target in arrows(sources):
        if not room(source).startswith("__") and room(target) not in (room(source), "__init__"):
            below[room(source)].add(room(target))
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as error:
        return float("inf"), [f"cycle: {' <- '.join(error.args[1])}"]
    level: dict[str, int] = {}
    for name in order:
        level[name] = 1 + max((level[under] for under in below[name]), default=0)
    return count([f"{n}: {', '.join(sorted(r for r in level if level[r] == n))}" for n in sorted(set(level.values()))])


def root_modules(sources: list[Source]) -> Measured:
    return count([str(source.path) for source in sources if source.path.parent == PACKAGE])


def private_imports(sources: list[Source]) -> Measured:
    pairs = {(a, b) for a, b in arrows(sources) if re.match(r"_[^_]", b.stem) and a.parent != b.parent}
    return count(sorted(f"{target} from {source}" for source, target in pairs))


def untested(sources: list[Source]) -> Measured:
    public = [source.path for source in sources if not source.path.stem.startswith("_")]
    tests = {path: "tests" / path.relative_to(PACKAGE).parent / f"test_{path.stem}.py" for path in public}
    return count([str(path) for path, test in tests.items() if not test.is_file()], len(public))


def long_lines(sources: list[Source]) -> Measured:
    lines = [(f"{s.path}:{n}", len(line)) for s in sources for n, line in enumerate(s.text.splitlines(), 1)]
    return count([f"{place} {length}" for place, length in lines if length > WIDTH])


def too_long(sources: list[Source]) -> Measured:
    lines = {str(source.path): source.text.count("\n") for source in sources}
    files = [f"{path}: {length} lines" for path, length in lines.items() if length > FILE]
    functions = [(node, place) for node, place in nodes(sources) if isinstance(node, Function)]
    lengths = [(f"{place} {node.name}", (node.end_lineno or 0) - node.lineno + 1) for node, place in functions]
    return count(files + [f"{place}: {length} lines" for place, length in lengths if length > FUNCTION])


MEASURES: Final[list[Callable[[list[Source]], Measured]]] = [
    participles, openings, grade_a, classes, long_lines, members_by_name, root_modules, floors, private_imports, untested
]  # fmt: skip


def main() -> None:
    """Print the measures beside their limits; exit with 1 where one is passed."""
    package = read_sources(PACKAGE)
    others = {name: read_sources(Path(name)) for name in ("tests", "tools", "examples")}
    one_run = subprocess.run([sys.executable, "tools/one_run.py"], stdout=subprocess.PIPE, check=True)
    measured = [measure(package) for measure in MEASURES]
    measured += [(value, []) for value in json.loads(one_run.stdout).values()]
    measured += [too_long([*package, *others["tools"], *others["examples"]])]
    measured += [(sum(s.text.count("\n") for s in sources), []) for sources in (package, *others.values())]
    passed = False
    for (name, (today, goal)), (value, places) in zip(LIMITS.items(), measured, strict=True):
        passed |= value > today
        mark = "!" if value > today else " " if value <= goal else "."
        print(f"{mark} {name:<60}{value:>9.5g}  at most {today:<7g} goal {goal:g}")
        for place in places if "--list" in sys.argv[1:] else ():
            print(f"      {place}")
    sys.exit(passed)


if __name__ == "__main__":
    main()

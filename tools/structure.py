"""The structure of the package in numbers: how it is named, how it is layered, what is tested where.

python tools/structure.py             prints every measure beside its limit; exits with 1 where one is passed
python tools/structure.py --list      and the places that were counted
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE: Final = Path("earmark")
TESTS: Final = Path("tests")
WIDTH: Final = 120  # columns
LINES: Final = 22_000  # of the package

# A function is named by a participle where the first word of its name is one: in "ed", or irregular and no verb in the
# present ("read", "set", "put" and "run" are). Adjectives before a noun count too, such as `seeded_rng`.
IRREGULAR: Final = frozenset(
    """beaten begun bent bought broken brought built caught chosen dealt done drawn driven fallen fed felt flown
    forgotten fought found frozen given gone grown heard held hidden hung kept known laid led lent lost made meant
    met paid rebuilt redone rewritten risen said seen sent shown sold sought spent spoken spun stolen stood struck
    stuck sung sworn taken taught thought thrown told torn understood withheld won worn woven written""".split()
)
NO_PARTICIPLE: Final = frozenset(
    "bed breed embed exceed feed hundred indeed need proceed red seed speed succeed".split()
)
OPENING: Final = re.compile(r"(What|Whether|How|Where|Why)\b")

# Grade A of the team's list of words: names of modules, classes, functions, fields and parameters; then of variables.
GRADE_A: Final = frozenset(
    """Kitchen cook COOKS Tally AHEAD AWAY HAND_OVER PULSE Watch Sitting asked_in_vain Composed Hears hears Heard
    hear Taken Settled standing Found Waiting Desk Sheet hand_in _hand_in _patiently Chosen Reading by_reader Side
    About Rules gathered Ear ear Mind mind Spread BREATH DEATHS STEADY Memory Remember forgetful Patient Refusals
    fitted learn told shaped loaded dice hiss thrown Wanted Heap honest promised BRIEF SLACK ABSURD FEW tame DEAF
    Takes Told Recognised Other lot lots drawn lazily Throw either theirs Beside holding held asked_by chance Cell
    Place Bags named Apart between tails student normal yes_or_no independent pools Page Key telling_words STRAY
    WAVERS screened Facts Spec recognises Line fitting sides foreign again Picture Played Finding leaning _told
    _remember _openai_refusals _held _beside""".split()
)
LOCALS: Final = frozenset("told found said one at way how there".split())

# What plug-ins are called where a member is looked up by name.
PLUGIN: Final = re.compile(
    r"\b(model|scorer|condition|benchmark|module|plugin|settings|find|find_plugin|unwrap|innermost)\b"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


class Source(NamedTuple):
    path: Path
    text: str
    tree: ast.Module


class Measure(NamedTuple):
    name: str
    value: float
    limit: float
    found: list[str]
    unit: str = ""
    at_least: bool = False

    @property
    def exceeded(self) -> bool:
        return self.value < self.limit if self.at_least else self.value > self.limit


def nodes(sources: list[Source]) -> Iterator[tuple[Source, ast.AST, str]]:
    for source in sources:
        for node in ast.walk(source.tree):
            yield source, node, f"{source.path}:{getattr(node, 'lineno', 1)}"


def is_participle(name: str) -> bool:
    """True for `_told` and `signed_model`, not for `seed` and `read_rows`."""
    word = name.strip("_").lower().split("_")[0]
    return word in IRREGULAR or (word.endswith("ed") and len(word) > 3 and word not in NO_PARTICIPLE)


def participles(sources: list[Source]) -> Measure:
    functions = [(node.name, place) for _, node, place in nodes(sources) if isinstance(node, Function)]
    named = [f"{place} {name}" for name, place in functions if is_participle(name)]
    return Measure("functions named by a past participle", 100 * len(named) / len(functions), 3, named, " %")


def openings(sources: list[Source]) -> Measure:
    texts = [
        (text, place)
        for _, node, place in nodes(sources)
        if isinstance(node, Documented) and (text := ast.get_docstring(node))
    ]
    opened = [f"{place} {text.splitlines()[0][:60]}" for text, place in texts if OPENING.match(text)]
    share = 100 * len(opened) / max(1, len(texts))
    return Measure("docstrings opening with What, Whether, How, Where or Why", share, 1, opened, " %")


def grade_a(sources: list[Source]) -> Measure:
    """Count the words that name a definition; each word counts once, with the place of its first use."""
    places = {source.path.stem: str(source.path) for source in sources if source.path.stem in GRADE_A}
    members = {id(name) for source in sources for name in assigned(source.tree)}
    for _, node, place in nodes(sources):
        name = defined(node)
        if name in LOCALS or (name in GRADE_A and (not isinstance(node, ast.Name) or id(node) in members)):
            places.setdefault(name, place)
    return Measure("names of grade A", len(places), 0, [f"{place} {name}" for name, place in sorted(places.items())])


def assigned(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign | ast.AnnAssign):
                    yield from ast.walk(statement)


def defined(node: ast.AST) -> str:
    """The name that a node defines: of a class, a function, a parameter or a variable; empty for any other node."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def classes(sources: list[Source]) -> Measure:
    places = defaultdict(list)
    for _, node, place in nodes(sources):
        if isinstance(node, ast.ClassDef) and node.name != "Settings":
            places[node.name].append(place)
    twice = [f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]
    return Measure("class names defined more than once", len(twice), 0, twice)


def long_lines(sources: list[Source]) -> Measure:
    lines = [(f"{s.path}:{n}", len(line)) for s in sources for n, line in enumerate(s.text.splitlines(), 1)]
    long = [f"{place} {length}" for place, length in lines if length > WIDTH]
    return Measure(f"lines over {WIDTH} columns", len(long), 0, long)


def looked_up(sources: list[Source]) -> Measure:
    """Count `getattr` and `hasattr` on plug-ins, but for `getattr(settings, name)` over a struct's own fields."""
    calls = []
    for _, node, place in nodes(sources):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            holder, literal = ast.unparse(node.args[0]), isinstance(node.args[1], ast.Constant)
            if PLUGIN.search(holder) and (literal or holder == "module" or holder.startswith("find")):
                calls.append(f"{place} {ast.unparse(node)}")
    return Measure("members of plug-ins found by getattr or hasattr", len(calls), 0, calls)


def root_modules(sources: list[Source]) -> Measure:
    roots = sorted(str(source.path) for source in sources if source.path.parent == PACKAGE)
    return Measure("modules at the root", len(roots), 8, roots)


def imports(source: Source) -> Iterator[tuple[str, int]]:
    """Names of the package that a file uses: imports anywhere in it, and strings that are a dotted name."""
    prefix = f"{PACKAGE.name}."
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(prefix):
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name.startswith(prefix))
        elif isinstance(node, ast.Constant) and re.fullmatch(rf"{PACKAGE.name}(\.\w+)+", str(node.value)):
            yield str(node.value), node.lineno


def file_of(name: str) -> Path | None:
    """The file that a dotted name lies in; None for a name of the package itself."""
    parts = name.split(".")
    for size in range(len(parts), 1, -1):
        path = Path(*parts[:size])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None


def arrows(sources: list[Source]) -> Iterator[tuple[Path, Path, int]]:
    for source in sources:
        for name, line in imports(source):
            if target := file_of(name):
                yield source.path, target, line


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def floors(sources: list[Source]) -> Measure:
    """Count the rooms on the longest way down; a cycle has no floors and counts as infinitely many."""
    below = defaultdict(set)
    for source, target, _ in arrows(sources):
        if not room(source).startswith("__") and room(target) not in (room(source), "__init__"):
            below[room(source)].add(room(target))
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as error:
        return Measure("floors", float("inf"), 7, [f"cycle: {' <- '.join(error.args[1])}"])
    level: dict[str, int] = {}
    for name in order:
        level[name] = 1 + max((level[under] for under in below[name]), default=0)
    drawn = [f"{n}: {', '.join(sorted(r for r in level if level[r] == n))}" for n in sorted(set(level.values()))]
    return Measure("floors", len(drawn), 7, drawn)


def private_imports(sources: list[Source]) -> Measure:
    used = {
        f"{target} from {source}"
        for source, target, _ in arrows(sources)
        if target.stem.startswith("_") and target.name != "__init__.py" and target.parent != source.parent
    }
    return Measure("imports of private modules across folders", len(used), 0, sorted(used))


def mirrored(sources: list[Source]) -> Measure:
    public = [source.path for source in sources if not source.path.stem.startswith("_")]
    without = [str(p) for p in public if not (TESTS / p.relative_to(PACKAGE).parent / f"test_{p.stem}.py").is_file()]
    share = 100 * (1 - len(without) / len(public))
    return Measure("public modules with a test at the mirrored path", share, 90, without, " %", at_least=True)


def main() -> None:
    """Print the measures beside their limits; exit with 1 where a limit is passed."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    sources = [Source(path, text, ast.parse(text)) for path, text in texts.items()]
    measure = (
        participles,
        openings,
        grade_a,
        classes,
        long_lines,
        looked_up,
        root_modules,
        floors,
        private_imports,
        mirrored,
    )
    lines = sum(source.text.count("\n") for source in sources)
    rows = [*(part(sources) for part in measure), Measure("lines of the package", lines, LINES, [])]
    for row in rows:
        count, limit = f" ({len(row.found)})" if row.unit else "", "at least" if row.at_least else "at most"
        mark, value = "!" if row.exceeded else " ", f"{row.value:>8.5g}{row.unit}{count}"
        print(f"{mark} {row.name:<57}{value}, {limit} {row.limit:g}{row.unit}")
        if "--list" in sys.argv[1:]:
            print(*(f"      {line}" for line in row.found), sep="\n")
    sys.exit(any(row.exceeded for row in rows))


if __name__ == "__main__":
    main()

"""Code that a run names and that is not the package's: imported only from the working folder, and only if allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from earmark.errors import BadData, EarmarkError
from earmark.plugins import allow_modules, is_path
from earmark.runs.rescore import read_config
from earmark.runs.signature import load_signature
from earmark.runs.trust import is_trusted
from earmark.viewer.results import scorer_files, scorer_labels


class CodePolicy:
    """Says which code of runs may be imported; the name of each module is printed first, once."""

    def __init__(self, log: Callable[[str], None], *, allowed: bool = True, folder: Path | None = None) -> None:
        """`folder` is the working folder."""
        self._log, self._allowed = log, allowed
        self._folder = (folder or Path.cwd()).resolve()
        self._printed: set[str] = set()

    def check(self, run: Path) -> None:
        """Raise BadData if a run names code that may not be imported."""
        for name in foreign_names(run):
            path = self._find(name)
            if not self._allowed:
                raise BadData(f"{name} is code of its own, which --no-code leaves out")
            if not is_trusted(run):
                raise BadData(f"{name} is code, and the run was not made here; to allow it: earmark trust {run}")
            if path is None:
                raise BadData(f"{name} is code that does not lie in the working folder {self._folder}")
            allow_modules([name])
            if name not in self._printed:
                self._printed.add(name)
                self._log(f"importing {name} ({path}), which {run} names")

    def _find(self, name: str) -> Path | None:
        """Find the file of a module, such as mine.bench, or of a path, such as ./bench.py, in the working folder."""
        is_file = "/" in name or name.endswith(".py")
        base = self._folder / name if is_file else self._folder.joinpath(*name.split("."))
        candidates = (base, base.with_suffix(".py"), base / "__init__.py")
        found = (path.resolve() for path in candidates if path.is_file())
        return next((path for path in found if path.is_relative_to(self._folder)), None)


def foreign_names(run: Path) -> list[str]:
    """Names of modules that a run's benchmark, conditions and scorers have, other than the package's."""
    return list(dict.fromkeys(_names(run)))


def _names(run: Path) -> Iterator[str]:
    signature = load_signature(run)
    names = [str(signature.benchmark["name"])] if not signature.benchmark.get("imported") else []
    names += [condition.partition(":")[0] for condition in signature.condition]
    names += [label.partition(" ")[0] for label in scorer_labels(run)]
    paths = list(_paths(run))
    by_path = {Path(path).name for path in paths}
    yield from (name for name in names if ("." in name or "/" in name) and name not in by_path)
    yield from paths


def _paths(run: Path) -> Iterator[str]:
    """Files of plug-ins that were given by their path: from there they are imported again."""
    if (run / "config.yaml").exists():
        config = read_config(run)
        texts = (*config.plugins, *config.run.condition)
        yield from (path for text in texts if is_path(path := text.partition(":")[0]))
    yield from scorer_files(run)


def is_allowed(policy: CodePolicy, run: Path) -> str:
    """Return why the code of a run may not be imported; nothing if it may.

    >>> from earmark.viewer.results import Results
    >>> is_allowed(CodePolicy(print), Path("missing"))[:30]
    'missing: is no run, it has no '
    """
    try:
        policy.check(run)
    except EarmarkError as error:
        return str(error)
    return ""

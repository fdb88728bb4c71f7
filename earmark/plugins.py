"""A plug-in is a file: it is listed because it is there, and adding one edits no other file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, TypeAlias

from earmark.errors import BadSetup, UsageError

Kind: TypeAlias = Literal["benchmarks", "models", "scorers", "conditions", "importers", "cli"]
PACKAGE_DIR: Final = Path(__file__).parent
TABLES: Final = "_table"  # module of the benchmarks that are tables
DOTTED: Final = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")  # a module of a package, in an argument
_allowed: set[str] | None = None  # modules that the working folder is searched for; None: any, outside of a command


def plugin_names(kind: Kind) -> list[str]:
    """The files of a folder, without importing any of them.

    >>> "silence" in plugin_names("conditions")
    True
    """
    return sorted(path.stem for path in (PACKAGE_DIR / kind).glob("*.py") if not path.stem.startswith("_"))


def table_names(kind: Kind) -> list[str]:
    """The benchmarks that are tables.

    >>> "mmau" in table_names("benchmarks"), table_names("models")
    (True, [])
    """
    return sorted(import_module(f"earmark.{kind}.{TABLES}").table_paths()) if kind == "benchmarks" else []


def packaged_tables(kind: Kind) -> list[str]:
    """The benchmarks that are packaged tables, whatever tables the user has.

    >>> "mmau" in packaged_tables("benchmarks")
    True
    """
    return sorted(path.stem for path in (PACKAGE_DIR / kind / "tables").glob("*.yaml"))


def limit_modules(arguments: Iterable[str] | None) -> None:
    """Search the working folder only for modules that these arguments name; None lifts the limit."""
    global _allowed  # noqa: PLW0603 - of the process, as the import path is
    values = None if arguments is None else [text.partition("=")[2] or text for text in arguments]
    _allowed = None if values is None else {name for value in values for name in DOTTED.findall(value)}


def allow_modules(names: Iterable[str]) -> None:
    """Search the working folder for these modules too: those of a run that the user trusts."""
    if _allowed is not None:
        _allowed.update(names)


def find_plugin(kind: Kind, name: str) -> ModuleType:
    """The module of a plug-in; a name with a dot is somebody else's and is imported as it stands. Raises UsageError for
    none.
    """
    file = name.replace("-", "_")
    if file in plugin_names(kind):
        return import_module(f"earmark.{kind}.{file}")
    if kind == "benchmarks" and (table := import_module(f"earmark.{kind}.{TABLES}").find_table(name)):
        module: ModuleType = table
        return module
    if "." not in name:
        available = ", ".join(display_name(kind, name) for name in (*plugin_names(kind), *table_names(kind)))
        raise UsageError(f"no {kind.removesuffix('s')} is called '{name}'; there are: {available}")
    return import_user_module(name)


def is_user_module(kind: Kind, name: str) -> bool:
    """True if a name is that of somebody else's module, and importing it runs code that is not the package's.

    >>> is_user_module("conditions", "no-media"), is_user_module("models", "my.one")
    (False, True)
    """
    if "." not in name or name.replace("-", "_") in plugin_names(kind):
        return False
    return kind != "benchmarks" or import_module(f"earmark.{kind}.{TABLES}").find_table(name) is None


def import_user_module(name: str) -> ModuleType:
    """Somebody else's module, installed or, where the command line names it, in the working folder, which comes last so
    that it hides nothing.
    """
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"'{name}' is no name of a module; expected one such as mine.bench, without .py and slashes")
    allowed = _allowed is None or name in _allowed
    if allowed and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or name):  # it was found, and lacks something itself
            raise BadSetup(f"module '{name}' needs '{error.name}', which is not there; install it") from error
        place = (
            "put it into the working folder"
            if allowed
            else "the working folder is searched only for modules that the command line names"
        )
        raise UsageError(
            f"no module '{name}' can be imported ({error}); {place}, install it, or set PYTHONPATH to where it lies"
        ) from error
    except SyntaxError as error:
        raise UsageError(f"module '{name}' is no Python: {error.filename}, line {error.lineno}: {error.msg}") from error


def display_name(kind: Kind, file: str) -> str:
    """The name that users type for a file: conditions, commands and foreign forms have hyphens.

    >>> display_name("conditions", "no_media"), display_name("benchmarks", "spoken_words")
    ('no-media', 'spoken_words')
    """
    return file.replace("_", "-") if kind in ("conditions", "cli", "importers") else file


def summary(kind: Kind, name: str) -> str:
    """The first line of a plug-in's docstring, read without running it.

    >>> summary("models", "whisper_tiny")
    'Whisper tiny.en on CTranslate2, its weights inside a package.'
    """
    source = (PACKAGE_DIR / kind / f"{name}.py").read_text(encoding="utf-8")
    return source.partition('"""')[2].partition("\n")[0].removesuffix('"""')

"""Finds plug-ins, checks them once, and gives them their names. Adding one edits no other file.

acoustics                 a file in the folder of its kind
./my_benchmark.py         a file by its path, from any folder; its digest signs the run
my_package.my_benchmark   a module that is installed, in the working folder or in PYTHONPATH
ENTRY                     an entry point of an installed package, in the group earmark.benchmarks and so on
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from earmark.types import UNSIGNED, Context, replace

Kind: TypeAlias = Literal["benchmarks", "models", "scorers", "conditions", "importers", "cli"]
PACKAGE_DIR: Final = Path(__file__).parents[1]
TABLES: Final = "_table"  # module of the benchmarks that are tables


class PluginFile(NamedTuple):
    """A plug-in that was given by its path."""

    path: Path
    digest: str  # of the file when it was loaded


files: Final[dict[str, PluginFile]] = {}  # by name, such as my_benchmark.py
_checked: Final[set[int]] = set()  # modules, by id
DOTTED: Final = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")  # a module of a package, in an argument
FILE: Final = re.compile(r"[^\s,=\[\]'\"{}]+\.py(?!\w)")  # a file of Python, in an argument
_allowed: set[str] | None = None  # modules and files that may be used; None: any, outside of a command


class Plugin(NamedTuple):
    """A plug-in, found and checked."""

    kind: Kind
    name: str
    module: ModuleType

    @property
    def module_name(self) -> str:
        """The name of its file without the suffix, where it is packaged; else its own."""
        return self.name.replace("-", "_") if self.module.__name__.startswith(f"earmark.{self.kind}.") else self.name

    @property
    def settings(self) -> Any:
        """The type of its settings."""
        return self.module.Settings

    @property
    def doc(self) -> str:
        return (self.module.__doc__ or "").strip()

    @property
    def is_packaged(self) -> bool:
        """True if it lies in this package: the contract tests check these."""
        return self.module.__name__.startswith("earmark.")

    def load(self, settings: Struct, context: Context) -> Any:
        """Load the plug-in under its name; for a model, an asynchronous context manager."""
        result = self.module.load(settings, replace(context, name=self.name))
        if not self.is_packaged:
            import_module("earmark.plugins.checks").check_result(self, result)
        if self.kind != "benchmarks":
            return result
        return replace(result, name=self.name, settings=result.settings or signed_settings(settings))

    def check_model(self, model: object) -> None:
        """Raise UsageError if what a model's context manager gives is no model."""
        if not self.is_packaged:
            import_module("earmark.plugins.checks").check_members(self, model)

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"{self.kind.removesuffix('s')} {self.name}"


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
    """Use files, and modules of the working folder, only if these arguments name them; None lifts the limit."""
    global _allowed  # noqa: PLW0603 - of the process, as the import path is
    _allowed = None if arguments is None else set()
    allow_modules(text.partition("=")[2] or text for text in arguments or ())


def allow_modules(values: Iterable[str]) -> None:
    """Allow the modules and files that values name too: those of a run that the user trusts."""
    for value in values:
        whole = [f"{value.partition('.py')[0]}.py"] if ".py" in value else []  # a path may contain blanks
        if _allowed is not None:
            _allowed.update(DOTTED.findall(value), map(full_path, (*FILE.findall(value), *whole)))


def is_allowed(name: str) -> bool:
    """True if a module may come from the working folder, or a file, by its full path, may be used.

    >>> is_allowed("mine.bench")  # outside of a command
    True
    """
    return _allowed is None or name in _allowed


def entry_points(kind: Kind) -> dict[str, Any]:
    """The plug-ins of installed packages, by name."""
    from importlib.metadata import entry_points as installed  # noqa: PLC0415 - only for names that are not packaged

    return {entry.name: entry for entry in installed(group=f"earmark.{kind}")}


def find_plugin(kind: Kind, name: str) -> Plugin:
    """Find a plug-in by its name, path or module, and check it. Raises UsageError if there is none."""
    file = name.replace("-", "_")
    if file in plugin_names(kind):
        return Plugin(kind, display_name(kind, file), import_module(f"earmark.{kind}.{file}"))
    if kind == "benchmarks" and (table := import_module(f"earmark.{kind}.{TABLES}").find_table(name)):
        return Plugin(kind, table.NAME, table)
    plugin: Plugin = import_module("earmark.plugins.roads").find_elsewhere(kind, name)
    if id(plugin.module) not in _checked:
        import_module("earmark.plugins.checks").check_module(plugin)
        _checked.add(id(plugin.module))
    return plugin


# ---------------------------------------------------------------- files by their path


def is_path(name: str) -> bool:
    """True if a name is the path of a Python file.

    >>> is_path("./mine.py"), is_path("mine.py"), is_path("mine.bench")
    (True, False, False)
    """
    return name.endswith(".py") and "/" in name


def full_path(name: str) -> str:
    """The path of a plug-in, with an argument or without, as it can be found from any folder; another name as it is."""
    path, colon, argument = name.partition(":")
    return f"{Path(path).expanduser().resolve()}{colon}{argument}" if is_path(path) else name


def plugin_file(name: str) -> PluginFile | None:
    """The file of a plug-in that was given by its path, by its name with or without an argument; None for others."""
    return files.get(Path(name.partition(":")[0]).name)


# ---------------------------------------------------------------- settings that sign


def unsigned_fields(settings: type[Struct]) -> set[str]:
    """The fields of settings that are annotated as UNSIGNED."""
    hints = get_type_hints(settings, include_extras=True)
    return {name for name, hint in hints.items() if get_origin(hint) is Annotated and UNSIGNED in hint.__metadata__}


def signed_settings(settings: Struct) -> dict[str, Any]:
    """The settings that sign a run or a number, as plain values."""
    unsigned = unsigned_fields(type(settings))
    plain: dict[str, Any] = msgspec.to_builtins(settings)
    return {name: value for name, value in plain.items() if name not in unsigned}


# ---------------------------------------------------------------- names


def display_name(kind: Kind, file: str) -> str:
    """The name that users type for a file: conditions, commands and foreign forms have hyphens.

    >>> display_name("conditions", "no_media"), display_name("benchmarks", "spoken_words")
    ('no-media', 'spoken_words')
    """
    return file.replace("_", "-") if kind in ("conditions", "cli", "importers") else file


def own_name(module: str) -> str:
    """The name of a packaged plug-in by that of its module, such as earmark.scorers.choice."""
    return module.rpartition(".")[2]


def summary(kind: Kind, name: str) -> str:
    """The first line of a plug-in's docstring, read without running it.

    >>> summary("models", "whisper_tiny")
    'Whisper tiny.en on CTranslate2, its weights inside a package.'
    """
    source = (PACKAGE_DIR / kind / f"{name}.py").read_text(encoding="utf-8")
    return source.partition('"""')[2].partition("\n")[0].removesuffix('"""')

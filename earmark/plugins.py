"""Finds plug-ins, checks them once, and gives them their names. Adding one edits no other file.

acoustics                 a file in the folder of its kind
./my_benchmark.py         a file by its path, from any folder; its digest signs the run
my_package.my_benchmark   a module that is installed, in the working folder or in PYTHONPATH
ENTRY                     an entry point of an installed package, in the group earmark.benchmarks and so on
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from earmark.errors import BadSetup, UsageError
from earmark.types import UNSIGNED, Benchmark, Context, replace

Kind: TypeAlias = Literal["benchmarks", "models", "scorers", "conditions", "importers", "cli"]
PACKAGE_DIR: Final = Path(__file__).parent
TABLES: Final = "_table"  # module of the benchmarks that are tables
MEMBERS: Final[dict[str, tuple[str, ...]]] = {  # of what a plug-in loads: those of its protocol in types.py
    "models": ("name", "capabilities", "generate"),
    "scorers": ("name", "metrics", "score", "bounds"),
    "conditions": ("removes_audio", "keeps_words", "apply"),
    "importers": ("matches", "read"),
}


class PluginFile(NamedTuple):
    """A plug-in that was given by its path."""

    path: Path
    digest: str  # of the file when it was loaded


_files: Final[dict[str, PluginFile]] = {}  # by name, such as my_benchmark.py
_checked: Final[set[int]] = set()  # modules, by id


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

    def load(self, settings: Struct, context: Context) -> Any:
        """Load the plug-in under its name; for a model, an asynchronous context manager. Raises UsageError if it gives
        something else than its kind has.
        """
        context = replace(context, name=self.name)
        loaded = self.module.load(settings, context)
        if self.kind == "benchmarks":
            if not isinstance(loaded, Benchmark):
                raise UsageError(f"{self.title}: load gives {_type_name(loaded)}, expected a Benchmark (earmark.types)")
            signed = loaded.settings or signed_settings(settings)
            return replace(loaded, name=self.name, settings=signed)
        if self.kind == "models":
            if not isinstance(loaded, AbstractAsyncContextManager):
                raise UsageError(
                    f"{self.title}: load gives {_type_name(loaded)}, expected an asynchronous context manager; write "
                    "@asynccontextmanager above an async def load that yields the model"
                )
            return loaded
        self.check_members(loaded)
        return loaded

    def check_members(self, loaded: object) -> None:
        """Raise UsageError if what the plug-in loaded lacks a member of its protocol."""
        missing = [name for name in MEMBERS[self.kind] if not _has_member(loaded, name)]
        if missing:
            raise UsageError(
                f"{self.title}: {_type_name(loaded)} has no {missing[0]}; expected {', '.join(MEMBERS[self.kind])}; see "
                "docs/plugins.md"
            )

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


def entry_points(kind: Kind) -> dict[str, Any]:
    """The plug-ins of installed packages, by name."""
    from importlib.metadata import entry_points as installed  # noqa: PLC0415 - only for names that are not packaged

    return {entry.name: entry for entry in installed(group=f"earmark.{kind}")}


def find_plugin(kind: Kind, name: str) -> Plugin:
    """Find a plug-in by its name, path or module, and check it. Raises UsageError if there is none."""
    plugin = _find(kind, name)
    if kind != "cli" and id(plugin.module) not in _checked:
        _check(plugin)
        _checked.add(id(plugin.module))
    return plugin


def _find(kind: Kind, name: str) -> Plugin:
    file = name.replace("-", "_")
    if file in plugin_names(kind):
        return Plugin(kind, display_name(kind, file), import_module(f"earmark.{kind}.{file}"))
    if kind == "benchmarks" and (table := import_module(f"earmark.{kind}.{TABLES}").find_table(name)):
        return Plugin(kind, table.NAME, table)
    if is_path(name) or name in _files:
        add_file(name)
        return Plugin(kind, Path(name).name, _import_file(Path(name).name))
    if "." not in name or not name.isascii() or "/" in name or name.endswith(".py"):
        if "." not in name and (entry := entry_points(kind).get(name)):
            return Plugin(kind, name, _import_entry(kind, entry))
        raise UsageError(unknown_name(kind, name))
    return Plugin(kind, name, import_user_module(name))


def is_known(kind: Kind, name: str) -> bool:
    """True if a name is that of a plug-in, or may be that of a file or module."""
    own = "." in name or name.startswith("hub:")
    return own or name.replace("-", "_") in (*plugin_names(kind), *table_names(kind)) or name in entry_points(kind)


def unknown_name(kind: Kind, name: str, others: Iterable[str] = (), what: str = "") -> str:
    """Message for a name that no plug-in has: names that are alike, and how one can be given.

    `others` are further names that might be meant, `what` is what all of them are.
    """
    from difflib import get_close_matches  # noqa: PLC0415

    singular = kind.removesuffix("s")
    what = what or singular
    bare = Path(name if name.endswith(".py") else f"{name}.py")
    if "/" not in name and bare.is_file():
        return f"no {what} is called '{name}'; the file {bare} in the working folder is given by its path: ./{bare}"
    if "/" in name and not name.endswith(".py"):
        return (
            f"no {singular} is called '{name}'; a file is given by its path, which ends in .py, such as ./{bare.name}"
        )
    packaged = [display_name(kind, file) for file in plugin_names(kind)]
    known = sorted({*others} or {*packaged, *table_names(kind), *entry_points(kind)})
    near = get_close_matches(name.lower(), known, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return (
        f"no {what} is called '{name}'; there are: {', '.join(known)}; or give a file, such as ./my_{singular}.py, "
        f"or a module, such as my_package.my_{singular}{hint}"
    )


# ---------------------------------------------------------------- files by their path


def is_path(name: str) -> bool:
    """True if a name is the path of a Python file.

    >>> is_path("./mine.py"), is_path("mine.py"), is_path("mine.bench")
    (True, False, False)
    """
    return name.endswith(".py") and "/" in name


def full_path(name: str) -> str:
    """The path of a plug-in as it can be found from any folder; another name as it is.

    >>> full_path("noise:10"), full_path("/tmp/../tmp/mine.py:10")
    ('noise:10', '/tmp/mine.py:10')
    """
    path, colon, argument = name.partition(":")
    return f"{Path(path).expanduser().resolve()}{colon}{argument}" if is_path(path) else name


def add_file(name: str) -> None:
    """Remember where a plug-in lies that is given by its path: from then on its file name names it."""
    if not is_path(name):
        return
    path = Path(full_path(name))
    known = _files.get(path.name)
    if known and known.path != path and known.path.is_file():
        digest = _digest(path)
        if digest != known.digest:
            raise UsageError(f"{known.path} and {path} have one name and differ; rename one of them")
        return
    if not path.is_file():
        raise UsageError(f"{path}: no such file; give the path of a Python file, such as ./{path.name}")
    if known is None or known.path != path:
        _files[path.name] = PluginFile(path, _digest(path))


def plugin_file(name: str) -> PluginFile | None:
    """The file of a plug-in that was given by its path, by its name with or without an argument; None for others."""
    return _files.get(Path(name.partition(":")[0]).name)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _import_file(name: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415

    path, digest = _files[name]
    module_name = f"earmark_file_{path.stem}_{digest[:16]}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: cannot be imported; give a Python file")
    if str(path.parent) not in sys.path:  # last, so that it hides nothing
        sys.path.append(str(path.parent))
    module = module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        _import(str(path), lambda: spec.loader.exec_module(module) if spec.loader else None)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


# ---------------------------------------------------------------- modules


def is_user_module(kind: Kind, name: str) -> bool:
    """True if a name is that of somebody else's module, and importing it runs code that is not the package's.

    >>> is_user_module("conditions", "no-media"), is_user_module("models", "my.one")
    (False, True)
    """
    if "." not in name or name.replace("-", "_") in plugin_names(kind):
        return False
    return kind != "benchmarks" or import_module(f"earmark.{kind}.{TABLES}").find_table(name) is None


def import_user_module(name: str) -> ModuleType:
    """Somebody else's module, installed or in the working folder, which comes last so that it hides nothing."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(
            f"'{name}' is no name of a module; expected one such as mine.bench, or a path such as ./mine.py"
        )
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    module: ModuleType = _import(name, lambda: import_module(name))
    return module


def _import_entry(kind: Kind, entry: Any) -> ModuleType:
    module: ModuleType = _import(entry.value, entry.load)
    if not isinstance(module, ModuleType):
        raise UsageError(f"the entry point {entry.name} of earmark.{kind} is {entry.value}, expected a module")
    return module


def _import(name: str, load: Callable[[], Any]) -> Any:
    """Import a module. Raises one line if it is not there, lacks a package or is no Python."""
    try:
        return load()
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or name):  # it was found, and lacks something itself
            raise BadSetup(f"module '{name}' needs '{error.name}', which is not there; install it") from error
        raise UsageError(
            f"no module '{name}' can be imported ({error}); put it into the working folder, install it, or set "
            "PYTHONPATH to where it lies; a file is given by its path, such as ./mine.py"
        ) from error
    except ImportError as error:
        raise UsageError(f"module '{name}' cannot be imported: {error}") from error
    except SyntaxError as error:
        raise UsageError(f"module '{name}' is no Python: {error.filename}, line {error.lineno}: {error.msg}") from error


# ---------------------------------------------------------------- checks


def _check(plugin: Plugin) -> None:
    """Raise UsageError, one line that says what is missing, unless a module has the shape of a plug-in."""
    module, title = plugin.module, plugin.title
    if not plugin.doc:
        raise UsageError(f"{title} has no docstring; begin the file with one, whose first line says what it is")
    settings = vars(module).get("Settings")
    if not (isinstance(settings, type) and issubclass(settings, Struct)):
        found = "no Settings" if settings is None else f"Settings, which is no Struct of msgspec ({settings!r})"
        raise UsageError(
            f"{title} has {found}; write: class Settings(Struct, frozen=True, forbid_unknown_fields=True), with what a "
            "user may set"
        )
    config = settings.__struct_config__
    if not (config.frozen and config.forbid_unknown_fields):
        raise UsageError(
            f"{title}: Settings can be changed or take any name; write: class Settings(Struct, frozen=True, "
            "forbid_unknown_fields=True)"
        )
    load = vars(module).get("load")
    if not callable(load):
        raise UsageError(f"{title} has no function load; write: def load(settings, context)")
    try:
        inspect.signature(load).bind(None, None)
    except TypeError as error:
        raise UsageError(f"{title}: load takes {inspect.signature(load)}, expected load(settings, context)") from error


def _has_member(thing: object, name: str) -> bool:
    nothing = object()
    return inspect.getattr_static(thing, name, nothing) is not nothing


def _type_name(thing: object) -> str:
    return "None" if thing is None else type(thing).__name__


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
    """The name of a packaged plug-in by that of its module.

    >>> own_name("earmark.scorers.choice")
    'choice'
    """
    return module.rpartition(".")[2]


def summary(kind: Kind, name: str) -> str:
    """The first line of a plug-in's docstring, read without running it.

    >>> summary("models", "whisper_tiny")
    'Whisper tiny.en on CTranslate2, its weights inside a package.'
    """
    source = (PACKAGE_DIR / kind / f"{name}.py").read_text(encoding="utf-8")
    return source.partition('"""')[2].partition("\n")[0].removesuffix('"""')

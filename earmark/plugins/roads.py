"""The roads to plug-ins that are not packaged: files by their path, modules, and entry points of installed packages."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from earmark import plugins
from earmark.errors import BadSetup, UsageError, alternatives, near_names
from earmark.plugins import Kind, Plugin, PluginFile, full_path, is_path


def find_elsewhere(kind: Kind, name: str) -> Plugin:
    """Find a plug-in that is not packaged. Raises UsageError if there is none."""
    if is_path(name) or name in plugins.files:
        add_file(name)
        return Plugin(kind, Path(name).name, _import_file(Path(name).name))
    if "." in name and "/" not in name and not name.endswith(".py"):
        return Plugin(kind, name, import_user_module(name))
    entry = plugins.entry_points(kind).get(name)
    if entry is None:
        raise UsageError(unknown_name(kind, name))
    return Plugin(kind, name, _import_entry(kind, entry))


def is_user_module(kind: Kind, name: str) -> bool:
    """True if a name is that of somebody else's module or file, and importing it runs code that is not the package's.

    >>> is_user_module("conditions", "no-media"), is_user_module("models", "my.one")
    (False, True)
    """
    if name.replace("-", "_") in plugins.plugin_names(kind) or name == "plain":
        return False
    if "." not in name:
        return name in plugins.entry_points(kind)
    return kind != "benchmarks" or import_module(f"earmark.{kind}.{plugins.TABLES}").find_table(name) is None


def unknown_name(kind: Kind, name: str, others: Iterable[str] = (), what: str = "") -> str:
    """Message for a name that no plug-in has: names that are alike, and how one can be given.

    `others` are further names that might be meant, `what` is what all of them are.
    """
    singular = kind.removesuffix("s")
    what = what or singular
    bare = Path(name if name.endswith(".py") else f"{name}.py")
    if "/" not in name and bare.is_file():
        return f"no {what} is called '{name}'; the file {bare} in the working folder is given by its path: ./{bare}"
    if kind == "models" and "/" in name and not name.startswith((".", "/", "~")) and not name.endswith(".py"):
        backend = name.partition("/")[0]
        return (
            f"no backend is called '{backend}'{near_names(backend, plugins.plugin_names(kind))}; give what serves the "
            f"model before its name: model=vllm/{name} or model=transformers/{name} in this process, openai/NAME or "
            "gemini/NAME of a service"
        )
    if "/" in name and not name.endswith(".py"):
        return (
            f"no {singular} is called '{name}'; a file is given by its path, which ends in .py, such as ./{bare.name}"
        )
    packaged = [plugins.display_name(kind, file) for file in plugins.plugin_names(kind)]
    known = sorted({*others} or {*packaged, *plugins.table_names(kind), *plugins.entry_points(kind)})
    known = ["plain", *known] if kind == "conditions" else known
    return (
        f"no {what} is called '{name}'{alternatives(name, known)}; or give a file, such as ./my_{singular}.py, "
        f"or a module, such as my_package.my_{singular}"
    )


def add_file(name: str) -> None:
    """Remember where a plug-in lies that is given by its path: from then on its file name names it."""
    if not is_path(name):
        return
    path = Path(full_path(name))
    known = plugins.files.get(path.name)
    if known and known.path != path and known.path.is_file():
        digest = _digest(path)
        if digest != known.digest:
            raise UsageError(f"{known.path} and {path} have one name and differ; rename one of them")
        return
    if not path.is_file():
        raise UsageError(f"{path}: no such file; give the path of a Python file, such as ./{path.name}")
    if known is None or known.path != path:
        plugins.files[path.name] = PluginFile(path, _digest(path))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _import_file(name: str) -> ModuleType:
    path, digest = plugins.files[name]
    if not plugins.is_allowed(str(path)):
        raise UsageError(
            f"{path}: not used, since only a YAML file or a run names it; a file of code is used where the command "
            f"line names it, as in model=./{path.name}"
        )
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
    whole = False
    try:
        _import(str(path), lambda: spec.loader.exec_module(module) if spec.loader else None)
        whole = True
    finally:
        if not whole:
            del sys.modules[module_name]
    return module


def import_user_module(name: str) -> ModuleType:
    """Somebody else's module, installed or in the working folder, which comes last so that it hides nothing."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(
            f"'{name}' is no name of a module; expected one such as mine.bench, or a path such as ./mine.py"
        )
    if plugins.is_allowed(name) and (here := str(Path.cwd())) not in sys.path:
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
        place = "put it into the working folder"
        if not plugins.is_allowed(name):
            place = "the working folder is searched only for modules that the command line names"
        raise UsageError(
            f"no module '{name}' can be imported ({error}); {place}, install it, or set "
            "PYTHONPATH to where it lies; a file is given by its path, such as ./mine.py"
        ) from error
    except ImportError as error:
        raise UsageError(f"module '{name}' cannot be imported: {error}") from error
    except SyntaxError as error:
        raise UsageError(f"module '{name}' is no Python: {error.filename}, line {error.lineno}: {error.msg}") from error


def split_path(value: str) -> tuple[str, str, str]:
    """Split the path of a file, and a name after it, from each other.

    >>> split_path("./mine.py/large"), split_path("./mine.py")
    (('./mine.py', '/', 'large'), ('./mine.py', '', ''))
    """
    path, suffix, name = value.partition(".py/")
    return (f"{path}.py", "/", name) if suffix else (value, "", "")


def with_full_paths(model: Any) -> Any:
    """Settings of a model whose backend, or that of one of its parts, can be found from any folder."""
    if isinstance(model, list | tuple):
        return [with_full_paths(part) for part in model]
    if not isinstance(model, dict):
        return model
    parts = {key: with_full_paths(value) for key, value in model.items()}
    return parts | {"backend": full_path(str(model["backend"]))} if "backend" in model else parts

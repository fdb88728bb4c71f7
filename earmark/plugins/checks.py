"""What a plug-in must have: one line says what is missing."""

from __future__ import annotations

import inspect
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
from msgspec import Struct

from earmark.errors import UsageError
from earmark.plugins import Plugin, signed_settings
from earmark.types import Benchmark, Context, HasSettings, Scorer, Signature, Signs

MEMBERS: Final[dict[str, tuple[str, ...]]] = {  # of what a plug-in loads: those of its protocol in types/
    "models": ("name", "capabilities", "generate"),
    "scorers": ("name", "metrics", "score", "bounds"),
    "conditions": ("removes_audio", "keeps_words", "apply"),
    "importers": ("matches", "read"),
}


def check_result(plugin: Plugin, result: object) -> None:
    """Raise UsageError if load gave something else than a plug-in of this kind does."""
    if plugin.kind == "benchmarks" and not isinstance(result, Benchmark):
        raise UsageError(f"{plugin.title}: load gives {_type_name(result)}, expected a Benchmark (earmark.types)")
    if plugin.kind == "models" and not isinstance(result, AbstractAsyncContextManager):
        raise UsageError(
            f"{plugin.title}: load gives {_type_name(result)}, expected an asynchronous context manager; write "
            "@asynccontextmanager above an async def load that yields the model"
        )
    if plugin.kind not in ("benchmarks", "models"):
        check_members(plugin, result)


def check_members(plugin: Plugin, result: object) -> None:
    """Raise UsageError if what a plug-in loaded lacks a member of its protocol."""
    missing = [name for name in MEMBERS[plugin.kind] if not _has_member(result, name)]
    if missing:
        raise UsageError(
            f"{plugin.title}: {_type_name(result)} has no {missing[0]}; expected {', '.join(MEMBERS[plugin.kind])} "
            "(docs/plugins.md)"
        )


def check_module(plugin: Plugin) -> None:
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


def check_scorer(plugin: Plugin, settings: Struct, scorer: Scorer, context: Context) -> None:
    """Raise UsageError if a scorer has another name than it was asked for, or its settings do not sign its numbers."""
    if scorer.name != plugin.name:
        raise UsageError(f"{plugin.title} calls itself '{scorer.name}'; give it the name of its context: context.name")
    if isinstance(scorer, Signs):
        _check_signature(plugin, settings, scorer, context)
    elif not isinstance(scorer, HasSettings) or scorer.settings != settings:
        raise UsageError(
            f"{plugin.title} does not show its settings, so its numbers would not be signed by them; let it have a "
            "member settings, the settings that it was loaded with"
        )


def _check_signature(plugin: Plugin, settings: Struct, scorer: Signs, context: Context) -> None:
    """Raise UsageError if settings that differ from the defaults sign as these do."""
    if not isinstance(scorer.signature, Signature):
        raise UsageError(f"{plugin.title}: its signature is no Signature; make one with sign() of earmark.types")
    if any(field.required for field in msgspec.structs.fields(plugin.settings)):
        return
    usual = plugin.settings()
    signed, plain = signed_settings(settings), signed_settings(usual)
    changed = [name for name, value in signed.items() if value != plain[name]]
    if changed and plugin.load(usual, context).signature == scorer.signature:
        raise UsageError(
            f"{plugin.title}: {changed[0]}= does not change its signature; add it there, leave the signature out so "
            "that all settings sign, or annotate a setting that changes no number: Annotated[..., UNSIGNED]"
        )


def _has_member(thing: object, name: str) -> bool:
    nothing = object()
    return inspect.getattr_static(thing, name, nothing) is not nothing


def _type_name(thing: object) -> str:
    return "None" if thing is None else type(thing).__name__

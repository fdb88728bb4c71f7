"""Plain settings read into typed ones; a wrong one is refused with the names that there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from earmark import plugins
from earmark.config.settings import CommonSettings, ComposedConfig, Config, ModelConfig
from earmark.errors import UsageError, alternatives

TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "settings by name",
}  # as msgspec names them
T = TypeVar("T", bound=Struct)
RENAMED: Final = dict(
    pair.split("=")
    for pair in """place=output_dir attempts=max_attempts patience=retry_timeout
    longest=max_audio_seconds largest=max_audio_bytes give_up_after=max_consecutive_failures
    batch_patience=batch_timeout reader=parser several=multi_select
    model.longest_wait=model.max_retry_after model.remember=model.cache model.hears=model.capabilities
    model.connect=model.connect_timeout model.recogniser=model.asr model.mind=model.llm model.each=model.endpoint
    model.of=model.endpoints model.rest=model.cooldown""".split()
)  # settings that had another name in 0.1


def renamed(name: str) -> str:
    """Hint at the new name of a setting that was renamed; empty for any other.

    >>> renamed("patience"), renamed("tempo")
    (" any more; it is 'retry_timeout'", '')
    """
    return f" any more; it is '{RENAMED[name]}'" if name in RENAMED else ""


def parse_settings(kind: type[T], settings: Mapping[str, Any], prefix: str) -> T:
    """Typed settings from plain ones; a wrong name or value is told with the names that there are."""
    fields = kind.__struct_fields__
    unknown = [name for name in settings if name not in fields]
    if unknown:
        raise UsageError(
            f"no setting is called '{prefix}{unknown[0]}'{renamed(prefix + unknown[0])}"
            f"{alternatives(prefix + unknown[0], (prefix + name for name in fields))}"
        )
    needed = [field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in settings]
    if needed:
        raise UsageError(f"{prefix}{needed[0]} must be given, as {prefix}{needed[0]}=…")
    try:
        return msgspec.convert(_numbers_as_text(kind, settings), kind, strict=False)
    except msgspec.ValidationError as error:
        where = str(error).partition(" - at `$.")[2].rstrip("`")
        value = settings.get(where.partition(".")[0].partition("[")[0])
        hint = get_type_hints(kind).get(where)
        may_be = (
            f"; there are: {', '.join(map(str, filter(None, get_args(hint))))}" if get_origin(hint) is Literal else ""
        )
        problem = _plain_types(str(error).partition(" - at ")[0])
        raise UsageError(f"{prefix}{where or 'settings'}={value!r}: {problem}{may_be}") from error


def _plain_types(message: str) -> str:
    """Say in words which type a message of msgspec expects.

    >>> _plain_types("Expected `int | null`, got `str`"), _plain_types("Expected `int` >= 1")
    ('expected a whole number or null, found text', 'expected a whole number >= 1')
    """
    names = re.compile(r"`([^`]*)`")
    words = names.sub(lambda match: " or ".join(TYPES.get(name, name) for name in match[1].split(" | ")), message)
    return words[:1].lower() + words[1:].replace(", got ", ", found ")


def _numbers_as_text(kind: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with texts where texts are expected: YAML reads the experiment 4 and the user 901 as numbers."""
    expected = get_type_hints(kind)
    converted = dict(settings)
    for name, value in settings.items():
        if expected.get(name) is str and type(value) is int:
            converted[name] = str(value)
        elif expected.get(name) == tuple[str, ...]:
            entries = value if isinstance(value, list | tuple) else [value]
            converted[name] = [str(entry) if type(entry) is int else entry for entry in entries]
    return converted


def parse_model(model: Mapping[str, Any]) -> ModelConfig:
    """Parse the settings of a model: those that every model has, and those of its backend."""
    model = {name: value for name, value in model.items() if name != "serve"}  # which earmark serve reads
    if "backend" not in model:
        raise UsageError(f"the model's YAML names no backend; there are: {', '.join(plugins.plugin_names('models'))}")
    shared = CommonSettings.__struct_fields__
    common = parse_settings(CommonSettings, {name: model[name] for name in shared if name in model}, "model.")
    kind = plugins.find_plugin("models", common.backend).settings
    fields = kind.__struct_fields__
    unused: dict[str, str] = {}
    if others := [name for name in model if name not in (*fields, *shared)]:
        from earmark.data.settings_folder import unused_fields  # noqa: PLC0415 - of few models

        unused = unused_fields(others, common.backend)
    given = {name: value for name, value in model.items() if name not in shared and f"model.{name}" not in unused}
    own = parse_settings(kind, _expand_fit(kind, given), "model.")
    return ModelConfig(common, own, dict(model), unused)


def parse_config(composed: ComposedConfig) -> Config:
    """Parse the settings of a run and of its model; those of its benchmark are parsed where it is loaded."""
    model = parse_model(composed.model)
    return Config(composed.run, model, composed, composed.unused | model.unused)


class _Fit(Struct, frozen=True):
    fit: Annotated[int, Meta(ge=1000, le=384_000)] = 16_000


def _expand_fit(kind: type[Struct], model: dict[str, Any]) -> dict[str, Any]:
    """Settings of a backend with `fit`, a rate in hertz, as the capabilities that it is short for: mono wav."""
    if "fit" not in model:
        return model
    rate = parse_settings(_Fit, {"fit": model.pop("fit")}, "model.").fit
    default = next((field.default for field in msgspec.structs.fields(kind) if field.name == "capabilities"), None)
    if default is None:
        raise UsageError(
            f"model.fit={rate}: this backend finds out by itself what its model takes; give it to a model behind a "
            "server, of model=spread as model.endpoint.fit"
        )
    given = model.get("capabilities") or {}
    if "rates" in given or "channels" in given:
        raise UsageError(f"model.fit={rate} sets the rates and channels of model.capabilities; give one of the two")
    fitted = {"formats": ["wav"], "rates": [rate], "channels": 1}
    return model | {"capabilities": msgspec.to_builtins(default) | given | fitted}

"""Settings of a run that name code, a program, an address, a variable or a folder of weights.

They are used only of a run that is trusted (`runs/trust.py`), or where this command line repeats them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from earmark import plugins
from earmark.config.folders import yaml_names
from earmark.config.settings import ComposedConfig
from earmark.errors import BadSetup
from earmark.runs.signature import RunSignature
from earmark.runs.trust import is_trusted

Test: TypeAlias = Callable[[Any], bool]


class NamedThing(NamedTuple):
    """A setting that reaches out of the run, by its path."""

    field: str
    value: Any
    given_as: str = ""  # the setting that repeats it on a command line; empty: none does


def is_packaged(kind: plugins.Kind, name: str) -> bool:
    """True if a plug-in of this name comes with the package.

    >>> is_packaged("conditions", "no-media"), is_packaged("benchmarks", "evil.bench"), is_packaged("models", "./x.py")
    (True, False, False)
    """
    return name.replace("-", "_") in plugins.plugin_names(kind) or name in plugins.packaged_tables(kind)


def is_address(value: Any) -> bool:
    """True for the name of a model that is no packaged or configured one: an address, a module or a path.

    >>> is_address("http://127.0.0.1/v1"), is_address("evil.bench"), is_address("openai/gpt-4o-mini"), is_address("")
    (True, True, False, False)
    """
    return bool(value) and (not isinstance(value, str) or value.partition("/")[0] not in yaml_names("model"))


def is_path(value: Any) -> bool:
    """True for what is, or looks like, a folder or file of this machine.

    >>> is_path("/weights"), is_path("../weights"), is_path("Qwen/Qwen2-Audio-7B-Instruct")
    (True, True, False)
    """
    if not isinstance(value, str) or not value:
        return False
    return value.startswith(("/", ".", "~")) or "\\" in value or ".." in value or Path(value).exists()


def is_function(value: Any) -> bool:
    """True for MODULE:FUNCTION, as `model=fake` takes it.

    >>> is_function("my.module:answer"), is_function("A"), is_function("Answer: B")
    (True, False, False)
    """
    return isinstance(value, str) and ":" in value and " " not in value


def _names_code(value: Any) -> bool:
    """True for arguments of a library among which a text may name code."""
    if isinstance(value, Mapping):
        return any(_names_code(inner) for name, inner in value.items() if name != "stop")
    return (
        (isinstance(value, str) or value is True) if not isinstance(value, list | tuple) else any(map(is_path, value))
    )


FIELDS: Final[Mapping[str, Test]] = {  # settings of packaged plug-ins that reach out, by name
    **dict.fromkeys("base_url urls api_key_env api_key_header api_key_query".split(), bool),
    **dict.fromkeys("trust_remote_code python run wordnet engine cache_dir out_dir".split(), bool),
    "checkpoint": lambda value: value != "Unbabel/wmt22-comet-da",
    "backend": lambda value: not is_packaged("models", str(value)) and value != "import",
    "reply": is_function,
    "judge": is_address,
    "sampling": _names_code,
    **dict.fromkeys("hf_id adapter name".split(), is_path),
}


def find_named(settings: Any, path: str) -> Iterator[NamedThing]:
    """Yield what settings of any depth name, each by its path.

    >>> [thing.field for thing in find_named({"backend": "cascade", "asr": {"backend": "evil.asr"}}, "model")]
    ['model.asr.backend']
    """
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            field = f"{path}.{name}" if path else str(name)
            if name in FIELDS and FIELDS[name](value):
                yield NamedThing(field, value, field)
            yield from find_named(value, field)
    elif isinstance(settings, list | tuple):
        for index, value in enumerate(settings):
            yield from find_named(value, f"{path}[{index}]")


def find_in_scorer(name: str, settings: Mapping[str, Any], field: str) -> Iterator[NamedThing]:
    """Yield what a scorer and its settings name."""
    if not is_packaged("scorers", name):
        yield NamedThing(field, name)
    for thing in find_named({key: value for key, value in settings.items() if key != "name"}, ""):
        yield NamedThing(f"{field}.{thing.field}", thing.value, thing.field)


def find_in_condition(text: str, *, model: bool = True) -> list[NamedThing]:
    """Return what a condition names: a module, or with `model` a recogniser by its address.

    >>> find_in_condition("transcript:http://x/v1"), find_in_condition("noise:pink@10"), find_in_condition("plain")
    ([NamedThing(field='condition', value='transcript:http://x/v1', given_as='')], [], [])
    """
    condition, _, argument = text.partition(":")
    recogniser = model and condition == "transcript" and is_address(argument)
    is_known = text == "plain" or (is_packaged("conditions", condition) and not recogniser)
    return [] if is_known else [NamedThing("condition", text)]


def find_in_run(
    signature: RunSignature, config: ComposedConfig, *, model: bool = True, judge: bool = True
) -> list[NamedThing]:
    """Return what a run names; without `model` what scoring it takes, without `judge` what scoring without one does."""
    things: list[NamedThing] = []
    name = str(signature.benchmark.get("name", ""))
    if not signature.benchmark.get("imported") and not is_packaged("benchmarks", name):
        things.append(NamedThing("benchmark", name))
    for text in dict.fromkeys((*signature.condition, *config.run.condition)):
        things += find_in_condition(text, model=model)
    things += [NamedThing("plugins", path) for path in config.plugins]
    if model:
        things += find_named(config.model, "model")
    settings = dict(config.benchmark)
    scorers = settings.pop("scorers", None)
    if not isinstance(scorers, Mapping) or not all(map(_are_scorers, scorers.values())):
        settings["scorers"], scorers = scorers, {}  # no imported run has them so
    for task, specs in scorers.items():
        for spec in specs:
            things += find_in_scorer(str(spec.get("name", "")), spec, f"scorers of {task}")
    things += find_named(settings, "")
    things += find_named(signature.benchmark.get("settings", {}), "")
    return [thing for thing in dict.fromkeys(_hashable(things)) if judge or not _asks_server(thing)]


def _are_scorers(specs: Any) -> bool:
    return isinstance(specs, list) and all(isinstance(spec, Mapping) for spec in specs)


def _hashable(things: list[NamedThing]) -> Iterator[NamedThing]:
    for thing in things:
        yield thing._replace(value=str(thing.value))


def _asks_server(thing: NamedThing) -> bool:
    """True for the address of a judge: it is not asked where only a judge's earlier scores are kept."""
    return thing.given_as == "judge" and thing.value.startswith(("http://", "https://"))


def check_named(run: Path, things: Collection[NamedThing], given: Collection[str] = ()) -> None:
    """Raise BadSetup for the first thing that neither the command line nor the user's trust in the run covers.

    `given` are settings of the command line; `model` stands for all settings of a model.
    """
    open_things = [thing for thing in things if not _is_given(thing, given)]
    if not open_things or is_trusted(run):
        plugins.allow_modules(thing.value.partition("/")[0].partition(":")[0] for thing in things)
        return
    field, value, given_as = open_things[0]
    repeat = f"repeat {given_as}=… on this line, or type" if given_as and "[" not in given_as else "type"
    raise BadSetup(
        f"{run}: {field} is {value}, and the run was not made here, so what it names is not used; to allow that, "
        f"{repeat}: earmark trust {run}"
    )


def _is_given(thing: NamedThing, given: Collection[str]) -> bool:
    parts = thing.given_as.split(".")
    return bool(thing.given_as) and any(".".join(parts[:number]) in given for number in range(1, len(parts) + 1))

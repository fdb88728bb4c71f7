"""A folder of settings as a project that uses Hydra has it: its groups, and a `config.yaml` with a list of defaults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from earmark.data.hydra_words import plain_words, quote
from earmark.data.plain_yaml import load_plain_yaml
from earmark.errors import UsageError, alternatives

PRIMARY: Final = "config.yaml"
FOLDERS: Final = ("model", "eval", "runtime", "suite", "benchmark", "published", "prompt")  # of a folder of settings
FILES: Final = (PRIMARY, "run.yaml", "listen_eval.yaml")
GROUPS: Final = ("model", "eval", "runtime")  # that a list of defaults may name
NOW: Final = re.compile(r"\$\{now:[^}]*\}(?:[-_/]?\$\{now:[^}]*\})*")


def run_dir_words(value: str) -> list[str]:
    """Where runs lie, from the folder that Hydra would make."""
    template = NOW.sub("{time}", value.strip("'\"")).replace("${model.name}", "{model}")
    if "${" in template:
        raise UsageError(f"hydra.run.dir={value}: expected a folder with ${{model.name}} and ${{now:...}} at most")
    plain, brace, rest = template.partition("{")
    results, _, begin = plain.rpartition("/") if brace else (plain.rstrip("/"), "", "")
    root = "/" if template.startswith("/") and not results else results or "."
    return [f"results={root}", f"output_dir={begin}{brace}{rest}" if brace else "output_dir={time}"]


def is_settings_folder(folder: Path) -> bool:
    """True if a folder holds settings: one of the known files or folders."""
    return any((folder / name).is_dir() for name in FOLDERS) or any((folder / name).is_file() for name in FILES)


def unknown_files(folder: Path) -> list[str]:
    """The YAML files of a folder of settings that nothing reads, by their path in it."""
    files = (path.relative_to(folder) for path in sorted(folder.rglob("*.y*ml")))
    return [
        str(path)
        for path in files
        if not (path.suffix == ".yaml" and (path.parts[0] in FOLDERS if len(path.parts) == 2 else str(path) in FILES))
    ]


def primary_words(path: Path) -> Iterator[str]:
    """The words that a `config.yaml` stands for: its defaults, then its settings. Raises BadData or UsageError."""
    settings = load_plain_yaml(path.read_text(encoding="utf-8-sig"), path)
    if not isinstance(settings, Mapping):
        raise UsageError(f"{path}: found {type(settings).__name__}, expected settings by name")
    for entry in settings.get("defaults") or ():
        yield from _default_words(entry, path)
    for name, value in settings.items():
        if name == "hydra":
            yield from _hydra_words(value, path)
        elif name in GROUPS:
            inner = value if isinstance(value, Mapping) else {}
            yield from [f"{name}={value}"] if value and not inner else ()
            yield from (word for key, each in inner.items() for word in plain_words(f"{name}.{key}={to_word(each)}"))
        elif name != "defaults":
            yield from plain_words(f"{name}={to_word(value)}")


def _default_words(entry: Any, path: Path) -> Iterator[str]:
    if entry == "_self_":
        return
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise UsageError(f"{path}: found {entry!r} in defaults; expected GROUP: NAME, such as model: gemma4_e2b")
    ((group, name),) = entry.items()
    group = str(group).removeprefix("override ").strip().lstrip("/")
    if group not in GROUPS:
        raise UsageError(f"{path}: no group is called '{group}'{alternatives(group, GROUPS)}")
    if name is not None:
        yield f"{group}={name}"


def _hydra_words(value: Any, path: Path) -> Iterator[str]:
    folder = value.get("run", {}).get("dir") if isinstance(value, Mapping) else None
    others = {key for key in value if key != "run"} if isinstance(value, Mapping) else {"hydra"}
    if others - {"job", "output_subdir", "sweep"} or (isinstance(value, Mapping) and "run" in value and not folder):
        raise UsageError(f"{path}: hydra: of Hydra's own settings only run: {{dir: FOLDER}} is used")
    if folder:
        yield from run_dir_words(str(folder))


def to_word(value: Any) -> str:
    """A value of YAML in Hydra's grammar of words.

    >>> to_word([1, "2A", None]), to_word({"max_tokens": 8}), to_word(True)
    ("[1,'2A',null]", '{max_tokens:8}', 'true')
    """
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{name}:{to_word(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_word, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return quote(value) if isinstance(value, str) else str(value)


def merge_eval(
    composed: Mapping[str, Any],
    run: dict[str, Any],
    benchmark: dict[str, Any],
    fields: tuple[str, ...],
    given: set[str],
) -> dict[str, str]:
    """Put the settings of an `eval` YAML without `@package _global_` where they belong: those of `fields` to the run,
    the others of the benchmark; the command line has `given` others, which go first. Return those that change
    nothing, with the reason.
    """
    unused = {}
    for name, value in composed.items():
        if "checkpoint" in name:
            unused[f"eval.{name}"] = "every response is written before it is reported"
        elif name not in given:
            (run if name in fields else benchmark)[name] = value
    return unused


# Fields that the YAML of one model may have for any backend: where a backend has no use for one, that is told.
WEIGHTS: Final = "it is for whoever loads the weights"
PORTABLE: Final = {
    "name": "it names the model",
    "hf_id": WEIGHTS,
    "revision": WEIGHTS,
    "trust_remote_code": WEIGHTS,
    "adapter": WEIGHTS,
    "dtype": WEIGHTS,
    "max_model_len": WEIGHTS,
    "gpu_memory_utilization": "it is used by vLLM",
    "engine": "it is used by vLLM",
    "widen": "it is used by vLLM",
    "device": "it is used by transformers",
    "batch_size": "it is used by transformers",
    "limit_mm_per_prompt": "it is used where prompts hold sound or pictures",
    "sampling": "it is used where tokens are sampled",
    "system_prompt": "it is used where prompts are chats",
    "template": "it is used where a chat template is filled in",
    "seconds": "it is used where sound is fitted to a model",
    "clips": "it is used where sound is fitted to a model",
}


def unused_fields(names: Iterable[str], backend: str) -> dict[str, str]:
    """The fields of a model's YAML that its backend has no use for, with the reason; none that no backend has.

    >>> unused_fields(["engine", "typo"], "openai")
    {'model.engine': 'it is used by vLLM, not by the backend openai'}
    """
    return {f"model.{name}": f"{PORTABLE[name]}, not by the backend {backend}" for name in names if name in PORTABLE}

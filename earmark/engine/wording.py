"""Other words for the questions of any benchmark: `prompt=FILE`, `prompt=NAME` or `prompt={text: ...}`.

A file of text is the words of the user's turn; a YAML has the fields of `Wording`. `{question}`, `{choices}` and
`{transcript}` are replaced, and nothing else. Audio, options, sampling and scoring stay those of the benchmark. The run
keeps the words in its config.yaml and signs them, so that it needs the file no more.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from earmark.config.folders import PACKAGED, yaml_names
from earmark.config.parse import parse_settings
from earmark.config.settings import ComposedConfig
from earmark.data.cache import hash64
from earmark.data.plain_yaml import load_plain_yaml
from earmark.data.user_yaml import warn_replaced
from earmark.errors import UsageError, alternatives
from earmark.text.fields import FIELD, fill
from earmark.types import Benchmark, Item, Part, Prompt, Turn, replace

OFFICIAL: Final = "official"  # the words of the benchmark itself
GROUP: Final = "prompt"  # of YAML files
NAMES: Final = {"text": ("question", "choices", "transcript"), "choice": ("letter", "text")}
TEXT_SUFFIXES: Final = (".txt", ".md")
YAML_SUFFIXES: Final = (".yaml", ".yml")


class Wording(Struct, frozen=True, forbid_unknown_fields=True):
    """Words of a question."""

    text: str  # of the user's turn, with {question}, {choices} and {transcript}
    choice: str = "{letter}. {text}"  # one of {choices}
    separator: str = "\n"  # between choices
    system: str | None = None  # in place of the benchmark's own; empty: none
    audio: Literal["first", "last"] = "first"
    name: str = ""  # shown in the signature

    @property
    def signature(self) -> str:
        """The name, and a digest of the words."""
        return f"{self.name or 'own'} {hash64(msgspec.json.encode(replace(self, name='')))}"

    def apply(self, benchmark: Benchmark, config: ComposedConfig) -> tuple[Benchmark, ComposedConfig]:
        """A benchmark that asks in these words, which it signs, and settings that hold them."""
        reworded = replace(
            benchmark,
            items=functools.partial(_checked_items, benchmark, self),
            prompt=lambda item: reword(benchmark.prompt(item), item, self),
            settings={**benchmark.settings, "prompt": self.signature},
        )
        return reworded, replace(config, benchmark={**config.benchmark, "prompt": msgspec.to_builtins(self)})


def take_wording(config: ComposedConfig, *, has_own: bool) -> tuple[Wording | None, ComposedConfig]:
    """The words that `prompt=` gives, and the settings without it; a prompt of the benchmark's own stays there."""
    wording = find_wording(config.benchmark["prompt"], has_own=has_own)
    if wording is None and has_own:
        return None, config
    left = {name: value for name, value in config.benchmark.items() if name != "prompt"}
    return wording, replace(config, benchmark=left)


def find_wording(setting: object, *, has_own: bool) -> Wording | None:
    """The words that `prompt=` asks for; None where they are those of the benchmark.

    `has_own` is true if the benchmark has prompts of its own, by names that are not known here. Raises UsageError.
    """
    if isinstance(setting, Mapping):
        return _checked(setting, "prompt.")
    if not isinstance(setting, str):
        raise UsageError(
            f"prompt={setting}: expected one name or file; several: earmark run ... 'prompt=[{OFFICIAL},short]'"
        )
    if Path(setting).suffix in (*TEXT_SUFFIXES, *YAML_SUFFIXES):
        return _read(Path(setting).expanduser())
    known = yaml_names(GROUP)
    if setting in known:
        warn_replaced(known[setting].parents[1], PACKAGED, GROUP, setting)
        return _read(known[setting])
    if setting in ("", OFFICIAL) or has_own:
        return None
    names = (OFFICIAL, *known)
    raise UsageError(f"no prompt is called '{setting}'{alternatives(setting, names)}, or a file such as mine.txt")


def _read(path: Path) -> Wording:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"prompt={path}: cannot be read ({error}); expected a file of text or YAML") from error
    fields = load_plain_yaml(text, path) if path.suffix in YAML_SUFFIXES else {"text": text.strip()}
    if not isinstance(fields, Mapping):
        raise UsageError(f"{path}: found {type(fields).__name__}, expected text: and other fields of a prompt")
    return _checked({"name": path.stem, **fields}, f"{path}: ")


def _checked(fields: Mapping[str, Any], place: str) -> Wording:
    wording = parse_settings(Wording, fields, place)
    for field, names in NAMES.items():
        if unknown := next((name for name in FIELD.findall(getattr(wording, field)) if _is_name(name, names)), None):
            expected = ", ".join(f"{{{name}}}" for name in names)
            raise UsageError(f"{place}{field}: nothing is called {{{unknown}}} there; expected {expected}")
    return wording


def _is_name(name: str, known: tuple[str, ...]) -> bool:
    """True if braces hold a name that is not known: other braces, as of JSON, are left as they are."""
    return name not in known and bool(re.fullmatch(r"\w+", name))


def _checked_items(benchmark: Benchmark, wording: Wording) -> Iterator[Item]:
    """The items of a benchmark, the first of each task checked before it is asked in other words."""
    checked = set()
    for item in benchmark.items():
        if item.task not in checked and item.state == "ask":
            checked.add(item.task)
            _check_item(benchmark, item, wording)
        yield item


def _check_item(benchmark: Benchmark, item: Item, wording: Wording) -> None:
    """Raise UsageError for words that leave out a transcript which is asked about, or write what is only said aloud."""
    place = f"prompt={wording.name or 'own'}, {benchmark.name}:{item.task}"
    own, names = _texts(benchmark.prompt(item)), FIELD.findall(wording.text)
    without = replace(item, clips=tuple(replace(clip, transcript="") for clip in item.clips))
    if "transcript" not in names and _texts(benchmark.prompt(without)) != own:
        raise UsageError(f"{place}: the benchmark's own words hold the transcript; write {{transcript}} where it goes")
    is_written = _texts(benchmark.prompt(replace(item, question="~~"))) != own
    if "question" in names and not is_written and (item.question or not own):
        raise UsageError(f"{place}: its questions are in the audio, not in writing; leave out {{question}}")


def _texts(prompt: Prompt) -> list[str]:
    return [part for turn in prompt.turns for part in turn.parts if isinstance(part, str)]


def reword(prompt: Prompt, item: Item, wording: Wording) -> Prompt:
    """A prompt with other words. Raises UsageError for one of several turns."""
    system = [turn for turn in prompt.turns if turn.role == "system"]
    asked = [turn for turn in prompt.turns if turn.role != "system"]
    if len(asked) != 1:
        raise UsageError(f"prompt={wording.name}: {item.id} is asked in {len(asked)} turns; leave out prompt= here")
    texts = [part for part in asked[0].parts if isinstance(part, str)]
    media = [part for part in asked[0].parts if not isinstance(part, str)]
    choices, labels = prompt.choices or item.choices, prompt.labels or item.labels
    shown = [
        fill(wording.choice, {"letter": letter, "text": text}) for letter, text in zip(labels, choices, strict=True)
    ]
    values = {
        "question": item.question or "\n".join(texts),  # a benchmark may keep its one question in its prompt
        "choices": wording.separator.join(shown),
        "transcript": " ".join(clip.transcript for clip in item.clips if clip.transcript),
    }
    template = wording.text if shown else re.sub(r"\n?\{choices\}", "", wording.text)
    text: list[Part] = [words] if (words := fill(template, values).strip()) else []
    if wording.system is not None:
        system = [Turn("system", (wording.system,))] if wording.system else []
    parts = (*media, *text) if wording.audio == "first" else (*text, *media)
    return replace(prompt, turns=(*system, Turn(asked[0].role, parts)))

"""The sound and the pictures of a record, made again from the run: what a model was sent, without asking anything.

The benchmark makes the prompt of the recorded item, the condition is applied, and the sound is prepared for the
recorded capabilities of the model. Digests and every property of the sound are compared with the journal.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from earmark import plugins
from earmark.audio.encode import encode_wav
from earmark.audio.read import ClipLoader
from earmark.config.settings import RunSettings
from earmark.data.prompt_words import WORDS_FILE, PromptWords, find_words
from earmark.engine.digests import audio_digest, prompt_digest
from earmark.engine.load import load_condition
from earmark.engine.prepare import describe_audio, prepare_prompt, source_digests
from earmark.errors import AskError, BadData
from earmark.journal import Record
from earmark.plugins.roads import is_user_module
from earmark.runs.media_paths import MediaFinder, parse_mapping
from earmark.runs.rescore import read_config, relative_paths, reopen
from earmark.runs.signature import RunSignature, load_signature
from earmark.runs.untrusted import check_named, find_in_condition
from earmark.types import (
    Audio,
    Benchmark,
    Capabilities,
    Clip,
    EncodedAudio,
    ImageBytes,
    ImageRef,
    Item,
    LeavesAudioUnread,
    Limits,
    LoadedClip,
    NamedCondition,
    Part,
    Prompt,
    Turn,
    Waveform,
    replace,
)

SILENCE: Final = Waveform(np.zeros((1, 16_000), np.float32), 16_000)  # in the place of a clip that is missing
SOUND_SUFFIXES: Final = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".webm")


class ReplayedPrompt(Struct, frozen=True):
    """A prompt as it was sent."""

    prompt: Prompt
    differences: tuple[str, ...] = ()  # from what the journal tells; empty: the same
    sound_problems: dict[int, str] = {}  # sounds in whose place silence stands: why each cannot be made again
    picture_problems: dict[int, str] = {}  # pictures in whose place nothing stands

    @property
    def sounds(self) -> list[EncodedAudio]:
        """The sounds in playing order; samples of a model that takes such as wav."""
        parts = (part for turn in self.prompt.turns for part in turn.parts)
        return [_playable(part) for part in parts if isinstance(part, EncodedAudio | Waveform)]

    @property
    def pictures(self) -> list[ImageBytes]:
        """The pictures in their order."""
        return [part for turn in self.prompt.turns for part in turn.parts if isinstance(part, ImageBytes)]


def _playable(audio: EncodedAudio | Waveform) -> EncodedAudio:
    if isinstance(audio, EncodedAudio):
        return audio
    channels = audio.samples.shape[0]
    return EncodedAudio(
        encode_wav(audio), "wav", audio.rate, channels, audio.seconds, audio.name, audio.source, audio.notes
    )


def user_modules(run: Path) -> list[str]:
    """Modules and files that are not the package's and that making the sound of a run again imports."""
    signature = load_signature(run)
    config = None if _is_imported(signature) else read_config(run)
    benchmark = signature.benchmark["name"] if config else ""
    names = [benchmark] if is_user_module("benchmarks", benchmark) else []
    texts = (*signature.condition, *(config.run.condition if config else ()))
    conditions = dict.fromkeys(text.partition(":")[0] for text in texts)
    names += [name for name in conditions if is_user_module("conditions", name)]
    names += config.plugins if config else ()
    by_path = {Path(name).name for name in names if plugins.is_path(name)}
    return [name for name in dict.fromkeys(names) if name not in by_path]


def _origins(name: str, folder: Path) -> list[str]:
    """Files or folders of a module in a folder; of a file that is given by its path, the path."""
    if plugins.is_path(name):
        return [name]
    spec = PathFinder.find_spec(name.partition(".")[0], [str(folder)])
    if spec is None:
        return []
    return [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())


def check_user_modules(run: Path, folder: Path, *, allow_code: bool) -> None:
    """Raise BadData where a run needs a module that may not be imported: one that lies outside a folder."""
    for name in user_modules(run):
        if not allow_code:
            raise BadData(f"{run}: its prompts are made by the module {name}, which is code and was not allowed")
        if not any(Path(origin).resolve().is_relative_to(folder.resolve()) for origin in _origins(name, folder)):
            raise BadData(
                f"{run}: its prompts are made by the module {name}, which does not lie in {folder}; start there, or "
                "put it there"
            )


class RunReplay:
    """Makes the prompts of a run again. Threads may share it."""

    def __init__(
        self, run: Path, media: Sequence[str] = (), *, allow_code: bool = True, benchmark: Benchmark | None = None
    ) -> None:
        """`media` are mappings OLD=NEW or folders; `benchmark` is given where the run's cannot be loaded by its name.

        Raises BadData where the benchmark cannot be loaded, or a module may not be imported.
        """
        self.run = run
        self.signature = load_signature(run)
        folder = Path(self.signature.working_folder or Path.cwd())
        self._finder = MediaFinder(run, folder, tuple(map(parse_mapping, media)))
        self._imported = _is_imported(self.signature)
        self._config = None if benchmark or self._imported else read_config(run)
        self._typed: dict[str, str] = {}  # folders of the benchmark's settings, and the same as they were typed
        if self._config:
            check_user_modules(run, Path.cwd(), allow_code=allow_code)
            settings = self._config.benchmark | self.signature.benchmark["settings"]
            self._typed = {path: typed for typed, path in relative_paths(settings, folder).items()}
            benchmark = reopen(run, base=folder)[0]
        if benchmark:
            self._benchmark = benchmark
        self._conditions: dict[str, NamedCondition | None] = {}
        self._lost: defaultdict[str, list[str]] = defaultdict(
            list
        )  # clips of other items that a condition looked for and that are missing
        settings_of_run = self._config.run if self._config else RunSettings()
        self._loader = ClipLoader(Limits(settings_of_run.max_audio_seconds, settings_of_run.max_audio_bytes))

    @property
    def capabilities(self) -> Capabilities:
        """Inputs that the model took; of a run that does not tell, those of its settings."""
        given = self.signature.capabilities or self.signature.model.get("capabilities")
        return given if isinstance(given, Capabilities) else msgspec.convert(given or {}, Capabilities)

    def words(self, record: Record) -> PromptWords | None:
        """The words that were sent, where they were kept."""
        return find_words(self.run / WORDS_FILE, record.words)

    def replay(self, record: Record) -> ReplayedPrompt:
        """Make the prompt of a record again. Raises BadData with a sentence where that cannot be done.

        A clip that is missing, or is another file today, is a problem of that clip: the others are made without it.
        """
        if self._imported:
            return self._replay_imported(record)
        if not record.audio_sent and not record.audio_digest:
            return self._replay_words(record)
        item = record.item
        try:
            condition = self._condition(record.condition)
            made = self._benchmark.prompt(item)
            located = self._locate(made, record, condition)
            moved = replace(item, clips=tuple(map(self._relocate, item.clips)))
            loaded, ready = prepare_prompt(located.prompt, moved, condition, self.capabilities, self._loader)
        except AskError as error:
            raise BadData(str(error)) from error
        problems = _sound_problems(record, ready, located.sound_problems)
        digest = audio_digest(loaded, source_digests(ready))
        compared = record.audio_digest if located.picture_problems else digest  # each picture that is missing says so
        differences = _differences(record, prompt_digest(made), compared, ready, problems)
        if record.audio_digest and (lost := self._lost[record.condition]):
            differences.append(
                f"clips of other items, of which {record.condition} takes some, are missing: {lost[0]} and "
                f"{len(lost) - 1} more; with them it may be another sound"
            )
        return ReplayedPrompt(ready, tuple(differences), problems, located.picture_problems)

    def _condition(self, name: str) -> NamedCondition | None:
        if name not in self._conditions:
            names = self.signature.condition
            texts = dict(zip(names, self._config.run.condition if self._config else names, strict=True))
            if name.startswith("transcript:"):
                raise BadData(f"{name}: the words are those of a recogniser, which is not asked again")
            check_named(self.run, find_in_condition(name))
            seed = self._config.run.seed_of(self._benchmark) if self._config else self._benchmark.seed
            lost = self._lost[name] = []
            benchmark = replace(self._benchmark, items=functools.partial(self._items, lost))
            self._conditions[name] = load_condition(texts.get(name, name), seed, benchmark)
        return self._conditions[name]

    def _locate(self, prompt: Prompt, record: Record, condition: NamedCondition | None) -> ReplayedPrompt:
        """A prompt that refers to clips and pictures where they are now, and problems of those that are not there."""
        unread = _leaves_unread(condition)
        # digests of the prompt's own recordings are recorded only where all of them were sent
        recorded = {sent.source for sent in record.audio_sent} if record.audio_digest and not unread else set()
        sounds, pictures = itertools.count(), itertools.count()
        located = ReplayedPrompt(prompt)

        def locate(part: Part) -> Part:
            number = next(sounds) if isinstance(part, Audio) else 0 if isinstance(part, str) else next(pictures)
            if not isinstance(part, Clip | ImageRef) or (isinstance(part, Clip) and unread):
                return part
            try:
                return self._finder.find(part, recorded) if isinstance(part, Clip) else self._finder.find(part)
            except BadData as error:
                is_sound = isinstance(part, Clip)
                (located.sound_problems if is_sound else located.picture_problems)[number] = str(error)
                return _stand_in(record, number, self._loader.limits) if is_sound else ImageBytes(b"", "", part.name)

        turns = tuple(Turn(turn.role, tuple(map(locate, turn.parts))) for turn in prompt.turns)
        return replace(located, prompt=replace(prompt, turns=turns))

    def _items(self, lost: list[str]) -> Iterator[Item]:
        """The items of the benchmark, from which conditions take sound, with their clips where they are now."""
        for item in self._benchmark.items():
            clips = tuple(map(self._relocate, item.clips))
            lost += [clip.path for clip in clips if isinstance(clip, Clip) and not Path(clip.path).is_file()]
            yield replace(item, clips=clips)

    def _relocate(self, source: object) -> object:
        """A clip at the first place that has a file of its path, by its name as it was; as it is where none has."""
        if not isinstance(source, Clip):
            return source
        place = next((place for place in self._finder.candidates(source.path) if place.is_file()), None)
        start = next((path for path in self._typed if Path(source.path).is_relative_to(path)), "")
        typed = self._typed[start] + source.path[len(start) :] if start else source.path
        return replace(source, path=str(place), name=source.name or typed) if place else source

    def _replay_words(self, record: Record) -> ReplayedPrompt:
        """The prompt of a record without media, from its kept words."""
        words = self.words(record)
        if words is None:
            raise BadData("no sound was sent, and the words were not kept")
        turns = tuple(
            Turn(turn.role, tuple(part for part in turn.parts if isinstance(part, str))) for turn in words.turns
        )
        return ReplayedPrompt(Prompt(turns))

    def _replay_imported(self, record: Record) -> ReplayedPrompt:
        """The clips of an imported record by their path, or by the id of the item in the folders that were given."""
        item = record.item
        clips = [clip for clip in item.clips if isinstance(clip, Clip)] or self._clips_by_id(item)
        if not clips:
            raise BadData(
                f"item {item.id}: the log has no sound of it; --media FOLDER looks for a file that is called by its id"
            )
        parts: list[Part] = []
        problems: dict[int, str] = {}
        for number, clip in enumerate(clips):
            try:
                prompt = Prompt((Turn("user", (self._finder.find(clip),)),))
                ready = prepare_prompt(prompt, item, None, Capabilities(formats=()), self._loader)[1]
                parts += ready.turns[0].parts
            except (AskError, BadData) as error:
                problems[number] = str(error)
                parts.append(SILENCE)
        remark = "found by its name: the log has no digest to compare it with"
        remarks = (remark,) if len(problems) < len(clips) else ()
        return ReplayedPrompt(Prompt((Turn("user", tuple(parts)),)), remarks, problems)

    def _clips_by_id(self, item: Item) -> list[Clip]:
        folders = [mapping.new for mapping in self._finder.mappings if not mapping.old]
        places = (folder / f"{item.id}{suffix}" for folder in folders for suffix in ("", *SOUND_SUFFIXES))
        return [Clip(str(place), name=item.id) for place in places if "/" not in item.id and place.is_file()][:1]


def _leaves_unread(condition: object) -> bool:
    return isinstance(condition, LeavesAudioUnread) and condition.leaves_audio_unread


def _is_imported(signature: RunSignature) -> bool:
    return bool(signature.benchmark.get("imported")) or signature.model.get("backend") == "import"


def _stand_in(record: Record, number: int, limits: Limits) -> LoadedClip:
    """Silence in the place of a clip; with the digest that was recorded, so that the rest can be compared."""
    sent = record.audio_sent[number] if record.audio_digest and number < len(record.audio_sent) else None
    return LoadedClip(Clip(""), encode_wav(SILENCE), sent.source if sent else "", limits)


def _sound_problems(record: Record, ready: Prompt, missing: Mapping[int, str]) -> dict[int, str]:
    """Problems of the sounds that were made while others are missing: one that depends on those is another sound."""
    if not missing:
        return {}
    rest = f"it cannot be made again without another: {next(iter(missing.values()))}"
    problems = {}
    for number, made in enumerate(describe_audio(ready)):
        is_same = number < len(record.audio_sent) and made == record.audio_sent[number]
        is_stand_in = number in missing and record.audio_digest  # under swap, what stands there is not sent
        if is_stand_in or not is_same:
            problems[number] = missing.get(number, rest)
    return problems


def _differences(record: Record, prompt: str, audio: str, ready: Prompt, problems: Collection[int]) -> list[str]:
    """Sentences on how a prompt differs from what the journal tells, but for sounds that have problems of their own."""
    sent = describe_audio(ready)
    differences = []
    if prompt != record.prompt_digest:
        differences.append(f"the words of the prompt have changed: digest {prompt}, recorded {record.prompt_digest}")
    if audio != record.audio_digest:
        differences.append(
            f"the recordings have changed: digest {audio or 'none'}, recorded {record.audio_digest or 'none'}"
        )
    if len(sent) != len(record.audio_sent):
        differences.append(f"{len(sent)} sounds are made, and {len(record.audio_sent)} were sent")
    for number, (made, recorded) in enumerate(zip(sent, record.audio_sent, strict=False)):
        fields = [name for name in made.__struct_fields__ if getattr(made, name) != getattr(recorded, name)]
        differences += [
            f"{recorded.name}: {name} is {getattr(made, name)} and was {getattr(recorded, name)}"
            for name in fields
            if number not in problems
        ]
    return differences

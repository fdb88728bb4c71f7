"""Typed settings: of a run, of a model, and both with their benchmark, as config.yaml holds them."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from earmark.text.secrets import without_secrets
from earmark.types import Benchmark, Seconds, Usage

Price: TypeAlias = Annotated[float, Meta(ge=0)]
MILLION: Final = 1_000_000  # tokens, for which services tell their prices


class Prices(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"input": "in", "output": "out"}
):  # `in` is a word of Python
    """For a million tokens, but for `minute`."""

    input: Price = 0.0
    output: Price = 0.0
    sound: Price | None = None  # None: as `in`
    speech: Price | None = None  # None: as `out`
    minute: Price = 0.0  # of sound sent
    batch: Price = 0.5  # of all of it, in a service's queue for batches

    def cost(self, usage: Usage, seconds: Seconds = 0.0) -> float:
        """Cost of a response with this usage and so many seconds of audio sent.

        >>> usage = Usage(tokens_in=1100, tokens_out=10, audio_tokens_in=1000)
        >>> round(Prices(input=2.5, output=10.0, sound=40.0).cost(usage), 6)
        0.04035
        """
        sound = self.input if self.sound is None else self.sound
        speech = self.output if self.speech is None else self.speech
        tokens = (
            (usage.tokens_in - usage.audio_tokens_in) * self.input
            + usage.audio_tokens_in * sound
            + (usage.tokens_out - usage.audio_tokens_out) * self.output
            + usage.audio_tokens_out * speech
        )
        return tokens / MILLION + seconds / 60 * self.minute


Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Duration: TypeAlias = Annotated[Seconds, Meta(ge=0)]
Rate: TypeAlias = Annotated[float, Meta(gt=0)]
DEFAULT_MAX_RETRY_AFTER: Final[Seconds] = 900.0  # that a server may ask everybody for


class RunSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a run, beside those of its model and its benchmark."""

    condition: tuple[str, ...] = ("plain",)
    limit: Natural | None = None  # the first so many items of each task
    sample: Positive | None = None  # so many items in all, drawn by the seed in proportion to the tasks
    until: Annotated[float, Meta(gt=0)] | None = None  # stop once the headline is known to this half-width
    choice_order: str = ""  # shuffled:3 asks each item with choices in three orders of them
    shard: str = ""  # such as 3/8: the items of one part of eight
    seed: Natural | None = None  # None: the benchmark's own
    repeats: Positive = 1
    results: str = "results"
    output_dir: str = "{model}/{benchmark}"  # of runs under results
    resume: bool = True
    strict: bool = False  # whether missing sound, odd rows and other counts than expected are an error
    max_attempts: Positive | None = (
        None  # requests for one answer, the first included; None: as the benchmark has it, or 5
    )
    retry_timeout: Duration = 900.0  # for one answer, all its attempts and waits together
    max_audio_seconds: Duration = 4 * 3600.0  # of a recording that is decoded; a longer one fails, it is never cut
    max_audio_bytes: Positive = 1 << 30  # bytes of a recording, and of its samples
    max_consecutive_failures: Positive = 50  # failures in a row, with no answer between them
    keep_words: bool = True  # write the words of each distinct prompt into the run's words.jsonl
    preflight: bool = True  # whether the model hears is looked at first, where it is asked over a network
    budget: Annotated[float, Meta(ge=0)] | None = (
        None  # what the answers of a run may cost, in the currency of the model's prices
    )
    batch: bool = False  # ask by the service's queue for batches: for half the price, within a day
    batch_timeout: Duration = 90_000.0  # for that queue

    def seed_of(self, benchmark: Benchmark) -> int:
        """Seed of the run, or the benchmark's own."""
        return benchmark.seed if self.seed is None else self.seed


# What a model's YAML may hold beside the fields of its backend.
class CommonSettings(Struct, frozen=True):
    """Settings that every model has, whatever its backend."""

    backend: str
    concurrency: Annotated[int, Meta(ge=1, le=65536)] = (
        16  # answers under way at once, at most; fewer while the server says that it is busy
    )
    requests_per_minute: Rate | None = None  # at most, where a service counts them
    tokens_per_minute: Rate | None = None  # read and written
    max_retry_after: Duration = (
        DEFAULT_MAX_RETRY_AFTER  # that a server may ask everybody for; one that asks for longer is asked on
    )
    cache: bool = False  # whether what was answered once, in any run, is taken from memory
    replicas: Annotated[int, Meta(ge=1, le=4096)] = 1  # copies of the model, each in a process of its own, by Ray
    gpus: Annotated[float, Meta(ge=0)] = 0.0  # of each replica
    cluster: str = ""  # of Ray: auto or HOST:PORT; empty: this machine
    prices: Prices | None = None  # {in: 2.5, out: 10, sound: 40}, for a million tokens


class ModelConfig(Struct, frozen=True):
    """Settings of a model, parsed."""

    common: CommonSettings
    settings: Any  # of its backend, in that one's own type
    composed: dict[str, Any]  # as they were composed: what is given, and nothing else
    unused: dict[str, str] = {}  # settings that its backend has no use for, with the reason


YAML_BOOLEANS: Final = ("y", "yes", "n", "no", "true", "false", "on", "off")


class ComposedConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a command, composed, as config.yaml holds them; settings of plug-ins are still plain."""

    run: RunSettings
    model: dict[str, Any]
    benchmark: dict[str, Any]
    groups: dict[str, str] = {}  # the YAML files that were chosen, by group
    unused: dict[str, str] = {}  # settings that were given and change nothing, with the reason
    plugins: tuple[str, ...] = ()  # the path of the benchmark, if it was given by its path


class Config(Struct, frozen=True):
    """Settings of a run, parsed once."""

    run: RunSettings
    model: ModelConfig
    composed: ComposedConfig  # what they were parsed from
    unused: dict[str, str]  # settings that were given and change nothing, with the reason


def to_yaml(config: ComposedConfig) -> str:
    """The settings as YAML, for config.yaml, without keys: as OmegaConf writes it, which takes a while to import."""
    import yaml  # noqa: PLC0415 - a twentieth of a second that help and scoring do not owe

    class Dumper(yaml.SafeDumper):
        pass

    def represent_text(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'" if _needs_quotes(text) else None)

    Dumper.add_representer(str, represent_text)
    plain = without_secrets(msgspec.to_builtins(config))
    text: str = yaml.dump(plain, Dumper=Dumper, default_flow_style=False, allow_unicode=True, sort_keys=False)
    return text


def _needs_quotes(text: str) -> bool:
    """True if a text is a number for Python, or true or false for some reader of YAML."""
    try:
        return text.lower() in YAML_BOOLEANS or float(text) is not None
    except ValueError:
        return False


def convert_config(plain: Any) -> ComposedConfig:
    """The settings of a config.yaml, from its plain values. Raises msgspec.ValidationError for anything else."""
    return msgspec.convert(plain, ComposedConfig)

"""Settings: YAML groups and words of the command line, composed Hydra's way and read into typed fields.

    model=NAME           a YAML file of the group `model`, a backend with a model (openai/gpt-4o-audio-preview), or a URL
    model.FIELD=VALUE    a field of the model
    runtime=NAME         a YAML file of the group `runtime`: what models of one backend share on one machine
    eval=NAME            a YAML file of the group `eval`: settings of a run and its benchmark that belong together
    noise=[20,10,0]      as condition=[plain,noise:20,noise:10,noise:0]
    FIELD=VALUE          a field of the run where it has one of that name, else of the benchmark

A user's own folder of YAML (`$EARMARK_CONF`, or `conf` in the working folder) is laid over the packaged one.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from earmark import plugins
from earmark.errors import BadSetup, UsageError
from earmark.prices import Priced, Prices
from earmark.text.secrets import first_hidden, without_secrets
from earmark.types import Benchmark, Condition, Model, Scorer, Seconds

# Of a model's settings those that change no answer: where it is reached, how long is waited, what it runs on.
UNSIGNED: Final = frozenset(
    "api_key_env api_key_header api_key_query base_url urls max_body_bytes max_reply_bytes timeout connect rest".split()
    + "threads device gpu_memory_utilization".split()
)
GROUPS: Final = ("eval", "runtime")  # of YAML, beside model and suite
LONGEST_WAIT: Final[Seconds] = 900.0  # that a server may ask everybody for
PACKAGED: Final = Path(__file__).parent / "conf"
T = TypeVar("T", bound=Struct)
Named = TypeVar("Named", Benchmark, Condition, Scorer)
Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Span: TypeAlias = Annotated[Seconds, Meta(ge=0)]
Rate: TypeAlias = Annotated[float, Meta(gt=0)]


class RunSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a run is told beside its model and its benchmark."""

    condition: tuple[str, ...] = ("plain",)
    limit: Natural | None = None  # the first so many items of each task
    seed: Natural | None = None  # None: the benchmark's own
    repeats: Positive = 1
    results: str = "results"
    place: str = "{model}/{benchmark}"  # of runs under results
    resume: bool = True
    attempts: Positive | None = None  # requests for one answer, the first included; None: as the benchmark has it, or 5
    patience: Span = 900.0  # for one answer, all its attempts and waits together
    longest: Span = 4 * 3600.0  # of a recording that is decoded; a longer one fails, it is never cut
    largest: Positive = 1 << 30  # bytes of a recording, and of its samples
    give_up_after: Positive = 50  # failures in a row, with no answer between them
    preflight: bool = True  # whether the model hears is looked at first, where it is asked over a network
    budget: Annotated[float, Meta(ge=0)] | None = (
        None  # what the answers of a run may cost, in the currency of the model's prices
    )
    batch: bool = False  # ask by the service's queue for batches: for half the price, within a day
    batch_patience: Span = 90_000.0  # for that queue


class Composed(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a command, read."""

    run: RunSettings
    model: dict[str, Any]
    benchmark: dict[str, Any]


def user_folder() -> Path | None:
    """The user's own folder of YAML, where there is one."""
    given = os.environ.get("EARMARK_CONF")
    place = Path(given) if given else Path("conf")
    if given and not place.is_dir():
        raise UsageError(f"EARMARK_CONF is {given}, expected a folder with YAML in model/ or suite/")
    return place.resolve() if place.is_dir() else None


def yaml_names(group: str) -> dict[str, Path]:
    """The files of a group by name, the user's over the packaged ones.

    >>> "local" in yaml_names("model")
    True
    """
    folders = [folder for folder in (PACKAGED, user_folder()) if folder]
    return {path.stem: path for folder in folders for path in sorted((folder / group).glob("*.yaml"))}


def compose(words: Sequence[str], start: str = "run") -> Composed:
    """Read `key=value` words over a YAML to start from. Raises UsageError with one line on the first that means nothing."""
    from hydra import compose as hydra_compose  # noqa: PLC0415 - a quarter of a second that help does not owe
    from hydra import initialize_config_dir  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf import OmegaConf  # noqa: PLC0415
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException  # noqa: PLC0415
    from yaml import YAMLError  # noqa: PLC0415

    _lay_user_folder_over()
    overrides = [override for word in words for override in _overrides(word)]
    try:
        with initialize_config_dir(str(PACKAGED), version_base="1.3"):
            config = OmegaConf.to_container(hydra_compose(start, overrides), resolve=True)
    except InterpolationResolutionError as error:  # an environment variable that is not set, as a rule
        said = str(error).splitlines()[0].rpartition("interpolation: ")[2].strip('"')
        raise UsageError(f"{error.full_key}: {said}; set it, or give {error.full_key}=…") from error
    except (HydraException, OmegaConfBaseException) as error:
        said = " ".join(str(error).split())
        raise UsageError(f"cannot read {' '.join(words)}: {said}") from error
    except (YAMLError, UnicodeDecodeError, OSError) as error:  # of a YAML of the user's own
        raise UsageError(
            f"cannot read {' '.join(words)}: no YAML of settings: {' '.join(str(error).split())}"
        ) from error
    settings: dict[str, Any] = config  # type: ignore[assignment] # a mapping of names, as run.yaml is one
    model, benchmark, runtime = settings.pop("model"), settings.pop("benchmark"), settings.pop("runtime")
    if not isinstance(model, dict):
        raise UsageError(f"the model's YAML holds {model!r}; expected settings by name, such as backend: openai")
    runtime_backend = runtime.pop("backend", None)
    if runtime_backend == model.get("backend"):
        model = runtime | model
    elif runtime and (given := next((word for word in words if word.startswith("runtime=")), "")):
        raise UsageError(f"{given}: is for models of {runtime_backend}, and this one is of {model.get('backend')}")
    settings["condition"] += [f"noise:{level}" for level in settings.pop("noise")]
    return Composed(read(RunSettings, settings, ""), model, benchmark)


def _lay_user_folder_over() -> None:
    from hydra.core.config_search_path import ConfigSearchPath  # noqa: PLC0415
    from hydra.core.plugins import Plugins  # noqa: PLC0415
    from hydra.plugins.search_path_plugin import SearchPathPlugin  # noqa: PLC0415

    class UserFolder(SearchPathPlugin):
        def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
            folder = user_folder()
            if folder:
                search_path.prepend("earmark-user", f"file://{folder}")

    known = Plugins.instance()
    if not any(plugin.__name__ == "UserFolder" for plugin in known.discover(SearchPathPlugin)):
        known.register(UserFolder)


def _overrides(word: str) -> list[str]:
    """One word of ours as Hydra's overrides.

    >>> _overrides("model.temperature=0.2"), _overrides("limit=5"), _overrides("policy=official")
    (['++model.temperature=0.2'], ['limit=5'], ['++benchmark.policy=official'])
    """
    key, equals, value = word.partition("=")
    if not equals or not key:
        raise UsageError(f"'{word}' is no setting; expected key=value, such as limit=10")
    if key == "model":
        return _model_overrides(value)
    if key.startswith("model."):
        return [f"++{key}={_safe(value)}"]
    if key in GROUPS:
        return [f"{key}={_known(key, value)}"]
    if key in RunSettings.__struct_fields__:
        return [f"{key}={_listed(value) if key == 'condition' else _safe(value)}"]
    if key == "noise":
        return [f"noise={_listed(value)}"]
    return [f"++benchmark.{key}={_safe(value)}"]


def _known(group: str, name: str) -> str:
    known = yaml_names(group)
    if name not in known:
        raise UsageError(f"no YAML of {group}/ is called '{name}'; there are: {', '.join(known)}")
    return name


def _listed(value: str) -> str:
    if not value.startswith("["):
        return f"[{value}]"
    if (said := _safe(value)) != value:
        raise UsageError(f"{value}: is no list; expected one such as [plain,silence]")
    return said


def _safe(value: str) -> str:
    """A value in Hydra's grammar; what does not parse there is meant as a text."""
    from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415

    try:
        parsed = OverridesParser.create().parse_override(f"key={value}")
    except HydraException:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"[{value}]" if parsed.is_sweep_override() else value


def _model_overrides(value: str) -> list[str]:
    """The model a user names, as a YAML file and the fields that differ.

    >>> _model_overrides("http://127.0.0.1:8000/v1/")
    ['model=openai', "++model.base_url='http://127.0.0.1:8000/v1'"]
    >>> _model_overrides("openai/gpt-4o-audio-preview")
    ['model=openai', "++model.name='gpt-4o-audio-preview'"]
    >>> _model_overrides("my.module/large")
    ['~model', "++model.backend='my.module'", "++model.name='large'"]
    """
    known = yaml_names("model")
    if value in known:
        return [f"model={value}"]
    if value.startswith(("http://", "https://")):
        return ["model=openai", f"++model.base_url='{value.rstrip('/')}'"]
    backend, slash, name = value.partition("/")
    if slash and backend in known:
        return [f"model={backend}", f"++model.name='{name}'"]
    if "." in backend and all(part.isidentifier() for part in backend.split(".")):  # somebody's own module
        return ["~model", f"++model.backend='{backend}'", *([f"++model.name='{name}'"] if slash else [])]
    raise UsageError(
        f"no model is called '{value}'; there are: {', '.join(known)}; or give BACKEND/NAME, or the URL of a server"
    )


def read(kind: type[T], settings: Mapping[str, Any], prefix: str) -> T:
    """Typed settings from plain ones; a wrong name or value is told with the names that there are."""
    fields = kind.__struct_fields__
    unknown = [name for name in settings if name not in fields]
    if unknown:
        raise UsageError(
            f"no setting is called '{prefix}{unknown[0]}'; there are: {', '.join(prefix + name for name in fields)}"
        )
    needed = [field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in settings]
    if needed:
        raise UsageError(f"{prefix}{needed[0]} must be given, as {prefix}{needed[0]}=…")
    try:
        return msgspec.convert(_texts(kind, settings), kind, strict=False)
    except msgspec.ValidationError as error:
        where = str(error).partition(" - at `$.")[2].rstrip("`")
        found = settings.get(where.partition(".")[0].partition("[")[0])
        hint = get_type_hints(kind).get(where)
        may_be = (
            f"; there are: {', '.join(map(str, filter(None, get_args(hint))))}" if get_origin(hint) is Literal else ""
        )
        raise UsageError(
            f"{prefix}{where or 'settings'}={found!r}: {str(error).partition(' - at ')[0]}{may_be}"
        ) from error


def _texts(kind: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with texts where texts are expected: YAML reads the experiment 4 and the user 901 as numbers."""
    expected = get_type_hints(kind)
    told = dict(settings)
    for name, value in settings.items():
        if expected.get(name) is str and type(value) is int:
            told[name] = str(value)
        elif expected.get(name) == tuple[str, ...]:
            entries = value if isinstance(value, list | tuple) else [value]
            told[name] = [str(entry) if type(entry) is int else entry for entry in entries]
    return told


# What a model's YAML may hold beside the fields of its backend.
class Common(Struct, frozen=True):
    """How any model is asked, whatever its backend."""

    backend: str
    concurrency: Annotated[int, Meta(ge=1, le=65536)] = (
        16  # answers under way at once, at most; fewer while the server says that it is busy
    )
    requests_per_minute: Rate | None = None  # at most, where a service counts them
    tokens_per_minute: Rate | None = None  # read and written
    longest_wait: Span = LONGEST_WAIT  # that a server may ask everybody for; one that asks for longer is asked on
    remember: bool = False  # whether what was answered once, in any run, is taken from memory
    prices: Prices | None = None  # {in: 2.5, out: 10, sound: 40}, for a million tokens


def common(model: Mapping[str, Any]) -> Common:
    """The part of a model's settings that every model has."""
    if "backend" not in model:
        raise UsageError(f"the model's YAML names no backend; there are: {', '.join(plugins.names('models'))}")
    return read(Common, {name: model[name] for name in Common.__struct_fields__ if name in model}, "model.")


def backend_settings(model: Mapping[str, Any]) -> Any:
    """The part of a model's settings that its backend reads, typed."""
    module = plugins.find("models", common(model).backend)
    own = {name: value for name, value in model.items() if name not in Common.__struct_fields__}
    return read(module.Settings, own, "model.")


@asynccontextmanager
async def open_model(model: Mapping[str, Any]) -> AsyncIterator[Model]:
    """A model from its settings, open for asking. Raises BadSetup where a key among them was not written down."""
    if hidden := first_hidden(model, "model"):
        raise BadSetup(f"{hidden} was a key, and keys are not written down; give it again: {hidden}=VALUE")
    if common(model).remember:  # asking again is left to whoever asks, as it is without a memory
        held = {name: value for name, value in model.items() if name != "remember"}
        model = {"backend": "earmark.models._remember", "model": held, "attempts": 1}
    module = plugins.find("models", common(model).backend)
    prices = common(model).prices
    async with module.load(backend_settings(model)) as opened:
        yield Priced(opened, prices) if prices else opened


def signed_model(model: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What of a model's settings signs its answers: everything but where it is reached and how fast it is asked."""
    settings = backend_settings(model)
    plain = {"backend": common(model).backend, **msgspec.to_builtins(settings), "name": name}
    signed: dict[str, Any] = _signed(without_secrets(plain))
    return signed


def _signed(value: Any) -> Any:
    """What signs of settings, and of the settings of models within them.

    >>> _signed({"backend": "cascade", "mind": {"backend": "openai", "base_url": "http://here", "name": "m"}})
    {'backend': 'cascade', 'mind': {'backend': 'openai', 'name': 'm'}}
    """
    if isinstance(value, list | tuple):
        return [_signed(each) for each in value]
    if not isinstance(value, dict) or "backend" not in value:
        return value
    left_out = UNSIGNED | set(Common.__struct_fields__) - {"backend"}
    return {key: _signed(each) for key, each in value.items() if key not in left_out}


def written(words: Composed) -> str:
    """The settings as YAML, for config.yaml, without keys."""
    from omegaconf import OmegaConf  # noqa: PLC0415

    text: str = OmegaConf.to_yaml(OmegaConf.create(without_secrets(msgspec.to_builtins(words))))
    return text


def read_written(text: bytes) -> Composed:
    """The settings in a config.yaml. Raises msgspec.DecodeError where it holds anything else."""
    return msgspec.yaml.decode(text, type=Composed)


def scorer_words(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words as plain settings, for a scorer.

    >>> scorer_words(["policy=official", "votes=3"])
    {'policy': 'official', 'votes': 3}
    """
    return compose(words).benchmark


def load_benchmark(name: str, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    """A benchmark from its file and its settings."""
    module = plugins.find("benchmarks", name)
    benchmark: Benchmark = module.load(read(module.Settings, settings, ""), tuple(tasks))
    return named(name, benchmark)


def load_line(name: str, tasks: Sequence[str], words: Composed) -> tuple[Benchmark, Composed]:
    """A benchmark from the words of a command, and the words as they are left for the run.

    `seed` and `limit` are settings of the run; a benchmark that has one of that name gets it, and a limit of its own means
    something else than the run's.
    """
    fields = plugins.find("benchmarks", name).Settings.__struct_fields__
    if unknown := next((key for key in words.benchmark if key not in fields), None):
        own_ones, of_a_run = ", ".join(fields) or "none", ", ".join(RunSettings.__struct_fields__)
        raise UsageError(f"no setting is called '{unknown}'; there are: {own_ones} (of {name}), {of_a_run} (of a run)")
    given = {key: getattr(words.run, key) for key in ("seed", "limit") if key in fields}
    own = {key: value for key, value in given.items() if value is not None}
    left = (
        msgspec.structs.replace(words, run=msgspec.structs.replace(words.run, limit=None)) if "limit" in own else words
    )
    return load_benchmark(name, tasks, own | words.benchmark), left


def load_condition(text: str, seed: int, benchmark: Benchmark) -> Condition | None:
    """A condition from its file: its name, and what stands after a colon."""
    if text == "plain":
        return None
    name, _, argument = text.partition(":")
    condition: Condition = plugins.find("conditions", name).load(argument, seed, benchmark)
    return named(name, condition)


def named(name: str, made: Named) -> Named:
    """What a module made. Raises UsageError for somebody's own that has another name than a run finds it again by."""
    if "." in name and made.name.partition(":")[0] != name:
        raise UsageError(f"{name} calls itself '{made.name}'; expected '{name}', by which a run finds it again")
    return made


def load_conditions(texts: Sequence[str], seed: int, benchmark: Benchmark) -> tuple[Condition | None, ...]:
    """The conditions of a run. Raises UsageError for none, and for two of one name, under which a question would stand twice."""
    loaded = tuple(load_condition(text, seed, benchmark) for text in texts)
    names = [condition.name if condition else "plain" for condition in loaded]
    if not names:
        raise UsageError("condition=[] names no condition; expected some, such as condition=[plain,silence]")
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"{twice} is named twice in condition= and noise=; name it once, and ask twice with repeats=2")
    return loaded

"""Settings: YAML groups and words of the command line, composed Hydra's way and read into typed fields.

    model=NAME           a YAML file of the group `model`, a backend with a model (openai/gpt-4o-audio-preview), or a URL
    model.FIELD=VALUE    a field of the model
    runtime=NAME         a YAML file of the group `runtime`: what models of one backend share on one machine
    eval=NAME            a YAML file of the group `eval`: settings of a run and its benchmark that belong together
    noise=[20,10,0]      as condition=[plain,noise:20,noise:10,noise:0]
    FIELD=VALUE          a field of the run where it has one of that name, else of the benchmark

A user's own folder of YAML (`$EARMARK_CONF`, or `conf` or `configs` in the working folder) is laid over the packaged
one. Words of Hydra (`+key=value`, `eval.X=`, `runtime.X=`, `hydra.run.dir=`) are read by `data/hydra_words.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from earmark import plugins
from earmark.data.hydra_words import plain_key, plain_words, quote
from earmark.errors import UsageError
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


RENAMED: Final = dict(
    pair.split("=")
    for pair in """place=output_dir attempts=max_attempts patience=retry_timeout
    longest=max_audio_seconds largest=max_audio_bytes give_up_after=max_consecutive_failures batch_patience=batch_timeout reader=parser several=multi_select
    model.longest_wait=model.max_retry_after model.remember=model.cache model.hears=model.capabilities
    model.connect=model.connect_timeout model.recogniser=model.asr model.mind=model.llm model.each=model.endpoint
    model.of=model.endpoints model.rest=model.cooldown""".split()
)  # settings that had another name in 0.1
GROUPS: Final = ("eval", "runtime")  # of YAML, beside model and suite
START: Final = "earmark_run"  # the YAML that `earmark run` starts from
DEFAULT_MAX_RETRY_AFTER: Final[Seconds] = 900.0  # that a server may ask everybody for
PACKAGED: Final = Path(__file__).parent / "conf"
T = TypeVar("T", bound=Struct)
Kind: TypeAlias = Literal["run", "model", "group", "own"]  # own: of the benchmark or scorer; group: of both and the run
Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Duration: TypeAlias = Annotated[Seconds, Meta(ge=0)]
Rate: TypeAlias = Annotated[float, Meta(gt=0)]


def renamed(name: str) -> str:
    """Hint at the new name of a setting that was renamed; empty for any other.

    >>> renamed("patience"), renamed("tempo")
    (" any more; it is 'retry_timeout'", '')
    """
    return f" any more; it is '{RENAMED[name]}'" if name in RENAMED else ""


class RunSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a run, beside those of its model and its benchmark."""

    condition: tuple[str, ...] = ("plain",)
    limit: Natural | None = None  # the first so many items of each task
    sample: Positive | None = None  # so many items in all, drawn by the seed in proportion to the tasks
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


def kind_of(key: str) -> Kind:
    """Return what a word sets, by its key.

    >>> [kind_of(key) for key in ("model.base_url", "noise", "eval", "policy")]
    ['model', 'run', 'group', 'own']
    """
    key = plain_key(key)
    if key in ("model", "runtime") or key.startswith("model."):
        return "model"
    if key.startswith("hydra."):
        return "run"
    if key == "eval":
        return "group"
    return "run" if key in RunSettings.__struct_fields__ or key == "noise" else "own"


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a command, read."""

    run: RunSettings
    model: dict[str, Any]
    benchmark: dict[str, Any]
    groups: dict[str, str] = {}  # the YAML files that were chosen, by group
    unused: dict[str, str] = {}  # settings that were given and change nothing, with the reason
    plugins: tuple[str, ...] = ()  # the path of the benchmark, if it was given by its path


def user_folder() -> Path | None:
    """The user's own folder of YAML, where there is one."""
    given = os.environ.get("EARMARK_CONF")
    if given and not Path(given).is_dir():
        raise UsageError(f"EARMARK_CONF is {given}, expected a folder with YAML in model/ or suite/")
    if given or Path("conf").is_dir():
        return Path(given or "conf").resolve()
    if not Path("configs").is_dir():
        return None
    from earmark.data.settings_folder import is_settings_folder  # noqa: PLC0415 - of few folders

    return Path("configs").resolve() if is_settings_folder(Path("configs")) else None


def yaml_names(group: str) -> dict[str, Path]:
    """The files of a group by name, the user's over the packaged ones.

    >>> "local" in yaml_names("model")
    True
    """
    folders = [folder for folder in (PACKAGED, user_folder()) if folder]
    return {path.stem: path for folder in folders for path in sorted((folder / group).glob("*.yaml"))}


def _check_user_folder(start: str, overrides: Sequence[str]) -> str:
    """Check the user's YAML before it is composed, and return the file to start from."""
    folder = user_folder()
    if folder is None:
        return start
    from earmark.data.user_yaml import check_user_folder  # noqa: PLC0415 - most have none

    fields = {"defaults", "model", "benchmark", "noise", "runtime", *RunSettings.__struct_fields__}
    is_own = check_user_folder(folder, PACKAGED, overrides, fields)
    return "run" if is_own and start == START else start


def _check_working_folder() -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the working folder does not exist any more; change to another one with cd") from error


def compose_config(words: Sequence[str], start: str = START) -> Config:
    """Read `key=value` words over a YAML to start from. Raises UsageError with one line on the first that means
    nothing.
    """
    from hydra import compose as hydra_compose  # noqa: PLC0415 - a quarter of a second that help does not owe
    from hydra import initialize_config_dir  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf import OmegaConf  # noqa: PLC0415
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException  # noqa: PLC0415
    from yaml import YAMLError  # noqa: PLC0415

    _add_user_folder()
    home = user_folder()
    if start == "listen_eval" and home and (home / "config.yaml").is_file():
        from earmark.data.settings_folder import primary_words  # noqa: PLC0415 - of one program
        from earmark.data.user_yaml import warn_once  # noqa: PLC0415

        warn_once(f"{home / 'config.yaml'}: its settings are used")
        words = [*primary_words(home / "config.yaml"), *words]
    words = [plain for word in words for plain in plain_words(word)]
    overrides = [override for word in words for override in _overrides(word)]
    start = _check_user_folder(start, overrides)
    try:
        with initialize_config_dir(str(PACKAGED), version_base="1.3"):
            composed = hydra_compose(start, overrides, return_hydra_config=True)
            groups = {name: str(choice) for name, choice in composed.hydra.runtime.choices.items() if choice}
            OmegaConf.set_struct(composed, value=False)
            del composed["hydra"]
            config = OmegaConf.to_container(composed, resolve=True)
    except InterpolationResolutionError as error:  # an environment variable that is not set, as a rule
        name = str(error).splitlines()[0].rpartition("interpolation: ")[2].strip('"')
        raise UsageError(f"{error.full_key}: {name}; set it, or give {error.full_key}=…") from error
    except (HydraException, OmegaConfBaseException) as error:
        name = " ".join(str(error).split())
        raise UsageError(f"cannot read {' '.join(words)}: {name}") from error
    except (YAMLError, UnicodeDecodeError, OSError) as error:  # of a YAML of the user's own
        raise UsageError(
            f"cannot read {' '.join(words)}: no YAML of settings: {' '.join(str(error).split())}"
        ) from error
    return _read_composed(config, words, {name: groups[name] for name in groups if "/" not in name})


def _read_composed(settings: Any, words: Sequence[str], groups: dict[str, str]) -> Config:
    """Read what Hydra has composed."""
    model, benchmark, runtime = settings.pop("model"), settings.pop("benchmark"), settings.pop("runtime")
    if not isinstance(model, dict):
        raise UsageError(f"the model's YAML holds {model!r}; expected settings by name, such as backend: openai")
    unused: dict[str, str] = {}
    if isinstance(in_group := settings.pop("eval", None), dict):
        from earmark.data.settings_folder import merge_eval  # noqa: PLC0415 - of few folders

        given = {word.partition("=")[0] for word in words}
        unused = merge_eval(in_group, settings, benchmark, RunSettings.__struct_fields__, given)
    runtime_backend = runtime.pop("backend", None)
    if runtime_backend in (None, model.get("backend")):
        model = runtime | model
    elif runtime and (chosen := next((word for word in words if word.startswith("runtime=")), "")):
        raise UsageError(f"{chosen}: is for models of {runtime_backend}, and this one is of {model.get('backend')}")
    settings["condition"] += [f"noise:{level}" for level in settings.pop("noise")]
    if ".py" in str(model):
        from earmark.plugins.roads import with_full_paths  # noqa: PLC0415 - of few models

        model = with_full_paths(model)
    settings["condition"] = [
        plugins.full_path(text) if isinstance(text, str) else text for text in settings["condition"]
    ]
    return Config(parse_settings(RunSettings, settings, ""), model, benchmark, groups, unused)


def _add_user_folder() -> None:
    _check_working_folder()
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
        return [f"++{key}={_quote_value(value)}"]
    if key in GROUPS:
        return [f"{key}={_check_name(key, value)}"]
    if key in RunSettings.__struct_fields__:
        return [f"{key}={_expand_list(value) if key == 'condition' else _quote_value(value)}"]
    if key == "noise":
        return [f"noise={_expand_list(value)}"]
    return [f"++benchmark.{key}={_quote_value(value)}"]


def _check_name(group: str, name: str) -> str:
    known = yaml_names(group)
    if name not in known:
        raise UsageError(f"no YAML of {group}/ is called '{name}'; there are: {', '.join(known)}")
    return name


def _expand_list(value: str) -> str:
    if not value.startswith("["):
        return f"[{value}]"
    if (quoted := _quote_value(value)) != value:
        raise UsageError(f"{value}: is no list; expected one such as [plain,silence]")
    return quoted


def _quote_value(value: str) -> str:
    """A value in Hydra's grammar; what does not parse there is meant as a text."""
    from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415

    try:
        parsed = OverridesParser.create().parse_override(f"key={value}")
    except HydraException:
        return quote(value)
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
    if "," in value and {*value.split(",")} <= {*known}:
        raise UsageError(f"model={value}: names several; add -m to run one after the other")
    if value in known:
        return [f"model={value}"]
    if value.startswith(("http://", "https://")):
        return ["model=openai", f"++model.base_url='{value.rstrip('/')}'"]
    backend, slash, name = value.partition("/")
    if slash and backend in known:
        return [f"model={backend}", f"++model.name='{name}'"]
    file = backend
    if ".py" in value:
        from earmark.plugins.roads import split_path  # noqa: PLC0415 - of few models

        file, slash, name = split_path(value)
    is_module = "." in file and all(part.isidentifier() for part in file.split("."))
    is_named = file in plugins.plugin_names("models") or file in plugins.entry_points("models")
    if plugins.is_path(file) or (is_module and not file.endswith(".py")) or is_named:
        return ["~model", f"++model.backend='{file}'", *([f"++model.name='{name}'"] if slash else [])]
    from earmark.plugins.roads import unknown_name  # noqa: PLC0415

    raise UsageError(f"{unknown_name('models', value, known)}, BACKEND/NAME, or the URL of a server")


def parse_settings(kind: type[T], settings: Mapping[str, Any], prefix: str) -> T:
    """Typed settings from plain ones; a wrong name or value is told with the names that there are."""
    fields = kind.__struct_fields__
    unknown = [name for name in settings if name not in fields]
    if unknown:
        raise UsageError(
            f"no setting is called '{prefix}{unknown[0]}'{renamed(prefix + unknown[0])}; there are: "
            f"{', '.join(prefix + name for name in fields) or 'none'}"
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
        raise UsageError(
            f"{prefix}{where or 'settings'}={value!r}: {str(error).partition(' - at ')[0]}{may_be}"
        ) from error


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


def model_signature(model: ModelConfig, name: str) -> dict[str, Any]:
    """Settings of a model that enter the signature: all but its address and its rate limits."""
    plain = {"backend": model.common.backend, **msgspec.to_builtins(model.settings), "name": name}
    signed: dict[str, Any] = signature_part(without_secrets(plain))
    return signed


def signature_part(value: Any) -> Any:
    """Drop unsigned settings, also from nested models.

    >>> signature_part({"backend": "cascade", "llm": {"backend": "openai", "base_url": "http://here", "name": "m"}})
    {'backend': 'cascade', 'llm': {'backend': 'openai', 'name': 'm'}}
    """
    if isinstance(value, list | tuple):
        return [signature_part(each) for each in value]
    if not isinstance(value, dict) or "backend" not in value:
        return value
    plugin = plugins.find_plugin("models", value["backend"])
    left_out = plugins.unsigned_fields(plugin.settings) | set(CommonSettings.__struct_fields__)
    kept = {key: signature_part(each) for key, each in value.items() if key not in left_out}
    return {"backend": plugin.name, **kept}


def to_yaml(config: Config) -> str:
    """The settings as YAML, for config.yaml, without keys."""
    from omegaconf import OmegaConf  # noqa: PLC0415

    text: str = OmegaConf.to_yaml(OmegaConf.create(without_secrets(msgspec.to_builtins(config))))
    return text


def convert_config(plain: Any) -> Config:
    """The settings of a config.yaml, from its plain values. Raises msgspec.ValidationError for anything else."""
    return msgspec.convert(plain, Config)


def scorer_overrides(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words as plain settings, for a scorer.

    >>> scorer_overrides(["policy=official", "votes=3"])
    {'policy': 'official', 'votes': 3}
    """
    return compose_config(words).benchmark

"""YAML groups and words of the command line, composed by Hydra into one `ComposedConfig`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from earmark import plugins
from earmark.config.folders import PACKAGED, user_folder
from earmark.config.parse import parse_settings
from earmark.config.plain_compose import compose_plain
from earmark.config.settings import ComposedConfig, RunSettings
from earmark.config.words import hydra_overrides
from earmark.data.hydra_words import plain_words
from earmark.errors import UsageError

START: Final = "earmark_run"  # the YAML that `earmark run` starts from


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


def compose_config(words: Sequence[str], start: str = START) -> ComposedConfig:
    """Read `key=value` words over a YAML to start from. Raises UsageError with one line on the first that means
    nothing.
    """
    _check_working_folder()
    words = [*_own_words(start), *words]
    words = [plain for word in words for plain in plain_words(word)]
    composed = (compose_plain(words) if start == START else None) or compose_by_hydra(words, start)
    return _read_composed(composed[0], words, composed[1])


def _own_words(start: str) -> list[str]:
    """Words of the user's own YAML for `listen-eval`."""
    home = user_folder()
    if start != "listen_eval" or not home or not (home / "config.yaml").is_file():
        return []
    from earmark.data.settings_folder import primary_words  # noqa: PLC0415 - of one program
    from earmark.data.user_yaml import warn_once  # noqa: PLC0415

    warn_once(f"{home / 'config.yaml'}: its settings are used")
    return primary_words(home / "config.yaml")


def compose_by_hydra(words: Sequence[str], start: str = START) -> tuple[Any, dict[str, str]]:
    """Compose words over a YAML: the settings as plain values, and the files chosen by group."""
    from hydra import compose as hydra_compose  # noqa: PLC0415 - a quarter of a second that help does not owe
    from hydra import initialize_config_dir  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf import OmegaConf  # noqa: PLC0415
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException  # noqa: PLC0415
    from yaml import YAMLError  # noqa: PLC0415

    _add_user_folder()
    overrides = [override for word in words for override in hydra_overrides(word)]
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
    return config, {name: groups[name] for name in groups if "/" not in name}


def _read_composed(settings: Any, words: Sequence[str], groups: dict[str, str]) -> ComposedConfig:
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
    return ComposedConfig(parse_settings(RunSettings, settings, ""), model, benchmark, groups, unused)


def _add_user_folder() -> None:
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


def scorer_overrides(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words as plain settings, for a scorer.

    >>> scorer_overrides(["policy=official", "votes=3"])
    {'policy': 'official', 'votes': 3}
    """
    return compose_config(words).benchmark

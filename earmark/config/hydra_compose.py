"""Composes YAML groups and words of the command line by Hydra: those that `plain_compose` declines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf
from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException
from yaml import YAMLError

from earmark.config.folders import PACKAGED, user_folder, yaml_names
from earmark.config.plain_compose import START
from earmark.config.settings import RunSettings
from earmark.config.words import model_overrides
from earmark.data.hydra_words import plain_words, quote
from earmark.errors import UsageError, alternatives

GROUPS: Final = ("eval", "runtime")  # of YAML, beside model and suite


def compose_by_hydra(words: Sequence[str], start: str = START) -> tuple[Any, dict[str, str]]:
    """Compose words over a YAML: the settings as plain values, and the files chosen by group."""
    _add_user_folder()
    overrides = [override for word in words for override in hydra_overrides(word)]
    start = _check_user_folder(start, overrides)
    try:
        with initialize_config_dir(str(PACKAGED), version_base="1.3"):
            composed = compose(start, overrides, return_hydra_config=True)
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


def own_words(start: str) -> list[str]:
    """Words of the user's own YAML for `listen-eval`."""
    home = user_folder()
    if start != "listen_eval" or not home or not (home / "config.yaml").is_file():
        return []
    from earmark.data.settings_folder import primary_words  # noqa: PLC0415 - of one program
    from earmark.data.user_yaml import warn_once  # noqa: PLC0415

    warn_once(f"{home / 'config.yaml'}: its settings are used")
    return [plain for word in primary_words(home / "config.yaml") for plain in plain_words(word)]


def _check_user_folder(start: str, overrides: Sequence[str]) -> str:
    """Check the user's YAML before it is composed, and return the file to start from."""
    folder = user_folder()
    if folder is None:
        return start
    from earmark.data.user_yaml import check_user_folder  # noqa: PLC0415 - most have none

    fields = {"defaults", "model", "benchmark", "noise", "runtime", *RunSettings.__struct_fields__}
    is_own = check_user_folder(folder, PACKAGED, overrides, fields)
    return "run" if is_own and start == START else start


def _add_user_folder() -> None:
    class UserFolder(SearchPathPlugin):
        def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
            folder = user_folder()
            if folder:
                search_path.prepend("earmark-user", f"file://{folder}")

    known = Plugins.instance()
    if not any(plugin.__name__ == "UserFolder" for plugin in known.discover(SearchPathPlugin)):
        known.register(UserFolder)


def hydra_overrides(word: str) -> list[str]:
    """One word of ours as Hydra's overrides.

    >>> hydra_overrides("model.temperature=0.2"), hydra_overrides("limit=5"), hydra_overrides("policy=official")
    (['++model.temperature=0.2'], ['limit=5'], ['++benchmark.policy=official'])
    """
    key, equals, value = word.partition("=")
    if not equals or not key:
        raise UsageError(f"'{word}' is no setting; expected key=value, such as limit=10")
    if key == "model":
        return model_overrides(value)
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
        raise UsageError(f"no YAML of {group}/ is called '{name}'{alternatives(name, known)}")
    return name


def _expand_list(value: str) -> str:
    if not value.startswith("["):
        return f"[{value}]"
    if (quoted := _quote_value(value)) != value:
        raise UsageError(f"{value}: is no list; expected one such as [plain,silence]")
    return quoted


def _quote_value(value: str) -> str:
    """A value in Hydra's grammar; what does not parse there is meant as a text."""
    try:
        parsed = OverridesParser.create().parse_override(f"key={value}")
    except HydraException:
        return quote(value)
    return f"[{value}]" if parsed.is_sweep_override() else value

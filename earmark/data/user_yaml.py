"""The YAML files of a user: checked before a library reads them, and told where they replace packaged ones."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from earmark.data.plain_yaml import check_yaml, load_yaml
from earmark.errors import BadData, UsageError

LOG: Final = logging.getLogger("earmark")  # of what the user must know before anything is asked
GROUPS: Final = ("model", "eval", "runtime")
CHOICE: Final = re.compile(r"(model|eval|runtime)=(\w+)")  # an override that chooses a YAML of a group
PRIMARY: Final = "run.yaml"  # of a user's own, instead of the packaged settings of a run


@functools.lru_cache(maxsize=256)  # a command composes its settings several times
def warn_once(message: str) -> None:
    """Warn of something, the first time."""
    LOG.warning(message)


def warn_replaced(folder: Path, packaged: Path, group: str, name: str) -> None:
    """Warn of a file of the user's that is used instead of a packaged one of its name."""
    path = folder / group / f"{name}.yaml"
    if folder != packaged and path.is_file() and (packaged / group / path.name).is_file():
        warn_once(f"{path}: used for {group}={name} instead of the packaged file")


def check_user_folder(folder: Path, packaged: Path, overrides: Sequence[str], fields: Collection[str]) -> bool:
    """Check the YAML of a user's folder before it is composed, and warn of what it replaces.

    Return True if its run.yaml is to be used: one with `fields` alone, since `conf` may be of another program.
    """
    chosen = {(match[1], match[2]) for text in overrides if (match := CHOICE.fullmatch(text))} | {("runtime", "none")}
    chosen |= set() if any(text.lstrip("~").startswith("model") for text in overrides) else {("model", "local")}
    try:
        files = {(group, path.stem): path for group in GROUPS for path in (folder / group).glob("*.yaml")}
        for path in files.values():
            check_yaml(path)
        refers = any("defaults:" in files[each].read_text(encoding="utf-8-sig") for each in chosen if each in files)
        for group, name in sorted(files if refers else chosen):
            warn_replaced(folder, packaged, group, name)
        return (folder / PRIMARY).is_file() and _is_ours(folder / PRIMARY, fields)
    except BadData as error:
        raise UsageError(str(error)) from error


def _is_ours(path: Path, fields: Collection[str]) -> bool:
    given = load_yaml(path)
    names = [str(name) for name in given] if isinstance(given, dict) else []
    other = next((name for name in names if name not in fields), "")
    if other or "defaults" not in names:
        reason = f"holds {other}, which is no setting of a run" if other else "does not say what it starts from"
        warn_once(f"{path}: not used, since it {reason}")
        return False
    warn_once(f"{path}: used instead of the packaged settings of a run")
    return True

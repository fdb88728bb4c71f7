"""Folders of YAML: the packaged one, and the user's own, which is laid over it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from earmark.errors import UsageError

PACKAGED: Final = Path(__file__).parents[1] / "conf"


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

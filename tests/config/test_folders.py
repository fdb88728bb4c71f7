"""The user's own folder of YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.config.compose import compose_config
from earmark.errors import UsageError


@pytest.mark.parametrize("text", [b"backend: [openai", b"\xff\xfe", b"- openai"])
def test_a_yaml_of_the_users_own_that_is_none_is_told(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.yaml").write_bytes(text)
    monkeypatch.setenv("EARMARK_CONF", str(tmp_path))
    with pytest.raises(UsageError, match=r"no YAML|expected settings by name|cannot read model=mine"):
        compose_config(["model=mine"])

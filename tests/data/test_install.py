"""Install lines that fit where they are shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from earmark.data import install


@pytest.mark.parametrize(
    ("root", "uv", "expected"),
    [
        (None, False, "pip install 'earmark[plot]', or pip install pandas, or comet/bin/pip install x"),
        (None, True, "uv pip install 'earmark[plot]', or uv pip install pandas, or comet/bin/pip install x"),
        (Path("/clone"), False, "pip install -e '/clone[plot]', or pip install pandas, or comet/bin/pip install x"),
        (
            Path("/clone"),
            True,
            "uv sync --directory '/clone' --extra plot, or uv pip install pandas, or comet/bin/pip install x",
        ),
    ],
)
def test_a_line_fits(monkeypatch: pytest.MonkeyPatch, root: Path | None, uv: bool, expected: str) -> None:
    monkeypatch.setattr(install, "clone_root", lambda: root)
    monkeypatch.setattr(install, "is_uv", lambda: uv)
    message = "pip install 'earmark[plot]', or pip install pandas, or comet/bin/pip install x"
    assert install.fit_install_lines(message) == expected


def test_an_environment_of_uv_is_known_by_its_config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert not install.is_uv()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9.2\n")
    assert install.is_uv()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin/uv\nversion = 3.12\n")
    assert not install.is_uv()


def test_an_editable_clone_is_known_by_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    class Installed:
        def __init__(self, text: str | None) -> None:
            self._text = text

        def read_text(self, _: str) -> str | None:
            return self._text

    for text, expected in (
        ('{"url": "file:///home/me/my%20clone", "dir_info": {"editable": true}}', Path("/home/me/my clone")),
        ('{"url": "file:///home/me/clone", "dir_info": {}}', None),
        (None, None),
    ):
        monkeypatch.setattr(install, "distribution", lambda _, text=text: Installed(text))
        assert install.clone_root() == expected

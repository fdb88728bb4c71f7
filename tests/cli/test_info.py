"""`earmark info`: the card of anything that has a name, and what its settings are when they are not given."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.config.settings import CommonSettings
from earmark.errors import UsageError
from earmark.plugins import Kind, display_name, find_plugin, plugin_names

KINDS: tuple[Kind, ...] = ("benchmarks", "models", "conditions", "scorers", "importers")
ALL = [(kind, name) for kind in KINDS for name in plugin_names(kind)]


def info(name: str) -> str:
    done = CliRunner().invoke(program, ["info", name], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_every_plug_in_shows_its_card_and_its_settings(kind: Kind, name: str) -> None:
    plugin, text = find_plugin(kind, name), info(display_name(kind, name))
    assert f"{kind.removesuffix('s')} {display_name(kind, name)}\n\n{plugin.doc}" in text
    prefix = "model." if kind == "models" else ""
    for field in msgspec.structs.fields(plugin.settings):
        assert f"\n  {prefix}{field.name} = " in text
    assert all(f"  model.{name} = " in text for name in CommonSettings.__struct_fields__) == (kind == "models")


def test_a_module_of_the_users_own_is_told_with_what_must_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own_card.py").write_text(
        '"""A card.\n\nMore of it."""\n'
        "from msgspec import Struct\n"
        "class Settings(Struct, frozen=True, forbid_unknown_fields=True):\n"
        "    data: str\n    limit: int = 3\n    names: list[str] = []\n"
        "def load(settings, context):\n    pass\n"
    )
    Path("own").mkdir()
    Path("own_card.py").rename("own/card.py")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.delitem(sys.modules, "own", raising=False)
    text = info("own.card")
    assert text.startswith("own.card\n\nA card.\n\nMore of it.\n\n")
    assert "  data = required\n  limit = 3\n  names = []\n" in text


def test_a_yaml_file_is_shown_as_it_stands() -> None:
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/mine.yaml").write_text("# My own\nbackend: fake\n")
    assert info("mine") == f"model mine: {Path('conf/model/mine.yaml').resolve()}\n\n# My own\nbackend: fake\n\n"


def test_a_name_of_nothing_is_told() -> None:
    with pytest.raises(UsageError, match="nothing is called 'beeps'; earmark list shows all names"):
        info("beeps")

"""Every model has a page, and the commands on the pages mean something."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from earmark import plugins
from earmark.cli._args import merge_tasks
from earmark.config.compose import compose_config
from earmark.config.parse import parse_model

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "models").glob("*.md")), DOCS / "preflight.md", DOCS / "batch.md", DOCS / "costs.md"]


def commands(page: Path) -> list[list[str]]:
    """The words of every `earmark run` and `earmark doctor` that stands on a line of its own."""
    lines = re.findall(
        r"^(?:PYTHONPATH=\. )?earmark (?:run|doctor) (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_are_composed_and_read(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS.parent)
    found = commands(page)
    assert found, f"{page.name} has no command"
    for words in found:
        for name in merge_tasks([word for word in words if "=" not in word]):
            known = (*plugins.plugin_names("benchmarks"), *plugins.table_names("benchmarks"), "./mine.yaml")
            assert name.partition(":")[0] in known, f"{page.name}: no benchmark {name}"
        composed = compose_config([word for word in words if "=" in word])
        if any(word.startswith("model=") for word in words):
            model = parse_model(composed.model)
            assert model.common.concurrency
            assert model.settings


@pytest.mark.parametrize("name", sorted({path.stem for path in PAGES} & {*plugins.plugin_names("models")}), ids=str)
def test_the_page_of_a_backend_has_a_command_for_it(name: str) -> None:
    page = DOCS / "models" / f"{name}.md"
    assert page.read_text(encoding="utf-8").lower().startswith(f"# {name}"), (
        f"{page.name} opens with the backend's name"
    )
    asked = [compose_config([word for word in words if "=" in word]).model for words in commands(page)]
    assert name in {model["backend"] for model in asked}

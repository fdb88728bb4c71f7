"""The pages agree with each other and with the settings, and the examples on them run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from earmark.config.parse import RENAMED
from earmark.config.settings import RunSettings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
SETTINGS = (DOCS / "settings.md").read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as GitHub makes them.

    >>> "renamed-settings" in anchors(DOCS / "settings.md")
    True
    """
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_into_a_page_names_a_heading_of_it(page: Path) -> None:
    for file, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        target = page.parent / file if file else page
        assert anchor in anchors(target), f"{page.name} links to {file}#{anchor}, which is no heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_files_that_exist(page: Path) -> None:
    named = set(re.findall(r"`((?:earmark|tests|tools|examples)/[\w/]+\.\w+)`", page.read_text(encoding="utf-8")))
    missing = sorted(file for file in named if not (ROOT / file).exists())
    assert not missing, f"{page.name} names {missing}"


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS) for path in sorted(DOCS.rglob("*.md")) if path != DOCS / "README.md"]
    missing = [str(page) for page in pages if page.parts[0] != "decisions" and f"]({page})" not in index]
    assert not missing, f"docs/README.md does not list {missing}"


def test_decisions_are_numbered_without_clashes() -> None:
    numbers = [path.name[:3] for path in sorted((DOCS / "decisions").glob("[0-9]*.md"))]
    assert len(set(numbers)) == len(numbers)


def test_the_settings_page_lists_every_setting_of_a_run_and_every_old_name() -> None:
    table = SETTINGS.partition("| setting of the run |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == {*RunSettings.__struct_fields__, "prompt"}
    rows = SETTINGS.partition("| old | new |")[2].partition("\n\n")[0].splitlines()[2:]
    pairs: dict[str, str] = {}
    for row in rows:
        old, new = (re.findall(r"`([\w.]+)`", cell.partition("(")[0]) for cell in row.strip("|").split("|")[:2])
        pairs |= dict(zip(old, new, strict=True))
    assert pairs == RENAMED

"""Functions of the pages, by the parameters of an address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import earmark
from viewed_runs import NAME, acoustics, pages_of, six

from earmark.errors import BadData, EarmarkError, UsageError
from earmark.viewer.pages import Pages


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    six(tmp_path)
    return pages_of(tmp_path)


def test_the_head_of_a_journal_before_the_table_is_there(pages: Pages) -> None:
    head = pages.items([("run", NAME), ("head", "1")])
    assert head["total"] is None
    assert [row["id"] for row in head["rows"]] == [f"item-{number}" for number in range(6)]
    whole = pages.items([("run", NAME)])
    assert whole["total"] == 6
    assert set(whole["rows"][0]) == set(head["rows"][0])
    assert pages.items([("run", NAME), ("head", "1")])["total"] == 6


def test_a_filtered_list_waits_for_the_table(pages: Pages) -> None:
    assert pages.items([("run", NAME), ("head", "1"), ("mark", "wrong")])["total"] == 3


def test_an_item_beside_its_filters(pages: Pages) -> None:
    query = [("run", NAME), ("mark", "wrong"), ("item.task", "all"), ("item.id", "item-4"), ("item.condition", "plain")]
    page = pages.item(query)
    assert (page["index"], page["before"]["id"]) == (1, "item-3")


def test_every_function_refuses_what_is_no_run(pages: Pages) -> None:
    for name, function in pages.data_functions().items():
        if name in ("runs", "leaderboard"):
            continue
        for run in ("../..", "/etc", "model", ""):
            with pytest.raises(EarmarkError):
                function([("run", run), ("run", run)])


def test_dots_in_every_parameter_do_nothing(pages: Pages) -> None:
    hostile = "../../../../etc/passwd"
    names = ("task", "condition", "rule", "id", "tag", "target", "answer", "failure", "note", "search", "state", "mark",
             "sort", "offset", "limit", "item.task", "item.id", "item.condition", "item.repeat", "beside", "only",
             "by", "benchmark", "repeat")  # fmt: skip
    for name, function in pages.data_functions().items():
        for parameter in names:
            try:
                answer = function([("run", NAME), ("run", NAME), ("item.task", "all"), ("item.id", "item-0"),
                                   (parameter, hostile)])  # fmt: skip
            except EarmarkError:
                continue
            assert b"root:" not in msgspec.json.encode(answer), name


def test_no_differences_without_the_code_they_need(tmp_path: Path) -> None:
    six(tmp_path)
    pages = pages_of(tmp_path, allowed=False)
    assert "--no-code" in pages.differences([("run", NAME), ("run", NAME)])["notes"][0]


def test_wrong_parameters(pages: Pages) -> None:
    with pytest.raises(UsageError, match="run= is missing"):
        pages.run([])
    with pytest.raises(UsageError, match="expected one of first, second"):
        pages.compare_items([("run", NAME), ("run", NAME), ("only", "third")])
    with pytest.raises(BadData, match="is no audiogram"):
        pages.audiogram([("run", NAME)])


def test_pages_are_json(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path))
    query = [("run", run.relative_to(tmp_path).as_posix())]
    pages = pages_of(tmp_path)
    for function in (pages.runs, pages.run, pages.counts, pages.filters, pages.items, pages.live, pages.leaderboard):
        answer: Any = function(query)
        assert msgspec.json.decode(msgspec.json.encode(answer))


def test_commands_print_what_pages_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JSON of a command holds the same rows as the page of the same address."""
    runs = [acoustics(str(tmp_path / "results"), reply=reply, name=f"says-{reply}") for reply in ("A", "B")]
    monkeypatch.chdir(tmp_path)
    pages = pages_of(tmp_path / "results")
    names = [run.relative_to(tmp_path / "results").as_posix() for run in runs]

    def printed(*words: str) -> Any:
        done = earmark(*words, "--json")
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout)

    def plain(value: Any) -> Any:
        return msgspec.json.decode(msgspec.json.encode(value))

    items = printed("items", str(runs[0]), "--wrong")
    page = plain(pages.items([("run", names[0]), ("mark", "wrong")]))
    assert (items["total"], items["rows"]) == (page["total"], page["rows"])
    both = [("run", name) for name in names]
    only = printed("items", *map(str, runs), "--only", "second")
    assert only["rows"] == plain(pages.compare_items([*both, ("only", "second")]))["rows"]
    compared = plain(pages.differences(both))["rows"]
    rows = printed("compare", *map(str, runs))["rows"]
    assert [{name: row[name] for name in rows[0]} for row in compared] == rows
    (board,) = plain(pages.leaderboard([]))["boards"]
    (printed_board,) = printed("leaderboard", "results")
    ranked = [(entry["model"], entry["rank"], entry["p"]) for entry in board["entries"]]
    assert ranked == [(entry["model"], entry["rank"], entry.get("p")) for entry in printed_board["entries"]]

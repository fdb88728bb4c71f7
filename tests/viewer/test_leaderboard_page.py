"""Leaderboards as data."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import NAME, acoustics, pages_of, six

from earmark.runs.signature import RunSignature
from earmark.types import Capabilities, replace
from earmark.viewer.leaderboard_page import leaderboard_page, model_kind
from earmark.viewer.results import Results


def test_models_are_ranked_with_their_gain(tmp_path: Path) -> None:
    for reply in ("A", "nothing"):
        acoustics(str(tmp_path), "condition=[plain,silence]", reply=reply, name=f"says-{reply}")
    (board,) = leaderboard_page(Results(tmp_path))["boards"]
    first, second = board["entries"]
    assert (first["model"], first["rank"], first["value"], first["n"]) == ("says-A", 1, 0.5, 6)
    assert (second["model"], second["unparsed"]) == ("says-nothing", 6)
    assert Results(tmp_path).path(first["run"]).is_dir()
    assert first["gain"]["control"] == "silence"
    assert (board["conditions"], board["controls"]) == (["plain", "silence"], ["silence"])
    assert {entry["kind"] for entry in board["entries"]} == {"control: fixed replies"}
    (under,) = leaderboard_page(Results(tmp_path), condition="silence")["boards"]
    assert [entry["gain"] for entry in under["entries"]] == [None, None]
    assert leaderboard_page(Results(tmp_path), benchmark="listen") == {"boards": [], "left_out": {}}


def test_models_that_do_not_listen_are_named() -> None:
    described = {"name": "b", "version": 1, "tasks": ["all"], "settings": {}}

    def kind(model: dict[str, object], capabilities: Capabilities | None = None) -> str:
        return model_kind(replace(RunSignature(described, model, ["plain"], 1, None, {}), capabilities=capabilities))

    assert kind({"name": "a", "backend": "cascade"}) == "cascade"
    assert kind({"name": "a", "backend": "openai"}, Capabilities(clips=0)) == "control: takes no sound"
    assert kind({"name": "a", "backend": "openai"}, Capabilities()) == kind({"name": "a"}) == ""


def test_a_run_that_names_code_or_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), name="ranked")
    six(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    page = pages_of(tmp_path, allowed=False).leaderboard([])
    assert [entry["run"] for board in page["boards"] for entry in board["entries"]] == [
        run.relative_to(tmp_path).as_posix()
    ]
    assert set(page["left_out"]) == {NAME, "broken"}
    assert "--no-code" in page["left_out"][NAME]

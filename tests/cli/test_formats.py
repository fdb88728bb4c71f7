"""Forms of tables as options: one at most, and nothing that is given is left unused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from viewed_runs import acoustics

from earmark.cli.compare import command as compare
from earmark.cli.items import command as items
from earmark.cli.leaderboard import command as leaderboard
from earmark.cli.show import command as show
from earmark.errors import UsageError
from earmark.report.files import read_metrics


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return acoustics(str(tmp_path), "condition=[plain,silence]")


def test_json_and_csv_of_show_have_the_numbers_of_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show.main([str(run), "--json"], standalone_mode=False)
    (told,) = json.loads(capsys.readouterr().out)
    rows = [row for row in read_metrics(run).rows if not row.is_slice]
    assert (told["run"], told["signature"]["model"]["name"]) == (str(run), "fake")
    assert told["metrics"]["headline"] == {"row": 0, "metric": "accuracy"}
    show.main([str(run), "--csv"], standalone_mode=False)
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(line["task"], line["condition"], float(line["value"])) for line in lines] == [
        (row.task, row.condition, row.headline[1].value) for row in rows
    ]
    show.main([str(run), "--by", "half", "--csv"], standalone_mode=False)
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {line["slice"].partition("=")[0] for line in lines} == {"half"}


def test_a_leaderboard_has_the_refused(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leaderboard.main([str(run.parents[2]), "--csv"], standalone_mode=False)
    (line,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (line["rank"], line["model"], line["refused"], line["run"]) == ("1", "fake", "0", str(run))


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        (show, ("RUN", "--csv", "--latex"), "--csv and --latex are two forms|--latex and --csv are two forms"),
        (show, ("RUN", "--csv", "--width", "0.1"), "--width says something below the table"),
        (show, ("RUN", "--by", "tempo"), "no item has the tag 'tempo'; there are: "),
        (compare, ("RUN", "RUN", "--json", "--difference", "0.1"), "--difference says something below the table"),
        (compare, ("RUN", "--paper", "--latex"), "--latex is for two runs"),
        (items, ("RUN", "--media", "clips"), "--media is for --sound FOLDER"),
        (items, ("RUN", "--tag", "level"), "tag=level: expected NAME=VALUE"),
        (items, ("RUN", "--state", "lost"), "state=lost: expected one of"),
    ],
)
def test_what_is_not_used_is_refused(run: Path, command: object, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        command.main([str(run) if word == "RUN" else word for word in words], standalone_mode=False)  # type: ignore[attr-defined]

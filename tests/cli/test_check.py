"""`earmark check`: what is there and what is not, before anything is asked."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result
from suite_data import write_sets

from earmark.cli import earmark as program
from earmark.errors import BadData


def check(*words: str) -> Result:
    return CliRunner().invoke(program, ["check", *words])


def test_every_task_is_a_line_and_what_is_odd_is_told() -> None:
    write_sets(Path("data"))
    Path("data/mmau/test-mini-audios/m-2.wav").unlink()
    done = check("mmau", "librispeech", "fleurs", "data=data")
    assert done.exit_code == BadData.status  # fleurs has none
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["mmau", "music", "1", "334", "0", "1", "1", "0", "0", "0"] in lines
    assert ["librispeech", "clean", "1", "2,620", "0", "1", "0", "0", "0", "0"] in lines
    assert "mmau: music: 1 of 1 clips are not there: data/mmau/test-mini-audios/m-2.wav" in done.stdout
    assert "fleurs: data: found no data/en_us/test.tsv" in done.stdout


def test_counts_that_differ_are_notices_and_errors_where_it_is_strict() -> None:
    write_sets(Path("data"))
    assert check("mmau", "data=data").exit_code == 0
    assert check("mmau", "data=data", "strict=true").exit_code == BadData.status
    assert check("mmau", "data=data", "strict=true", "limit=1").exit_code == 0


def test_a_suite_is_checked_line_by_line() -> None:
    write_sets(Path("data"))
    done = check("suite:recognition", "data=data")
    assert done.exit_code == BadData.status
    assert (
        sum(
            line.startswith(("aishell_1", "fleurs")) and "no data: see below" in line
            for line in done.stdout.splitlines()
        )
        == 2
    )

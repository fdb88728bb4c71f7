"""Printed figures against what their saved replies, ratings and parts give."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark

from earmark.cli._published_checks import Figure, make_check, run_checks
from earmark.errors import BadData


def test_every_figure_comes_out_but_those_whose_source_errs(shared: Path) -> None:
    checks = {check.name.partition(":")[0]: check for check in run_checks(shared / "data")}
    assert [check.name for check in checks.values() if not check.is_equal] == []
    counts = {name: (check.figures - len(check.differ), check.figures) for name, check in checks.items()}
    assert counts == {
        "MMAU, right of 1,000 replies by its rule": (13, 13),
        "MMAU, lines that its script printed, over as many items": (272, 272),
        "Audio MultiChallenge, APR and ARS": (12, 12),
        "AudioBench, word error rates to all digits": (27, 27),
        "AudioBench, ratings that its rule reads from its judge's words": (9190, 9190),
        "VocalBench, 1,094 and 748 of 2,000, flag by flag": (3999, 4002),
        "AIR-Bench foundation, mean of three domain means": (7, 7),
        "AIR-Bench chat, mean of four": (8, 10),
        "MMAR, mean over items": (36, 36),
        "MMAU in Step-Audio 2's report, mean of three": (8, 9),
        "MMAU in MiMo-Audio's report, mean of three": (5, 7),
        "VoiceBench, mean of nine, three times 20": (33, 33),
        "VoiceBench in Qwen3-Omni's report, mean of nine": (8, 8),
        "OpenAudioBench, mean of its 5 sets": (11, 11),
        "VoiceBench-7, mean of its 7 sets": (11, 11),
        "UltraEval-Audio S2S, mean of its 4 sets": (9, 9),
        "UltraEval-Audio generation, mean of six": (4, 6),
        "UltraEval-Audio understanding, error rates as 100 less": (12, 12),
        "URO-Bench basic_en, mean of the tasks that a model has": (12, 12),
        "URO-Bench basic_zh, mean of the tasks that a model has": (8, 9),
        "URO-Bench pro_en, mean of the tasks that a model has": (7, 7),
        "URO-Bench pro_zh, mean of the tasks that a model has": (4, 4),
        "SAKURA single, mean of four": (8, 8),
        "SAKURA multi, mean of four": (8, 8),
        "StepEval-Audio-Paralinguistic, mean of eleven": (6, 6),
        "Open ASR Leaderboard, mean of eight rounded rates": (85, 87),
    }


@pytest.mark.parametrize(
    ("value", "errs", "is_equal"),
    [(41.65, (), True), (41.66, (), False), (41.66, ("a",), True), (41.65, ("a",), False), (41.66, ("b",), False)],
)
def test_a_figure_that_does_not_come_out_must_be_known_to_err(
    value: float, errs: tuple[str, ...], is_equal: bool
) -> None:
    check = make_check("x", [Figure("a", "41.65", value, 0.001)], errs)
    assert check.is_equal is is_equal


def test_a_figure_is_equal_to_its_last_printed_digit() -> None:
    assert make_check("x", [Figure("a", "41.7", 41.65), Figure("b", "42", 41.5)]).differ == ()
    assert make_check("x", [Figure("a", "41.7", 41.64)]).differ == ("a: printed 41.7, its source gives 41.640",)


def test_a_folder_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="found none of mmau_replies"):
        list(run_checks(tmp_path))


def test_the_command_checks_or_shows(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "leaderboards").symlink_to(shared / "data/leaderboards")
    done = earmark("published", "--check", str(tmp_path))
    assert (done.returncode, "36/36  equal  MMAR, mean over items" in done.stdout) == (0, True)
    assert "\n8/10  differs in the source  AIR-Bench chat" in done.stdout
    shown = earmark("published", "listen")
    assert (shown.returncode, "source:" in shown.stdout) == (0, True)
    assert earmark("published").returncode == 2
    assert earmark("published", "nothing").returncode == 2

"""`earmark import`: runs that are shown, compared and ranked, or one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

from commands import earmark
from imported_results import ASKED, audiobench, lines, lmms_eval, voicebench, whole
from imported_runs import BROKEN, imported

from earmark.runs import rundir


def test_a_folder_becomes_runs_that_are_shown_compared_and_ranked(tmp_path: Path) -> None:
    place = audiobench(tmp_path / "logs")
    other = place / "other_model"
    said = ("(B) dog", "(C) bird", "(B)", "(A)")
    judged = [
        {"question": ASKED, "reference": "(B) dog", "model_prediction": reply, "judge_response": "Rating: 1"}
        | {"rate_score": float("B" in reply), "success": 1}
        for reply in said
    ]
    head = {"judge_score": 50.0, "success_rate": 1.0}
    whole(other / "muchomusic_test_llama3_70b_judge_score.json", {"llama3_70b_judge": head, "details": judged})

    done = earmark("import", str(place))
    assert done.returncode == 0, done.stderr
    assert "audiobench by some_model: 10 answers in 4 tasks, 0 of them failed" in done.stdout
    assert "2 runs; show their scores with earmark show RUN or earmark compare RUN RUN" in done.stdout
    second, first = sorted(Path(told) for told in re.findall(r"^run: (.*)$", done.stdout, re.MULTILINE))[::-1]
    assert (first.parts[1], second.parts[1]) == ("other_model", "some_model")

    shown = earmark("show", str(second)).stdout
    assert re.search(r"theirs_llama3_70b_judge +muchomusic_test +0\.667", shown)
    assert re.search(r"^accuracy +muchomusic_test +0\.500", shown, re.MULTILINE)
    assert "muchomusic_test plain: 1 answers without a verdict of the judge are not scored" in shown
    assert "published by AudioBench: bleu, no reply kept: said_en_zh_test 25.8" in shown

    read = earmark("rescore", str(second), "--parsers", "all")
    assert "imported: 0.667, verdicts: 3" in read.stdout
    assert re.search(r"^muchomusic_test +earmark +0\.500 .* 0\.667", read.stdout, re.MULTILINE)
    assert "listen-g1" in read.stdout
    both = earmark("rescore", "results", "--parsers", "earmark").stdout
    assert re.search(r"^muchomusic_test +plain +earmark +0\.500 .* 8 .* 0\.571 .* 0\.857 .* 7$", both, re.MULTILINE)

    compared = json.loads(earmark("compare", str(first), str(second), "--json").stdout)
    (row,) = [row for row in compared["rows"] if row["metric"] == "accuracy"]
    assert (row["task"], row["difference"]["n"], row["difference"]["value"]) == ("muchomusic_test", 4, 0.0)
    ranking = json.loads(earmark("leaderboard", "results", "--json").stdout)
    assert [(board["benchmark"], board["by"]) for board in ranking] == [("audiobench", "muchomusic_test")]
    assert [entry["model"] for entry in ranking[0]["entries"]] == ["some_model", "other_model"]
    ranked = earmark("leaderboard", "results", "--metric", "accuracy").stdout
    assert "audiobench: accuracy of muchomusic_test" in ranked


def test_nobody_is_asked_again(tmp_path: Path) -> None:
    ((run, _),) = imported(voicebench(tmp_path))
    done = earmark("retry", str(run))
    assert (done.returncode, "was imported: there is nobody here to ask again" in done.stderr) == (2, True)


def test_a_run_of_nothing_but_open_answers_has_no_numbers_and_says_so(tmp_path: Path) -> None:
    file = lines(tmp_path / "m-alpacaeval-test-audio.jsonl", [{"prompt": "Name a colour.", "response": "Blue."}])
    done = earmark("import", str(file))
    assert done.returncode == 0, done.stderr
    assert "alpacaeval: 1 answers without a reference or a verdict, which nothing scores" in done.stdout
    (run,) = rundir.find_runs("results")
    assert "voicebench by m: no scores" in earmark("show", str(run)).stdout
    read = earmark("rescore", str(run), "--parsers", "all")
    assert (read.returncode, "found no item with choices" in read.stderr) == (3, True)


def test_a_file_that_is_cut_ends_the_command_in_one_line(tmp_path: Path) -> None:
    place = lmms_eval(tmp_path / "lmms")
    file = place / BROKEN["lmms_eval"]
    file.write_bytes(file.read_bytes()[:-40])
    done = earmark("import", str(place))
    assert done.returncode == 3
    reading, problem = done.stderr.splitlines()
    assert reading == f"reading {place} as lmms_eval"
    assert problem.startswith("earmark: ")
    assert not Path("results").exists()


TABBED = '''"""Tabbed: id, reply and target of one task."""

from msgspec import Struct

from earmark.journal import Record
from earmark.runs.imported import FunctionImporter, ImportedRun
from earmark.types import Item, Response


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    task: str = "all"


def load(settings, context):
    def records(path):
        for line in path.read_text().splitlines():
            name, reply, target = line.split("\\t")
            yield Record(Item(name, settings.task, targets=(target,)), response=Response(reply))

    def read(path):
        yield ImportedRun("mine", (settings.task,), path.stem, records(path), scorers=lambda _: [{"name": "exact"}])

    return FunctionImporter(lambda path: path.suffix == ".tlog", read)
'''


def test_an_importer_that_is_named_takes_its_settings() -> None:
    Path("tabbed.py").write_text(TABBED)
    Path("model.tlog").write_text("1\tyes\tyes\n2\tno\tyes\n")
    done = earmark("import", "model.tlog", "--from", "./tabbed.py", "task=speech")
    assert done.returncode == 0, done.stderr
    assert "speech  plain" in done.stdout
    wrong = earmark("import", "model.tlog", "--from", "./tabbed.py", "tsk=speech")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "earmark: no setting is called 'tsk'; did you mean task? There are: task\n",
    )
    packaged = earmark("import", "model.tlog", "--from", "inspect", "tsk=speech")
    assert (packaged.returncode, packaged.stderr) == (2, "earmark: no setting is called 'tsk'; there are: none\n")
    nameless = earmark("import", "model.tlog", "tsk=speech")
    assert (nameless.returncode, nameless.stderr) == (2, "earmark: no setting is called 'tsk'; there are: results\n")

"""A run folder is data: what it names is used only where the user repeats it, or trusts the folder."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_runs import command, sent_run, snapshot
from servers import said, serving

Change = Callable[[dict[str, Any], dict[str, Any]], None]


def _imported(spec: dict[str, Any]) -> Change:
    def change(signature: dict[str, Any], config: dict[str, Any]) -> None:
        signature["benchmark"] |= {"imported": True}
        config["benchmark"] = {"benchmark": "acoustics", "scorers": {"pitch": [spec]}}

    return change


def _model(**fields: Any) -> Change:
    def change(signature: dict[str, Any], config: dict[str, Any]) -> None:
        config["model"] |= fields

    return change


def _benchmark(signature: dict[str, Any], config: dict[str, Any]) -> None:
    signature["benchmark"]["name"] = "evil.bench"


def _condition(signature: dict[str, Any], config: dict[str, Any]) -> None:
    signature["condition"] = ["plain", "evil.bench"]


ROWS: list[tuple[str, Change, tuple[str, ...], str]] = [
    ("benchmark", _benchmark, ("rescore",), "benchmark is evil.bench"),
    ("benchmark, retried", _benchmark, ("retry",), "benchmark is evil.bench"),
    ("condition", _condition, ("rescore",), "condition is evil.bench"),
    ("scorer", _imported({"name": "evil.bench"}), ("rescore",), "scorers of pitch is evil.bench"),
    ("scorer, parsers", _imported({"name": "evil.bench"}), ("rescore", "--parsers", "all"), "scorers of pitch is"),
    (
        "judge",
        _imported({"name": "judge", "judge": "evil.bench"}),
        ("rescore",),
        "scorers of pitch.judge is evil.bench",
    ),
    (
        "judge, asked",
        _imported({"name": "judge", "judge": "http://127.0.0.1:9/v1"}),
        ("rescore", "--ask"),
        "judge is http",
    ),
    ("program", _imported({"name": "comet", "python": "./tool.sh"}), ("rescore",), "scorers of pitch.python is"),
    (
        "checkpoint",
        _imported({"name": "comet", "checkpoint": "./evil"}),
        ("rescore",),
        "scorers of pitch.checkpoint is",
    ),
    ("backend", _model(backend="evil.bench"), ("retry",), "model.backend is evil.bench"),
    ("path", _model(backend="./evil/bench.py"), ("retry",), "model.backend is ./evil/bench.py"),
    ("function", _model(reply="evil.bench:f"), ("retry",), "model.reply is evil.bench:f"),
    ("address", _model(backend="openai", base_url="http://127.0.0.1:9/v1"), ("retry",), "model.base_url is http"),
    ("variable", _model(backend="openai", api_key_env="AWS_SECRET_ACCESS_KEY"), ("retry",), "model.api_key_env is AWS"),
    ("code", _model(backend="transformers", trust_remote_code=True), ("retry",), "model.trust_remote_code is True"),
    ("weights", _model(backend="transformers", hf_id="/srv/weights"), ("retry",), "model.hf_id is /srv/weights"),
    ("generate", _model(backend="transformers", sampling={"custom_generate": "a/b"}), ("retry",), "model.sampling is"),
    ("worker", _model(backend="vllm", engine={"worker_cls": "evil.bench"}), ("retry",), "model.engine is"),
    (
        "nested",
        _model(backend="cascade", asr={"backend": "evil.bench"}, llm={"backend": "fake"}),
        ("retry",),
        "model.asr.backend is evil.bench",
    ),
]


@pytest.mark.parametrize(("change", "words", "named"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_a_sent_run_names_is_not_used(change: Change, words: tuple[str, ...], named: str) -> None:
    run = sent_run(change)
    before = snapshot(run)
    done = command(words[0], str(run), *words[1:])
    assert (done.returncode, Path("RAN").exists()) == (4, False)
    (line,) = done.stderr.splitlines()
    assert named in line
    assert line.endswith(f"earmark trust {run}")
    assert snapshot(run) == before


@pytest.mark.parametrize(
    "change", [_benchmark, _condition, _imported({"name": "evil.bench"}), _model(backend="evil.x")]
)
def test_what_is_shown_of_a_sent_run_imports_nothing_of_it(change: Change) -> None:
    run = sent_run(change)
    _name_scorer_in_metrics(run)
    for words in (["show", str(run)], ["list", "runs", "results=sent"], ["compare", str(run), str(run)],
                  ["leaderboard", "sent"], ["export", str(run), "--to", "csv"]):  # fmt: skip
        done = command(*words)
        assert done.returncode in (0, 4), done.stderr
        assert not Path("RAN").exists()


def _name_scorer_in_metrics(run: Path) -> None:
    metrics = json.loads((run / "metrics.json").read_text().replace('"choice"', '"evil.bench"'))
    del metrics["scored"]
    (run / "metrics.json").write_text(json.dumps(metrics))
    text = (run / "scores.jsonl").read_text()
    (run / "scores.jsonl").write_text(text.replace('"choice"', '"evil.bench"'))


def test_an_address_is_used_once_the_command_line_repeats_it_and_its_key_is_not() -> None:
    with serving(lambda *_: said("A")) as server, serving(lambda *_: said("A")) as evil:
        run = sent_run(_model(backend="openai", base_url=evil.url, api_key_env="AWS_SECRET_ACCESS_KEY"))
        words = ("retry", str(run), f"model.base_url={server.url}")
        done = command(*words, AWS_SECRET_ACCESS_KEY="of-the-user")  # noqa: S106
        assert (done.returncode, "model.api_key_env is AWS_SECRET_ACCESS_KEY" in done.stderr) == (4, True)
        assert (evil.asked, server.asked) == ([], [])


def test_a_trusted_run_is_used_until_it_changes() -> None:
    run = sent_run(_condition)
    done = command("trust", str(run))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"{run}: condition is evil.bench")
    command("rescore", str(run))
    assert Path("RAN").exists()
    Path("RAN").unlink()
    (run / "config.yaml").write_text((run / "config.yaml").read_text() + "\n")
    assert (command("rescore", str(run)).returncode, Path("RAN").exists()) == (4, False)
    command("trust", str(run))
    command("trust", "--remove", str(run))
    assert (command("rescore", str(run)).returncode, Path("RAN").exists()) == (4, False)


def test_a_rescore_asks_no_server_and_says_so() -> None:
    with serving(lambda *_: said("4")) as server:
        run = sent_run(_imported({"name": "judge", "judge": server.url}))
        done = command("rescore", str(run), OPENAI_API_KEY="sk-of-the-user")
        assert (done.returncode, server.asked) == (2, [])
        assert "its judge is not asked; to ask it, add --ask" in done.stderr


@pytest.mark.parametrize("words", [("rescore",), ("retry",), ("export", "--to", "csv"), ("show",)])
@pytest.mark.parametrize("name", ["samples", "responses.jsonl", ".lock", "export.csv", "tracebacks.txt"])
def test_no_link_out_of_a_run_is_followed(name: str, words: tuple[str, ...]) -> None:
    run = sent_run()
    outside = Path("outside")
    outside.mkdir()
    (outside / "pitch.csv").write_text("mine")
    target = outside if name == "samples" else outside / "pitch.csv"
    shutil.rmtree(run / name) if (run / name).is_dir() else (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(target.absolute())
    done = command(words[0], str(run), *words[1:])
    assert (done.returncode, "is a link to" in done.stderr) == (3, True)
    assert snapshot(outside) == {"outside/pitch.csv": b"mine"}


def test_a_fifo_in_a_run_is_refused() -> None:
    run = sent_run()
    (run / "scores.jsonl").unlink()
    os.mkfifo(run / "scores.jsonl")
    done = command("show", str(run))
    assert (done.returncode, "found a FIFO" in done.stderr) == (3, True)
    assert stat.S_ISFIFO((run / "scores.jsonl").stat().st_mode)


def test_a_fifo_among_data_is_refused() -> None:
    Path("data").mkdir()
    os.mkfifo("data/train-00000-of-00001.parquet")
    done = command("prompts", "listen", "data=data")
    assert (done.returncode, "found a FIFO" in done.stderr) == (3, True)


BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))


@pytest.mark.parametrize("place", ["conf/model/x.yaml", "conf/suite/x.yaml", "config"])
def test_aliases_of_yaml_are_counted(place: str) -> None:
    if place == "config":
        run = sent_run()
        (run / "config.yaml").write_text(BOMB)
        words = ["rescore", str(run)]
    else:
        Path(place).parent.mkdir(parents=True)
        Path(place).write_text(BOMB)
        words = ["run", "acoustics", "model=x"] if "model" in place else ["run", "x"]
    done = command(*words)
    assert done.returncode in (2, 3)
    assert "alias" in done.stderr

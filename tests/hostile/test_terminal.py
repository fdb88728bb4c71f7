"""Every command on a pseudo terminal, over names, replies, ids and errors that speak to it.

The commands are those that click lists: a new one fails here until it has lines of its own in LINES.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest
import soundfile
import yaml
from aiohttp import web
from servers import said, serving
from terminals import controls, on_terminal

from earmark.cli import earmark as program
from earmark.errors import FINISHED_WITH_FAILURES

ODD: Final = "a\x1b]52;c;cm0=\x07b\r\nearmark: all is well\u202ec [bold]x[/bold] qwen[/omni] a $\\frac{$ b\x9b2J"
NAME: Final = ODD.translate(str.maketrans("/\\", "--"))  # of a file
FORGED: Final = re.compile(r"^earmark: all is well", re.MULTILINE)
RUN: Final = "results/*/mine.jsonl/*"
FAILED: Final = "failed/*/mine.jsonl/*"
SENT: Final = "sent/*/mine.jsonl/*"
SHARDS: Final = "shards/*/mine.jsonl/*"
PICTURE: Final = ("--plot", "picture.svg")

# The lines of each command; a star stands for the runs that match. SHOWN are those on whose output the names stand.
LINES: Final[dict[str, list[tuple[str, ...]]]] = {
    "doctor": [("model=odd",), ("mine.jsonl", "model=odd"), ("model=broken",), (ODD,)],
    "demo": [(f"limit={ODD}",), (ODD,)],
    "list": [*((kind,) for kind in ("benchmarks", "models", "conditions", "scorers", "suites", "runs")),
             ("runs", "results=failed"), ("runs", "results=sent"), (ODD,)],
    "info": [("odd",), ("mine.jsonl",), (ODD,), ("mine.jsonl", f"task={ODD}")],
    "init": [("mine.jsonl", "--out", "mine.yaml"), (ODD,)],
    "run": [("mine.jsonl", "model=odd", "task=kind", "results=more"), (ODD, "model=odd"),
            ("mine.jsonl", "model=broken", "task=kind", "results=more"), ("mine.jsonl", f"model={ODD}"),
            ("mine.jsonl", "model=odd", f"model.name='{ODD}'"), ("mine.jsonl", "model=fake", f"condition={ODD}"),
            ("mine.jsonl", "model=fake", f"{ODD}=1"), ("odd", "model=odd"), ("mine.jsonl", "model=odd", "--cfg")],
    "retry": [(FAILED,), (RUN, "--unparsed"), (SENT,), (ODD,)],
    "audiogram": [("model=odd", "trials=20", "tracks=1", "dimensions=[duration]", "preflight=false"), (ODD,)],
    "probe": [("*.wav",), ("*.wav", "--json"), (ODD,)],
    "serve": [("odd", "--dry-run"), ("--list",), (ODD, "--dry-run")],
    "show": [(RUN,), (FAILED,), (SENT,), (RUN, "--all", "--by", "accent", "--latency"), (RUN, *PICTURE), (SENT, *PICTURE),
             *((RUN, SENT, form) for form in ("--json", "--csv", "--markdown", "--latex")), ("audiograms/*/*/*", *PICTURE),
             (ODD,)],
    "items": [(RUN,), (FAILED,), (SENT, "--json"), (RUN, "--id", f"{ODD} 0"), (RUN, SENT, "--only", "neither"),
              (RUN, "--sound", "sounds"), (ODD,)],
    "compare": [(RUN, SENT), (RUN, FAILED), (RUN, SENT, "--markdown"), (RUN, SENT, "--csv"), (RUN, ODD)],
    "leaderboard": [("results",), ("sent", "--latex"), ("results", "--csv"), ("results", *PICTURE), (ODD,)],
    "view": [(ODD,), ("results", "--host", ODD)],
    "site": [("results", "pages", "--items", "all"), (ODD, "pages")],
    "published": [(ODD,), ("--check", ODD)],
    "check": [("mine.jsonl",), (RUN, "accuracy>=0.8"), (RUN, f"{ODD}>=0.8"), (ODD,)],
    "score": [("replies.jsonl", "--scorer", "choice"), ("replies.jsonl", "--scorer", ODD), (ODD, "--scorer", "choice")],
    "rescore": [(RUN,), (SENT,), (RUN, "--parsers", "all"), (RUN, "--scorer", ODD), (ODD,)],
    "judge-check": [("judge=odd", "data=judged.jsonl", "prompt=sakura"), ("judge=broken", "data=judged.jsonl",
                    "prompt=sakura"), (f"data={ODD}",)],
    "fetch": [(ODD,), ("mine.jsonl",)],
    "verify": [(ODD,), ("listen", f"data={ODD}")],
    "import": [("sets", "--model", ODD), ("sets", "--model", ODD), (ODD,)],
    "export": [*((RUN, "--to", form) for form in ("csv", "jsonl", "parquet", ODD)), (ODD, "--to", "csv")],
    "merge": [(SHARDS,), (RUN,), (ODD,)],
    "prompts": [("mine.jsonl", "task=kind"), (ODD,)],
    "trust": [(SENT,), ("--remove", SENT), (ODD,)],
    "listen-eval": [(f"model={ODD}", "data=nowhere"), ("model=odd", f"data={ODD}"), (f"{ODD}=1",)],
}  # fmt: skip
SHOWN: Final = ("run", "show", "items", "compare", "leaderboard", "list", "info", "prompts", "doctor", "audiogram",
                "judge-check", "import", "retry", "trust", "rescore", "score", "merge")  # fmt: skip


def _answer(body: dict[str, Any], number: int) -> web.Response:
    return said(f"{ODD} {number}" if number % 3 else "A", reasoning_content=ODD)


def _break(body: dict[str, Any], number: int) -> web.Response:
    return web.json_response({"error": {"message": f"bad {ODD}", "type": ODD, "code": ODD}}, status=400)


def _write_data(folder: Path) -> None:
    sound = f"1{NAME}.wav"
    soundfile.write(folder / sound, [0.0] * 800, 8000)
    rows = [
        {"id": f"{ODD} {index}", "audio": sound, "question": ODD, "choices": [ODD, f"=1+{ODD}"], "answer": ODD,
         "kind": ODD, "accent": ODD, "group": f"{ODD} {index}"}
        for index in range(6)
    ]  # fmt: skip
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    case = {"question": ODD, "reference": ODD, "candidate": ODD, "label": "correct"}
    (folder / "judged.jsonl").write_text(json.dumps(case) + "\n")
    reply = {"id": ODD, "reply": ODD, "target": "A", "choices": [ODD, "b"], "group": ODD}
    (folder / "replies.jsonl").write_text(json.dumps(reply) + "\n")
    (folder / "sets").mkdir()
    details = [{"question": ODD, "reference": ODD, "model_prediction": ODD, "judge_response": "Rating: 3",
                "rate_score": 3, "success": 1}] * 5  # fmt: skip
    scores = {"llama3_70b_judge": {"judge_score": 60.0}, "details": details}
    (folder / "sets" / f"{NAME}_test_llama3_70b_judge_score.json").write_text(json.dumps(scores))


def _write_conf(folder: Path, **urls: str) -> None:
    for name, url in urls.items():
        model = {"backend": "openai", "base_url": url, "name": ODD}
        path = folder / "conf" / "model" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# a\u202ec [bold]x[/bold] qwen[/omni]\n{yaml.safe_dump(model)}")
    suite = {"title": ODD, "lines": ["mine.jsonl task=kind"]}
    (folder / "conf" / "suite").mkdir()
    (folder / "conf" / "suite" / "odd.yaml").write_text(yaml.safe_dump(suite))


def _send(folder: Path) -> None:
    """A copy of the run with odd conditions, scorers, metrics, notices and reasons, which nobody trusts."""
    shutil.copytree(folder / "results", folder / "sent")
    (run,) = (folder / "sent").glob("*/mine.jsonl/*")
    for name in ("run.json", "metrics.json", "scores.jsonl", "responses.jsonl"):
        text = (run / name).read_text()
        odd = json.dumps(ODD)
        for word in ("plain", "choice", "accuracy"):
            text = text.replace(f'"{word}"', odd)
        (run / name).write_text(text)
    metrics = json.loads((run / "metrics.json").read_text())
    metrics |= {"warnings": [ODD]}
    metrics.pop("scored", None)
    (run / "metrics.json").write_text(json.dumps(metrics))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working folder with odd data, models and runs, and servers behind them."""
    folder = tmp_path_factory.mktemp("odd")
    with serving(_answer, (ODD, "qwen[/omni]"), preflight=True) as server, serving(_break, (ODD,)) as broken:
        _write_data(folder)
        _write_conf(folder, odd=server.url, broken=broken.url)
        run = ("run", "mine.jsonl", "task=kind", "tags=[accent]", "preflight=false")
        lines = [(*run, "model=odd"), (*run, "model=broken", "results=failed"),
                     (*run, "model=odd", "results=shards", "shard=1/2"), (*run, "model=odd", "results=shards", "shard=2/2"),
                     ("audiogram", "model=odd", "trials=20", "tracks=1", "dimensions=[duration]", "preflight=false",
                      "results=audiograms")]  # fmt: skip
        for status, written in on_terminal(lines, folder):
            assert status in (0, FINISHED_WITH_FAILURES), written
        _send(folder)
        yield folder


def _spread(line: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Put the paths that a pattern stands for in its place."""
    found = [
        sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else [word] for word in line
    ]
    assert all(found), line
    return tuple(word for words in found for word in words)


@pytest.mark.parametrize("name", program.list_commands(click.Context(program)))
def test_no_command_lets_names_replies_and_errors_speak_to_the_terminal(name: str, odd: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(odd, folder)
    shown = False
    lines = [(name, *_spread(line, folder)) for line in LINES[name]]
    ended = on_terminal(lines, folder, EARMARK_CACHE=str(tmp_path / "cache"))
    for line, (status, written) in zip(lines, ended, strict=True):
        message = f"{name} {line}: {status}\n{written}"
        assert not controls(written), message
        assert not FORGED.search(written.replace("\r", "\n")), message
        assert not re.search("Traceback|MarkupError|ParseException", written), message
        shown = shown or "[bold]x[/bold]" in written
    for picture in folder.glob("picture.svg"):
        assert not controls(picture.read_text())
        assert "[bold]x[/bold] qwen[/omni] a $\\frac{$ b" in picture.read_text()
    assert shown or name not in SHOWN

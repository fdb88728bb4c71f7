"""Keys from `.env`: set where nobody has set them, taken as they stand, and never told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import ENV, earmark
from servers import Stream, said, serving

from earmark.cli._dotenv import load_dotenv

KEY = "sk-secret-123"
FILE = """\
# keys
OPENAI_API_KEY=sk-secret-123   # of the team
export GEMINI_API_KEY = 'g # $HOME'

EMPTY=
ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT="http://localhost:8009"
"""


def test_lines_become_variables_that_were_not_set(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(FILE)
    variables = {"GEMINI_API_KEY": "mine"}
    load_dotenv(tmp_path / ".env", variables)
    assert variables == {
        "OPENAI_API_KEY": "sk-secret-123",
        "GEMINI_API_KEY": "mine",
    }


def test_a_file_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    variables: dict[str, str] = {}
    load_dotenv(tmp_path / ".env", variables)
    assert variables == {}


@pytest.mark.parametrize("line", [KEY, f"OPENAI-KEY={KEY}", f"={KEY}"])
def test_a_wrong_line_is_told_by_its_number_and_not_by_what_it_holds(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(f"A_KEY=1\n{line}\nB_TOKEN=2\n")
    variables: dict[str, str] = {}
    (told,) = load_dotenv(tmp_path / ".env", variables)
    assert told.endswith(".env, line 2: skipped, expected NAME=value")
    assert "secret" not in told
    assert variables == {"A_KEY": "1", "B_TOKEN": "2"}


def test_a_file_of_another_program_stops_nothing() -> None:
    Path(".env").write_text('CERTIFICATE="-----BEGIN\nMIIB\n-----END"\n')
    done = earmark("list", "suites")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "earmark: .env, line 2: skipped, expected NAME=value"


def test_keys_of_the_file_reach_the_servers_and_no_file_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delitem(ENV, "OPENAI_API_KEY", raising=False)
    with serving(lambda *_: said("Hard to say, is it not?")) as server, serving(lambda *_: said("A")) as judging:
        Path(".env").write_text(f"OPENAI_API_KEY={KEY}\n")
        monkeypatch.setitem(ENV, "MY_ENDPOINT", server.url)
        Path("conf/model").mkdir(parents=True)
        own = "backend: openai\napi_key_env: OPENAI_API_KEY\nbase_url: "
        Path("conf/model/mine.yaml").write_text(f"# Mine.\n{own}${{oc.env:MY_ENDPOINT}}\n")
        Path("conf/model/ours.yaml").write_text(f"# Ours.\n{own}{judging.url}\n")
        done = earmark("run", "acousticbench:pitch", "model=mine", "limit=4", "judge=ours")
    assert done.returncode == 0, done.stderr
    assert server.keys == judging.keys == {f"Bearer {KEY}"}
    written = [path for place in (Path("results"), tmp_path / "cache") for path in place.rglob("*") if path.is_file()]
    assert {"config.yaml", "run.json", "responses.jsonl", "metrics.json", "answers.sqlite"} <= {p.name for p in written}
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("stream", [False, True])
def test_a_key_that_a_service_repeats_is_written_nowhere(stream: bool) -> None:
    refused = {"error": {"message": f"Incorrect API key provided: {KEY}."}}

    def reply(*_: Any) -> Stream | web.Response:
        if stream:
            return Stream([b"data: " + json.dumps(refused).encode() + b"\n\n"])
        return web.json_response(refused, status=400)

    with serving(reply) as server:
        Path(".env").write_text(f"OPENAI_API_KEY={KEY}\n")
        words = ("mine.bench", "items=2", f"model={server.url}", "preflight=false", "max_attempts=1")
        done = earmark("run", *words, "model.api_key_env=OPENAI_API_KEY", f"model.stream={str(stream).lower()}")
    assert done.returncode == 7
    written = [path.read_text() for path in Path("results").rglob("*") if path.is_file()]
    assert any("Incorrect API key provided: ***." in text for text in written)
    assert KEY not in "".join(written) + done.stdout + done.stderr

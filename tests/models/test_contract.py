"""What every model keeps to: it opens, says what it takes, and answers a prompt that was prepared for it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from contract import example_params

from earmark.audio.prepare import prepare_audio
from earmark.config.parse import parse_model
from earmark.engine.open import open_model
from earmark.errors import AskError
from earmark.plugins import find_plugin
from earmark.plugins.examples import ModelExample
from earmark.types import Capabilities, Prompt, Response, SynthSpec, Turn

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.5, "level": -20.0}, "tone", transcript="beep")
QUESTION = "Is it a tone?\nA. yes\nB. no\nAnswer with A or B."
PROMPT = Prompt((Turn("user", (TONE, QUESTION)),), ("yes", "no"), ("A", "B"))


@contextmanager
def answering(body: Any) -> Iterator[str]:
    """A server that answers every request with the same JSON."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(("name", "example"), example_params("models"))
def test_its_settings_are_read_under_its_name(name: str, example: ModelExample) -> None:
    parsed = parse_model({"backend": name, **example.settings})
    assert isinstance(parsed.settings, find_plugin("models", name).settings)
    assert parsed.common.backend == name


async def answer(settings: dict[str, Any]) -> tuple[str, Capabilities, Response | AskError]:
    async with open_model(settings) as model:
        try:
            response: Response | AskError = await model.generate(prepare_audio(PROMPT, model.capabilities))
        except AskError as error:
            response = error
        return model.name, model.capabilities, response


@pytest.mark.parametrize(("name", "example"), example_params("models"))
def test_it_opens_and_answers_or_says_why_not(name: str, example: ModelExample) -> None:
    if example.needs:
        pytest.skip(f"needs {example.needs}")
    with answering(example.served) as url:
        settings = json.loads(json.dumps({"backend": name, **example.settings}).replace("{url}", url))
        shown, capabilities, response = asyncio.run(answer(settings))
    assert shown
    assert isinstance(capabilities, Capabilities)
    assert isinstance(response, Response | AskError)
    assert example.text is None or (isinstance(response, Response) and response.text == example.text), response

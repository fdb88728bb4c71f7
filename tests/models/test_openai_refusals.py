"""Parameters that a model refuses: found out once, remembered, and noted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from servers import Server, said, serving

from earmark.errors import BadSetup, Rejected
from earmark.models import openai
from earmark.models.openai import Settings
from earmark.types import Context, Prompt, Response, Turn

QUESTION = Prompt((Turn("user", ("Which?",)),), sampling={"max_tokens": 8})
MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported."
)


def refusing(message: str, **more: Any) -> web.Response:
    return web.json_response({"error": {"message": message} | more}, status=400)


def newer(body: dict[str, Any], _: int) -> web.Response:
    """A model that takes neither max_tokens nor a temperature."""
    if "max_tokens" in body:
        return refusing(MAX_TOKENS, param="max_tokens", code="unsupported_parameter")
    if body.get("temperature", 1) != 1:
        return refusing(TEMPERATURE, param="temperature", code="unsupported_value")
    return said("B")


def answers(server: Server, count: int = 1, *, together: bool = False, **settings: Any) -> list[Response]:
    async def go() -> list[Response]:
        async with openai.load(Settings(base_url=server.url, **settings), Context()) as model:
            if together:
                return await asyncio.gather(*(model.generate(QUESTION) for _ in range(count)))
            return [await model.generate(QUESTION) for _ in range(count)]

    return asyncio.run(go())


async def one(server: Server, prompt: Prompt) -> Response:
    async with openai.load(Settings(base_url=server.url), Context()) as model:
        return await model.generate(prompt)


def test_what_is_refused_is_changed_at_once_and_later_questions_go_right() -> None:
    with serving(newer) as server:
        first, second, third = answers(server, 3)
    assert len(server.asked) == 3 + 2
    assert all("max_tokens" not in body and body["max_completion_tokens"] == 8 for body in server.asked[2:])
    assert all("temperature" not in body for body in server.asked[2:])
    assert first.notes == second.notes == third.notes
    assert first.notes == (
        "max_completion_tokens sent for max_tokens, which the model refuses",
        "temperature left out, which the model refuses",
    )


def test_questions_that_come_together_do_not_each_find_it_out() -> None:
    async def slowly(body: dict[str, Any], number: int) -> web.Response:
        await asyncio.sleep(0.02)
        return newer(body, number)

    with serving(slowly) as server:
        assert {answer.text for answer in answers(server, 8, together=True)} == {"B"}
    assert len(server.asked) == 8 + 2 + 7  # all are refused once; one finds out the rest; seven go right
    assert sum("max_tokens" in body for body in server.asked) == 8


@pytest.mark.parametrize(
    "told",
    [
        {"error": {"message": MAX_TOKENS, "code": "invalid_request_body"}},
        {"detail": "Unrecognized request argument supplied: max_tokens"},
        {"error": "max_tokens: Extra inputs are not permitted"},
        {"error": {"message": "unknown parameter", "param": "max_tokens"}},
        "max_tokens is not supported",
    ],
)
def test_refusals_are_known_in_every_wording(told: Any) -> None:
    def reply(body: dict[str, Any], _: int) -> web.Response:
        text = told if isinstance(told, str) else json.dumps(told)
        return web.Response(status=400, text=text) if "max_tokens" in body else said("B")

    with serving(reply) as server:
        assert answers(server)[0].text == "B"
    assert len(server.asked) == 2


@pytest.mark.parametrize("message", ["max_tokens is too large: 8", "bad audio", "temperature must be at most 2"])
def test_other_errors_are_no_refusals(message: str) -> None:
    with serving(lambda *_: refusing(message)) as server, pytest.raises(Rejected, match=message):
        answers(server)
    assert len(server.asked) == 1


def test_what_the_user_has_set_is_not_left_out_behind_his_back() -> None:
    with serving(newer) as server, pytest.raises(BadSetup, match=r"temperature=0\.7.*model\.temperature=null"):
        answers(server, temperature=0.7)
    with serving(newer) as server:
        assert answers(server, temperature=None, max_tokens=3)[0].text == "B"
    assert server.asked[-1]["max_completion_tokens"] == 3


def test_a_model_that_refuses_everything_is_given_up() -> None:
    def never(body: dict[str, Any], number: int) -> web.Response:
        return refusing(f"seed and stop and temperature are not supported, number {number}")

    with serving(never) as server, pytest.raises(Rejected, match="number"):
        answers(server)
    assert len(server.asked) <= 5


def test_four_refusals_one_at_a_time_are_found_out() -> None:
    def reply(body: dict[str, Any], _: int) -> web.Response:
        names = ("max_tokens", "max_completion_tokens", "temperature", "seed")
        refused = next((name for name in names if name in body), None)
        return refusing(f"{refused} is not supported", param=refused) if refused else said("B")

    with serving(reply) as server:
        asked = Prompt(QUESTION.turns, sampling={"max_tokens": 8, "temperature": 0.0, "seed": 1})
        answer = asyncio.run(one(server, asked))
    assert answer.text == "B"
    assert len(answer.notes) == 4
    assert len(server.asked) == 5


def test_both_names_of_a_limit_may_be_refused() -> None:
    def reply(body: dict[str, Any], _: int) -> web.Response:
        refused = next((name for name in ("max_tokens", "max_completion_tokens") if name in body), None)
        return refusing(f"{refused} is not supported", param=refused) if refused else said("B")

    with serving(reply) as server:
        (answer,) = answers(server)
    assert answer.notes == (
        "max_completion_tokens sent for max_tokens, which the model refuses",
        "max_completion_tokens left out, which the model refuses",
    )

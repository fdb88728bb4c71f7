"""Each message of the checks of plug-ins: one line that says what is missing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType

import pytest
from mine import bench

from earmark import plugins
from earmark.engine.load import load_benchmark, load_condition, load_scorer
from earmark.engine.open import open_model
from earmark.errors import UsageError
from earmark.plugins import Kind, Plugin, find_plugin
from earmark.plugins.checks import MEMBERS, check_module
from earmark.types import Condition, Model, Scorer

HEAD = '"""Mine."""\n\nfrom contextlib import asynccontextmanager\nfrom msgspec import Struct\n'
SETTINGS = "\n\nclass Settings(Struct, frozen=True, forbid_unknown_fields=True):\n    many: int = 1\n"
WHOLE = f"{HEAD}{SETTINGS}\n\ndef load(settings, context):\n    return None\n"
SCORER = """
from earmark.stats.ratio import ratio
from earmark.types import Score, Signature, sign

class Mine(Struct, frozen=True):
    settings: Settings
    name: str
    metrics = {"m": ratio("right", "n")}
    async def score(self, item, response):
        return Score({"right": 0.0, "n": 1.0})
    def bounds(self, item):
        return {"right": 0.0, "n": 1.0}, {"right": 1.0, "n": 1.0}
"""


@pytest.fixture(autouse=True)
def _no_files_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "files", {})


def write(text: str, name: str = "mine_checked.py") -> str:
    Path(name).write_text(text)
    return f"./{name}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "has no docstring; begin the file with one, whose first line says what it is"),
        (f"{HEAD}\ndef load(settings, context): ...\n", "has no Settings; write: class Settings(Struct, frozen=True, "),
        (f"{HEAD}\nclass Settings:\n    pass\n", "has Settings, which is no Struct of msgspec (<class "),
        (
            f"{HEAD}\nclass Settings(Struct, forbid_unknown_fields=True):\n    pass\n",
            "Settings can be changed or take any name; write: class Settings(Struct, frozen=True, forbid_unknown_fields=True)",
        ),
        (
            f"{HEAD}\nclass Settings(Struct, frozen=True):\n    pass\n",
            "Settings can be changed or take any name; write:",
        ),
        (HEAD + SETTINGS, "has no function load; write: def load(settings, context)"),
        (f"{HEAD}{SETTINGS}\nload = 3\n", "has no function load; write: def load(settings, context)"),
        (
            f"{HEAD}{SETTINGS}\ndef load(settings):\n    pass\n",
            "load takes (settings), expected load(settings, context)",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["benchmarks", "models", "scorers", "conditions", "importers"])
def test_a_file_without_the_shape_of_a_plug_in_is_told_what_it_lacks(kind: Kind, text: str, message: str) -> None:
    path = write(text, f"shape_{kind}.py")
    with pytest.raises(UsageError) as caught:
        find_plugin(kind, path)
    told = str(caught.value)
    assert told.startswith(f"{kind.removesuffix('s')} shape_{kind}.py")
    assert message in told
    assert "\n" not in told


def test_a_module_with_the_shape_of_a_plug_in_passes() -> None:
    check_module(Plugin("conditions", "mine.bench", bench))
    with pytest.raises(UsageError, match="benchmark empty has no docstring"):
        check_module(Plugin("benchmarks", "empty", ModuleType("empty")))


@pytest.mark.parametrize("given", ["None", "3", "[1]"])
def test_something_else_than_a_benchmark_is_told(given: str) -> None:
    path = write(WHOLE.replace("return None", f"return {given}"), f"bench_{len(given)}.py")
    name = {"None": "None", "3": "int", "[1]": "list"}[given]
    with pytest.raises(UsageError, match=f"load gives {name}, expected a Benchmark \\(earmark.types\\)"):
        load_benchmark(path, (), {})


def test_a_model_is_given_by_a_context_manager_and_has_its_members() -> None:
    async def opened(path: str) -> None:
        async with open_model({"backend": path}):
            pass

    with pytest.raises(UsageError, match=r"load gives None, expected an asynchronous context manager; write @async"):
        asyncio.run(opened(write(WHOLE, "model_a.py")))
    text = WHOLE.replace(
        "def load(settings, context):\n    return None",
        "@asynccontextmanager\nasync def load(settings, context):\n    yield 3",
    )
    with pytest.raises(UsageError, match=r"model model_b.py: int has no name; expected name, capabilities, generate"):
        asyncio.run(opened(write(text, "model_b.py")))


def test_a_condition_and_a_scorer_have_the_members_of_their_protocol() -> None:
    with pytest.raises(UsageError, match=r"None has no removes_audio; expected removes_audio, keeps_words, apply"):
        load_condition(write(WHOLE, "condition_a.py"), 0, bench.make())
    with pytest.raises(UsageError, match="None has no name; expected name, metrics, score, bounds"):
        load_scorer(write(WHOLE, "scorer_a.py"), {})


@pytest.mark.parametrize(("kind", "protocol"), [("models", Model), ("scorers", Scorer), ("conditions", Condition)])
def test_the_members_that_are_checked_are_those_of_the_protocol(kind: str, protocol: type) -> None:
    declared = {name for name in vars(protocol) if not name.startswith("_")}
    assert declared == set(MEMBERS[kind])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("Mine(settings, 'another')", "calls itself 'another'; give it the name of its context: context.name"),
        ("Mine(Settings(7), context.name)", "does not show its settings, so its numbers would not be signed by them"),
        (
            "Signed(settings, context.name)",
            "many= does not change its signature; add it there, leave the signature out",
        ),
        ("Texted(settings, context.name)", "its signature is no Signature; make one with sign"),
    ],
)
def test_a_scorer_whose_numbers_would_not_be_signed_is_told(made: str, message: str) -> None:
    signed = "\n\nclass Signed(Mine, frozen=True):\n    signature = sign('mine')\n"
    signed += "\n\nclass Texted(Mine, frozen=True):\n    signature = 'mine'\n"
    text = f"{HEAD}{SETTINGS}{SCORER}{signed}\n\ndef load(settings, context):\n    return {made}\n"
    path = write(text, f"scorer_{len(message)}.py")
    with pytest.raises(UsageError) as caught:
        load_scorer(path, {"many": 2})
    assert message in str(caught.value)


def test_a_scorer_that_signs_by_its_settings_passes() -> None:
    text = f"{HEAD}{SETTINGS}{SCORER}\n\ndef load(settings, context):\n    return Mine(settings, context.name)\n"
    assert load_scorer(write(text, "scorer_whole.py"), {"many": 2}).name == "scorer_whole.py"


def test_a_setting_that_is_unsigned_need_not_change_the_signature() -> None:
    settings = SETTINGS.replace("many: int", "many: Annotated[int, UNSIGNED]")
    text = (
        f"{HEAD}from typing import Annotated\nfrom earmark.types import UNSIGNED\n{settings}{SCORER}"
        "\n\nclass Signed(Mine, frozen=True):\n    signature = sign('mine')\n"
        "\n\ndef load(settings, context):\n    return Signed(settings, context.name)\n"
    )
    assert load_scorer(write(text, "scorer_unsigned.py"), {"many": 2}).name == "scorer_unsigned.py"

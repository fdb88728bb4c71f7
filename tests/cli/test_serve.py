"""`earmark serve`: servers started, found, asked and stopped, by a stand-in for vLLM on PATH."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ENV, earmark
from real_servers import environment, free_port
from stand_in_servers import commands, install


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The arguments that the stand-ins were given; servers that a test leaves are stopped."""
    monkeypatch.setitem(ENV, "PATH", f"{tmp_path}{os.pathsep}{ENV['PATH']}")
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(ENV, "HF_HOME", str(tmp_path / "hf"))
    yield install(tmp_path)
    earmark("serve", "--stop")


def test_a_dry_run_prints_the_command_alone(log: Path) -> None:
    done = earmark("serve", "voxtral_mini_3b", "--dry-run", "serve.flags.enforce_eager=true")
    line = shlex.split(done.stdout)
    assert line[:3] == ["vllm", "serve", "mistralai/Voxtral-Mini-3B-2507"]
    assert line[line.index("--tokenizer-mode") + 1] == "mistral"
    assert "--enforce-eager" in line
    assert not commands(log)
    done = earmark("serve", "voxtral_mini_3b", "--dry-run", "--docker")
    assert done.stdout.startswith("docker run --rm --detach --name earmark-voxtral_mini_3b-8009 --gpus all --ipc=host")
    assert "--publish 127.0.0.1:8009:8000" in done.stdout


def test_a_server_is_started_asked_listed_and_stopped(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    done = earmark("serve", "voxtral_mini_3b", f"serve.port={port}")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert f"export ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT=http://localhost:{port}" in lines
    assert "earmark run BENCHMARK model=voxtral_mini_3b" in lines
    (line,) = commands(log)
    assert line[:3] == ["vllm", "serve", "mistralai/Voxtral-Mini-3B-2507"]
    assert f"voxtral_mini_3b answers at http://localhost:{port}/v1" in earmark("serve", "--list").stdout
    again = earmark("serve", "voxtral_mini_3b", f"serve.port={port}")
    assert (again.returncode, f"port {port} is taken" in again.stderr) == (2, True)
    monkeypatch.setitem(ENV, "ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT", f"http://localhost:{port}")
    ran = earmark("run", "acousticbench:pitch", "model=voxtral_mini_3b", "limit=3", "preflight=false")
    assert ran.returncode == 0, ran.stderr
    assert "pitch by Voxtral-Mini-3B" in ran.stdout or "Voxtral-Mini-3B" in ran.stdout
    assert f"stopped voxtral_mini_3b at http://localhost:{port}" in earmark("serve", "voxtral_mini_3b", "--stop").stdout
    assert "answers at" not in earmark("serve", "--list").stdout
    assert "no server of voxtral_mini_3b is running" in earmark("serve", "voxtral_mini_3b", "--stop").stdout


def test_replicas_have_ports_of_their_own_and_one_run_line(log: Path) -> None:
    port = free_port()
    done = earmark("serve", "gemma4_e2b", "--replicas", "2", f"serve.port={port}")
    assert done.returncode == 0, done.stderr
    urls = f"[http://localhost:{port}/v1,http://localhost:{port + 1}/v1]"
    (run_line,) = (line for line in done.stdout.splitlines() if line.startswith("earmark run"))
    assert run_line == f"earmark run BENCHMARK model=spread 'model.urls={urls}' model.endpoint.name=gemma4-e2b"
    words = shlex.split(run_line.replace("earmark run BENCHMARK", ""))
    ran = earmark("run", "acoustics:pitch", "limit=4", "preflight=false", *words)
    assert ran.returncode == 0, ran.stderr


def test_a_container_is_started_and_stopped_by_docker(log: Path) -> None:
    port = free_port()
    done = earmark("serve", "minicpm_o_4_5", "--docker", f"serve.port={port}")
    assert done.returncode == 0, done.stderr
    started = next(line for line in commands(log) if line[:2] == ["docker", "run"])
    assert started[started.index("--name") + 1] == f"earmark-minicpm_o_4_5-{port}"
    assert "--trust-remote-code" in started
    assert started[started.index("--volume") + 1].endswith("hf:/root/.cache/huggingface")
    assert earmark("serve", "minicpm_o_4_5", "--stop").returncode == 0
    assert commands(log)[-1] == ["docker", "stop", f"earmark-minicpm_o_4_5-{port}"]


def test_a_server_that_ends_is_told_with_its_last_words(log: Path) -> None:
    done = earmark("serve", "gemma4_e2b", f"serve.port={free_port()}", "serve.hf_id=broken/weights")
    assert done.returncode == 4
    assert (
        "the server of gemma4_e2b ended before it answered; its last words: ValueError: no such weights" in done.stderr
    )
    (log.parent / "vllm").unlink()
    done = earmark("serve", "gemma4_e2b", f"serve.port={free_port()}", "serve.program=no-such-vllm")
    assert (done.returncode, "no-such-vllm is not on PATH" in done.stderr) == (4, True)
    done = earmark("serve")
    assert (done.returncode, "name a model" in done.stderr) == (2, True)
    done = earmark("serve", "gemma4_e2b", "limit=3")
    assert (done.returncode, "limit=3: sets nothing of earmark serve" in done.stderr) == (2, True)


@pytest.mark.server
def test_the_server_of_transformers_is_started_for_real(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, port = environment("transformers"), free_port()
    model = place / "models" / "tiny-qwen2-audio"
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/tiny.yaml").write_text(
        f"backend: openai\nname: {model}\nbase_url: http://localhost:{port}/v1\n"
        f"serve: {{engine: transformers, program: {place}/bin/transformers, hf_id: {model}, port: {port}, "
        "flags: {device: cpu}, env: {HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1'}}\n"
    )
    done = earmark("serve", "tiny")
    assert done.returncode == 0, done.stderr
    ran = earmark("run", "acoustics:pitch", "model=tiny", "limit=1", "preflight=false", "model.max_tokens=4")
    assert ran.returncode == 0, ran.stderr
    assert earmark("serve", "tiny", "--stop").returncode == 0

"""Commands of model servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.errors import UsageError
from earmark.serving.commands import docker_command, local_command, read_model, servable, vllm_flags


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EARMARK_CONF", str(tmp_path))
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def test_the_fields_of_a_yaml_become_flags(conf: Path) -> None:
    (conf / "mine.yaml").write_text(
        "backend: vllm\nname: mine\nhf_id: org/mine\nmax_model_len: 2048\nlimit_mm_per_prompt: {audio: 2}\n"
        "dtype: bfloat16\nengine: {tensor_parallel_size: 2, enable_prefix_caching: false}\n"
    )
    line = local_command(read_model("mine", {"flags": {"seed": 7}}), 8123)
    assert line == [
        *("vllm", "serve", "org/mine", "--host", "127.0.0.1", "--port", "8123"),
        *("--served-model-name", "mine", "org/mine", "--max-model-len", "2048", "--dtype", "bfloat16"),
        *("--limit-mm-per-prompt", '{"audio": 2}', "--tensor-parallel-size", "2", "--no-enable-prefix-caching"),
        *("--seed", "7"),
    ]


def test_an_adapter_is_a_module_of_its_own_name(conf: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "lora-x"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text('{"r": 20}')
    (conf / "mine.yaml").write_text(f"backend: openai\nhf_id: org/mine\nadapter: {adapter}\n")
    model = read_model("mine", {})
    flags = vllm_flags(model)
    assert flags[:2] == ["--served-model-name", "org/mine"]
    assert flags[2:] == ["--enable-lora", "--lora-modules", f"lora-x={adapter}", "--max-lora-rank", "32"]
    line = docker_command(model, 8000, "c")
    assert f"{adapter}:{adapter}:ro" in line


def test_other_servers_have_flags_of_their_own(conf: Path) -> None:
    (conf / "t.yaml").write_text(
        "serve: {hf_id: org/t, engine: transformers, program: /opt/transformers, flags: {device: cpu}}\n"
    )
    line = local_command(read_model("t", {}), 8001)
    assert line == ["/opt/transformers", "serve", "org/t", "--host", "127.0.0.1", "--port", "8001", "--device", "cpu"]
    (conf / "l.yaml").write_text("serve: {hf_id: m.gguf, engine: llama, max_model_len: 512, flags: {mmproj: p.gguf}}\n")
    line = local_command(read_model("l", {}), 8002)
    assert line[:3] == ["llama-server", "--model", "m.gguf"]
    assert line[-4:] == ["--ctx-size", "512", "--mmproj", "p.gguf"]
    with pytest.raises(UsageError, match="--docker: serves with vLLM, and l is served by llama"):
        docker_command(read_model("l", {}), 8002, "c")


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        ("backend: openai\n", {}, "names no weights"),
        ("hf_id: a/b\n", {"typo": 1}, r"no setting is called 'serve\.typo'"),
        ("hf_id: a/b\nserve: {port: 99999}\n", {}, r"serve\.port=99999"),
        ("a: [\n", {}, "is no YAML of settings"),
    ],
)
def test_what_cannot_be_served_is_refused(conf: Path, text: str, overrides: dict[str, object], message: str) -> None:
    (conf / "bad.yaml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_model("bad", overrides)


def test_every_packaged_model_that_names_weights_has_a_command() -> None:
    names = servable()
    assert {"voxtral_mini_3b", "voxtral_small_24b", "minicpm_o_4_5", "kimi_audio", "kimi_audio_lora"} <= set(names)
    ports: dict[int, str] = {}
    for name in names:
        model = read_model(name, {})
        line = local_command(model, model.settings.port)
        assert line[:3] == ["vllm", "serve", model.settings.hf_id]
        if model.variable:
            assert model.variable == f"ACOUSTICBENCH_{name.upper()}_ENDPOINT"
            assert ports.setdefault(model.settings.port, name) == name, "served side by side they need other ports"

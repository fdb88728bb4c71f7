"""`listen-eval`: it lists, goes on and starts anew."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from listen_program import listen_eval
from servers import said, serving

pytestmark = pytest.mark.shared


def test_the_program_lists_and_goes_on_and_starts_anew(shared: Path) -> None:
    listed = listen_eval("--list").stdout
    assert all(f"\n{task} " in listed for task in ("1_text", "1_audio_and_text", "3C", "4"))
    assert "gemma4_e2b" in listed
    words = (f"data={shared}/fixtures/listen", "experiments=[1_audio,2B,4]", "limit=2")
    with serving(lambda _, number: said("A") if number < 4 else said(None, finish_reason="content_filter")) as server:
        assert listen_eval(f"model={server.url}", "max_attempts=1", *words).returncode == 0
    assert len(list(Path("results/test-model").iterdir())) == 1
    done = listen_eval(*words)
    assert done.returncode == 4
    assert "pip install 'vllm[audio]'" in done.stderr, "its model is Gemma 4 in vLLM unless told otherwise"
    assert listen_eval("--no-resume", "model=fake", *words).returncode == 0
    assert listen_eval("--no-resume", "model=fake", *words).returncode == 0
    assert len(list(Path("results/fake").iterdir())) == 2


SEED = {  # the folder of the project that asked for the program, as it is
    "config.yaml": """
defaults:
  - model: gemma4_e2b
  - eval: listen
  - runtime: vllm_local
  - _self_

experiments: [1_text, 1_audio, 1_audio_and_text, 2A, 2B, 2C, 3A, 3B, 3C, 4]
resume: true

hydra:
  run:
    dir: results/${model.name}/${now:%Y-%m-%d_%H-%M-%S}
""",
    "model/gemma4_e2b.yaml": """
name: gemma4-e2b
hf_id: google/gemma-4-E2B-it
backend: vllm
max_model_len: 4096
gpu_memory_utilization: 0.90
limit_mm_per_prompt: {image: 0, audio: 1}
sampling: {max_tokens: 8, temperature: 0.0}
system_prompt: null
""",
    "eval/listen.yaml": "seed: 42\ncheckpoint_interval: 10\nresults: results\n",
    "runtime/vllm_local.yaml": "engine: {dtype: bfloat16}\n",
    "dataset/other.yaml": "a: 1\n",
}


@pytest.fixture
def seed_folder() -> Path:
    for name, text in SEED.items():
        path = Path("configs") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Path("configs")


def test_a_folder_of_settings_as_the_seed_has_it_is_taken(shared: Path, seed_folder: Path) -> None:
    composed = yaml.safe_load((done := listen_eval("--cfg", "job", "seed=7")).stdout)
    assert "configs/dataset/other.yaml is not used" in done.stderr
    assert composed["groups"] == {"eval": "listen", "runtime": "vllm_local", "model": "gemma4_e2b"}
    assert composed["unused"] == {"eval.checkpoint_interval": "every response is written before it is reported"}
    assert (composed["run"]["seed"], composed["run"]["output_dir"]) == (7, "{model}/{time}")
    assert composed["model"]["engine"] == {"dtype": "bfloat16"}
    assert len(composed["benchmark"]["experiments"]) == 10
    (seed_folder / "model/served.yaml").write_text(SEED["model/gemma4_e2b.yaml"].replace("vllm", "openai"))
    data = f"data={shared}/fixtures/listen"
    with serving(lambda _, __: said("A")) as server:
        served = listen_eval("model=served", f"model.base_url={server.url}", data, "experiments=[2B]", "limit=2")
    assert served.returncode == 0, served.stderr
    assert "model.gpu_memory_utilization is not used: it is used by vLLM, not by the backend openai" in served.stderr
    assert {(body["model"], body["max_tokens"], body["temperature"]) for body in server.asked} == {
        ("google/gemma-4-E2B-it", 8, 0.0)
    }
    (run,) = Path("results/gemma4-e2b").iterdir()
    assert yaml.safe_load((run / "config.yaml").read_text())["groups"]["model"] == "served"


def test_a_sweep_runs_one_after_the_other_and_ends_in_one_table(shared: Path) -> None:
    words = (f"data={shared}/fixtures/listen", "limit=2")
    done = listen_eval("-m", "model=fake,nobody", *words)
    assert (done.returncode, "no model is called 'nobody'" in done.stderr) == (2, True)
    assert not Path("results").exists(), "every combination is read before the first is run"
    done = listen_eval("-m", "model=fake", "experiments=[1_audio],[2B]", "+seed=1,2", *words)
    assert done.returncode == 0, done.stderr
    assert "job 4 of 4: experiments=[2B] seed=2" in done.stdout
    table = done.stdout.partition("\ncomparison")[2]
    assert "experiments=[1_audio] seed=1" in table
    assert len(list(Path("results/fake").iterdir())) == 4
    alone = listen_eval("model=fake,gemma4_e2b", *words)
    assert (alone.returncode, "add -m to run one after the other" in alone.stderr) == (2, True)
    single = listen_eval("-m", "model=fake", *words)
    assert (single.returncode, "no word has several values" in single.stderr) == (2, True)


def test_words_of_hydra_are_taken(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model/mine.yaml").write_text("backend: fake\nname: mine\n")
    data = f"data={shared}/fixtures/listen"
    words = ("+model=mine", "eval.seed=7", "eval.limit=1", "experiments=[1_audio]", "hydra.run.dir=out/x", data)
    done = listen_eval("--config-dir", str(tmp_path), *words)
    assert done.returncode == 0, done.stderr
    (run,) = Path("out/x").iterdir()
    settings = yaml.safe_load((run / "config.yaml").read_text())
    assert (settings["run"]["seed"], settings["run"]["limit"], settings["groups"]["model"]) == (7, 1, "mine")
    other = listen_eval("model=fake", "runtime.gpu_memory_utilization=0.5", "experiments=[1_audio]", "limit=1", data)
    assert "model.gpu_memory_utilization is not used: it is used by vLLM" in other.stderr
    wrong = listen_eval("model=gemma4_e2b", "runtime.typo=1", data)
    assert (wrong.returncode, "no setting is called 'model.typo'" in wrong.stderr) == (2, True)

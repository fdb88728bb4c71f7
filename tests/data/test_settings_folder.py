"""Folders of settings as Hydra has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.data.settings_folder import is_settings_folder, primary_words, to_word, unknown_files
from earmark.errors import BadData, UsageError


def test_a_config_yaml_becomes_words(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "defaults:\n  - model: gemma4_e2b\n  - override eval: listen\n  - runtime: null\n  - _self_\n"
        "experiments: [1_text, 4]\nresume: true\nmodel: {system_prompt: it's}\n"
        "hydra:\n  run:\n    dir: out/${model.name}/${now:%Y-%m-%d}\n"
    )
    assert list(primary_words(path)) == [
        "model=gemma4_e2b",
        "eval=listen",
        "experiments=['1_text',4]",
        "resume=true",
        r"model.system_prompt='it\'s'",
        "results=out",
        "output_dir={model}/{time}",
    ]


@pytest.mark.parametrize(
    "text", ["defaults:\n  - dataset: x\n", "defaults: [model]\n", "- a\n", "hydra: {launcher: joblib}\n"]
)
def test_a_config_yaml_that_means_nothing_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises((UsageError, BadData), match=r"config\.yaml"):
        list(primary_words(path))


def test_files_that_nothing_reads_are_named(tmp_path: Path) -> None:
    for name in ("config.yaml", "model/a.yaml", "model/a.yml", "dataset/b.yaml", "other.yaml", "model/deep/c.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert unknown_files(tmp_path) == ["dataset/b.yaml", "model/a.yml", "model/deep/c.yaml", "other.yaml"]
    assert is_settings_folder(tmp_path)
    assert not is_settings_folder(tmp_path / "model")


def test_values_keep_their_type() -> None:
    assert to_word({"a": [True, "true", 1.5]}) == "{a:[true,'true',1.5]}"

"""Words and YAML files composed into a `Config`."""

from __future__ import annotations

from earmark.config.compose import compose_config
from earmark.config.settings import RunSettings


def test_run_settings_and_conditions_are_read() -> None:
    run = compose_config(
        ["condition=[plain,noise:-10,silence]", "limit=5", "seed=3", "repeats=2", "results=my runs"]
    ).run
    assert run == RunSettings(
        condition=("plain", "noise:-10", "silence"), limit=5, seed=3, repeats=2, results="my runs"
    )
    assert compose_config(["condition=silence"]).run.condition == ("silence",)


def test_noise_levels_are_conditions_beside_the_others() -> None:
    assert compose_config(["noise=[20,0,-10]"]).run.condition == ("plain", "noise:20", "noise:0", "noise:-10")
    assert compose_config(["noise=5", "condition=[plain,silence]"]).run.condition == ("plain", "silence", "noise:5")

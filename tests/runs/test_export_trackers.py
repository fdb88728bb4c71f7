"""Runs in trackers of experiments and on the hub: every number with its interval."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from huggingface_hub.repocard_data import model_index_to_eval_results
from viewed_runs import acoustics

from earmark.errors import BadSetup, UsageError
from earmark.report.files import read_metrics
from earmark.runs.export_trackers import export_to_tracker, read_tracked


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return acoustics(str(tmp_path), "condition=[plain,silence]")


class Recorder(ModuleType):
    """A client that writes down what it is told."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.told: dict[str, Any] = {}
        self.summary: dict[str, Any] = {}
        self.info = SimpleNamespace(run_id="7")
        self.exceptions = SimpleNamespace(MlflowException=ConnectionError)  # as the client's errors are: no BadSetup
        self.url, self.dir = "", "wandb/offline/files"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def init(self, **words: Any) -> Recorder:
        self.told |= words
        return self

    def save(self, path: str, **_: Any) -> None:
        self.told.setdefault("files", []).append(Path(path).name)

    def start_run(self, **words: Any) -> Recorder:
        return self.init(**words)

    def log_params(self, params: dict[str, str]) -> None:
        self.told["config"] = params

    def log_metrics(self, metrics: dict[str, float]) -> None:
        self.summary |= metrics

    def log_artifact(self, path: str) -> None:
        self.save(path)

    def set_experiment(self, name: str) -> None:
        self.told["project"] = name

    def set_tracking_uri(self, place: str) -> None:
        self.told["place"] = place

    def get_tracking_uri(self) -> str:
        return str(self.told.get("place"))


@pytest.mark.parametrize(("tracker", "project"), [("wandb", "earmark"), ("mlflow", "acoustics")])
def test_a_tracker_is_told_every_number(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tracker: str, project: str
) -> None:
    client = Recorder(tracker)
    monkeypatch.setitem(sys.modules, tracker, client)
    (place,) = export_to_tracker(run, tracker, tmp_path / "out")
    rows = [row for row in read_metrics(run).rows if not row.slice]
    for row in rows:
        for name, estimate in row.metrics.items():
            assert client.summary[f"{row.title}/{row.condition}/{name}"] == estimate.value
            assert client.summary.get(f"{row.title}/{row.condition}/{name}.low") == estimate.low
    assert client.told["project"] == project
    assert client.told["config"]["model.name"] == "fake"
    assert client.told["files"] == ["metrics.json", "summary.csv"]
    assert place in ("wandb/offline", f"{(tmp_path / 'out').as_uri()}: experiment acoustics, run 7")


def test_a_store_that_cannot_be_opened_is_one_line(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Recorder("mlflow")

    def refuse(name: str) -> None:
        raise ConnectionError(f"no store for {name}")

    client.set_experiment = refuse  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "mlflow", client)
    with pytest.raises(BadSetup, match=r"no store for acoustics.*give --out FOLDER"):
        export_to_tracker(run, "mlflow", None)


def test_no_number_has_a_name_that_is_the_folder_of_another(run: Path) -> None:
    names = read_tracked(run).metrics()
    assert not [name for name in names if any(other.startswith(f"{name}/") for other in names)]


def test_without_its_client_a_tracker_says_what_to_install(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(BadSetup, match="--to wandb needs its client: pip install wandb"):
        export_to_tracker(run, "wandb", None)


def test_the_hub_reads_the_files(run: Path, tmp_path: Path) -> None:
    written = export_to_tracker(run, "hf", tmp_path / "hub", dataset="me/tones")
    assert written == [str(tmp_path / "hub/model-index.yaml"), str(tmp_path / "hub/.eval_results/acoustics.yaml")]
    index = yaml.safe_load(Path(written[0]).read_text())["model-index"]
    name, results = model_index_to_eval_results(index)
    headlines = {(row.title, row.condition): row.headline[1] for row in read_metrics(run).rows if not row.slice}
    assert name == "fake"
    assert {(each.dataset_name, each.metric_name) for each in results} == {
        (f"acoustics {title}", f"accuracy ({condition})") for title, condition in headlines
    }
    entries = parse_eval_result_entries(yaml.safe_load(Path(written[1]).read_text()))
    plain = {title: estimate.value for (title, condition), estimate in headlines.items() if condition == "plain"}
    assert {each.task_id: each.value for each in entries} == pytest.approx(plain, abs=1e-6)
    assert {each.dataset_id for each in entries} == {"me/tones"}


@pytest.mark.parametrize(("tracker", "dataset"), [("wandb", "me/tones"), ("hf", "tones")])
def test_a_data_set_of_the_hub_is_checked(run: Path, tracker: str, dataset: str) -> None:
    with pytest.raises(UsageError, match="expected OWNER/NAME"):
        export_to_tracker(run, tracker, None, dataset)


def test_names_fit_every_tracker(run: Path) -> None:
    assert all(set("%:+") & set(name) == set() for name in read_tracked(run).metrics())

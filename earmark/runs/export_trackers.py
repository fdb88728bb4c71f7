"""Export the numbers of a run to experiment trackers (Weights & Biases, MLflow) and as files for the Hugging Face hub.

wandb    a run of the project earmark, by the client; WANDB_MODE=offline writes it below --out alone
mlflow   a run of the experiment that is called as the benchmark, by the client; with --out in a file store there
hf       model-index.yaml, the metadata of a model card; with a data set of the hub also .eval_results/BENCHMARK.yaml
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from earmark.data.cache import atomic_write
from earmark.data.names import safe_name
from earmark.errors import BadSetup, UsageError
from earmark.journal import METRICS_FILE
from earmark.report.files import read_metrics
from earmark.report.rows import Row
from earmark.runs.signature import load_signature
from earmark.stats.estimate import Estimate

TRACKERS: Final = ("wandb", "mlflow", "hf")
PROJECT: Final = "earmark"
HUB_TASK: Final = "audio-text-to-text"  # the name that the hub has for what is evaluated
NOT_IN_NAMES: Final = re.compile(r"[^\w\-. /]")  # letters that MLflow takes in no name


class TrackedRun(Struct, frozen=True):
    """What a tracker is told of a run."""

    name: str
    benchmark: str
    model: str
    params: dict[str, str]
    rows: list[Row]  # of tasks and averages
    files: list[Path]

    def estimates(self) -> Iterator[tuple[Row, str, Estimate, float]]:
        """Yield every number: its row, its metric, its estimate and its value."""
        for row in self.rows:
            for metric, estimate in row.metrics.items():
                if estimate.value is not None:
                    yield row, metric, estimate, estimate.value

    def metrics(self) -> dict[str, float]:
        """Return every number with the ends of its interval, by task, condition and metric."""
        numbers: dict[str, float] = {}
        for row, metric, estimate, value in self.estimates():
            name = NOT_IN_NAMES.sub("_", f"{row.title}/{row.condition}/{metric}")
            ends = {f"{name}.low": estimate.low, f"{name}.high": estimate.high, f"{name}.n": float(row.n)}
            numbers |= {name: value} | {end: number for end, number in ends.items() if number is not None}
        return numbers


def read_tracked(run: Path) -> TrackedRun:
    """Read what a tracker is told of a run."""
    signature, metrics = load_signature(run), read_metrics(run)
    settings = {f"model.{name}": value for name, value in signature.model.items()}
    settings |= {f"benchmark.{name}": value for name, value in signature.benchmark["settings"].items()}
    settings |= {"benchmark": signature.benchmark["name"], "condition": signature.condition, "run": str(run)}
    return TrackedRun(
        name=f"{signature.model['name']} {signature.benchmark['name']} {run.name}",
        benchmark=signature.benchmark["name"],
        model=signature.model["name"],
        params={name: str(value) for name, value in settings.items()},
        rows=[row for row in metrics.rows if not row.slice],
        files=[path for path in (run / METRICS_FILE, run / "summary.csv") if path.exists()],
    )


def export_to_tracker(run: Path, tracker: str, out: Path | None, dataset: str = "") -> list[str]:
    """Export a run to a tracker; return where it lies. `dataset` is the data set on the hub, OWNER/NAME."""
    if dataset and (tracker != "hf" or not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset)):
        raise UsageError(f"--dataset {dataset}: expected OWNER/NAME of a data set on the hub, with --to hf")
    tracked = read_tracked(run)
    if tracker == "wandb":
        return _log_to_wandb(tracked, out)
    if tracker == "mlflow":
        return _log_to_mlflow(tracked, out)
    return _write_hub_files(tracked, out or run / "export" / "hf", dataset)


def _client(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise BadSetup(f"--to {name} needs its client: pip install {package}") from error


def _log_to_wandb(tracked: TrackedRun, out: Path | None) -> list[str]:
    wandb = _client("wandb", "wandb")
    if out:
        out.mkdir(parents=True, exist_ok=True)
    with wandb.init(project=PROJECT, name=tracked.name, config=tracked.params, dir=str(out) if out else None) as logged:
        logged.summary.update(tracked.metrics())
        for path in tracked.files:
            logged.save(str(path.resolve()), base_path=str(path.resolve().parent), policy="now")
        return [logged.url or str(Path(logged.dir).parent)]


def _log_to_mlflow(tracked: TrackedRun, out: Path | None) -> list[str]:
    if out:  # newer clients ask for a word before they write a store of files
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = _client("mlflow", "mlflow-skinny")
    if out:
        mlflow.set_tracking_uri(out.resolve().as_uri())
    try:
        mlflow.set_experiment(tracked.benchmark)
    except mlflow.exceptions.MlflowException as error:
        hint = "give --out FOLDER for a store of files, or the address of a server in MLFLOW_TRACKING_URI"
        raise BadSetup(f"--to mlflow: {' '.join(str(error).split())[:160]}...; {hint}") from error
    with mlflow.start_run(run_name=tracked.name) as logged:
        mlflow.log_params({NOT_IN_NAMES.sub("_", name): value[:6000] for name, value in tracked.params.items()})
        mlflow.log_metrics(tracked.metrics())
        for path in tracked.files:
            mlflow.log_artifact(str(path))
        return [f"{mlflow.get_tracking_uri()}: experiment {tracked.benchmark}, run {logged.info.run_id}"]


def _write_hub_files(tracked: TrackedRun, out: Path, dataset: str) -> list[str]:
    from huggingface_hub import EvalResult  # noqa: PLC0415 - of this form alone
    from huggingface_hub.repocard_data import eval_results_to_model_index  # noqa: PLC0415

    results = [
        EvalResult(
            task_type=HUB_TASK,
            dataset_type=dataset or tracked.benchmark,
            dataset_name=f"{tracked.benchmark} {row.title}",
            metric_type=metric,
            metric_name=f"{metric} ({row.condition})",
            metric_value=round(value, 6),
            metric_args={"low": estimate.low, "high": estimate.high, "n": row.n},
        )
        for row, metric, estimate, value in tracked.estimates()
        if metric == row.headline[0]
    ]
    index = {"model-index": eval_results_to_model_index(tracked.model, results)}
    written = {out / "model-index.yaml": index} | (_entries(tracked, out, dataset) if dataset else {})
    for path, value in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, _to_yaml(value).encode())
    return [str(path) for path in written]


def _entries(tracked: TrackedRun, out: Path, dataset: str) -> dict[Path, Any]:
    """The hub's evaluation results: the headline of each row with the audio as it is."""
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml  # noqa: PLC0415 - of newer versions
    except ImportError as error:
        raise BadSetup("--dataset needs a newer client of the hub: pip install -U huggingface-hub") from error
    entries = [
        EvalResultEntry(
            dataset_id=dataset,
            task_id=row.task,
            value=round(value, 6),
            notes=f"{metric}, 95 % interval {estimate.low:.3f}-{estimate.high:.3f}, n {row.n}, by Earmark"
            if estimate.low is not None and estimate.high is not None
            else f"{metric}, n {row.n}, by Earmark",
        )
        for row, metric, estimate, value in tracked.estimates()
        if metric == row.headline[0] and row.condition == "plain"
    ]
    return {out / ".eval_results" / f"{safe_name(tracked.benchmark)}.yaml": eval_result_entries_to_yaml(entries)}


def _to_yaml(value: Any) -> str:
    import yaml  # noqa: PLC0415 - of this form alone

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    return text

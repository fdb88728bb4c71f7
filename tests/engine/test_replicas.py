"""Replicas on a real Ray on this machine."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import ENV, PATIENCE, earmark, started
from engine_replicas import N, evaluate_items, lines
from mine import bench
from mine.replicas import POISON, asked
from recorded_runs import records, run

from earmark.config.parse import parse_model
from earmark.engine.progress import Progress
from earmark.engine.replicas import check_room, inner_settings
from earmark.engine.throttle import make_throttle
from earmark.errors import BadSetup, UsageError
from earmark.evaluate import RunResult
from earmark.journal import read_journal
from earmark.models.fake import FakeModel
from earmark.report.files import read_metrics
from earmark.types import replace

MODEL = ("model=fake", "model.reply=mine.replicas:answer")
REPLICAS = ("model.replicas=2", "model.concurrency=4")


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    module = pytest.importorskip("ray", reason="needs Ray: pip install 'earmark[ray]'")
    module.init(
        "local", num_cpus=2, object_store_memory=80 << 20, include_dashboard=False, log_to_driver=False,
        configure_logging=False,
    )  # fmt: skip
    yield module
    module.shutdown()


def texts(outcome: RunResult) -> dict[str, str | None]:
    return {name: record.response.text if record.response else None for name, record in records(outcome).items()}


def test_two_replicas_answer_as_one_process_does(ray: Any) -> None:
    alone = evaluate_items(*MODEL)
    Path("asked.txt").unlink()
    both = evaluate_items(*MODEL, *REPLICAS)
    assert texts(both) == texts(alone)
    assert len(lines(both)) == len(asked()) == N
    assert len({process for _, process in asked()} - {os.getpid()}) == 2
    first, second = (read_metrics(outcome.folder) for outcome in (alone, both))
    same = {"usage": first.usage, "latency": first.latency, "scored": first.scored}
    assert replace(second, **same) == first
    assert all(record.response and record.response.seconds > 0 for record in lines(both))
    assert (both.folder / "run.json").read_bytes() == (alone.folder / "run.json").read_bytes()


def test_a_killed_replica_loses_and_doubles_nothing(ray: Any) -> None:
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.done >= 120 and not killed:
            killed.append(asked()[-1][1])
            os.kill(killed[0], signal.SIGKILL)

    outcome = evaluate_items(*MODEL, *REPLICAS, "model.seconds=0.02", watch=kill_one)
    assert killed
    assert Counter(record.item.id for record in lines(outcome)) == Counter(f"item-{index}" for index in range(N))
    assert all(record.response for record in lines(outcome))
    assert len(asked()) <= N + 4
    assert texts(outcome) == {f"item-{index}": "AB"[index % 3 == 0] for index in range(N)}


def test_a_prompt_that_kills_its_replica_fails_alone(ray: Any) -> None:
    outcome = evaluate_items("model=fake", "model.reply=mine.replicas:poisoned", *REPLICAS)
    failed = [record for record in lines(outcome) if record.failure]
    assert [record.item.id for record in failed] == [f"item-{POISON}"]
    assert failed[0].failure
    assert failed[0].failure.final
    assert "a replica of the model died while it held this question, and so did the second" in failed[0].failure.message
    assert len(lines(outcome)) == N
    assert [item for item, _ in asked()].count(POISON) == 2
    assert len(asked()) <= N + 1 + 2 * 3  # and what the replica held beside it


def test_errors_of_a_replica_are_those_of_the_model(ray: Any) -> None:
    small = bench.make(items=6)
    outcome = run("model=fake", "model.reply=mine.replicas:faulty", *REPLICAS, benchmark=small)
    by_item = records(outcome)
    assert by_item["item-1"].failure
    assert (by_item["item-1"].failure.state, by_item["item-1"].failure.message) == ("refused", "withheld")
    assert by_item["item-2"].response
    assert by_item["item-2"].attempts > 1
    assert by_item["item-3"].failure
    assert "ZeroDivisionError: a bug of the model" in by_item["item-3"].failure.message
    assert "mine/replicas.py" in (outcome.folder / "tracebacks.txt").read_text()


def test_a_model_that_cannot_be_opened_is_the_error_of_opening_it(ray: Any) -> None:
    with pytest.raises(UsageError, match="no module 'nowhere' can be imported"):
        run("model=fake", "model.reply=nowhere:answer", *REPLICAS)


def test_more_gpus_than_there_are_are_refused(ray: Any) -> None:
    with pytest.raises(BadSetup, match=r"found 0 GPUs and 2 CPU cores in 1 nodes of Ray.*model.gpus=64"):
        run("model=fake", "model.replicas=2", "model.gpus=64")


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_with(mark: str) -> list[int]:
    """Processes of this user that were started by a command with a mark in their environment."""
    alive = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                alive.append(int(path.parent.name))
        except OSError:
            continue
    return [process for process in alive if is_alive(process)]


def test_an_interrupt_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'earmark[ray]'")
    monkeypatch.setitem(ENV, "EARMARK_TEST_MARK", str(Path.cwd()))
    mark = f"EARMARK_TEST_MARK={Path.cwd()}"
    process = started("run", "mine.bench", f"items={N}", *MODEL, *REPLICAS, "model.seconds=0.2")
    until = time.monotonic() + PATIENCE
    while len(asked()) < 20:
        assert time.monotonic() < until, "the run did not begin"
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.05)
    assert len(processes_with(mark)) > 2
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    until = time.monotonic() + 20
    while left := processes_with(mark):
        assert time.monotonic() < until, f"processes {left} are left"
        time.sleep(0.1)
    (journal,) = Path("results").rglob("responses.jsonl")
    assert all(record.response for record in read_journal(journal))


def test_the_limit_is_that_of_a_replica_times_the_replicas() -> None:
    config = parse_model({"backend": "fake", "concurrency": 32, "replicas": 4, "gpus": 1, "prices": {"in": 1}})
    assert make_throttle(FakeModel(lambda _: "A"), config).max_concurrency == 128
    assert inner_settings(config) == {"backend": "fake"}


def node(cpus: float, gpus: float, *, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {"CPU": cpus, "GPU": gpus}}


def test_a_cluster_with_too_little_room_is_told() -> None:
    common = parse_model({"backend": "fake", "replicas": 8, "gpus": 1}).common
    assert check_room([node(16, 4), node(16, 4)], common) == ()
    (warning,) = check_room([node(16, 4), node(16, 4, alive=False)], common)
    assert warning == "Ray has room for 4 of 8 replicas now; the others begin when there is more"
    with pytest.raises(BadSetup, match="found 0 GPUs and 16 CPU cores in 1 nodes"):
        check_room([node(16, 0)], common)
    shared = parse_model({"backend": "fake", "replicas": 8, "gpus": 0.25}).common
    assert check_room([node(16, 2)], shared) == ()


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [("127.0.0.1:1", 4, "nothing answers there"), ("ray://head:10001", 2, "expected auto, or HOST:PORT")],
)
def test_a_cluster_that_is_not_there_is_one_line(address: str, status: int, message: str) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'earmark[ray]'")
    done = earmark("run", "mine.bench", "items=2", "model=fake", "model.replicas=2", f"model.cluster={address}")
    assert done.returncode == status
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

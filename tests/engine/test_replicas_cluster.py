"""Replicas on a Ray cluster of two nodes on this machine, of which one is removed while the run goes on.

Slow to start: `make test-ray` runs it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from engine_replicas import N, evaluate_items, lines

from earmark.engine.progress import Progress

pytestmark = pytest.mark.skipif(not os.environ.get("TEST_RAY"), reason="slow; run make test-ray")


@pytest.fixture
def cluster() -> Iterator[Any]:
    utils = pytest.importorskip("ray.cluster_utils", reason="needs Ray: pip install 'earmark[ray]'")
    made = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80 << 20})
    yield made
    made.shutdown()


def test_a_run_ends_whole_though_a_node_goes_and_another_comes(cluster: Any) -> None:
    node = {"num_cpus": 1, "object_store_memory": 80 << 20}
    first, _ = cluster.add_node(**node), cluster.add_node(**node)
    removed: list[bool] = []

    def swap_nodes(progress: Progress) -> None:
        if progress.done >= 100 and not removed:
            removed.append(True)
            cluster.remove_node(first, allow_graceful=False)
            cluster.add_node(**node)

    outcome = evaluate_items(
        *("model=fake", "model.reply=mine.replicas:answer", "model.replicas=2", "model.concurrency=4"),
        *(f"model.cluster={cluster.address}", "model.seconds=0.2"),
        watch=swap_nodes,
    )
    assert removed
    assert Counter(record.item.id for record in lines(outcome)) == Counter(f"item-{index}" for index in range(N))
    assert all(record.response for record in lines(outcome))
